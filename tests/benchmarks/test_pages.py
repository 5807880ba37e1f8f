"""The READMEs, the pages of studies and the committed results agree, and each result names its command and machine."""

import json
from pathlib import Path

import pytest

from benchmarks import pages
from benchmarks.agent_scores import agent_scores
from benchmarks.speed import timing
from benchmarks.speed.throughput import Args
from hanabako.agents.results.finding import STUDIES, find, load, names, title_of
from hanabako.agents.results.pages import write_page
from hanabako.agents.results.store import read_results
from hanabako.agents.results.study import options_of
from hanabako.generated import filled, marks


@pytest.mark.parametrize("document", pages.DOCUMENTS, ids=lambda path: str(path.relative_to(pages.ROOT)))
def test_documents_hold_the_generated_parts(document):
    text, generated = document.read_text(encoding="utf-8"), list(pages.generated(document))
    assert generated
    assert filled(text, generated) == text, "python -m benchmarks.pages writes them"


@pytest.mark.parametrize("name", pages.PARTS)
def test_every_part_has_a_place(name):
    assert any(name in marks(document.read_text(encoding="utf-8")) for document in pages.DOCUMENTS)


def test_speeds_read_well():
    assert [pages.speed(value) for value in (25_880_000, 301_234, 881.4, 1_350_000)] == [
        "25.9 M",
        "301 k",
        "881",
        "1.35 M",
    ]


def test_the_scores_that_ship_are_those_of_the_results():
    assert pages.SCORES.read_text(encoding="utf-8") == agent_scores(), "python -m benchmarks.pages writes them"


ROOT = Path(timing.__file__).resolve().parents[1]
FILES = sorted(path.relative_to(ROOT) for path in ROOT.glob("*/results/*.json"))

WITHOUT_COMMAND = {
    "clients/results/clients.json",
    "speed/results/compile_time.json",
    "speed/results/learner.json",
    "speed/results/peers.json",
    "speed/results/throughput.json",
}
"""Results from before commands were recorded. Add no file; measure it again instead."""


@pytest.mark.parametrize("path", FILES, ids=str)
def test_a_result_names_its_command_and_its_machine(path: Path) -> None:
    content = json.loads((ROOT / path).read_text(encoding="utf-8"))
    assert read_results(ROOT / path), "it has the shape of every results file"
    if path.parts[0] != "strength":  # rows of studies have a command and a machine each
        assert (not content["command"]) <= (str(path) in WITHOUT_COMMAND)
        assert content["machine"]["processor"]


def test_a_command_is_said_with_what_is_not_usual() -> None:
    assert options_of(Args()) == []
    assert options_of(Args(game=["hanabi", "koikoi"], only="a b", repeats=1)) == [
        *("--game", "hanabi", "koikoi"),
        *("--only", "a b"),
        *("--repeats", "1"),
    ]


@pytest.mark.slow
@pytest.mark.parametrize("name", names())
def test_the_pages_show_the_results_of_every_study(name: str) -> None:
    place = find(name)
    assert write_page(load(place), place, check=True) == [], f"hanabako study page {name} writes it"


@pytest.mark.parametrize("name", names())
def test_a_study_says_in_a_line_what_it_is_and_the_index_has_its_page(name: str) -> None:
    assert title_of(name).endswith((".", "?")) and len(title_of(name)) <= 120
    assert f"({name}.md)" in (STUDIES / "SCORES.md").read_text(encoding="utf-8")
