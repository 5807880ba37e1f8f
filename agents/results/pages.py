"""The page of a study: its tables and figures, each with the commands and machines behind the numbers."""

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from hanabako.files import write_text
from hanabako.generated import filled, marks
from hanabako.machine import in_words
from hanabako.words.cleaned import as_code, in_markdown

from .finding import Place
from .store import is_stale, read_results
from .study import Results, Study, words_of

__all__ = ["origin_line", "sections", "write_page"]

FIGURES = "figures"
"""The mark of a study's figures, which a page may do without."""
MOST = 3
"""Up to this many commands of a table are shown with their options, and commits whose rows have no command."""


def write_page(study: Study, place: Place, check: bool = False) -> list[Path]:
    """Write the figures that a study's page shows and, if they have changed, its tables between their marks.

    The page, or marks, are made if they are missing. What else stands on the page is yours. With ``check`` nothing is
    written, not even figures. The result is the page, if it was out of date. Raise ``ValueError`` if the results cannot
    be read, or the page has a mark twice.
    """
    results = read_results(place.results, study.name)
    stale = [row for row in results if is_stale(row)]
    true = [row for row in results if row not in stale]
    there = place.page.exists()
    page = before = place.page.read_text(encoding="utf-8") if there else f"# {study.name}\n"
    titles = [*study.tables, *([] if there or not study.figures else [FIGURES])]
    page += "".join(f"\n<!-- begin {name} -->\n<!-- end {name} -->\n" for name in titles if name not in marks(page))
    for name, draw in study.figures.items() if results and not check else ():
        if FIGURES in marks(page) or name in page:
            draw(true, place.results.parent / name)
    parts = sections(study, true, stale, Path(place.words).name)
    if FIGURES in marks(page):
        parts[FIGURES] = images(study, place, bool(true))
    page = filled(page, parts.items())
    if there and page == before:
        return []
    if not check:
        write_text(place.page, page)
    return [place.page]


def images(study: Study, place: Place, measured: bool) -> str:
    """Return the figures in Markdown, if anything is measured."""
    folder = place.results.parent
    drawn = [name for name in study.figures if measured and (folder / name).exists()]
    where = "" if folder == place.page.parent else f"{folder.name}/"
    return "\n\n".join(f"![{name}]({where}{quote(name)})" for name in drawn)


def sections(study: Study, true: Results, stale: Results, words: str) -> dict[str, str]:
    """Return a study's tables by title, in Markdown; what made the numbers stands below the last.

    ``true`` are the results that hold; the ``stale`` ones are only named. ``words`` name the study in commands.
    """
    if not true:
        command = shlex.join(["hanabako", "study", "run", words])
        text = f"{study.unmeasured or 'Nothing has been measured yet:'} `{command}`."
        return dict.fromkeys(study.tables, "\n\n".join([text, stale_line(stale)]).rstrip())
    texts = {title: table(true).rstrip() for title, table in study.tables.items()}
    last = list(texts)[-1]
    texts[last] = "\n\n".join(filter(None, (texts[last], origin_line(true), stale_line(stale))))
    return texts


def stale_line(stale: Results) -> str:
    """Return a sentence that names the stale rows; "" if there are none."""
    if not stale:
        return ""
    return f"Stale, since a network has changed: {'; '.join(in_markdown(words_of(row)) for row in stale)}."


def origin_line(results: Results) -> str:
    """Return a paragraph on the commands that made some results, and where and when they ran."""
    said = commands_of(results)
    where = in_words([{**row["machine"], "versions": row["versions"]} for row in results if row["machine"]])
    alone = (row["commit"] for row in results if not row["command"] and not row["machine"])
    commits = list(dict.fromkeys(map(in_markdown, alone)))
    added = f"Rows of {listed(commits[:MOST])} have their commit only." if commits else ""
    made = f"Made{f' by {listed(said)}' if said else ''}{f' on {in_markdown(where)}' if where else ''}."
    return " ".join(filter(None, (made if said or where else "", added)))


def commands_of(results: Results) -> list[str]:
    """Return the commands that made some results, as code; without options if there are many."""
    said = dict.fromkeys(row["command"] for row in results if row["command"])
    if len(said) > MOST:
        said = dict.fromkeys(command.partition(" --")[0] for command in said)
    return [as_code(command) for command in said]


def listed(texts: Sequence[Any]) -> str:
    """Return texts as an enumeration: "a, b and c"."""
    *first, last = map(str, texts)
    return f"{', '.join(first)} and {last}" if first else last
