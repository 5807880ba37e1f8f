"""Results of search and Koi-Koi's rounds in the shape that their files had before studies, for `test_old_results`."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from agents.studies.store import ORIGIN, read_results

RESULTS = Path(__file__).resolve().parents[2] / "benchmarks" / "strength" / "results"
NEW = ("fields", "done", "wanted", *ORIGIN)
"""Entries that the old files did not have."""
AGAIN = tuple(f"hanabi-standard-{players}p" for players in (3, 4, 5))
"""The networks that were trained again since."""


def rows(study: str) -> list[dict[str, Any]]:
    """Return the results of a study."""
    return read_results(RESULTS / f"{study}.json")


def measured(row: Mapping[str, Any], without: Sequence[str] = ()) -> dict[str, Any]:
    """Return a row's fields and what was measured, without some entries."""
    return {name: value for name, value in row.items() if name not in {*NEW, *without}}


def search() -> list[Any]:
    kept = [row for row in rows("search_hanabi") if row["blueprint"] not in AGAIN]
    return [{"networks": {}, "games": row["done"], **measured(row)} for row in kept]


def search_contests() -> list[Any]:
    return [{"networks": {}, **measured(row)} for row in rows("search_matches")]


def koikoi_rounds() -> list[Any]:
    found = rows("koikoi_rounds")
    dealers, responses = ([row for row in found if name in row] for name in ("agent", "against"))
    (rounds,), (seed,) = ({row["done"] for row in dealers}, {row["seed"] for row in (*dealers, *responses)})
    named = ("preset", "agent", "seed", "networks")
    return [
        {"rounds": rounds, "seed": seed},
        *([row["preset"], row["agent"], measured(row, named)] for row in dealers),
        *(measured(row, ("seed", "networks")) for row in responses),
    ]


def koikoi_long() -> list[Any]:
    return [{"deals": row["done"], **measured(row)} for row in rows("koikoi_rounds") if "rival" in row]


OLD = {
    "search.json": search,
    "search-contests.json": search_contests,
    "koikoi-rounds.json": koikoi_rounds,
    "koikoi-long.json": koikoi_long,
}
