"""The results of a study in a JSON file: one object, one row a line, each with what made it.

The object has ``study``, then ``command``, ``machine``, ``versions`` and ``commit`` of the last run, and ``rows``. A
row that was made otherwise carries its own of these four. The file is locked only while it is read, merged and written,
so that several processes may add to it.
"""

import json
import shlex
from collections.abc import Collection, Iterable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from filelock import FileLock

from hanabako.files import read_json, write_text
from hanabako.machine import describe
from hanabako.words.checks import shown

from ..registry import fingerprints, source_of
from .study import Result, Results, key_of

__all__ = [
    "NOT_RECORDED",
    "ORIGIN",
    "Origin",
    "add_rows",
    "is_stale",
    "merged",
    "origin_of",
    "read_results",
    "write_results",
]

ORIGIN = ("command", "machine", "versions", "commit")
NOT_RECORDED = "not recorded"
"""Stands for a command or machine that was never written down; ``commit`` then names the one that added the result."""
MOST_BYTES = 2**28
"""The largest file of results that is read."""

Origin = Mapping[str, Any]
"""What made a result: ``command``, ``machine``, ``versions``, ``commit``."""


def origin_of(words: Sequence[str]) -> dict[str, Any]:
    """What the results of this process rest on: the command (``hanabako`` and these words) and where it runs."""
    machine = describe()
    return {
        "command": shlex.join(["hanabako", *words]),
        "versions": machine.pop("versions"),
        "commit": machine.pop("commit"),
        "machine": machine,
    }


def read_results(path: str | PathLike[str]) -> list[dict[str, Any]]:
    """The rows of a results file, each with all of `ORIGIN`; none if there is no file.

    Raises:
        OSError: the file cannot be read.
        ValueError: it holds no results; names the file.
    """
    return read_file(path)[1] if Path(path).exists() else []


def read_file(path: str | PathLike[str]) -> tuple[str, list[dict[str, Any]]]:
    """The study's name and the rows of a results file, each with all of `ORIGIN`.

    Raises:
        OSError: the file is missing or cannot be read.
        ValueError: it holds no results; names the file.
    """
    content = read_json(path, MOST_BYTES)
    if not isinstance(content, dict) or not isinstance(content.get("study"), str):
        raise ValueError(f"{path} holds no results of a study: study must name it")  # noqa: TRY004 - of the file
    missing = [name for name in ORIGIN if name not in content]
    if missing or not isinstance(content.get("rows"), list):
        raise ValueError(f"{path} holds no results of a study: {' and '.join(missing) or 'a list of rows'} is missing")
    origin = {name: content[name] for name in ORIGIN}
    return content["study"], [origin | checked(row, path) for row in content["rows"]]


def checked(row: Any, path: str | PathLike[str]) -> dict[str, Any]:
    """A row of a file, if it is one.

    Raises:
        ValueError: it is none; names the file.
    """
    if not isinstance(row, dict):
        raise ValueError(f"{path}: a row must be an object, got {shown(row)}")  # noqa: TRY004 - of the file
    names = row.get("fields")
    if not isinstance(names, list) or not all(isinstance(name, str) and name in row for name in names):
        raise ValueError(f"{path}: fields of a row must name entries that it has, got {shown(names)}")
    for name in ("done", "wanted"):
        if type(row.get(name)) is not int or row[name] < 0:
            raise ValueError(f"{path}: {name} of a row must be an int from 0, got {shown(row.get(name))}")
    return row


def write_results(path: str | PathLike[str], study: str, origin: Origin, results: Iterable[Result]) -> None:
    """Write a results file whole, by temporary name and rename: one row a line.

    Raises:
        OSError: it cannot be written.
    """
    rows = [
        {name: value for name, value in result.items() if name not in ORIGIN}
        | {name: result[name] for name in ORIGIN if result[name] != origin[name]}
        for result in results
    ]
    head = [f"{json.dumps(name)}: {json.dumps(value)}" for name, value in ({"study": study} | dict(origin)).items()]
    lines = ",\n".join(json.dumps(row) for row in rows)
    write_text(path, "{" + ",\n ".join([*head, f'"rows": [\n{lines}\n]']) + "}\n")


def add_rows(
    path: str | PathLike[str], study: str, origin: Origin, results: Results, instead: Collection[str] = ()
) -> list[dict[str, Any]]:
    """Put results into a file beside those that it holds, under a lock; returns what it holds then.

    Args:
        path: the file, made if there is none.
        study: the study's name.
        origin: of these results.
        results: of some rows. Where the file holds more of a row, that stays.
        instead: keys of rows whose results in the file are dropped, because they are played again.

    Raises:
        OSError: the file cannot be read or written.
        ValueError: it holds something else; names the file.
    """
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    with FileLock(f"{path}.lock"):
        held = [row for row in read_results(path) if key_of(row) not in instead]
        rows = merged([held, [dict(origin) | dict(result) for result in results]])
        write_results(path, study, origin, rows)
    return rows


def merged(parts: Iterable[Results]) -> list[dict[str, Any]]:
    """Results of several files or processes together: of each row the one with most done, no row is lost.

    Where two rest on different networks, the later one counts.
    """
    best: dict[str, dict[str, Any]] = {}
    for result in (result for part in parts for result in part):
        key = key_of(result)
        best[key] = better(best[key], dict(result)) if key in best else dict(result)
    return list(best.values())


def better(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    """Which of two results of the same row counts."""
    if one.get("networks", {}) != other.get("networks", {}):
        return other if date_of(other) >= date_of(one) else one
    return other if (other["done"], date_of(other)) > (one["done"], date_of(one)) else one


def date_of(result: Result) -> str:
    """When a result was made, as text that sorts; "" where that was not recorded."""
    machine = result["machine"]
    return str(machine.get("date", "")) if isinstance(machine, Mapping) else ""


def is_stale(result: Result) -> bool:
    """Whether a network or an imported agent that a result rests on has changed since, or a network ships no more.

    A file that is gone says nothing: policies of training runs are seldom kept.
    """
    noted = result.get("networks", {})
    now = fingerprints(*noted)
    return any(now.get(name, print_ if is_path(name) else None) != print_ for name, print_ in noted.items())


def is_path(name: str) -> bool:
    """Whether an agent's name leads to a file, that is there or not, and is none of a network that ships."""
    return source_of(name) is not None or Path(name).name != name or Path(name).suffix != ""
