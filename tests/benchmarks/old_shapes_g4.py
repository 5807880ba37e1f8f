"""Comparisons and their pictures in the shape of the old results, made from the new rows."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from agents.studies.store import ORIGIN, read_results
from benchmarks.strength import learning_among_bots

RESULTS = Path(learning_among_bots.__file__).parent / "results"
KEPT_APART = (*ORIGIN, "fields", "done", "wanted", "networks")


def bare(row: dict[str, Any], left_out: Sequence[str] = ()) -> dict[str, Any]:
    """Return a row without the entries that old rows did not have."""
    return {name: value for name, value in row.items() if name not in (*KEPT_APART, *left_out)}


def sweep() -> list[Any]:
    """Return the rows of ``sweep.json``."""
    return [bare(row) for row in read_results(RESULTS / "ppo_settings.json")]


def strangers() -> Iterator[Any]:
    """Yield the rows of ``strangers.json``: first the settings that all runs share, then the runs, then the scores."""
    rows = read_results(RESULTS / "learning_among_bots.json")
    runs = [row for row in rows if "kind" in row["fields"]]
    pairs = [row for row in rows if "network" in row["fields"]]
    usual = {"start": "start", "preset": "preset", "steps": "decisions"}
    about = {name: runs[0][field] for name, field in usual.items()}
    met, held_out = learning_among_bots.MET, learning_among_bots.HELD_OUT
    yield {
        **about,
        "config": runs[0]["config"],
        "met": list(met),
        "unmet": list(held_out),
        "seeds": max(row["seed"] for row in runs),
        "games": pairs[0]["wanted"],
    }
    for row in runs:
        yield {"name": f"{row['kind']} {row['seed']}", **bare(row, (*row["fields"], "config"))}
    yield from ([row["network"], row["partner"], row["score"]] for row in pairs)


OLD: dict[str, Callable[[], Any]] = {
    "sweep.json": sweep,
    "strangers.json": lambda: list(strangers()),
}
"""Old file names -> functions that return the rows."""
