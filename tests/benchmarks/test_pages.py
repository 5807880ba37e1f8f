"""The figures in the READMEs are those that the generator makes from the committed JSON."""

import pytest

from benchmarks import pages
from benchmarks.agent_scores import agent_scores
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
