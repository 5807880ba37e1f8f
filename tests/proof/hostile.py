"""Valid inputs with a few changes, at every entry point: each works or raises ``ValueError``, and nothing else happens.

The changes are drawn from a seed, which is the number of inputs tried before; failures name it.
"""

import copy
import random
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tests.mutations import EDGES, HUGE, places
from tests.proof.records import Record, work

PROMISE = "Bad input raises a ``ValueError`` of one line, prints one sentence on a command line, and changes nothing"
TESTED = (
    "seeded mutations of valid inputs: one to three values replaced, shifted, left out or doubled; after a refusal, "
    "the environment is compared byte by byte; after an accepted input, play continues"
)
GOAL = 100_000
"""Inputs for every entry point."""
SLICE = 200
LINES = "command lines"
"""The entry point whose inputs are whole commands; it has a lower goal."""

NUMBERS: list[Any] = [*EDGES, *HUGE, *(-edge for edge in EDGES + HUGE), True, False, 0.5, 2.0, float("nan"), 1e300]
WORDS = ["", "1-1", "K1", "R1", "play", "play 0", "end", "koi", "hand", "stop", "illegal", "\0", "\ud800", "x" * 300]
JSON_THINGS: list[Any] = [*NUMBERS, *WORDS, None, [], {}, [[]], [None], {"winner": 0}, [0] * 500, {"": {}}]
DEEP: list[Any] = []
for _ in range(3000):
    DEEP = [DEEP]
THINGS: list[Any] = [
    *JSON_THINGS,
    *(np.int64(3), np.int8(-1), np.uint64(2**64 - 1), np.bool_(True), np.float64(1), np.arange(2), np.zeros((2, 2))),
    *((), b"1-1", object(), int, {1: 2}, {(): ()}, frozenset((1,)), DEEP),
]


@dataclass
class Door:
    """One entry point."""

    valid: Callable[[random.Random], Any]
    """Draws a valid input."""
    take: Callable[[Any], Any]
    """The function to call with a mutated input."""
    state: Callable[[], bytes] = bytes
    """Returns what must not change if the input is refused."""
    things: tuple[Any, ...] = tuple(THINGS)
    """Values to put in place of others."""
    goal: int = GOAL
    """The number of inputs to try."""
    slice: int = SLICE
    """Inputs per slice of work."""


def run(record: Record, seconds: float) -> None:
    """Try all entry points until each has reached its goal, or the time is over."""
    from tests.proof.doors import all_doors

    with tempfile.TemporaryDirectory() as folder:
        doors = all_doors(Path(folder))
        for name in doors:
            record.row(name)
        record.keep_only(doors)
        goals = {name: door.goal for name, door in doors.items()}

        def try_some(name: str) -> None:
            knock(record, name, doors[name], doors[name].slice)

        work(record, goals, try_some, seconds, "hostile inputs", " inputs")


def knock(record: Record, name: str, door: Door, times: int) -> None:
    """Try some inputs."""
    row, begin, failures = record.rows[name], time.process_time(), []
    refused = 0
    for index in range(row["amount"], row["amount"] + times):
        words = attempt(door, index)
        refused += words is REFUSED
        if words not in (TAKEN, REFUSED):
            failures.append(f"input {index}: {words}")
    row["refused"] = row.get("refused", 0) + refused
    record.add(name, times, time.process_time() - begin, failures)


TAKEN, REFUSED = "taken", "refused"


def attempt(door: Door, index: int) -> str:
    """Return `TAKEN`, `REFUSED`, or a description of the failure."""
    rng = random.Random(index)
    value = mutated(door.valid(rng), rng, door.things)
    before = door.state()
    try:
        door.take(value)
    except ValueError as error:
        words = str(error)
        if not words or "\n" in words or len(words) > 2000:
            return f"a message of {len(words)} characters: {words[:100]!r}"
        return REFUSED if door.state() == before else f"refused, but something has changed: {words[:200]}"
    except Exception as error:  # any other exception is a failure
        return f"{type(error).__name__}: {str(error)[:200]!r}"
    return TAKEN


def mutated(value: Any, rng: random.Random, things: tuple[Any, ...]) -> Any:
    """Return a copy of plain data with one to three changes."""
    value = copy.deepcopy(value)
    found = places(value)
    if not found:
        return rng.choice(things)
    chosen = set()
    for _ in range(rng.randint(1, 3)):
        depth = rng.randint(1, max(map(len, found)))  # so that the few shallow places are chosen as often
        chosen.add(rng.choice([path for path in found if len(path) <= depth]))
    for *path, last in sorted(chosen, key=lambda path: (len(path), str(path)), reverse=True):  # inner ones first
        holder = value
        for step in path:
            holder = holder[step]
        if last < len(holder) if isinstance(holder, list) else last in holder:  # shared parts may be gone
            change(holder, last, rng, things)
    return value


def change(holder: Any, key: Any, rng: random.Random, things: tuple[Any, ...]) -> None:
    """Change one value of a dict or list."""
    old, how = holder[key], rng.random()
    if type(old) is int and how < 0.3:
        holder[key] = old + rng.choice([-1, 1])
    elif how < 0.4:
        del holder[key]
    elif how < 0.45 and isinstance(holder, list):
        holder.append(old)
    elif how < 0.5 and isinstance(old, str) and old:
        place = rng.randrange(len(old))
        holder[key] = old[:place] + chr(rng.randrange(1, 500)) + old[place + 1 :]
    else:
        holder[key] = rng.choice(things)


def how_much(record: Record) -> str:
    """Return the amounts for the page."""
    rows = dict(record.rows)
    lines = rows.pop(LINES, {"amount": 0, "refused": 0})
    refused = sum(row.get("refused", 0) for row in rows.values())
    least = min(row["amount"] for row in rows.values())
    amount = sum(row["amount"] for row in rows.values())
    return (
        f"{amount:,} inputs at {len(rows)} entry points of the library, {least:,} or more at each ({GOAL:,} wanted), "
        f"{refused:,} refused; {lines['amount']:,} command lines, {lines['refused']:,} refused"
    )
