"""Files for tests: results of `hanabako evaluate --json`, comparisons as if they had been played, spoilt archives."""

import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hanabako.agents.results.comparison.reading import read
from hanabako.agents.results.comparison.rows import Comparison, Run


def rows_of(path: Path) -> list[dict[str, Any]]:
    """Return the rows of a file, each with what all of them have in common."""
    content = json.loads(path.read_text(encoding="utf-8"))
    rows = content.pop("rows")
    return [content | row for row in rows]


def result_of(path: Path) -> dict[str, Any]:
    (row,) = rows_of(path)
    return row


def claim(path: Path, *rows: Any) -> None:
    head = {"study": "evaluation", "command": "hanabako evaluate", "versions": {}, "commit": "0", "machine": {}}
    path.write_text(json.dumps(head | {"rows": rows}), encoding="utf-8")


PLAIN = """
study = "comparison"
game = "hanabi"
preset = "mini"
steps = 100
seeds = [1, 2]
[algorithms.one]
module = "ppo"
"""


def written(folder: Path, text: str = PLAIN) -> Path:
    path = folder / "compare.toml"
    path.write_text(text, encoding="utf-8")
    return path


def declared(folder: Path, text: str = PLAIN) -> Comparison:
    return read(written(folder, text), folder / "compare")


def results_of(whole: Comparison, score: Callable[[str, str], float]) -> list[dict[str, Any]]:
    found = []
    for row in whole.rows():
        names = (row.name, row.name) if isinstance(row, Run) else (row.one, row.other)
        result = {"fields": list(row.values()), **row.values(), "done": row.wanted, "wanted": row.wanted}
        found.append(result | {"score": score(*names), "steps": 10**6, "core_seconds": 60.0})
    return found


class Bomb:
    """Fails the test when it is unpickled."""

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return pytest.fail, ("unpickled",)


def headed(header: bytes) -> bytes:
    """Return an array file with this header and no numbers."""
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header


def spoil_first_part(path: Path) -> None:
    """Overwrite a few compressed bytes of an archive's first part, behind the header of its LZMA stream."""
    with zipfile.ZipFile(path) as archive:
        part = archive.infolist()[0]
    content = bytearray(path.read_bytes())
    begin = part.header_offset + 30 + len(part.filename) + 9
    content[begin : begin + 8] = b"\xff" * 8
    path.write_bytes(content)
