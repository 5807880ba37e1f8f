"""One text of the rules, two machines: plain Python and the compiled program."""

from __future__ import annotations

import random

import numpy as np
import pytest

from env_core.rng import game_key
from hanabi_env import HanabiConfig, rules
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
