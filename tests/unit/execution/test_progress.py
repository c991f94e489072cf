from airflow_provider.execution.outcome import PartitionOutcome
from airflow_provider.execution.progress import LoggedProgress, Tally, duration


class Clock:
    """Time that passes when it is told to."""

    now = 0.0

    def __call__(self):
        return self.now


def outcome(rows=50):
    return PartitionOutcome("2026-01-01", "csv", "csv:/lake", "committed", rows=rows)


def test_the_line_says_done_rows_rate_and_time_left():
    clock = Clock()
    tally = Tally(4000, clock=clock)
    assert tally.line() == "0/4,000 partitions, 0 rows"
    clock.now = 10.0
    for _ in range(1000):
        tally.add(outcome(2000))

    assert tally.line() == "1,000/4,000 partitions, 2,000,000 rows, 100.0 partitions/s, 200,000 rows/s, 30 s left"


def test_the_log_hears_of_a_long_run_every_ten_seconds_and_of_a_short_one_never():
    clock, lines = Clock(), []
    progress = LoggedProgress(100, lines.append, clock=clock)
    for _ in range(100):
        clock.now += 0.35
        progress(outcome())

    assert [line.split()[0] for line in lines] == ["29/100", "58/100", "87/100"]
    assert lines[0].endswith("25 s left")

    quick = []
    progress = LoggedProgress(100, quick.append, clock=Clock())
    for _ in range(100):
        progress(outcome())
    assert quick == []


def test_durations_are_told_in_two_units_at_most():
    assert [duration(s) for s in (0, 45, 200, 7500)] == ["0 s", "45 s", "3 min 20 s", "2 h 5 min"]
