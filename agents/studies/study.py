"""What a study is: its rows, how a row is played or trained, and what is made of the results."""

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields
from pathlib import Path
from typing import Any

from hanabako.words.checks import shown

__all__ = ["Result", "Results", "Row", "Study", "chosen", "key_of", "refuse_unknown_fields", "words_of"]

Result = Mapping[str, Any]
"""A row of the results: the row's fields, ``fields`` (their names), ``done``, ``wanted``, and what was measured."""
Results = Sequence[Result]


@dataclass(frozen=True, kw_only=True)
class Row:
    """One thing that a study measures. A study's rows are frozen dataclasses that extend this one.

    Its fields, but for ``wanted``, tell it from other rows and are what `hanabako study run --where` chooses by. Their
    values are JSON types.
    """

    wanted: int = 1
    """How many parts the row shall have: games, deals, decks; 1 for a training run."""

    @property
    def agents(self) -> Collection[str]:
        """The agents it rests on, by name or file: its result is stale when a network among them has changed."""
        return ()

    @property
    def needs(self) -> Sequence["Row"]:
        """Rows that must be complete before this one begins."""
        return ()

    @property
    def cores(self) -> int:
        """How many cores a part of it keeps busy."""
        return 1

    @property
    def files(self) -> Mapping[str, Path]:
        """What another machine needs to play it, by names in a folder there, see `at`."""
        return {}

    @property
    def leaves(self) -> Mapping[str, Path]:
        """The files that are there once it is played, likewise."""
        return {}

    def at(self, folder: Path) -> "Row":
        """The same row where its `files` lie in another folder."""
        del folder
        return self

    def values(self) -> dict[str, Any]:
        """Its fields by name, but for ``wanted``."""
        return {own.name: getattr(self, own.name) for own in fields(self) if own.name != "wanted"}

    @property
    def key(self) -> str:
        """What tells it from other rows, as text."""
        return key_of({**self.values(), "fields": list(self.values())})

    @property
    def words(self) -> str:
        """Its fields in one line, as ``name=value``; those that have their default are left out."""
        defaults = {own.name: own.default for own in fields(self) if own.default is not MISSING}
        return " ".join(
            f"{name}={value}"
            for name, value in self.values().items()
            if name not in defaults or value != defaults[name]
        )


def key_of(result: Result) -> str:
    """What tells a result from those of other rows: its own fields by name, as JSON."""
    return json.dumps({name: result[name] for name in result["fields"]})


def words_of(result: Result) -> str:
    """A row's fields in one line, as ``name=value``."""
    return " ".join(f"{name}={result[name]}" for name in result["fields"])


Play = Callable[[Any, Result | None], Mapping[str, Any]]
"""Plays a part of a row. Takes the row and its result so far (None at the beginning); returns what was measured, all of
it, with ``done``. A function of a module, so that other processes can import it; what it returns are JSON types."""
Draw = Callable[[Results, Path], None]
"""Writes a figure of the results to a file."""


@dataclass(frozen=True)
class Study:
    """Rows to measure, how, and what is shown of the results."""

    name: str
    """As in the results and on the page; the stem of the study's file."""
    rows: Sequence[Row]
    """What is measured. Every row's fields are its own."""
    play: Play
    """Plays the next part of a row's missing games, or trains the row."""
    tables: Mapping[str, Callable[[Results], str]] = field(default_factory=dict)
    """Markdown made of the results, by title: in a clone, that of the marks in ``SCORES.md`` around the table."""
    figures: Mapping[str, Draw] = field(default_factory=dict)
    """By the name of the picture's file."""
    unit: str = "game"
    """What ``done`` and ``wanted`` count, for the progress bar."""
    check: Callable[[], None] | None = None
    """Tries what the rows will need before any is played; raises ValueError if something cannot work."""

    def __post_init__(self) -> None:
        keys = [row.key for row in self.rows]
        twice = next((row for row, key in zip(self.rows, keys, strict=True) if keys.count(key) > 1), None)
        if twice is not None:
            raise ValueError(f"study {self.name}: every row must be there once, {twice.words} is there twice")
        for row in self.rows:
            if row.wanted < 1:
                raise ValueError(f"study {self.name}: wanted must be at least 1, got {row.wanted} for {row.words}")


def chosen(rows: Iterable[Row], choices: Mapping[str, str]) -> list[Row]:
    """The rows whose fields have the chosen values, as text (``str`` or JSON); rows without such a field do not.

    Raises:
        ValueError: no row has such a field or value; says which there are, among those that the choices before leave.
    """
    left, before = list(rows), ""
    for name, text in choices.items():
        names = dict.fromkeys(field for row in left for field in row.values())
        if name not in names:
            raise ValueError(f"{before}a row's fields are {', '.join(names)}, got {shown(name)}")
        having = [row for row in left if name in row.values()]
        left = [row for row in having if text in texts_of(row.values()[name])]
        if not left:
            values = dict.fromkeys(str(row.values()[name]) for row in having)
            raise ValueError(f"{before}{name} must be one of {', '.join(values)}, got {shown(text)}")
        before = f"{before[:-2]}{' and' if before else 'with'} {name}={text}: "
    return left


def texts_of(value: Any) -> tuple[str, str]:
    """How a value may be written on a command line."""
    return str(value), json.dumps(value)


def refuse_unknown_fields(config: Any, known: Collection[str], study: str) -> None:
    """Check that a config differs from the defaults only in fields that a study knows.

    A study that solves or counts by rules of its own must not answer for a variant that came later.

    Raises:
        ValueError: another field has not its default.
    """
    for own in fields(config):
        value = getattr(config, own.name)
        if own.name not in known and value != own.default:
            raise ValueError(f"{study} does not know the rules of {own.name}={value!r}; it knows {', '.join(known)}")
