"""Mutated positions are refused with a message and no change, or can be played to the end without an overflow."""

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ikebana_env import IkebanaConfig, ikebana_v0
from ikebana_env.engine.actions import REFUSE
from tests.mutations import MANY, is_taken, mutated_positions, play_on

from .table import start

CONFIGS = [IkebanaConfig(), IkebanaConfig(players=5, rounds=2, final_bouquet=True, perfect_recall=True)]
ENVS = [ikebana_v0.raw_env(config=config) for config in CONFIGS]


@pytest.mark.parametrize("number", range(len(CONFIGS)))
@MANY
@given(data=st.data())
def test_a_mutated_position_is_refused_or_played_on_without_an_overflow(number, data):
    """Prestige and lengths, added up here in Python's ints, agree with the game's at its end."""
    config, env = CONFIGS[number], ENVS[number]
    if not is_taken(env, data.draw(mutated_positions(env))):
        return
    begun, rng = env.to_dict(), random.Random(1)
    steps = play_on(env, lambda legal: REFUSE if REFUSE in legal else rng.choice(legal))
    end = env.to_dict()
    assert sum(end["prestige"]) == 6 * config.players + sum(map(sum, end["gains"]))
    assert min(end["prestige"]) >= 0
    assert end["length"] == begun["length"] + steps
    if end["round"] == begun["round"]:
        assert end["reshuffles"] >= begun["reshuffles"]


def test_numpy_numbers_are_numbers():
    table = start(2, prestige=[np.int64(5), np.uint8(7)], length=np.int32(9))
    assert (table.prestige, table.length) == ([5, 7], 9)
