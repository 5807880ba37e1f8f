"""Mutated positions are refused with a message and no change, or can be played to the end."""

import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hanabi_env import PRESETS, HanabiConfig
from hanabi_env.engine.bounds import most_steps
from tests.mutations import MANY, is_taken, mutated_positions, play_on

from .table import new_env

CONFIGS = {"standard": HanabiConfig(players=3, history=3), "extended": PRESETS["all_extensions"]}
ENVS = {name: new_env(config) for name, config in CONFIGS.items()}


@pytest.mark.parametrize("name", CONFIGS)
@MANY
@given(data=st.data())
def test_a_mutated_position_is_refused_or_played_to_its_end(name: str, data: st.DataObject):
    env = ENVS[name]
    if is_taken(env, data.draw(mutated_positions(env))):
        play_on(env, random.Random(1).choice)
        assert env.to_dict()["end_reason"] is not None


@pytest.mark.parametrize("name", CONFIGS)
def test_the_longest_games_are_not_too_long_for_a_position(name: str):
    """Games of players who hint if they may, and else discard, stay below the limit of steps in a position."""
    env: Any = new_env(CONFIGS[name])
    for seed in range(10):
        env.reset(seed=seed)
        while not all(env.terminations.values()):
            legal = np.flatnonzero(env.infos[env.agent_selection]["action_mask"]).tolist()
            words = {env.action_to_str(action): action for action in legal}
            quiet = sorted(words, key=lambda word: ("hint", "disc", "shuf", "choo", "play").index(word[:4]))
            env.step(words[quiet[0]])
        assert env.to_dict()["length"] < most_steps(env.config.rules())
