"""One digest per configuration of all that fixed games show: equal in every process, thread, machine and Python.

The games have seed 2026, and the actions are those of the compiled roll-out for the same seed. A digest covers the
observations (as bits), masks, acting players, rewards and ends after every step. ``digests.json`` has them, as the
first version of the rules played; a new configuration adds its own there.
"""

import hashlib
import json
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

from tests.games import GAMES
from tests.processes import ROOT, ran
from tests.soak.configs import Entry, entries, random_actions

PROMISE = (
    "a seed gives bit-identical games: here, in four threads at once, in forked and spawned processes, and with checks "
    "of all bounds"
)
UNIT = "digests"
SEED, TABLES, STEPS = 2026, 12, 60
KINDS = ("i1", "i1", "<i8", "<f8", "?")
"""The types in which observations, masks, players, rewards and ends are digested."""
RECORDED: dict[str, str] = json.loads(Path(__file__).with_name("digests.json").read_text(encoding="utf-8"))
ENTRIES = {entry.name: entry for game in GAMES for entry in entries(game.name)}
FEW = [entries(game.name)[0].name for game in GAMES]
"""One configuration per game."""
NUMBA_CACHE = ROOT / ".cache" / "numba-with-bounds"
"""Where the loops are kept that check all bounds."""


def play(name: str, part: int) -> tuple[int, list[str]]:
    """Compare digests under one condition."""
    count, wrong = CONDITIONS[name]()
    return count, [f"other games: {text}" for text in wrong]


def digest_of(entry: Entry) -> str:
    found = hashlib.sha256()
    for arrays, kind in zip(zip(*moments_of(entry), strict=True), KINDS, strict=True):
        found.update(np.ascontiguousarray(np.stack(arrays, axis=1), kind).tobytes())
    return found.hexdigest()


def moments_of(entry: Entry) -> Iterator[tuple[Any, ...]]:
    envs = entry.vector(TABLES, autoreset_mode="SameStep")
    observation, _ = envs.reset(seed=SEED)
    for t in range(STEPS):
        observation, _, ends, _, infos = envs.step(random_actions(observation["action_mask"], SEED, 0, t))
        arrays = observation["observation"], observation["action_mask"], infos["current_player"], infos["rewards"], ends
        yield tuple(array.copy() for array in arrays)


def differing(names: list[str]) -> list[str]:
    """Return the names of the configurations whose games differ from the record."""
    return [name for name in names if digest_of(ENTRIES[name]) != RECORDED[name]]


def in_threads() -> tuple[int, list[str]]:
    barrier = threading.Barrier(4)

    def together(_: int) -> list[str]:
        barrier.wait()
        return differing(FEW)

    with ThreadPoolExecutor(4) as pool:
        return 4 * len(FEW), [name for names in pool.map(together, range(4)) for name in names]


def in_children(method: str) -> tuple[int, list[str]]:
    """Play in this process, then in two children of it."""
    wrong = differing(FEW)
    with get_context(method).Pool(2) as pool:
        return 3 * len(FEW), [*wrong, *(name for names in pool.map(differing, [FEW] * 2) for name in names)]


def with_bounds() -> tuple[int, list[str]]:
    """Play in a process whose loops check all bounds."""
    command = [sys.executable, "-m", "tests.soak.digests"]
    ended = ran(command, NUMBA_BOUNDSCHECK="1", NUMBA_CACHE_DIR=str(NUMBA_CACHE))
    if ended.returncode:
        return 0, [f"status {ended.returncode}: {ended.stderr[-300:]}"]
    return len(ENTRIES), ended.stdout.splitlines()


CONDITIONS: dict[str, Callable[[], tuple[int, list[str]]]] = {
    "here": lambda: (len(ENTRIES), differing(list(ENTRIES))),
    "threads": in_threads,
    "fork": partial(in_children, "fork"),
    "spawn": partial(in_children, "spawn"),
    "bounds": with_bounds,
}
ROWS = dict.fromkeys(CONDITIONS, 1)

if __name__ == "__main__":
    print(*differing(sys.argv[1:] or list(ENTRIES)), sep="\n", end="")
