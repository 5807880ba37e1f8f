"""The tables of the READMEs are what the generator makes from the committed JSON."""

import pytest

from benchmarks import tables


@pytest.mark.parametrize("document", tables.DOCUMENTS, ids=lambda path: str(path.relative_to(tables.ROOT)))
def test_documents_hold_the_generated_tables(document):
    text = document.read_text()
    assert any(name in tables.TABLES for _, name, _ in tables.PLACE.findall(text))
    assert tables.fill(text) == text, "python -m benchmarks.tables writes them"


@pytest.mark.parametrize("name", tables.TABLES)
def test_every_table_has_a_place(name):
    places = {place for document in tables.DOCUMENTS for _, place, _ in tables.PLACE.findall(document.read_text())}
    assert name in places


def test_fill_replaces_what_lies_between_the_marks_and_nothing_else(monkeypatch):
    monkeypatch.setattr(tables, "TABLES", {"numbers": lambda: "| 1 |\n"})
    text = "before\n<!-- begin numbers -->\nold\n<!-- end numbers -->\n<!-- begin other -->\nkept\n<!-- end other -->\n"
    filled = tables.fill(text)
    assert filled == text.replace("old\n", "| 1 |\n")
    assert tables.fill(filled) == filled


def test_speeds_read_well():
    assert [tables.speed(value) for value in (25_880_000, 301_234, 881.4, 1_350_000)] == [
        "25.9 M",
        "301 k",
        "881",
        "1.35 M",
    ]


def test_markdown_aligns_numbers_to_the_right():
    assert tables.markdown(["a", "b"], [["x", "1"]]) == "| a | b |\n| --- | ---: |\n| x | 1 |\n"
