"""Reading what a TOML file declares into dataclasses, with every value checked."""

import json
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any

from hanabako.files import read_text
from hanabako.words.checks import did_you_mean, shown
from hanabako.words.ranges import check_ranges
from hanabako.words.typed import from_json


@contextmanager
def contents(path: Path) -> Iterator[dict[str, Any]]:
    """Read a TOML file. The ``ValueError`` if it is none, and those of the block that uses what it holds, name it."""
    text = read_text(path)
    try:
        yield tomllib.loads(text)
    except RecursionError:
        raise ValueError(f"{path} is nested too deeply to be read") from None
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error


def filled_in(kind: Any, given: Mapping[str, Any], what: str, **others: Any) -> Any:
    """Make a dataclass from a table's values for its fields; ``others`` are those that the table does not give.

    Raise ``ValueError`` if a field without default is missing, or one is unknown, of the wrong type or out of range.
    """
    known = {own.name: own for own in fields(kind) if own.name not in others}
    for name in given:
        if name not in known:
            raise ValueError(f"{what} has {', '.join(known)}, got {shown(name)}{did_you_mean(name, known)}")
    required = [name for name, own in known.items() if own.default is own.default_factory]
    missing = [name for name in required if name not in given]
    if missing:
        raise ValueError(f"{what} must say {' and '.join(missing)}")
    usual = {
        name: own.default if own.default is not MISSING else own.default_factory()  # type: ignore[misc]
        for name, own in known.items()
        if name not in required
    }
    filled = from_json(kind, {**usual, **given, **others})
    check_ranges(filled)
    return filled


def as_fields(table: Mapping[str, Any]) -> list[str]:
    """Return the fields of a config in a table, each as ``name=value``."""
    try:
        return [f"{name}={json.dumps(value)}" for name, value in table.items()]
    except TypeError as error:  # for example TOML's dates
        raise ValueError(f"config has a value that no field can have: {error}") from error
