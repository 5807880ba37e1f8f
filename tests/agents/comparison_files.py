"""Small files of comparisons, for tests."""

from pathlib import Path

from agents.studies.comparison.reading import read
from agents.studies.comparison.rows import Comparison

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
