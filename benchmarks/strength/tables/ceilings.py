"""What the decks of Hanabi allow, to be shown beside scores; `hanabi_ceiling` counts it."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from agents.studies.store import read_results

__all__ = ["Ceilings", "ceiling_text", "read_ceilings"]

Ceilings = Mapping[tuple[str, int], Mapping[str, Any]]
"""Rows of the results by preset and number of players: ``decks``, ``perfect``, ``open``, ``upper``."""
RESULTS = Path(__file__).resolve().parents[1] / "results"


def read_ceilings() -> dict[tuple[str, int], dict[str, Any]]:
    """The results of the study as `Ceilings`.

    Raises:
        OSError: they cannot be read.
        ValueError: the file holds something else.
    """
    return {(row["preset"], row["players"]): row for row in read_results(RESULTS / "hanabi_ceiling.json")}


def ceiling_text(ceilings: Ceilings, preset: str, players: int, digits: int = 2) -> str:
    """The mean of the best scores that no team passes, and the share of decks that allow the highest score.

    A deck that is open counts with the highest score it may allow. "" for decks that were not counted.
    """
    row = ceilings.get((preset, players))
    if row is None:
        return ""
    return f"{row['upper'] / row['decks']:.{digits}f} ({(row['perfect'] + row['open']) / row['decks']:.1%})"
