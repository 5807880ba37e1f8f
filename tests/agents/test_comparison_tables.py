"""The tables and figures of a comparison are correct for scores that are known."""

from collections.abc import Callable
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hanabako.agents.commands.command_line import main
from hanabako.agents.results.comparison.figures import actions, curves, matrix, mean_of_pairs, profiles
from hanabako.agents.results.comparison.found import Found
from hanabako.agents.results.comparison.pages import board
from tests.agents.files import PLAIN, declared, results_of, written

FIVE = PLAIN.replace("[1, 2]", "[1, 2, 3, 4, 5]").replace("steps = 100", 'steps = 100\npartners = ["smart", "piers"]')
TWO = FIVE + '[algorithms.two]\nmodule = "vdn"\n'


def score_of(one: str, other: str) -> float:
    """Runs 1 to 4 of an algorithm share a language; partners share none with runs; the order of seats matters."""
    if "-" not in one or "-" not in other:
        return 8.0 if one == other else 2.0 if "-" in one else 1.0
    (a, i), (b, j) = one.split("-"), other.split("-")
    together = a == b and (i == j or "5" not in (i, j))
    return (8.0 if together else 3.0) + (0.2 if one < other else 0.0)


def found_in(folder: Path, text: str, score: Callable[[str, str], float] = score_of) -> Found:
    """Return what a comparison has found if all of it has been played."""
    whole = declared(folder, text)
    return Found(whole, results_of(whole, score))


def page_of(folder: Path, text: str, score: Callable[[str, str], float] = score_of) -> str:
    found = found_in(folder, text, score)
    return board(found.comparison, found.rows)


def test_means_are_over_all_pairs_in_both_seatings(tmp_path: Path):
    found = found_in(tmp_path, TWO)
    own = found.teams["one"]
    pairs = [score_of(a, b) for a in own for b in own if a != b]
    assert found.cross_play("one").mean() == pytest.approx(np.mean(pairs))
    text = board(found.comparison, found.rows)
    line = f"| 5 | 1.00 M | 8.00 (8.00 to 8.00) | {np.mean(pairs):.2f}; 3.10 | 6 of 10 | undecided ("
    assert f"| one (equivariant) {line}" in text
    assert "| `smart` |  |  | 8.00 |\n" in text and "| one | - | 8.00, 8.00" in text.replace("module=ppo", "-")


def test_one_run_of_one_algorithm_has_no_columns_on_pairs_and_no_second_table(tmp_path: Path):
    page = page_of(tmp_path, FIVE.replace("[1, 2, 3, 4, 5]", "[1]"))
    assert "together" not in page and "by seed" not in page
    assert "| one (equivariant) | 1 | 1.00 M | 8.00 | 1.50; 1.50 |" in page


def test_references_play_with_themselves_only(tmp_path: Path):
    text = TWO.replace("steps = 100", 'steps = 100\nreferences = ["random"]')
    found = found_in(tmp_path, text, lambda one, other: 0.5 if one == other == "random" else 8.0)
    assert [pair for pair in found.cells if "random" in pair] == [("random", "random")]
    assert "| `random` |  |  | 0.50 |\n" in board(found.comparison, found.rows)


def test_alone_is_self_play_also_for_runs_that_were_evaluated_among_their_partners(tmp_path: Path):
    found = found_in(tmp_path, PLAIN + 'settings.partners = ["smart"]\n')
    found.runs["one"] = [{**run, "score": 3.0} for run in found.runs["one"]]
    assert found.own_scores("one") == [8.0, 8.0]


def test_an_algorithm_is_compared_with_the_one_that_the_file_names(tmp_path: Path):
    """Nine runs of each, all of whose pairs score more, decide; the named one has no cell of its own."""
    text = TWO.replace("4, 5]", "4, 5, 6, 7, 8, 9]").replace("steps = 100", 'steps = 100\nagainst = "two"')
    page = page_of(tmp_path, text, lambda a, _: 8.0 if a[:3] == "one" else 5.0)
    head, _, one, two, *_ = page.split("\n\n")[1].split("\n")
    assert "| more together than two |" in head
    assert "| 36 of 36 | **yes** (" in one and "| **1.00 (0." in one and "**" in two and "| - |" in two


def test_tables_and_figures_name_the_game_with_its_config(tmp_path: Path):
    found = found_in(tmp_path, FIVE + "[config]\nblack_powder = true\n")
    assert board(found.comparison, found.rows).startswith("hanabi mini black_powder=true, 2 players, observation ")
    assert matrix(found).get_suptitle().startswith("hanabi mini black_powder=true, 2 players: ")


def test_lists_of_unequal_length_meet_in_all_pairs(tmp_path: Path):
    """The mean of a partner with an algorithm's five runs is over all five, in both seatings."""
    found = found_in(tmp_path, FIVE, lambda a, _: float(a[-1]) if a.startswith("one-") else 0.0)
    assert found.both(found.teams["one"], ["smart"]).mean() == pytest.approx((1 + 2 + 3 + 4 + 5) / 5 / 2)
    lines = board(found.comparison, found.rows).splitlines()
    (line,) = (line for line in lines if line.startswith("| one (equivariant) | 5 "))
    assert line.endswith("| 1.50; 1.50 |")


SAME = TWO.replace("steps = 100", 'steps = 100\npairs = "same seed"')


def test_runs_of_two_algorithms_may_meet_only_with_the_same_seed(tmp_path: Path):
    found = found_in(tmp_path, SAME, lambda a, b: float("".join(filter(str.isdigit, a + b)) or 0))
    names = [(f"one-{i}", f"two-{j}") for i in range(1, 6) for j in range(1, 6) if i != j]
    left = {pair for one, two in names for pair in ((one, two), (two, one))}
    assert found_in(tmp_path, TWO).asked - found.asked == left
    one, two = found.teams["one"], found.teams["two"]
    assert len(one) == len(two) == 5
    assert mean_of_pairs(found, one, two) == mean_of_pairs(found, two, one) == pytest.approx(33)
    assert mean_of_pairs(found, one, one) == pytest.approx(33)
    assert found.bounds(found.everyone) == (0, 55) and found.bounds(one[:2]) == (0, 22)
    matrix(found)
    assert page_of(tmp_path, SAME) == page_of(tmp_path, TWO)


@pytest.mark.parametrize(
    ("row", "name", "value"),
    [
        *((0, "curve", value) for value in (5, "abc", [1, 2], [["a", "b"]], [[1, float("nan")]])),
        *((0, name, value) for name in ("score", "steps") for value in (float("nan"), 10**400)),
        *((0, name, value) for name in ("score", "core_seconds") for value in (None, "8", True, [8.0])),
        *((-1, name, value) for name in ("score", "agreement") for value in (None, float("inf"))),
        *((-1, "actions", value) for value in (None, 5, "x", [[1, 2]], [["a"]])),
    ],
)
def test_numbers_that_a_page_cannot_show_are_refused_with_their_row(row: int, name: str, value: Any, tmp_path: Path):
    whole = declared(tmp_path, FIVE)
    rows = results_of(whole, score_of)
    rows[row][name] = value
    with pytest.raises(ValueError, match=rf"^{name} must be .*, got .* in the row (algorithm|one)=[^\n]*$"):
        Found(whole, rows)


def test_a_competitive_comparison_of_one_algorithm_has_no_lead(tmp_path: Path):
    text = PLAIN.replace('"hanabi"\npreset = "mini"', '"koikoi"').replace("[1, 2]", "[1, 2, 3, 4, 5]")
    assert "nan" not in page_of(tmp_path, text, lambda *_: 1.0)


def test_a_cell_without_a_pair_has_no_number(tmp_path: Path):
    """Nor has the diagonal of an algorithm with one run: only a bot meets itself there."""
    text = SAME + "seeds = [1]\n" + '[algorithms.three]\nmodule = "vdn"\nseeds = [2]\n'
    found = found_in(tmp_path, text)
    assert np.isnan(mean_of_pairs(found, found.teams["two"], found.teams["three"]))
    assert np.isnan(mean_of_pairs(found, found.teams["two"], found.teams["two"]))
    shown = [word.get_text() for word in matrix(found).axes[0].texts]
    assert len(shown) == 5 * 5 - 4 and "nan" not in shown


@pytest.mark.parametrize("missing", [("one-2", "one-1"), ("one-1", "one-2"), ("one-2", "one-2"), ("smart", "one-2")])
def test_a_run_that_lacks_a_pair_is_left_out_of_means_over_pairs(missing: tuple[str, str], tmp_path: Path):
    whole = declared(tmp_path, FIVE)
    rows = [row for row in results_of(whole, score_of) if (row.get("one"), row.get("other")) != missing]
    assert Found(whole, rows).teams["one"] == ["one-1", "one-3", "one-4", "one-5"]


def test_a_page_says_what_was_played_and_who_went_beyond_the_budget(tmp_path: Path):
    """A run ends after a whole update."""
    whole = declared(tmp_path, TWO.replace("steps = 100", "steps = 4000"))
    rows = results_of(whole, score_of)
    for row in rows:
        row["steps"] = 4096 if row.get("algorithm") == "one" else 32_768
    text = board(whole, rows)
    assert "2 players, observation card_knowledge, features derived; 4,000 decisions a run, 2,000 deals " in text
    assert "| one (equivariant) | 5 | 4,096 | 8.00 (" in text and "| two (" in text
    assert text.endswith("so some made more decisions than their budget: two 32,768.")
    assert "than their budget" not in board(whole, [row | {"steps": 4000} for row in rows])


def test_rows_of_settings_that_the_file_no_longer_has_are_not_shown(tmp_path: Path):
    whole = declared(tmp_path, FIVE)
    changed = declared(tmp_path, FIVE.replace("steps = 100", "steps = 200"))
    assert board(changed, results_of(whole, score_of)) == "No run has ended yet."


def test_a_page_of_rows_that_are_no_reproduction_says_so_first(tmp_path: Path):
    text = TWO.replace("steps = 100", 'steps = 100\nreproduction = false\nreason = "a short run"')
    assert page_of(tmp_path, text).startswith("Not a reproduction: a short run.\n")
    assert "a reproduction" not in page_of(tmp_path, TWO)


def test_a_declared_comparison_says_what_it_would_cost(tmp_path: Path):
    path = written(tmp_path, PLAIN.replace("steps = 100", "steps = 100\ncore_hours = 1_200"))
    main(["study", "page", str(path)])
    said = "Declared, not run: 2 training runs, estimated at 1,200 core-hours. `hanabako study run compare.toml`"
    assert said in (tmp_path / "compare.md").read_text(encoding="utf-8")


def test_a_competitive_game_is_told_by_what_runs_lead_by(tmp_path: Path):
    text = TWO.replace('"hanabi"', '"koikoi"').replace('preset = "mini"\n', "").replace('["smart", "piers"]', "[]")
    found = found_in(tmp_path, text, lambda a, _: 1.0 if a.startswith("one") else -3.0)
    assert {name: lead.value for name, lead in found.leads.items()} == pytest.approx({"one": 2.0, "two": -2.0})
    assert "lead over the others" in board(found.comparison, found.rows)
    runs = [row for row in found.rows if "algorithm" in row["fields"]]
    assert "| 1.00 (1.00 to 1.00) | - |" in board(found.comparison, runs), "before the runs have met"


# --- The figures ------------------------------------------------------------------------------------------------------


def drawn(folder: Path, text: str) -> Any:
    """Return the chart of curves; the scores of the run with seed s rise from 0 to s."""
    found = found_in(folder, text)
    rows = [{**row, "curve": [[10**6, 0], [2 * 10**6, row["seed"]]]} for row in chain(*found.runs.values())]
    return curves(Found(found.comparison, rows))


def test_curves_share_a_chart_and_a_band_spans_their_runs(tmp_path: Path):
    (axes,) = drawn(tmp_path, TWO).axes
    assert [line.get_label() for line in axes.lines] == ["one", "two"]
    for line, spanned in zip(axes.lines, axes.collections, strict=True):
        assert (line.get_xdata()[0], line.get_xdata()[-1], line.get_ydata()[-1]) == pytest.approx((1, 2, 3))
        heights = [y for x, y in spanned.get_paths()[0].vertices if x == 2]
        assert (min(heights), max(heights)) == (1, 5)
    assert axes.get_ylim()[0] <= 0


def test_without_curves_there_is_no_chart(tmp_path: Path):
    assert curves(found_in(tmp_path, TWO)) is None


@pytest.mark.parametrize(("count", "shown"), [(3, [0, 1, 2]), (9, [0, 2, 4, 6, 8])])
def test_actions_are_those_of_the_best_the_worst_and_some_between(count: int, shown: list[int], tmp_path: Path):
    names = [f"own{k}" for k in range(count)]
    file = PLAIN[: PLAIN.index("[algorithms")] + "".join(f'[algorithms.{name}]\nmodule = "ppo"\n' for name in names)
    found = found_in(tmp_path, file, lambda one, other: 9.0 - int(one[3]) if one[3] == other[3] else 0.0)
    table, firsts = (100 * np.eye(12, dtype=int)).tolist(), [f"{name}-1" for name in names]
    rows = [{**row, "actions": table} if row.get("one") in firsts else row for row in found.rows]
    titles = [axes.get_title(loc="left") for axes in actions(Found(found.comparison, rows)).axes]
    assert [title for title in titles if title] == [names[k] for k in shown]


def test_a_profile_is_the_share_of_pairs_from_score_0_to_the_highest(tmp_path: Path):
    """Six of the ten pairs score 8.1, the others 3.1."""
    (axes,) = profiles(found_in(tmp_path, TWO)).axes
    assert len(axes.lines) == 2 and axes.collections
    own = axes.lines[-1]
    assert (own.get_xdata()[0], own.get_xdata()[-1]) == pytest.approx((0, 8.1))
    assert np.interp([0, 3.0, 3.2, 7.9], own.get_xdata(), own.get_ydata()) == pytest.approx([1, 1, 0.6, 0.6])
