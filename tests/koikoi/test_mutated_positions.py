"""Mutated positions are refused with a message and no change, or can be played to the end without an overflow."""

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hanafuda_env import PRESETS, KoiKoiConfig, koikoi_v0
from hanafuda_env.engine.actions import KOIKOI
from hanafuda_env.engine.limits import most_base, most_points, most_score
from tests.mutations import MANY, is_taken, mutated_positions, play_on

from .table import position
from .test_rules import sanko_next

RICH = {
    "rounds": 3,
    "points": (100,) * 12,
    "extra": (100,) * 12,
    "lucky_points": 1000,
    "red_and_blue_bonus": 1000,
    "start_score": 1000,
    "opponent_koi_factor": 10,
    "seven_factor": 10,
    "loser_pays": True,
    "gaji": True,
    "reward": "points",
}
"""The largest numbers that a configuration allows."""
CONFIGS = [KoiKoiConfig(rounds=2), KoiKoiConfig(**RICH), KoiKoiConfig(rounds=2, koikoi_limit=1, history=3)]


ENVS = [koikoi_v0.raw_env(config=config) for config in CONFIGS]


@pytest.mark.parametrize("number", range(len(CONFIGS)))
@MANY
@given(data=st.data())
def test_a_mutated_position_is_refused_or_played_on_without_an_overflow(number, data):
    """Scores and lengths, added up here in Python's ints, agree with the game's at its end."""
    config, env = CONFIGS[number], ENVS[number]
    if not is_taken(env, data.draw(mutated_positions(env))):
        return
    start, rng = env.to_dict(), random.Random(1)
    scores, rounds = list(start["scores"]), len(start["round_results"])
    steps = play_on(env, lambda legal: KOIKOI if KOIKOI in legal else rng.choice(legal))
    end = env.to_dict()
    for result in end["round_results"][rounds:]:
        assert 0 <= result["points"] <= most_points(config.rules())
        if result["winner"] is not None:
            scores[result["winner"]] += result["points"]
            scores[1 - result["winner"]] -= result["points"] * config.loser_pays
    assert (end["scores"], end["length"]) == (scores, start["length"] + steps)


def test_numpy_numbers_are_numbers_and_negative_scores_too():
    table = position(scores=[np.int64(-3), np.int32(7)], length=np.uint8(9))
    assert (table.scores, table.length) == ([-3, 7], 9)


@pytest.mark.parametrize("config", [*PRESETS.values(), KoiKoiConfig(**{**RICH, "rounds": 100})])
def test_no_game_overflows_its_record(config):
    """The bounds of positions fit their fields.

    So does twice the largest score, because the rest of the game may add as much.
    """
    rules = config.rules()
    assert most_base(rules) < 2**15
    assert rules.start_score < most_score(rules) < 2**30
    assert most_points(rules) < 2**31


def test_L6_the_game_does_not_go_on_at_zero():
    config = PRESETS["koikoi_japan"]
    with pytest.raises(ValueError, match="scores must be above 0 before the end with ends_at_zero"):
        sanko_next(config=config, scores=[60, 0])
