"""Writing a results file: one object, with one line per row, each with its origin.

The object has ``study``, then ``command``, ``machine``, ``versions`` and ``commit``, and ``rows``. A row with another
origin carries its own values of these four.
"""

import json
import shlex
from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from typing import Any

from hanabako.files import write_text
from hanabako.machine import describe

__all__ = ["ORIGIN", "Origin", "origin_of", "write_results"]

ORIGIN = ("command", "machine", "versions", "commit")
Origin = Mapping[str, Any]
"""The origin of a result: ``command``, ``machine``, ``versions``, ``commit``."""


def origin_of(words: Sequence[str]) -> dict[str, Any]:
    """Return the origin of this process's results: the command (``hanabako`` and these words), machine and versions."""
    machine = describe()
    return {
        "command": shlex.join(["hanabako", *words]),
        "versions": machine.pop("versions"),
        "commit": machine.pop("commit"),
        "machine": machine,
    }


def write_results(path: str | PathLike[str], study: str, origin: Origin, results: Iterable[Mapping[str, Any]]) -> None:
    """Write a whole results file, one line per row, to a temporary name that is then renamed.

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
