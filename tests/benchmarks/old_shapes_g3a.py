"""Ceilings in the shape of the old files, rebuilt from the results of the study."""

from collections.abc import Callable
from typing import Any

from agents.studies.store import ORIGIN, read_results
from benchmarks.strength.tables.ceilings import RESULTS

NEW = {"fields", "done", "wanted", "below", *ORIGIN}
HEAD = (
    "# Decks that do not allow the highest score: preset, players, seed, game, best score, argument: cards, top first."
)


def rows() -> list[dict[str, Any]]:
    return read_results(RESULTS / "hanabi_ceiling.json")


def ceilings() -> list[Any]:
    return [{name: value for name, value in row.items() if name not in NEW} for row in rows()]


def below() -> list[Any]:
    places = [(f"{row['preset']} {row['players']} seed {row['seed']}", row["below"]) for row in rows()]
    return [HEAD, *(f"{place} {line}" for place, lines in places for line in lines)]


OLD: dict[str, Callable[[], list[Any]]] = {"ceiling.json": ceilings, "ceiling-below.txt": below}
