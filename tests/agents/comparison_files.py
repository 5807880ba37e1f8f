"""Small files of comparisons, and results as if they had been played, for tests."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from hanabako.agents.results.comparison.reading import read
from hanabako.agents.results.comparison.rows import Comparison, Run

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
    """Return rows as if they had been played."""
    found = []
    for row in whole.rows():
        names = (row.name, row.name) if isinstance(row, Run) else (row.one, row.other)
        result = {"fields": list(row.values()), **row.values(), "done": row.wanted, "wanted": row.wanted}
        found.append(result | {"score": score(*names), "steps": 10**6, "core_seconds": 60.0})
    return found
