"""The ceilings of Hanabi's decks, to be shown with scores; the study `hanabi_ceiling` measures them."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hanabako.agents.results.store import read_results

__all__ = ["Ceilings", "ceiling_text", "read_ceilings"]

Ceilings = Mapping[tuple[str, int], Mapping[str, Any]]
"""Result rows by preset and number of players, with ``decks``, ``perfect``, ``open`` and ``upper``."""
RESULTS = Path(__file__).resolve().parents[1] / "results"


def read_ceilings() -> dict[tuple[str, int], dict[str, Any]]:
    """Read the results of the study as `Ceilings`.

    Raises:
        OSError: the file cannot be read.
        ValueError: the file does not hold results.
    """
    return {(row["preset"], row["players"]): row for row in read_results(RESULTS / "hanabi_ceiling.json")}


def ceiling_text(ceilings: Ceilings, preset: str, players: int, digits: int = 2) -> str:
    """Format the mean of the decks' best scores, and the share of decks that allow the highest score.

    An open deck counts with the highest score that it may allow. The result is "" for settings without results.
    """
    row = ceilings.get((preset, players))
    if row is None:
        return ""
    return f"{row['upper'] / row['decks']:.{digits}f} ({(row['perfect'] + row['open']) / row['decks']:.1%})"
