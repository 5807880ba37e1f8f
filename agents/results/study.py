"""The parts of a study: its rows, how a row is played or trained, and how results become tables and figures."""

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields
from pathlib import Path
from typing import Any

from hanabako.results_file import ORIGIN
from hanabako.words.checks import shown
from hanabako.words.cleaned import on_terminal

from ..registry import fingerprints

__all__ = ["Result", "Results", "Row", "Study", "as_words", "chosen", "key_of", "options_of", "result_of", "words_of"]

Result = Mapping[str, Any]
"""The result of a row: the row's fields, ``fields`` (their names), ``done``, ``wanted``, and the measurements."""
Results = Sequence[Result]
"""The results of a study's rows."""


@dataclass(frozen=True, kw_only=True)
class Row:
    """One thing that a study measures. A study's rows are frozen dataclasses that extend this one.

    Their fields, of JSON types, distinguish a row from others, and `hanabako study run --where` selects rows by them.
    """

    wanted: int = 1
    """The number of parts to play: games, deals, decks; 1 for a training run."""

    @property
    def agents(self) -> Collection[str]:
        """The names or files of agents that it depends on; its result is stale if a network among them has changed."""
        return ()

    @property
    def needs(self) -> Sequence["Row"]:
        """Rows that must be complete before this one begins."""
        return ()

    @property
    def cores(self) -> int:
        """The number of cores that one part keeps busy."""
        return 1

    @property
    def folder(self) -> Path | None:
        """The folder of its training run, which continues there after an interruption; None if it trains nothing."""
        return None

    @property
    def files(self) -> Mapping[str, Path]:
        """The files that another machine needs to play it, by their paths in a folder there, see `at`."""
        return {}

    @property
    def leaves(self) -> Mapping[str, Path]:
        """The files that playing it leaves, by their paths in that folder."""
        return {}

    def at(self, folder: Path) -> "Row":
        """Return the same row with its `files` in another folder."""
        del folder
        return self

    def values(self) -> dict[str, Any]:
        """Return its fields by name, except ``wanted``."""
        return {own.name: getattr(self, own.name) for own in fields(self) if own.name != "wanted"}

    @property
    def key(self) -> str:
        """A text that identifies the row."""
        return key_of({**self.values(), "fields": list(self.values())})

    @property
    def words(self) -> str:
        """Its fields on one line, as ``name=value``, without those that have their default."""
        defaults = {own.name: own.default for own in fields(self) if own.default is not MISSING}
        values = self.values()
        chosen_names = [name for name, value in values.items() if name not in defaults or value != defaults[name]]
        return words_of(values | {"fields": chosen_names})


def key_of(result: Result) -> str:
    """Return a text that identifies the row of a result: its fields by name, as JSON."""
    return json.dumps({name: result[name] for name in result["fields"]})


def result_of(row: Row, measured: Mapping[str, Any]) -> dict[str, Any]:
    """Return the result of a row: its fields, its progress, the networks that it depends on, and the measurements."""
    networks = fingerprints(*row.agents)
    own = {"fields": list(row.values()), **row.values(), "done": measured["done"], "wanted": row.wanted}
    own |= {"networks": networks} if networks else {}
    return own | {name: value for name, value in measured.items() if name not in own and name not in ORIGIN}


def words_of(result: Result) -> str:
    """Return a row's fields on one line, as ``name=value``."""
    return " ".join(on_terminal(f"{name}={result[name]}") for name in result["fields"])


Play = Callable[[Any, Result | None], Mapping[str, Any]]
"""A function that plays a part of a row. It takes the row and its result so far (None at first), and returns all
measurements so far as JSON types, with ``done``. It must be defined at module level, so that other processes can import
it."""
Draw = Callable[[Results, Path], None]
"""A function that writes a figure of the results to a file."""


@dataclass(frozen=True)
class Study:
    """A study: its rows, how they are measured, and how results are shown."""

    name: str
    """The name in results and on the page: the stem of the study's file."""
    rows: Sequence[Row]
    """The rows to measure; no two have equal fields."""
    play: Play
    """Plays the next part of a row's missing games, or trains the row."""
    tables: Mapping[str, Callable[[Results], str]] = field(default_factory=dict)
    """Functions that make Markdown from the results, by title: the name of the marks on the study's page."""
    figures: Mapping[str, Draw] = field(default_factory=dict)
    """Functions that draw figures, by file name."""
    unit: str = "game"
    """What ``done`` and ``wanted`` count, for the progress bar."""
    check: Callable[[], None] | None = None
    """Checks before the first row that everything the rows need works; raises ValueError if not."""
    unmeasured: str = ""
    """A sentence for the page while nothing has been measured."""

    def __post_init__(self) -> None:
        seen = set()
        for row in self.rows:
            if row.key in seen:
                raise ValueError(f"study {self.name}: all rows must differ, but {row.words} comes twice")
            seen.add(row.key)
            if row.wanted < 1:
                raise ValueError(f"study {self.name}: wanted must be at least 1, got {row.wanted} for {row.words}")


def chosen(rows: Iterable[Row], where: Sequence[str]) -> list[Row]:
    """Return the rows whose fields have the chosen values, each ``FIELD=VALUE`` with the value as ``str`` or JSON.

    If no row has such a field or value, the ``ValueError`` lists those of the rows left by the previous choices.
    """
    left, choices, before = list(rows), dict[str, str](), ""
    for choice in where:
        name, equals, text = choice.partition("=")
        if not equals or not name:
            raise ValueError(f"where must be FIELD=VALUE, got {shown(choice)}")
        if name in choices:
            raise ValueError(f"where must name {name} only once, got {shown(choices[name])} and {shown(text)}")
        choices[name] = text
        names = dict.fromkeys(field for row in left for field in row.values())
        if name not in names:
            raise ValueError(f"{before}a row's fields are {', '.join(names)}, got {shown(name)}")
        having = [row for row in left if name in row.values()]
        left = [row for row in having if text in texts_of(row.values()[name])]
        if not left:
            values = dict.fromkeys(str(row.values()[name]) for row in having)
            raise ValueError(f"{before}{name} must be one of {', '.join(values)}, got {shown(text)}")
        before = f"{before[:-2]}{' and' if before else 'with'} {choice}: "
    return left


def texts_of(value: Any) -> tuple[str, ...]:
    """Return the texts by which a command line may give a value: of a list also its elements, with commas."""
    return str(value), json.dumps(value), *([",".join(map(str, value))] if isinstance(value, (list, tuple)) else [])


def as_words(settings: Mapping[str, Any]) -> list[str]:
    """Return settings by name as words of a command line."""
    words: list[str] = []
    for name, value in settings.items():
        option = name.replace("_", "-")
        if isinstance(value, bool):
            words.append(f"--{option}" if value else f"--no-{option}")
        elif not isinstance(value, list | tuple) or value:
            words += [f"--{option}", *map(str, value if isinstance(value, list | tuple) else [value])]
    return words


def options_of(settings: Any) -> list[str]:
    """Return those fields of a dataclass that differ from their defaults, as words of a command line."""
    changed = {}
    for own in fields(settings):
        usual = own.default if own.default_factory is MISSING else own.default_factory()
        if usual is not MISSING and getattr(settings, own.name) != usual:
            changed[own.name] = getattr(settings, own.name)
    return as_words(changed)
