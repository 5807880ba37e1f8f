"""The tables of the READMEs are what the generator makes from the committed JSON."""

import pytest

from benchmarks import tables
from hanabako.pages.generated import filled, marks


@pytest.mark.parametrize("document", tables.DOCUMENTS, ids=lambda path: str(path.relative_to(tables.ROOT)))
def test_documents_hold_the_generated_tables(document):
    text, generated = document.read_text(), list(tables.generated(document))
    assert generated
    assert filled(text, generated) == text, "python -m benchmarks.tables writes them"


@pytest.mark.parametrize("name", tables.TABLES)
def test_every_table_has_a_place(name):
    assert any(name in marks(document.read_text()) for document in tables.DOCUMENTS)


def test_speeds_read_well():
    assert [tables.speed(value) for value in (25_880_000, 301_234, 881.4, 1_350_000)] == [
        "25.9 M",
        "301 k",
        "881",
        "1.35 M",
    ]


def test_markdown_aligns_numbers_to_the_right():
    assert tables.markdown(["a", "b"], [["x", "1"]]) == "| a | b |\n| --- | ---: |\n| x | 1 |\n"
