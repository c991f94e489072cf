import io

from rich.console import Console

from airflow_provider.cli.console import Terminal
from airflow_provider.cli.ticker import Ticker


def test_long_work_says_where_it_is_every_two_seconds() -> None:
    said, now = io.StringIO(), [0.0]
    terminal = Terminal(Console(file=io.StringIO()), Console(file=said, width=200))
    ticker = Ticker(terminal, "shop.orders", clock=lambda: now[0])
    for number in ticker.over(range(3000), "repaired", total=3000):
        now[0] = number / 500
    assert said.getvalue().splitlines() == [
        "shop.orders: repaired 1,001 of 3,000",
        "shop.orders: repaired 2,001 of 3,000",
    ]


def test_short_work_says_nothing() -> None:
    said = io.StringIO()
    ticker = Ticker(Terminal(Console(file=io.StringIO()), Console(file=said)), "x")
    assert list(ticker.over("ab", "read")) == ["a", "b"]
    assert said.getvalue() == ""
