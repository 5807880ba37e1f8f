"""Reading and changing the results of `hanabako evaluate --json`."""

import json
from pathlib import Path
from typing import Any


def rows_of(path: Path) -> list[dict[str, Any]]:
    """Return the rows of a file, each with what all of them have in common."""
    content = json.loads(path.read_text(encoding="utf-8"))
    rows = content.pop("rows")
    return [content | row for row in rows]


def result_of(path: Path) -> dict[str, Any]:
    """Return the one row of a file."""
    (row,) = rows_of(path)
    return row


def claim(path: Path, *rows: Any) -> None:
    """Write a file with these rows."""
    head = {"study": "evaluation", "command": "hanabako evaluate", "versions": {}, "commit": "0", "machine": {}}
    path.write_text(json.dumps(head | {"rows": rows}), encoding="utf-8")
