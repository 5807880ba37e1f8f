"""A position with one spoilt value is refused with a `ValueError` that changes nothing, or can be played to its end."""

import copy
import pickle
import random
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hanabi_env import PRESETS, HanabiConfig
from hanabi_env.engine.bounds import most_steps

from .table import new_env
from .test_properties import mostly_good

CONFIGS = {
    "standard": HanabiConfig(players=3, history=3),
    "extended": PRESETS["all_extensions"],
}
ENVS = {name: new_env(config) for name, config in CONFIGS.items()}


def deep(levels: int) -> Any:
    """Return a list nested too deeply for its own ``repr``."""
    value: Any = "R1"
    for _ in range(levels):
        value = [value]
    return value


ODD: list[Any] = [None, True, False, np.True_, -1, 0, 1, 2, 2**31, 2**32 - 1, 2**63, 2**64, 10**30, 0.5, float("nan")]
ODD += ["", "R1", "e?", "play 0", b"R1", [], {}, (), ["R1"] * 70, {"R": 1}, [[]], [None], object(), deep(3000)]
ODD += [np.int64(3), np.zeros(3), np.array([None]), np.array(2), "R" * 10**5, {1: 2}, {"action": "play 0", "player": 0}]


def paths(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the keys and indices that lead to every value in a position, without the position itself."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [found for key, item in items for found in ((*path, key), *paths(item, (*path, key)))]


@cache
def some_positions(name: str) -> list[tuple[dict[str, Any], list[tuple[Any, ...]]]]:
    """Return positions from a few games, and the paths in them."""
    env, rng, found = new_env(CONFIGS[name]), random.Random(name), []
    for seed in range(6):
        env.reset(seed=seed)
        for moves in (0, 5, 15, 30, 400):
            play(env, moves, rng, mostly_good)
            found.append((env.to_dict(), paths(env.to_dict())))
    return found


def spoil(position: dict[str, Any], every: list[tuple[Any, ...]], rng: random.Random) -> None:
    """Remove, replace, duplicate or exchange one value; all depths are equally likely."""
    depth = rng.choice(sorted({len(path) for path in every}))
    *above, key = rng.choice([path for path in every if len(path) == depth])
    holder: Any = position
    for step in above:
        holder = holder[step]
    match rng.randrange(4):
        case 0:
            del holder[key]
        case 1 if isinstance(holder, list):
            holder.append(holder[key])
        case 2 if isinstance(holder, list):
            other = rng.randrange(len(holder))
            holder[key], holder[other] = holder[other], holder[key]
        case _:
            holder[key] = rng.choice(ODD)


@pytest.mark.parametrize("name", CONFIGS)
@settings(max_examples=10 * settings().max_examples)
@given(seed=st.integers(0, 2**32 - 1))
def test_a_spoilt_position_is_refused_or_played_to_its_end(name, seed):
    rng, env = random.Random(seed), ENVS[name]
    original, every = rng.choice(some_positions(name))
    position = copy.deepcopy(original)
    spoil(position, every, rng)
    env.reset(seed=seed)
    before = pickle.dumps(env)
    try:
        env.reset(seed=seed, options={"state": position})
    except ValueError as error:
        assert "\n" not in str(error)  # noqa: PT017 - the position may also be good
        assert pickle.dumps(env) == before
        return
    play(env, 400, rng, any_legal)
    assert env.to_dict()["end_reason"] is not None


def play(env: Any, moves: int, rng: random.Random, good: Callable[[Any, random.Random], list[int]]) -> None:
    for _ in range(moves):
        if all(env.terminations.values()):
            return
        env.step(rng.choice(good(env, rng)))


def any_legal(env: Any, _: random.Random) -> list[int]:
    return np.flatnonzero(env.infos[env.agent_selection]["action_mask"]).tolist()


@pytest.mark.parametrize("name", CONFIGS)
def test_the_longest_games_are_not_too_long_for_a_position(name):
    """Games of players who hint if they may, and else discard, stay below the limit of steps in a position."""
    env = new_env(CONFIGS[name])
    for seed in range(10):
        env.reset(seed=seed)
        while not all(env.terminations.values()):
            words = {env.action_to_str(action): action for action in any_legal(env, random.Random())}
            quiet = sorted(words, key=lambda word: ("hint", "disc", "shuf", "choo", "play").index(word[:4]))
            env.step(words[quiet[0]])
        assert env.to_dict()["length"] < most_steps(env.config.rules())
