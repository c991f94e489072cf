"""What a type checker should tell a user: mypy reads this file, and an error that it does not find is one of ours."""

import airflow_provider as ap


@ap.asset(tags=3)  # type: ignore[call-overload, untyped-decorator]
def tagged() -> None: ...


@ap.asset(stray_rows="keep")  # type: ignore[call-overload, untyped-decorator]
def strayed() -> None: ...


@ap.asset(partitioning="daily")  # type: ignore[call-overload, untyped-decorator]
def parted() -> None: ...


@ap.view(dialect=3)  # type: ignore[call-overload, untyped-decorator]
def viewed() -> None: ...


@ap.source(retry=3)  # type: ignore[call-overload]
class Shop(ap.Source):
    @ap.asset
    def orders(self) -> None: ...


ap.AssetGraph("orders")  # type: ignore[arg-type]
Shop().orders.materialise()  # type: ignore[attr-defined]
Shop().order  # type: ignore[attr-defined]  # noqa: B018
