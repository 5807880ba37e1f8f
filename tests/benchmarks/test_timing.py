"""Timing in the benchmarks: medians, turns, clocks, and result files that are whole or absent."""

import json

from benchmarks.speed import timing
from benchmarks.speed.timing import Case
from hanabako import machine


def counting_case(name: str, log: list[str], steps: int = 7) -> Case:
    def play() -> int:
        log.append(name)
        return steps

    return Case({"name": name}, play, clock="wall")


def test_compared_cases_take_turns():
    log: list[str] = []
    timing.measure([counting_case("a", log), counting_case("b", log)], seconds=1e-9, repeats=3, title="turns")
    assert log == ["a", "b"] * 4  # a warm-up, then three repeats


def test_a_result_has_its_row_the_median_and_the_spread():
    case = Case({"name": "a", "players": 2}, lambda: 1)
    row = timing.result(case, [30.0, 10.0, 20.0])
    assert row["name"] == "a" and row["players"] == 2 and row["clock"] == "cpu"
    assert (row["lowest"], row["steps_per_second"], row["highest"]) == (10, 20, 30)
    assert row["repeats"] == [30, 10, 20]


def test_speed_counts_the_steps_that_were_played():
    log: list[str] = []
    slow = timing.steps_per_second(counting_case("a", log, steps=1), seconds=0.01)
    fast = timing.steps_per_second(counting_case("b", log, steps=1000), seconds=0.01)
    assert fast > 10 * slow > 0


def test_the_machine_is_described_in_json_types():
    found = machine.describe(("a-package-that-does-not-exist",))
    assert json.loads(json.dumps(found)) == found
    assert found["cores"] >= 1 and found["processor"]
    assert found["versions"]["numba"] and "a-package-that-does-not-exist" not in found["versions"]


def test_the_machines_of_a_table_are_told_with_their_days():
    one = {"processor": "abacus", "python": "3.14", "versions": {"numba": "0.70"}, "date": "2026-11-24 10:00 UTC"}
    rows = [one, one | {"date": "2026-11-23 23:59 UTC"}, one | {"processor": "slide rule"}, {"processor": "x86_64"}]
    assert machine.in_words(rows) == (
        "abacus, Python 3.14, numba 0.70 or slide rule, Python 3.14, numba 0.70; "
        "2026-11-23, 2026-11-24; 1 rows earlier, elsewhere"
    )
    assert machine.in_words([{}]) == ""
