"""The fixed games under other conditions: bounds checks, no compiler, threads, child processes, Gymnasium's workers.

Each condition plays the fixed games of `digests` and must show what is on record.
"""

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np

from tests.games import GAMES
from tests.proof import digests
from tests.proof.configs import Entry, entries
from tests.proof.records import Record, work

PROMISE = "The games are the same with bounds checks, without the compiler, and in threads, forks and workers"
TESTED = (
    "the fixed games in the vector environment, in processes with `NUMBA_BOUNDSCHECK=1` and `NUMBA_DISABLE_JIT=1`, in "
    "4 Python threads at once, in a forked and a spawned child; seats in AsyncVectorEnv against SyncVectorEnv"
)
ROOT = Path(__file__).resolve().parents[2]
SLOWEST = 3600
"""The most seconds that a process may take."""


def run(record: Record, seconds: float) -> None:
    """Test every condition once with the present sources."""
    goals = {}
    for name in CONDITIONS:
        record.row(name)["amount"] = 0
        goals[name] = 1
    record.keep_only(CONDITIONS)

    def try_one(name: str) -> None:
        begin = time.perf_counter()
        record.rows[name]["failures"] = []
        games, failures = CONDITIONS[name]()
        record.add(name, 1, time.perf_counter() - begin, failures)
        record.rows[name]["compared"] = games

    work(record, goals, try_one, seconds, "modes", " conditions")


Outcome = tuple[int, list[str]]
"""How many configurations were compared, and their differences."""


def in_a_process(variable: str, every: int) -> Outcome:
    """Play every ``every``-th configuration in a process with an environment variable set."""
    command = [sys.executable, "-m", "tests.proof.modes", str(every)]
    numba_cache = str(ROOT / ".cache" / f"numba-{variable.lower()}")
    environment = {**os.environ, variable: "1", "NUMBA_CACHE_DIR": numba_cache}
    process = subprocess.run(
        command,
        cwd=ROOT,
        env=environment,
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        timeout=SLOWEST,
        check=False,
    )
    if process.returncode:
        return 0, [f"{variable}=1 ended with {process.returncode}: {process.stderr[-300:]}"]
    return len(entries()[::every]), process.stdout.splitlines()


def differing(every: int = 1) -> list[str]:
    """Return the configurations whose games differ from the record."""
    recorded = Record.open("digests").rows
    return [entry.name for entry in entries()[::every] if digest_of(entry) != recorded[entry.name]["digest"]]


def digest_of(entry: Entry) -> str:
    return digests.vector()(entry).digest()


def in_threads() -> Outcome:
    """Play in four threads at once, each with an environment of every game."""
    chosen, barrier = first_of_every_game(), threading.Barrier(4)

    def together(_: int) -> list[str]:
        barrier.wait()
        return [digest_of(entry) for entry in chosen]

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(together, range(4)))
    return 4 * len(chosen), compared(chosen, found)


def in_children(method: str) -> Outcome:
    """Play in this process, then in two children of it."""
    chosen = first_of_every_game()
    mine = [digest_of(entry) for entry in chosen]
    with get_context(method).Pool(2) as pool:
        found = pool.map(digests_by_name, [[entry.name for entry in chosen]] * 2)
    return 3 * len(chosen), compared(chosen, [mine, *found])


def digests_by_name(names: list[str]) -> list[str]:
    """Return the digests of the named configurations; runs in a child process."""
    by_name = {entry.name: entry for entry in entries()}
    return [digest_of(by_name[name]) for name in names]


def compared(chosen: list[Entry], found: list[list[str]]) -> list[str]:
    """Return the differences from the record."""
    recorded = Record.open("digests").rows
    expected = [recorded[entry.name]["digest"] for entry in chosen]
    return [f"{place}: other games" for place, seen in enumerate(found) if seen != expected]


def first_of_every_game() -> list[Entry]:
    """Return one configuration per game."""
    return list({entry.under_test.name: entry for entry in reversed(entries())}.values())


def async_seats() -> Outcome:
    """Compare seats of every game in Gymnasium's workers with the same seats played one after the other."""
    failures = []
    for under_test in GAMES:
        makers: list[Callable[[], Any]] = [
            partial(under_test.entry.make_seat, **under_test.short, constant_infos=True)
        ] * 3
        plays = [played_by(kind(makers)) for kind in (gymnasium.vector.SyncVectorEnv, spawned)]
        if not all(np.array_equal(one, other) for one, other in zip(*plays, strict=True)):
            failures.append(f"{under_test.name}: the workers' games differ")
    return len(GAMES), failures


def spawned(makers: list[Callable[[], Any]]) -> Any:
    """Return workers that share nothing with this process."""
    return gymnasium.vector.AsyncVectorEnv(makers, context="spawn")


def played_by(envs: Any) -> list[np.ndarray]:
    """Return what three seats observe and earn in some random games."""
    rng, seen = np.random.default_rng(4), []
    observation, infos = envs.reset(seed=4)
    for _ in range(60):
        masks = np.stack(infos["action_mask"])
        actions = np.array([rng.choice(np.flatnonzero(mask)) if mask.any() else 0 for mask in masks])
        observation, rewards, ends, _, infos = envs.step(actions)
        seen += [*(np.array(part) for part in observation.values()), rewards.copy(), ends.copy()]
    envs.close()
    return seen


CONDITIONS: dict[str, Callable[[], Outcome]] = {
    "NUMBA_BOUNDSCHECK=1": partial(in_a_process, "NUMBA_BOUNDSCHECK", 1),
    "NUMBA_DISABLE_JIT=1": partial(in_a_process, "NUMBA_DISABLE_JIT", 3),
    "threads": in_threads,
    "fork": partial(in_children, "fork"),
    "spawn": partial(in_children, "spawn"),
    "AsyncVectorEnv of seats": async_seats,
}


def how_much(record: Record) -> str:
    """Return the amounts for the page."""
    return (
        ", ".join(f"{name}: {row['compared']}" for name, row in record.rows.items() if row.get("compared"))
        + " (configurations compared)"
    )


if __name__ == "__main__":
    print(*differing(int(sys.argv[1])), sep="\n", end="")
