"""Writing a results file: one object, with one line per row, each with its origin.

The object has ``study``, then ``command``, ``machine``, ``versions`` and ``commit``, perhaps the `SHARED` entries of
all rows, and ``rows``. A row with other values of these carries its own; of the same machine at another time, only the
`TIMES`.
"""

import json
import shlex
from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from typing import Any

from hanabako.files import write_text
from hanabako.machine import describe

__all__ = ["ORIGIN", "SHARED", "TIMES", "Origin", "origin_of", "write_results"]

ORIGIN = ("command", "machine", "versions", "commit")
"""What every results file says of where its rows come from."""
SHARED = ("config", "trained")
"""Large entries of rows that most rows of a file have in common: the game's config, and how networks were trained."""
HEAD = (*ORIGIN, *SHARED)
TIMES = ("load_average", "date")
"""The entries of a machine that change."""
Origin = Mapping[str, Any]
"""The origin of a result: ``command``, ``machine``, ``versions``, ``commit``."""


def origin_of(
    words: Sequence[str], program: Sequence[str] = ("hanabako",), packages: tuple[str, ...] = ()
) -> dict[str, Any]:
    """Return the origin of this process's results, the command ``program`` with ``words``; see `describe`."""
    machine = describe(packages)
    software = {name: machine.pop(name) for name in ("versions", "commit")}
    return {"command": shlex.join([*program, *words]), **software, "machine": machine}


def write_results(path: str | PathLike[str], study: str, origin: Origin, results: Iterable[Mapping[str, Any]]) -> None:
    """Write a whole results file, one line per row, to a temporary name that is then renamed."""
    results = list(results)
    everywhere = [name for name in SHARED if results and all(name in row for row in results)]
    common = dict(origin) | {name: results[0][name] for name in everywhere}
    rows = [
        {name: value for name, value in row.items() if name not in HEAD}
        | {name: row[name] for name in HEAD if name in row and common.get(name, HEAD) != row[name]}
        for row in results
    ]
    for row in rows:
        if "machine" in row and steady(row["machine"]) == steady(common["machine"]):
            row["machine"] = {name: row["machine"][name] for name in TIMES if name in row["machine"]}
    head = [f"{json.dumps(name)}: {json.dumps(value)}" for name, value in ({"study": study} | common).items()]
    lines = ",\n".join(json.dumps(row, separators=(",", ":")) for row in rows)
    write_text(path, "{" + ",\n ".join([*head, f'"rows": [\n{lines}\n]']) + "}\n")


def steady(machine: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a machine is at any time."""
    return {name: value for name, value in machine.items() if name not in TIMES}
