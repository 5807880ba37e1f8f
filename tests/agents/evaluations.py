"""Reading and changing the results of `hanabako evaluate --json`."""

import json
from pathlib import Path
from typing import Any


def result_of(path: Path) -> dict[str, Any]:
    """Return the one row of a file, with the file's command."""
    content = json.loads(path.read_text(encoding="utf-8"))
    (row,) = content["rows"]
    return row | {"command": content["command"]}


def claim(path: Path, row: Any) -> None:
    """Write a file with this row."""
    head = {"study": "evaluation", "command": "hanabako evaluate", "versions": {}, "commit": "0", "machine": {}}
    path.write_text(json.dumps(head | {"rows": [row]}), encoding="utf-8")
