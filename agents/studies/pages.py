"""The page of a study: its tables and figures, each with the commands and machines behind the numbers."""

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from hanabako.files import write_text
from hanabako.generated import filled, marks
from hanabako.machine import in_words
from hanabako.words.cleaned import as_code, in_markdown

from .finding import STUDIES, Place
from .store import NOT_RECORDED, is_stale, read_results
from .study import Result, Results, Study, words_of

__all__ = ["origin_line", "parted", "sections", "write_page"]

DOCUMENTS = (STUDIES / "SCORES.md", STUDIES.parents[1] / "README.md")
"""The pages of a clone that have marks for studies."""

MOST_COMMANDS = 3
"""Up to this many commands of a table are shown with their options; the results hold all."""
MOST_COMMITS = 3
"""Up to this many commits are named whose rows lack a command or machine."""


def write_page(study: Study, place: Place, check: bool = False) -> list[Path]:
    """Write a study's figures and, if they have changed, its page or its parts of the clone's pages.

    Args:
        study: the study.
        place: its files and folders.
        check: write nothing, not even figures.

    Returns:
        The pages that were out of date.

    Raises:
        OSError: a file cannot be read or written.
        ValueError: the results cannot be read, or a page of the clone has no marks for a table.
    """
    results = read_results(place.results, study.name)
    true, stale = parted(results)
    texts = sections(study, true, stale, place.name or place.source.name)
    if not check and results:
        for name, draw in study.figures.items():
            draw(true, place.figures / name)
    pages = (
        {place.page: page_of(study, place, texts, bool(true))}
        if place.page not in DOCUMENTS
        else documents(study, texts)
    )
    old = [path for path, text in pages.items() if not path.exists() or path.read_text(encoding="utf-8") != text]
    for path in [] if check else old:
        write_text(path, pages[path])
    return old


def documents(study: Study, texts: Mapping[str, str]) -> dict[Path, str]:
    """Return the clone's pages with a study's parts filled in.

    Raises:
        ValueError: there are no marks for a table.
    """
    written = {path: path.read_text(encoding="utf-8") for path in DOCUMENTS}
    missing = [name for name in texts if not any(name in marks(text) for text in written.values())]
    if missing:
        raise ValueError(f"study {study.name}: {DOCUMENTS[0]} has no marks for {', '.join(missing)}")
    return {
        path: filled(text, [(name, texts[name]) for name in marks(text) if name in texts])
        for path, text in written.items()
    }


def page_of(study: Study, place: Place, texts: Mapping[str, str], measured: bool) -> str:
    """Return a study's page in Markdown: its tables and, if anything is measured, its figures."""
    parts = [f"# {study.name}", *(f"## {title}\n\n{text}" for title, text in texts.items())]
    parts += [f"![{name}]({quote(name)})" for name in study.figures if measured and (place.figures / name).exists()]
    return "\n\n".join(parts) + "\n"


def parted(results: Results) -> tuple[Results, Results]:
    """Return the results that hold, and those that are stale."""
    true: list[Result] = []
    stale: list[Result] = []
    for row in results:
        (stale if is_stale(row) else true).append(row)
    return true, stale


def sections(study: Study, true: Results, stale: Results, words: str) -> dict[str, str]:
    """Return a study's tables by title, in Markdown, with what made the numbers.

    Args:
        study: the study.
        true: its results that hold.
        stale: those that are stale, which are only named.
        words: the study's name in commands.
    """
    if not true:
        command = shlex.join(["hanabako", "study", "run", words])
        text = f"{study.unmeasured or 'Nothing has been measured yet:'} `{command}`."
        return dict.fromkeys(study.tables, "\n\n".join([text, stale_line(stale)]).rstrip())
    below = "\n\n".join(filter(None, (origin_line(true), stale_line(stale))))
    return {title: f"{table(true).rstrip()}\n\n{below}" for title, table in study.tables.items()}


def stale_line(stale: Results) -> str:
    """Return a sentence that names the stale rows; "" if there are none."""
    if not stale:
        return ""
    return f"Stale, since a network has changed: {'; '.join(in_markdown(words_of(row)) for row in stale)}."


def origin_line(results: Results) -> str:
    """Return a paragraph on the commands that made some results, and where and when they ran."""
    said = commands_of(results)
    machines = [(row["machine"], row["versions"]) for row in results]
    where = in_words([{**machine, "versions": versions} for machine, versions in machines if machine != NOT_RECORDED])
    made = f"Made{f' by {listed(said)}' if said else ''}{f' on {in_markdown(where)}' if where else ''}."
    sentences = [made] if said or where else []
    lacking: dict[tuple[str, ...], list[str]] = {}
    for what in ("command", "machine"):
        commits = tuple(dict.fromkeys(row["commit"] for row in results if row[what] == NOT_RECORDED))
        lacking.setdefault(commits, []).append(what)
    for commits, whats in lacking.items():
        if commits:
            count, lacks = sum(row[whats[0]] == NOT_RECORDED for row in results), " or ".join(whats)
            if len(commits) <= MOST_COMMITS:
                sentences.append(
                    f"For the rows added in {listed(list(map(in_markdown, commits)))} no {lacks} is recorded."
                )
            else:
                sentences.append(f"{count} of {len(results)} rows record a commit, but no {lacks}.")
    return " ".join(sentences)


def commands_of(results: Results) -> list[str]:
    """Return the commands that made some results, as code; without options if there are many."""
    said = dict.fromkeys(row["command"] for row in results if row["command"] != NOT_RECORDED)
    if len(said) > MOST_COMMANDS:
        said = dict.fromkeys(command.partition(" --")[0] for command in said)
    return [as_code(command) for command in said]


def listed(texts: Sequence[Any]) -> str:
    """Return texts as an enumeration: "a, b and c"."""
    *first, last = map(str, texts)
    return f"{', '.join(first)} and {last}" if first else last
