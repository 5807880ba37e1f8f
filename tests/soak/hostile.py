"""Valid inputs with a few changes, at every entry point: each works or raises ``ValueError``, and nothing else happens.

The changes are drawn from a seed, the number of the input, which failures name: one to three values are replaced,
shifted, left out or doubled.
"""

import atexit
import random
import shutil
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from tests.games import GAMES
from tests.mutations import THINGS, mutated

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


@dataclass
class Door:
    """An entry point; without these words a dataclass would describe itself by its defaults, which nest too deeply."""

    valid: Callable[[random.Random], Any]
    """Draws a valid input."""
    take: Callable[[Any], Any]
    """The function to call with a mutated input."""
    state: Callable[[], bytes] = bytes
    """Returns what must not change if the input is refused."""
    things: Sequence[Any] = tuple(THINGS)
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
