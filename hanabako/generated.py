"""Pages of which parts are generated, and tables in Markdown for them.

A generated part of a page stands between ``<!-- begin NAME -->`` and ``<!-- end NAME -->``.
"""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from hanabako.files import write_text

__all__ = ["filled", "marks", "table", "update"]


def marks(page: str) -> list[str]:
    """The names of the generated parts of a page."""
    return re.findall(r"<!-- begin (\S+) -->", page)


def filled(page: str, generated: Iterable[tuple[str, str]]) -> str:
    """The page with these generated parts (name, text) written again; ``ValueError`` if a mark is missing."""
    for name, text in generated:
        begin, end = f"<!-- begin {name} -->", f"<!-- end {name} -->"
        part = f"{begin}\n{text.rstrip()}\n{end}"
        page, count = re.subn(f"{begin}.*?{end}", lambda _, part=part: part, page, flags=re.DOTALL)
        if count != 1:
            raise ValueError(f"the page must hold {begin} and {end} once, has them {count} times")
    return page


def update(page: Path, generated: Iterable[tuple[str, str]], check: bool, command: str) -> bool:
    """Write a page's parts as `filled` does, if they have changed; return whether they had.

    With ``check`` raise ``SystemExit`` instead, with a sentence that names the ``command``.
    """
    written = page.read_text(encoding="utf-8")
    new = filled(written, generated)
    if new == written:
        return False
    if check:
        raise SystemExit(f"{page} is out of date: run {command}")
    write_text(page, new)
    return True


def table(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """A table in Markdown with a line per row; cells are written as text, and empty ones at a row's end left out."""
    lines = [re.sub(r" \|( +\|)+$", " |", line(row)) for row in rows]
    return "\n".join([line(head), "|" + "---|" * len(head), *lines])


def line(cells: Iterable[Any]) -> str:
    """One line of a table."""
    return "| " + " | ".join(map(str, cells)) + " |"
