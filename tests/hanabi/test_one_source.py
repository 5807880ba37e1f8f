"""One text of the rules, many machines: plain Python, the general program, a program special to its table."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from env_core.rng import game_key
from hanabi_env import HanabiConfig, HanabiVectorEnv, loops, rules
from tests.reference.hanabi_plain import box

from .plain_engine import PlainEngine
from .table import new_env
from .tables import name

TABLES = [
    {},
    {"players": 5, "random_start_player": True},
    {"colors": 2, "hand_size": 2, "max_information_tokens": 3, "max_life_tokens": 1, "random_start_player": True},
    {"players": 3, "ranks": 4, "belief": True, "derived": True, "empty_hints": True},
]


def test_every_loop_is_keyed_by_the_digest_of_its_sources():
    """Numba's disk cache keys a loop by what it closes over: without the digest an edited rule would run as it was."""
    digest = loops.compiled_digest()
    for name_, loop in loops.compiled_loops(None)._asdict().items():
        assert digest in closed_over(loop.py_func), name_


def closed_over(function: Any) -> list[Any]:
    """Everything a function and the functions in its closure close over."""
    contents = [cell.cell_contents for cell in function.__closure__ or ()]
    return contents + [inner for content in contents if callable(content) for inner in closed_over(content)]


class ShuffledPlainEngine(PlainEngine):
    """Plain Python that shuffles for itself: game ``index`` of ``seed``, any episode."""

    def __init__(self, config: HanabiConfig, seed: int, index: int) -> None:
        super().__init__(config, box(config))
        with np.errstate(over="ignore"):  # random numbers are made modulo 2^64
            self.state.game_key = game_key(np.uint64(seed), np.uint64(index))
        self.begin(episode=0)

    def begin(self, episode: int) -> None:
        self.state.episode = episode
        with np.errstate(over="ignore"):
            rules.init(self.rules, self.state)


@pytest.mark.parametrize("table", TABLES, ids=name)
def test_plain_python_and_compiled_code_play_the_same_games(table):
    """Shuffles, starting players, observations of every seat, masks, rewards and ends, over several episodes."""
    config = HanabiConfig(**table)
    env, plain = new_env(config), ShuffledPlainEngine(config, seed=7, index=11)
    env.reset(seed=7, options={"game_index": 11})
    rng = random.Random(7)
    for episode in range(1, 4):
        while not plain.is_over:
            assert env.to_dict() == plain.to_dict()
            for player, agent in enumerate(env.possible_agents):
                assert env.observe(agent)["observation"].tolist() == plain.observation(player)
            mask = env.observe(env.agent_selection)["action_mask"]
            assert set(np.flatnonzero(mask)) == plain.legal()
            action = rng.choice(sorted(plain.legal()))
            env.step(action)
            assert plain.step(action) == env.rewards["player_0"]
        assert env.to_dict() == plain.to_dict()
        assert all(env.terminations.values())
        env.reset()
        plain.begin(episode)


def test_general_and_special_programs_play_the_same_games():
    """Whether a program read its rules at run time or was compiled for them makes no difference."""
    config = HanabiConfig(colors=2, hand_size=2, max_information_tokens=3, max_life_tokens=1)
    programs = [HanabiVectorEnv(40, config, observation="packed", special=special) for special in (False, True)]
    seen = [envs.reset(seed=3)[0] for envs in programs]
    rng = np.random.default_rng(3)
    for _ in range(60):
        assert (seen[0]["observation"] == seen[1]["observation"]).all()
        assert (seen[0]["action_mask"] == seen[1]["action_mask"]).all()
        actions = np.array([rng.choice(np.flatnonzero(mask)) for mask in seen[0]["action_mask"]])
        general, special = (envs.step(actions) for envs in programs)
        seen = [general[0], special[0]]
        for one, other in zip(general[1:4], special[1:4], strict=True):
            assert (one == other).all()
        assert general[4].keys() == special[4].keys()
        assert (general[4]["current_player"] == special[4]["current_player"]).all()
