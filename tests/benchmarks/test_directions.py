"""What papers say about cross-play: the verdicts, and the numbers that they follow from."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from agents.results.comparison.found import Found
from agents.results.estimates import Estimate
from benchmarks.strength.tables.directions import STATEMENTS, stopped, verdict
from benchmarks.strength.tables.summary import cell
from tests.agents.comparison_files import declared, results_of

NAMES = ("ippo-dense", "ippo-recurrent", "other-play-plain", "other-play", "obl-1", "obl-2", "sad")
FILE = "\n".join(
    [
        'study = "comparison"\ngame = "hanabi"\npreset = "mini"\nsteps = 100',
        'pairs = "same seed"\nseeds = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]',
        *(f'[algorithms.{name}]\nmodule = "ppo"' for name in NAMES),
    ]
)


def found_in(tmp_path: Path, score: Callable[[str, str], float], runs: int = 10) -> Found:
    """Return results in which a pair of runs has the score that ``score`` gives, by their names."""
    whole = declared(tmp_path, FILE)
    return Found(whole, results_of(replace(whole, seeds=whole.seeds[:runs]), score))


def alone_or_together(alone: float, **together: float) -> Callable[[str, str], float]:
    """Return scores: ``alone`` in self-play, and those by algorithm (with _ for -) of two runs of it."""

    def score(one: str, other: str) -> float:
        names = [name.rpartition("-")[0] for name in (one, other)]
        own = together.get(names[0].replace("-", "_"), 5.0)
        return alone if one == other else own if names[0] == names[1] else 1.0

    return score


AS_SAID = alone_or_together(
    8.0, other_play_plain=6.0, other_play=7.0, ippo_dense=4.0, ippo_recurrent=7.9, obl_1=7.75, obl_2=7.8, sad=1.0
)
OTHERWISE = alone_or_together(
    8.0, other_play_plain=3.0, other_play=4.0, ippo_dense=7.0, ippo_recurrent=2.0, obl_1=3.0, obl_2=3.5, sad=8.0
)


def verdicts(found: Found) -> list[str]:
    judged = []
    for statement in STATEMENTS:
        told = statement.measure(found)
        judged.append("" if told is None else verdict(told[0], statement.limit, statement.above))
    return judged


def test_runs_that_agree_with_the_papers_confirm_them_as_far_as_ten_runs_can(tmp_path: Path):
    """Ten compatible runs of OBL still allow an eleventh that understands none of them."""
    plain, other_play, first_level, second_level, recurrent, simplified = verdicts(found_in(tmp_path, AS_SAID))
    assert plain == other_play == recurrent == simplified == "confirmed"
    assert first_level == second_level == "undecided; the estimate agrees"


def test_runs_that_do_not_contradict_them(tmp_path: Path):
    assert verdicts(found_in(tmp_path, OTHERWISE)) == ["contradicted"] * 6


def test_the_words_have_the_numbers(tmp_path: Path):
    found = found_in(tmp_path, AS_SAID)
    told = [statement.measure(found) for statement in STATEMENTS]
    assert all(one is not None for one in told)
    plain, other_play, first_level, second_level, recurrent, simplified = (one[1] for one in told if one is not None)
    assert "other-play-plain 6.00 (" in plain and "ippo-dense 4.00 (" in plain
    assert "other-play 7.00 (" in other_play and "ippo-dense 4.00 (" in other_play
    assert "less than its self-play by 0.25 (" in first_level and "obl-2 7.80 (" in second_level
    assert "ippo-recurrent 7.90" in recurrent and "and obl-2 7.80" in recurrent
    assert ", 12% (8% to 47%) of its self-play" in simplified
    assert "; higher with probability 1.00 (0.62 to 1.00)" in plain


def test_runs_that_ended_before_their_budget_are_marked(tmp_path: Path):
    whole = declared(tmp_path, FILE)
    rows = results_of(whole, AS_SAID)
    rows[0]["note"] = "stopped"
    found, name = Found(whole, rows), rows[0]["algorithm"]
    told = [statement.measure(found) for statement in STATEMENTS]
    marks = [stopped(found, one.algorithms) for one in told if one is not None]
    assert set(marks) == {"", f"; stopped early: {name}"}
    assert all((f"{name} " in one[1]) == bool(mark) for one, mark in zip(told, marks, strict=True) if one is not None)


def test_few_runs_allow_no_inference(tmp_path: Path):
    assert verdicts(found_in(tmp_path, AS_SAID, runs=4)) == ["no inference: too few runs"] * 6
    assert verdicts(found_in(tmp_path, AS_SAID, runs=1)) == [""] * 6


def test_a_run_that_has_not_met_the_others_has_no_part_in_cross_play(tmp_path: Path):
    whole = declared(tmp_path, FILE)
    met = [row for row in results_of(whole, AS_SAID) if "obl-1-10" not in (row.get("one"), row.get("other"))]
    found = Found(whole, met)
    measured = STATEMENTS[2].measure(found)
    assert measured is not None and "by 0.25 (" in measured[1]
    assert cell(found, "obl-1").endswith("; 10 runs, 9 of them together")


def test_what_is_lost_is_measured_on_the_deals_of_the_pairs(tmp_path: Path):
    """A run's own evaluation has other deals, with another mean."""
    whole = declared(tmp_path, FILE)
    rows = [row | {"score": 8.5} if "algorithm" in row["fields"] else row for row in results_of(whole, AS_SAID)]
    measured = STATEMENTS[2].measure(Found(whole, rows))
    assert measured is not None and "by 0.25 (" in measured[1]


@pytest.mark.parametrize(
    ("estimate", "said"),
    [
        ((0.8, 0.6, 0.9), "confirmed"),
        ((0.6, 0.4, 0.9), "undecided; the estimate agrees"),
        ((0.4, 0.3, 0.9), "undecided; the estimate disagrees"),
        ((0.3, 0.1, 0.4), "contradicted"),
    ],
)
def test_a_verdict_is_of_the_whole_interval(estimate: tuple[float, float, float], said: str):
    value, low, high = estimate
    assert verdict(Estimate(value, low, high), 0.5, above=True) == said
    assert verdict(Estimate(1 - value, 1 - high, 1 - low), 0.5, above=False) == said


def test_the_summary_has_runs_and_scores_and_no_interval_for_few_runs(tmp_path: Path):
    """An algorithm without runs, or cross-play of a single run, has a line instead."""
    many = cell(found_in(tmp_path, AS_SAID), "sad")
    assert many.startswith("8.00 / 1.00 (0.") and many.endswith("); 10 runs")
    assert cell(found_in(tmp_path, AS_SAID, runs=4), "sad") == "8.00 / 1.00; 4 runs"
    assert cell(found_in(tmp_path, AS_SAID, runs=1), "sad") == "8.00 / -; 1 run"
    assert cell(found_in(tmp_path, AS_SAID, runs=0), "sad") == "-"
    assert cell(found_in(tmp_path, AS_SAID), "not one of them") == "-"
