"""The scale of the papers beside ours: every number has a source, and declared comparisons can be run."""

import pytest

from benchmarks.strength.tables.scale import MEASURED, comparison, found_in, papers, scale
from hanabako.agents.commands.command_line import main
from hanabako.agents.results.comparison.measuring import check
from hanabako.agents.results.finding import STUDIES, find, load, names, title_of

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
