"""Positions with a few values changed, for tests that a wrong position raises nothing but a ``ValueError``."""

import copy
import random
from functools import cache
from typing import Any

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st

MANY = settings(max_examples=4 * settings().max_examples)

EDGES = [0, 1, 2, 3, 7, 8, 12, 16, 48, 55, 127, 128, 255, 256, 32767, 32768, 48000, 65535, 65536]
HUGE = [2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**63 - 1, 2**63, 2**64 - 1, 2**64, 10**30]
NUMBERS = st.sampled_from([*EDGES, *HUGE, *(-edge for edge in EDGES + HUGE), True, False, 0.5, 2.0, float("nan")])
NUMPY = st.sampled_from([np.int64(3), np.int8(-1), np.uint64(2**64 - 1), np.bool_(True), np.float64(1), np.arange(2)])
WORDS = st.sampled_from(["", "1-1", "K1", "R1", "e?", "play 0", "play", "end", "koi", "hand", "stop", "illegal", "\0"])


def deep() -> list[Any]:
    """Return a list nested too deeply for its own ``repr``."""
    value: list[Any] = []
    for _ in range(3000):
        value = [value]
    return value


FRESH = st.sampled_from(
    [
        list,
        dict,
        tuple,
        object,
        lambda: [[]],
        lambda: [None],
        lambda: ["R1"] * 70,
        lambda: {"winner": 0},
        deep,
    ]
).map(lambda make: make())
THINGS = st.one_of(NUMBERS, NUMPY, WORDS, st.none(), st.sampled_from([b"1-1", "x" * 10**5]), FRESH)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the paths (keys and indices) of all values of a position that can be changed."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    found = [path] if path else []
    for key, element in inner if len(path) < 5 else ():  # no position is deeper
        found += places(element, (*path, key))
    return found


def is_taken(env: Any, state: dict[str, Any]) -> bool:
    """Return whether a reset accepts the position.

    If not, the error must be a ``ValueError`` of one line that names a key, and nothing may have changed.
    """
    env.reset(seed=3)
    keys = (*env.to_dict(), "position")
    before = env._tables.tobytes()
    try:
        env.reset(seed=5, options={"state": state})
    except ValueError as error:
        words = str(error)
    else:
        return True
    assert any(key in words for key in keys) and "\n" not in words, words
    assert env._tables.tobytes() == before
    return False


def play_on(env: Any, move: Any) -> int:
    """Play to the end and return the number of steps; ``move`` chooses among the legal actions."""
    steps = 0
    while not all(env.terminations.values()):
        env.step(move(np.flatnonzero(env.observe(env.agent_selection)["action_mask"]).tolist()))
        steps += 1
    return steps


@cache
def positions_of(env: Any) -> list[dict[str, Any]]:
    """Return positions of random games, including their last ones."""
    rng, found = random.Random(4), []
    for seed in range(6):
        env.reset(seed=seed)
        game = [env.to_dict()]
        while not all(env.terminations.values()):
            env.step(rng.choice(np.flatnonzero(env.observe(env.agent_selection)["action_mask"]).tolist()))
            game.append(env.to_dict())
        found += [*rng.sample(game, 3), game[-1]]
    return found


@st.composite
def mutated(draw: st.DrawFn, positions: list[dict[str, Any]]) -> dict[str, Any]:
    """Return one of the positions with one to three of its values replaced, removed, repeated, or shifted by one."""
    position = copy.deepcopy(draw(st.sampled_from(positions)))
    for _ in range(draw(st.integers(1, 3))):
        key = draw(st.sampled_from(sorted(position)))
        *path, last = draw(st.sampled_from([(key, *rest) for rest in [(), *places(position[key])]]))
        holder: Any = position
        for step in path:
            holder = holder[step]
        match draw(st.integers(0, 4)):
            case 0:
                del holder[last]
            case 1 if isinstance(holder, list):
                holder.append(holder[int(last)])
            case 2 if type(holder[last]) is int:
                holder[last] += draw(st.sampled_from([-1, 1]))
            case _:
                holder[last] = draw(THINGS)
    return position
