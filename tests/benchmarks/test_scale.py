"""Our scores beside papers and originals: the scale, verdicts on agreement between runs, ports of programs."""

import itertools
from typing import Any

import numpy as np
import pytest

from benchmarks.strength import ports
from benchmarks.strength.tables.directions import Statement, resampled, runs_to_decide, share, statements, verdict
from benchmarks.strength.tables.scale import MEASURED, comparison, found_in, papers, scale
from hanabako.agents.commands.command_line import main
from hanabako.agents.results.comparison.measuring import check
from hanabako.agents.results.estimates import Estimate
from hanabako.agents.results.finding import STUDIES, find, load, names, title_of
from hanabako.agents.results.store import read_results

DECLARED = sorted(path.stem for path in STUDIES.glob("paper_scale_*.toml"))


def test_every_algorithm_of_a_comparison_has_one_paper():
    known = [name for paper in papers() for name in paper.algorithms]
    assert len(known) == len(set(known))
    assert {name for study in (*MEASURED, *DECLARED) for name in comparison(study).algorithms} <= set(known)
    assert sorted(name for paper in papers() for name in paper.declared) == DECLARED


def test_what_was_not_found_is_not_stated():
    unknown = next(paper for paper in papers() if not paper.decisions)
    (line,) = (line for line in scale().splitlines() if line.startswith(f"| {unknown.name}"))
    assert "| standard | not stated |" in line
    assert all(paper.source for paper in papers())


def test_budgets_are_at_least_thirty_times_smaller_as_the_pages_say():
    for paper in papers():
        for name in MEASURED:
            steps = [row["steps"] for own in paper.algorithms for row in found_in(name).runs.get(own, [])]
            assert all(30 * count < least for least in paper.decisions[:1] for count in steps)


@pytest.mark.parametrize("name", DECLARED)
def test_declared_comparisons_can_be_run_and_say_that_they_were_not(name: str, capsys: pytest.CaptureFixture[str]):
    whole, place = comparison(name), find(name)
    assert name in names() and title_of(name).startswith("Declared, not run: ")
    assert not place.results.exists(), "it was run: move it to MEASURED, and change its first line"
    check(whole)
    assert "Declared, not run: " in load(place).unmeasured
    main(["study", "list", name, "--where", "seed=1"])
    assert capsys.readouterr().out.count("0 of 1 ") == len(whole.algorithms)


def test_the_budget_of_a_declared_comparison_is_that_of_its_paper():
    for paper in papers():
        for whole in map(comparison, paper.declared):
            if paper.decisions:
                assert paper.decisions[0] <= (whole.steps or 0) <= paper.decisions[-1]
            assert paper.runs is None or len(whole.seeds) == paper.runs


def scores(runs: int, together: float, alone: float = 8.0) -> np.ndarray:
    """Scores (runs, runs) of runs that all score the same together and alone; no two are equal."""
    noise = np.random.default_rng(1).normal(0, 1e-3, (runs, runs))
    return np.where(np.eye(runs, dtype=bool), alone, together) + noise


KEEPS = Statement("", "", "", keeps="one", part=0.95)
LOSES = Statement("", "", "", loses="one", part=0.95)
MORE = Statement("", "", "", more=("one", "other"))
ALONE = Statement("", "", "", alone=("one", "other"))


@pytest.mark.parametrize(
    ("statement", "true", "false"),
    [
        (KEEPS, [scores(9, 7.8)], [scores(9, 7.0)]),
        (LOSES, [scores(9, 7.0)], [scores(9, 7.8)]),
        (MORE, [scores(9, 6), scores(9, 5)], [scores(9, 5), scores(9, 6)]),
        (ALONE, [scores(9, 5, 8), scores(9, 5, 7)], [scores(9, 5, 7), scores(9, 5, 8)]),
    ],
)
def test_nine_runs_that_all_agree_decide_and_four_do_not(
    statement: Statement, true: list[np.ndarray], false: list[np.ndarray]
):
    assert verdict(share(statement, true)) == "confirmed"
    assert verdict(share(statement, false)) == "contradicted"
    assert verdict(share(statement, [matrix[:4, :4] for matrix in true])) == "too few runs"


@pytest.mark.parametrize(
    ("ends", "judged"), [((0.51, 1.0), "confirmed"), ((0.5, 0.9), "undecided"), ((0.1, 0.49), "contradicted")]
)
def test_a_verdict_is_of_the_whole_interval(ends: tuple[float, float], judged: str):
    assert verdict(Estimate(sum(ends) / 2, *ends)) == judged


def test_how_many_runs_would_decide_follows_from_those_there_are():
    """Six runs that all agree are too few for a verdict; ten would do."""
    assert verdict(share(KEEPS, [scores(6, 7.8)])) == "undecided"
    assert runs_to_decide(KEEPS, [scores(6, 7.8)]) == 10


def test_a_run_drawn_twice_meets_itself_as_it_meets_another():
    matrix = scores(5, 3.0)
    drawn = resampled(matrix, 30, np.random.default_rng(1))
    apart = ~np.eye(30, dtype=bool)
    assert drawn[apart].max() < 4 and drawn.diagonal().min() > 7


def test_every_declared_statement_names_algorithms_of_its_comparison():
    for statement in statements():
        given = [statement.keeps, statement.loses, *statement.more, *statement.alone]
        assert len([name for name in given if name]) in (1, 2)
        assert set(statement.algorithms) <= comparison(statement.comparison).algorithms.keys()


def result(name: str, score: float, preset: str = "standard", **more: Any) -> dict[str, Any]:
    return {"line_up": [name], "players": 2, "preset": preset, "score": score, "fireworks_score": score, **more}


def original(score: float, published: float | None = None, **more: Any) -> dict[str, Any]:
    means = {"original": {"2": {"score": score, "error": 0.01}}, "published": {"2": published} if published else {}}
    rest = {"title": "a", "bot": "a", "lost_games": "kept", "program": "b/c 123", "change": None, "done": 10}
    return means | rest | {"source": None, "note": None} | more


def test_a_port_stands_beside_its_original_by_the_same_way_to_count_lost_games():
    ours = result("a", 3.0, fireworks_score=7.0)
    assert ports.cell(original(6.9, 7.002), "2", ours) == "**7.00**; 6.90 (+0.10)<br>published 7.00 (+0.00)"
    assert ports.cell(original(3.2, lost_games="zero"), "2", ours) == "**3.00**; 3.20 (-0.20)"
    assert ports.cell(original(3.2), "3", ours) == ""


def test_a_search_stands_beside_its_original_on_the_same_deals():
    ours, theirs = result("a", 3.0, sums=[[60], [80], [20]]), original(3.2, lost_games="zero", deals=40)
    assert ports.cell(theirs, "2", ours) == "**3.50**; 3.20 (+0.30)"
    assert not list(ports.comparisons([theirs], [ours])), "few deals: no limit"


def test_four_lives_are_compared_with_four_lives():
    bots = [result("a", 3.0), result("a", 9.0, preset="standard max_life_tokens=4"), result("a", 1.0, preset="mini")]
    for lost_games, ours in (("kept", 3.0), ("fourth", 9.0)):
        (compared,) = ports.comparisons([original(5.0, lost_games=lost_games)], bots)
        assert compared.ours == ours


def test_the_largest_difference_is_named():
    table = ports.beside_originals([original(3.1), original(3.5)], [result("a", 3.0)])
    assert table.splitlines()[-1] == (
        "Farther than 0.15 from their originals: 1 of 2 means. The largest difference is -0.50 (a, 2 players)."
    )


def test_two_bots_together_have_a_cell_and_a_large_difference_is_shown():
    bots = [result("a", 3.0, line_up=pair.split(",")) for pair in ("a,b", "a,c")]
    originals = [original(score, title=pair, bot=pair) for pair, score in (("a,b", 3.1), ("a,c", 3.5))]
    b, c = ports.together(originals, bots).splitlines()[2:]
    assert (b, c) == ("| b | 3.00; 3.10 |", "| c | 3.00; 3.50 (-0.50) |")
    assert len(ports.beside_originals(originals, bots).splitlines()) == 4, "a head and the summary"


def test_every_two_rule_lists_together_score_as_their_originals():
    compared = ports.comparisons(read_results(ports.RESULTS), read_results(ports.BOTS))
    gaps = {case.bot: case.ours - case.original for case in compared if "," in case.bot}
    lists = ("internal", "outer", "cautious", "iggi", "piers", "vdb", "flawed", "random")
    assert list(gaps) == [",".join(pair) for pair in itertools.combinations(lists, 2)]
    assert {pair: gap for pair, gap in gaps.items() if abs(gap) > ports.WITHIN} == {}
