"""Valid inputs with a few changes, at every entry point: each works or raises ``ValueError``, and nothing else happens.

The changes are drawn from a seed, the number of the input, which failures name: one to three values are replaced,
shifted, left out or doubled.
"""

import atexit
import copy
import random
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from tests.games import GAMES
from tests.mutations import EDGES, HUGE, places

PROMISE = (
    "bad input at an entry point raises a `ValueError` of one line, or prints a sentence on a command line, and "
    "changes nothing; an input that is accepted can be played on"
)
UNIT = "inputs"
FILES, LINES = "files", "command lines"
"""The groups of entry points beside those of each game."""
ROWS = dict.fromkeys([*(game.name for game in GAMES), FILES, LINES], 25)
TIMES = 200
"""Inputs in a part, at each entry point."""

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


def play(group: str, part: int) -> tuple[int, list[str]]:
    """Try inputs at every entry point of a group."""
    doors = doors_of(group)
    failures = [
        f"{name}, input {index}: {words}"
        for name, door in doors.items()
        for index in range(TIMES * part, TIMES * (part + 1))
        if (words := attempt(door, index)) not in (TAKEN, REFUSED)
    ]
    return TIMES * len(doors), failures


@cache
def doors_of(group: str) -> dict[str, Door]:
    """Return the entry points of a group by name."""
    from tests.soak.doors import doors

    folder = Path(tempfile.mkdtemp(prefix="soak-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return doors(group, folder)


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
