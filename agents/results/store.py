"""The results of a study in a JSON file: one object, one line per row, each with its origin.

The object has ``study``, then ``command``, ``machine``, ``versions`` and ``commit`` of the last run, and ``rows``. A
row with another origin carries its own values of these four. The file is locked only while it is read, merged and
written, so that several processes can add to it.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from types import MappingProxyType
from typing import Any

from hanabako.extras import need
from hanabako.files import check_writable, read_json
from hanabako.results_file import ORIGIN, SHARED, TIMES, Origin, origin_of, write_results
from hanabako.words.checks import as_object, shown

from ..registry import AgentName, fingerprints
from .study import Result, Results, key_of

need("a study", "filelock")
from filelock import FileLock  # noqa: E402 - after the message about it

__all__ = ["add_rows", "file_lock", "is_stale", "merge_files", "merged", "origin_of", "read_results", "write_results"]

MOST_BYTES = 2**28
"""The size limit of a results file that is read, in bytes."""


def read_results(path: str | PathLike[str], study: str | None = None) -> list[dict[str, Any]]:
    """Return the rows of a results file as `read_file` does; none if there is no file.

    Raise ``ValueError`` if it is from another study than the one of this name; None allows any.
    """
    if not Path(path).exists():
        return []
    name, rows = read_file(path)
    if study not in (None, name):
        whose = f"of the study {shown(name)}, not of {shown(study)}"
        raise ValueError(f"{path} holds results {whose}: choose another place")
    return rows


def read_file(path: str | PathLike[str]) -> tuple[str, list[dict[str, Any]]]:
    """Return the study's name and the rows of a results file, each with all of `ORIGIN`.

    Raise ``OSError`` if it cannot be read, and ``ValueError`` with its name if it holds no results.
    """
    content = read_json(path, MOST_BYTES)
    if not isinstance(content, dict) or not isinstance(content.get("study"), str):
        raise ValueError(f"{path} holds no results of a study: study must name it")  # noqa: TRY004 - of the file
    missing = [name for name in ORIGIN if name not in content]
    if missing or not isinstance(content.get("rows"), list):
        raise ValueError(f"{path} holds no results of a study: {' and '.join(missing) or 'a list of rows'} is missing")
    origin = {name: content[name] for name in (*ORIGIN, *SHARED) if name in content}
    check_origin(origin, path)
    rows = [origin | checked(row, path) for row in content["rows"]]
    for row in rows:
        machine = row["machine"]
        if isinstance(machine, dict) and machine and machine.keys() <= set(TIMES):
            row["machine"] = origin["machine"] | machine
        check_origin(row, path)
    return content["study"], rows


def checked(row: Any, path: str | PathLike[str]) -> dict[str, Any]:
    """Return a row of a file after checking it; an error names the file."""
    if not isinstance(row, dict):
        raise ValueError(f"{path}: a row must be an object, got {shown(row)}")  # noqa: TRY004 - of the file
    names = row.get("fields")
    if not isinstance(names, list) or not all(isinstance(name, str) and name in row for name in names):
        raise ValueError(f"{path}: fields of a row must name entries that it has, got {shown(names)}")
    for name in ("done", "wanted"):
        if type(row.get(name)) is not int or row[name] < 0:
            raise ValueError(f"{path}: {name} of a row must be an int from 0, got {shown(row.get(name))}")
    networks = as_object(f"{path}: networks of a row", row.get("networks", {}))
    if not all(isinstance(print_, str) for print_ in networks.values()):
        raise ValueError(f"{path}: networks of a row must be names with fingerprints, got {shown(networks)}")
    return row


def check_origin(row: Mapping[str, Any], path: str | PathLike[str]) -> None:
    """Raise ValueError if the origin of a row cannot be told: the command is no text, or the machine no object."""
    machine, versions = row["machine"], row["versions"]
    if not isinstance(row["command"], str):
        raise ValueError(f"{path}: command must be text, got {shown(row['command'])}")  # noqa: TRY004 - of the file
    dated = isinstance(machine, dict) and isinstance(machine.get("date", ""), str)
    if not dated or not isinstance(versions, dict):
        raise ValueError(f"{path}: machine and versions must be objects, got {shown(machine)} and {shown(versions)}")
    if machine.get("date") and not ({"processor", "python"} <= machine.keys() and "numba" in versions):
        words = "a machine with a date must say processor and python, and versions numba's"
        raise ValueError(f"{path}: {words}, got {shown(machine)} and {shown(versions)}")


@contextmanager
def file_lock(path: str | PathLike[str]) -> Iterator[None]:
    """Let no other process write a results file while the block reads and writes it; make its folder."""
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    with FileLock(f"{path}.lock"):
        yield


def merge_files(files: Sequence[str | PathLike[str]], out: str | PathLike[str], origin: Origin) -> None:
    """Write the rows of several results files of one study to one, which may be one of them; errors as `read_file`."""
    if not files:
        raise ValueError("merge needs at least one results file, got none")
    check_writable(out)
    with file_lock(out):
        parts = [read_file(path) for path in files]
        studies = dict.fromkeys(study for study, _ in parts)
        if len(studies) > 1:
            raise ValueError(f"results to merge must be from one study, got {' and '.join(map(shown, studies))}")
        write_results(out, next(iter(studies)), origin, merged([rows for _, rows in parts]))


def add_rows(
    path: str | PathLike[str],
    study: str,
    origin: Origin,
    results: Results,
    instead: Mapping[str, Result | None] = MappingProxyType({}),
) -> list[dict[str, Any]]:
    """Add results of this origin to a file under a lock, and return all rows that it then holds.

    A new file is made if there is none; if it has more of a row, its result is kept. ``instead`` are results by key
    that are dropped from the file, because their rows are played again; what another process has put there since is
    kept. Errors are those of `read_results`.
    """
    with file_lock(path):
        held = [row for row in read_results(path, study) if instead.get(key_of(row)) != row]
        rows = merged([held, [dict(origin) | dict(result) for result in results]])
        write_results(path, study, origin, rows)
    return rows


def merged(parts: Iterable[Results]) -> list[dict[str, Any]]:
    """Merge results: the most complete of each row is kept, or the later one if they depend on different networks."""
    best: dict[str, dict[str, Any]] = {}
    for result in (result for part in parts for result in part):
        key = key_of(result)
        best[key] = better(best[key], dict(result)) if key in best else dict(result)
    return list(best.values())


def better(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    """Return which of two results of the same row is kept."""
    if one.get("networks", {}) != other.get("networks", {}):
        return other if date_of(other) >= date_of(one) else one
    return other if (other["done"], date_of(other)) > (one["done"], date_of(one)) else one


def date_of(result: Result) -> str:
    """Return when a result was made, as text that sorts; "" if that is not known."""
    return str(result["machine"].get("date", ""))


def is_stale(result: Result) -> bool:
    """Whether a network or imported agent that a result depends on has changed since, or no longer ships.

    A missing file of a training run does not make a result stale, because such files are seldom kept.
    """
    noted = result.get("networks", {})
    now = fingerprints(*noted)
    return any(now.get(name, print_ if is_path(name) else None) != print_ for name, print_ in noted.items())


def is_path(name: str) -> bool:
    """Whether an agent's name is a path to a file, which may be missing, and not the name of a network that ships."""
    return AgentName.parse(name).source is not None or Path(name).name != name or Path(name).suffix != ""
