"""Fields, relations, bindings and copies of every component."""

import copy
import inspect
import pickle
import sys
import types
from typing import Any, ClassVar

import pytest

from airflow_provider.definitions.asset import Asset
from airflow_provider.definitions.component import (
    Component,
    class_settings,
    component_in,
    snake_case,
)
from airflow_provider.definitions.decorators import asset
from airflow_provider.definitions.destination import Destination
from airflow_provider.definitions.relation import Relation
from airflow_provider.definitions.resource import Config, Resource
from airflow_provider.definitions.source import Source
from airflow_provider.destinations.csv import CSVDestination
from airflow_provider.destinations.memory import MemoryDestination
from airflow_provider.errors import ConfigError, DefinitionError


def _nothing() -> list[dict[str, Any]]:
    return []


class Budget(Config):
    limit: int = 5


class Client(Resource):
    """Has one relation that must be filled, one that may be, and one of several."""

    budget: Budget
    spare: Budget | None
    several: list[Budget]
    url: str = "http://shop.test"


@asset
def users() -> list[dict[str, Any]]:
    return []


@pytest.mark.parametrize(
    ("name", "snake"),
    [("CSVDestination", "csv_destination"), ("Users", "users"), ("HTTPServerV2", "http_server_v2"), ("a_b", "a_b")],
)
def test_snake_case(name: str, snake: str) -> None:
    assert snake_case(name) == snake


def test_annotations_of_component_classes_are_relations_not_fields() -> None:
    assert set(Client.__pydantic_fields__) == {"id", "url"}
    relations = {name: (r.classes, r.many, r.optional) for name, r in Client.relations.items()}
    assert relations == {
        "budget": ((Budget,), False, False),
        "spare": ((Budget,), False, True),
        "several": ((Budget,), True, False),
    }


def test_a_subclass_inherits_fields_and_relations() -> None:
    class Better(Client):
        timeout: int = 3

    budget = Budget()
    better = Better(budget=budget, timeout=4)

    assert (better.budget, better.spare, better.several, better.url) == (budget, None, [], "http://shop.test")


def test_an_unknown_keyword_of_the_constructor_is_refused() -> None:
    """A083."""
    with pytest.raises(DefinitionError, match=r"got unexpected keyword argument\(s\): colour, size") as caught:
        Client(size=1, colour=2)
    assert isinstance(caught.value, TypeError)
    assert "budget, id, several, spare, url" in caught.value.fix


def test_an_unknown_keyword_of_an_instance_call_is_refused() -> None:
    """A083."""
    with pytest.raises(DefinitionError, match="has no field or relation named: colour"):
        users()(colour="red")


def test_an_unknown_attribute_is_refused() -> None:
    made = users()
    with pytest.raises(DefinitionError, match="has no field or relation named: colour"):
        made.colour = "red"
    with pytest.raises(AttributeError):
        _ = made.colour


def test_positional_arguments_are_refused_and_the_keywords_named() -> None:
    """D016."""
    with pytest.raises(DefinitionError, match="takes keywords only, 1 positional") as caught:
        Client("http://shop.test")
    assert "budget, several, spare, url" in caught.value.fix
    assert isinstance(caught.value, TypeError)


def test_the_signature_names_fields_and_relations_before_and_after_the_first_instance() -> None:
    class Fresh(Client):
        size: int
        url = "http://other.test"

    signatures = [str(inspect.signature(Fresh))]
    Fresh(size=1)
    signatures.append(str(inspect.signature(Fresh)))

    expected = "(*, id='', url='http://other.test', size, budget=None, spare=None, several=None)"
    assert signatures == [expected, expected]


def test_a_value_that_does_not_fit_is_named_without_the_value() -> None:
    with pytest.raises(ConfigError, match="budget': limit: Input should be a valid integer") as caught:
        Budget(limit="lots-of-money")
    assert "lots-of-money" not in str(caught.value)
    budget = Budget()
    with pytest.raises(ConfigError, match="limit"):
        budget.limit = "lots-of-money"  # type: ignore[assignment]
    assert budget.limit == 5


def test_every_instance_has_an_id_and_copies_keep_it() -> None:
    one, other = users(), users()

    assert one.id != other.id
    assert one(enabled=False).id == one.id
    assert users(id="mine").id == "mine"


def test_components_show_their_key_and_no_value() -> None:
    made = Client(url="http://user.test:secret@shop.test")

    assert repr(made) == "Client(key='client')"
    assert str(made) == f"Client (key: client, id: {made.id})"
    assert "secret" not in f"{made!r}{made}"


def test_components_compare_by_identity() -> None:
    one = Budget()

    assert one == one
    assert one != Budget()
    assert len({one, one, Budget()}) == 2


def test_reading_an_unbound_relation() -> None:
    client = Client()

    assert (client.budget, client.spare, client.several) == (None, None, [])


def test_a_many_valued_read_is_a_fresh_list() -> None:
    client = Client(several=[Budget()])
    client.several.append(Budget())

    assert len(client.several) == 1


def test_bind_adds_and_drops_repeats() -> None:
    one, other = Budget(), Budget()
    client = Client()
    client.bind("several", one)
    client.bind("several", one, other)
    client.bind("several")

    assert client.several == [one, other]
    assert client.bound("several") == (one, other)


def test_bind_replaces_the_one_of_a_single_relation() -> None:
    one, other = Budget(), Budget()
    client = Client(budget=one)
    client.bind("budget", other)

    assert client.budget is other


def test_an_unknown_relation_is_a_key_error() -> None:
    for call in (Client().bind, Client().unbind, Client().bound, Client().targets):
        with pytest.raises(KeyError, match="no relation 'colour'"):
            call("colour")


def refused_targets(client: Client) -> list[tuple[tuple[Any, ...], str]]:
    return [
        ((Budget(), Budget()), "takes one target, 2 given"),
        ((CSVDestination(base_path="/x"),), "takes a config, not the destination"),
        ((client,), "cannot be bound to its own component"),
        ((Budget,), "takes component instances"),
        ((5,), "takes component instances, not 5"),
    ]


def test_a_refused_binding_leaves_what_was_bound() -> None:
    budget = Budget()
    client = Client(budget=budget)
    for targets, message in refused_targets(client):
        with pytest.raises(ConfigError, match=f"relation 'budget' {message}"):
            client.bind("budget", *targets)
        with pytest.raises(ConfigError, match=f"relation 'budget' {message}"):
            client.budget = list(targets)
        assert client.budget is budget


def test_assignment_replaces_and_none_clears() -> None:
    """A077."""
    one, other = Budget(), Budget()
    client = Client(several=[one], spare=one)
    client.several = [other, other]
    client.spare = None

    assert client.several == [other]
    assert client.spare is None


@pytest.mark.parametrize("nothing", [None, [], ()])
def test_a_relation_that_must_be_filled_cannot_be_emptied(nothing: Any) -> None:
    budget = Budget()
    client = Client(budget=budget)

    with pytest.raises(ConfigError, match="relation 'budget' must have a target"):
        client.budget = nothing
    with pytest.raises(ConfigError, match="relation 'budget' must have a target"):
        client.unbind("budget", budget)
    assert client.budget is budget


def test_what_was_never_bound_may_be_cleared_and_nothing_is_bound_by_it() -> None:
    client = Client(budget=None)
    client.budget = None
    client.unbind("budget", Budget())

    assert client.bound("budget") == ()


def test_an_owned_component_may_always_be_cleared_and_reads_through_its_owner_then() -> None:
    class Shop(Source):
        budget: Budget

        @asset
        def orders(self, budget: Budget) -> list[dict[str, Any]]:
            return []

    one, other = Budget(), Budget()
    shop = Shop(budget=one)
    for clear in (lambda: shop.orders.unbind("budget", other), lambda: setattr(shop.orders, "budget", None)):
        shop.orders.budget = other
        clear()
        assert shop.orders.budget is one


def test_resolving_gives_what_is_bound_else_a_fallback_that_is_never_bound() -> None:
    bound, client = Budget(), Client()

    assert Client(budget=bound).resolve("budget") is bound
    assert isinstance(client.resolve("budget"), Budget)
    assert client.resolve("budget") is not client.resolve("budget")
    assert client.resolve("several") == []
    assert (client.budget, client.bound("budget")) == (None, ())
    with pytest.raises(KeyError, match="no relation 'colour'"):
        client.resolve("colour")


def test_the_default_of_a_relation_must_fit_it() -> None:
    class Odd(Resource):
        relations: ClassVar[dict[str, Relation]] = {"budget": Relation(Budget, default=Client)}

    with pytest.raises(ConfigError, match="the default of relation 'budget' takes a config, not the resource 'client'"):
        Odd().resolve("budget")


def test_what_is_lent_is_read_and_not_bound_and_what_is_bound_wins() -> None:
    lent, bound, client = Budget(), Budget(), Client()
    client.lend("budget", lent)
    assert (client.budget, client.bound("budget")) == (lent, ())

    client.budget = bound
    assert client.budget is bound


def test_unbind_takes_off_what_is_there() -> None:
    one, other = Budget(), Budget()
    client = Client(several=[one, other], spare=one)
    client.unbind("several", one, Budget())
    client.unbind("spare", one)

    assert client.several == [other]
    assert client.spare is None


def test_unbound_relations_are_read_through_the_owner_as_far_as_they_fit() -> None:
    """A080."""

    @asset(relations={"destinations": [CSVDestination]})
    def narrow(self: Any, budget: Budget) -> list[dict[str, Any]]:
        return []

    class Shop(Source):
        budget: Budget
        narrow_one = narrow

        @asset
        def wide(self) -> list[dict[str, Any]]:
            return []

    csv, memory = CSVDestination(base_path="/x"), MemoryDestination()
    shop = Shop(destinations=[csv, memory], budget=Budget())

    assert shop.wide.destinations == [csv, memory]
    assert shop.narrow.destinations == [csv]
    assert shop.narrow.budget is shop.budget
    assert shop.wide.bound("destinations") == ()

    shop.destinations = [memory]
    assert shop.narrow.destinations == []
    shop.narrow.destinations = csv
    assert shop.narrow.destinations == [csv]


def test_a_narrowed_class_accepts_its_subclasses() -> None:
    class Special(CSVDestination):
        """Has another key."""

    @asset(relations={"destinations": [CSVDestination]})
    def narrow() -> list[dict[str, Any]]:
        return []

    special = Special(base_path="/x")
    assert Special.key != CSVDestination.key
    assert narrow(destinations=special).destinations == [special]
    with pytest.raises(ConfigError, match="takes CSVDestination, not MemoryDestination"):
        narrow(destinations=MemoryDestination())


def test_a_copy_rebinds_what_is_named_and_keeps_the_rest() -> None:
    """A078, A079."""
    one, other = Budget(), Budget()
    client = Client(budget=one, several=[one], spare=one, url="http://other.test")
    changed = client(budget=other, spare=None)

    assert (changed.budget, changed.spare, changed.url, changed.id) == (other, None, "http://other.test", client.id)
    assert (client.budget, client.spare, changed.several) == (one, one, [one])
    changed.bind("several", other)
    assert client.several == [one]


def test_relations_are_relations_classes_or_lists_of_classes() -> None:
    class Other(Component):
        relations: ClassVar[dict[str, Any]] = {"budget": Budget, "limits": Relation("config", many=True)}

    assert Other.relations["budget"].classes == (Budget,)
    assert Other.relations["limits"].name == "limits"

    for wrong, message in [
        ({"budget": 5}, r"relations\['budget'\] is 5"),
        ({"budget": []}, r"relations\['budget'\] is \[\]"),
        ({"budget": [Budget]}, "narrows a relation that is not declared"),
    ]:
        with pytest.raises(DefinitionError, match=message):
            type(Component)(
                "Wrong", (Component,), {"__module__": __name__, "__qualname__": "Wrong", "relations": wrong}
            )


def test_a_relation_is_narrowed_within_its_kind() -> None:
    with pytest.raises(DefinitionError, match="takes a destination, not the config Budget"):
        asset(key="users", relations={"destinations": [Budget]})(_nothing)


def test_a_component_that_is_defined_later_is_no_silent_field() -> None:
    module = types.ModuleType("late_module")
    sys.modules["late_module"] = module
    try:
        namespace = {"__module__": "late_module", "__qualname__": "Early", "__annotations__": {"later": "Later"}}
        early: Any = type(Component)("Early", (Component,), namespace)
        module.Later = type("Later", (Config,), {"__module__": "late_module"})  # type: ignore[attr-defined]
        with pytest.raises(DefinitionError, match="later is annotated with Later, which was defined later"):
            early()
    finally:
        del sys.modules["late_module"]


def test_a_field_set_without_annotation_is_a_default() -> None:
    class Cheap(Budget):
        limit = 1

    class Cheaper(Cheap):
        pass

    assert (Cheap().limit, Cheaper().limit, Cheaper(limit=2).limit, Budget().limit) == (1, 1, 2, 5)
    with pytest.raises(ConfigError, match="config 'wrong': limit"):
        type(Budget)("Wrong", (Budget,), {"__module__": __name__, "__qualname__": "Wrong", "limit": "x"})


def test_an_instance_in_a_class_body_is_refused() -> None:
    with pytest.raises(DefinitionError, match="budget is an instance of Budget; a class body holds definitions"):

        class Wrong(Resource):
            budget = Budget()


def test_components_can_be_copied_deeply_and_pickled() -> None:
    budget = Budget(limit=9)
    copied = copy.deepcopy(Client(budget=budget, url="http://other.test"))

    assert (copied.url, copied.budget.limit) == ("http://other.test", 9)
    assert pickle.loads(pickle.dumps(users(dataset="lake"))).dataset == "lake"


def test_the_component_in_an_annotation() -> None:
    assert component_in(Budget) == (Budget, False, False)
    assert component_in(Budget | None) == (Budget, False, True)
    assert component_in(list[Budget]) == (Budget, True, False)
    assert component_in(list[Budget] | None) == (Budget, True, True)
    assert component_in(Budget | Client) == (None, False, False)
    assert component_in(int) == (None, False, False)


def test_class_settings_are_those_that_a_decorator_may_set() -> None:
    assert {"key", "name", "icon", "tags", "schema", "partitioning", "airflow"} <= class_settings(Asset)
    assert not {"kind", "relations", "function", "parameters"} & class_settings(Asset)
    assert "env_prefix" in class_settings(Config)
    assert "guarantee" not in class_settings(Destination)
