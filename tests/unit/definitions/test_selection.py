from types import ModuleType

import airflow_provider as ap
from airflow_provider.definitions.selection import classes_in, instances_in, workloads_of


def module(**values: object) -> ModuleType:
    made = ModuleType("bundle_of_test")
    vars(made).update(values)
    return made


def definition(name: str, base: type = ap.Asset) -> type:
    return type(name, (base,), {"__module__": "bundle_of_test", "key": name.lower(), "data": lambda self: []})


def test_an_instance_takes_the_place_of_its_class_and_of_that_classs_bases() -> None:
    base = definition("Base")
    asset = definition("Orders", base)
    made = asset()

    assert workloads_of(module(Base=base, Orders=asset, made=made)) == [made]


def test_a_class_of_which_nothing_was_made_is_made() -> None:
    asset = definition("Orders")

    (made,) = workloads_of(module(Orders=asset))

    assert type(made) is asset


def test_a_class_counts_where_it_is_defined_only() -> None:
    class Elsewhere(ap.Asset):
        key = "elsewhere"

        def data(self) -> list[dict[str, int]]:
            return []

    assert classes_in(module(Elsewhere=Elsewhere), made=()) == []


def test_one_instance_under_two_names_is_there_once_and_private_names_do_not_count() -> None:
    made = definition("Orders")()

    assert instances_in(module(a=made, b=made, _c=definition("Hidden")())) == [made]


def test_an_asset_of_a_source_comes_with_its_source() -> None:
    orders = definition("Orders")
    shop = type("Shop", (ap.Source,), {"__module__": "bundle_of_test", "key": "shop", "orders": orders})()

    assert instances_in(module(shop=shop, orders=shop.orders)) == [shop]


def test_outputs_come_with_their_multi_asset() -> None:
    @ap.multi_asset(outputs=["orders", "lines"])
    def feed() -> None: ...

    feed.__module__ = "bundle_of_test"
    made = feed()

    assert instances_in(module(feed=made, orders=made.orders)) == [made]
    assert instances_in(module(orders=made.orders)) == [made.orders]
    assert classes_in(module(feed=feed, orders=feed.orders), made=()) == [feed]
    assert classes_in(module(feed=feed), made={feed}) == []
