"""Positions with a few values changed, for tests that a wrong position raises nothing but a ``ValueError``."""

import copy
import random
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

EDGES = [0, 1, 2, 3, 7, 8, 12, 16, 48, 55, 127, 128, 255, 256, 32767, 32768, 48000, 65535, 65536]
HUGE = [2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**63 - 1, 2**63, 2**64 - 1, 2**64, 10**30]
NUMBERS: list[Any] = [*EDGES, *HUGE, *(-edge for edge in EDGES + HUGE), True, False, 0.5, 2.0, float("nan"), 1e300]
WORDS = ["", "1-1", "K1", "R1", "e?", "play", "play 0", "end", "koi", "hand", "stop", "illegal", "\0", "x" * 300]
JSON_THINGS: list[Any] = [*NUMBERS, *WORDS, None, [], {}, [[]], [None], {"winner": 0}, [0] * 500, {"": {}}]
DEEP: list[Any] = []
"""A list nested too deeply for its own ``repr``."""
for _ in range(3000):
    DEEP = [DEEP]
THINGS: list[Any] = [
    *JSON_THINGS,
    *(np.int64(3), np.int8(-1), np.uint64(2**64 - 1), np.bool_(True), np.float64(1), np.arange(2), np.zeros((2, 2))),
    *((), "\ud800", b"1-1", object(), int, {1: 2}, {(): ()}, frozenset((1,)), DEEP),
]


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the paths (keys and indices) of all values of a position that can be changed."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    found = [path] if path else []
    for key, element in inner if len(path) < 5 else ():  # no position is deeper
        found += places(element, (*path, key))
    return found


@cache
def positions_of(env: Any) -> list[dict[str, Any]]:
    rng, found = random.Random(4), []
    for seed in range(6):
        env.reset(seed=seed)
        game = [env.to_dict()]
        while not all(env.terminations.values()):
            env.step(rng.choice(np.flatnonzero(env.observe(env.agent_selection)["action_mask"]).tolist()))
            game.append(env.to_dict())
        found += [*rng.sample(game, 3), game[-1]]
    return found


def mutated(value: Any, rng: random.Random, things: Sequence[Any]) -> Any:
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


def change(holder: Any, key: Any, rng: random.Random, things: Sequence[Any]) -> None:
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
