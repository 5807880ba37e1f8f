"""The old shapes of the results of comparisons and their pictures, made from the new rows."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from agents.studies.store import ORIGIN, read_results
from benchmarks.strength import learning_among_bots, zero_shot

RESULTS = Path(zero_shot.__file__).parent / "results"
KEPT_APART = (*ORIGIN, "fields", "done", "wanted", "networks")


def bare(row: dict[str, Any], left_out: Sequence[str] = ()) -> dict[str, Any]:
    """A row without what it did not have."""
    return {name: value for name, value in row.items() if name not in (*KEPT_APART, *left_out)}


def sweep() -> list[Any]:
    """The rows of ``sweep.json``."""
    return [bare(row) for row in read_results(RESULTS / "ppo_settings.json")]


def zero_shot_rows() -> Iterator[Any]:
    """What ``zero_shot.json`` said of all, its runs and its cells."""
    rows = read_results(RESULTS / "zero_shot.json")
    pairs = [row for row in rows if "one" in row["fields"]]
    (games,) = {row["wanted"] for row in pairs}
    yield {"games": games, "seed": zero_shot.SEED}
    yield from (bare(row) for row in rows if "algorithm" in row["fields"])
    yield from ([row["preset"], f"{row['one']} {row['other']}", row["score"]] for row in pairs)


def strangers() -> Iterator[Any]:
    """What ``strangers.json`` said of all, its runs and its scores."""
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


def picture(name: str) -> list[bytes]:
    """A picture, which stays as it was drawn."""
    return [(RESULTS / name).read_bytes()]


OLD: dict[str, Callable[[], Any]] = {
    "sweep.json": sweep,
    "zero_shot.json": lambda: list(zero_shot_rows()),
    "strangers.json": lambda: list(strangers()),
    **{name: partial(picture, name) for name in (f"zero_shot-{preset}.png" for preset in zero_shot.LOTS)},
}
"""By the old file's name: its rows, or its picture."""
