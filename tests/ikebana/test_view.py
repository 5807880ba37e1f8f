"""What bots at a seat are given: the record of the game, less what the seat may not know (I8, J3)."""

import random
from typing import Any

import numpy as np
import pytest

from ikebana_env import IkebanaConfig
from ikebana_env.engine.private_view import hide
from ikebana_env.engine.state import NO_CARD, state_dtype
from ikebana_env.words.positions import load_position

from .test_properties import exchanged, position_after


def view_of(config: IkebanaConfig, position: dict[str, Any], player: int) -> np.ndarray:
    """The hidden record of a position, (1,)."""
    records = np.zeros(1, state_dtype(config.players, config.rounds))
    view = records.view(np.recarray)[0]
    load_position(config, view, position)
    hide(config.rules(), view, player)
    return records


@pytest.mark.parametrize("players", range(2, 6))
def test_a_view_is_the_same_whatever_is_hidden(players):
    config, rng = IkebanaConfig(players=players, perfect_recall=players == 4), random.Random(players)
    buried = drawn = 0
    for seed in range(12):
        position = position_after(config, seed, rng.randrange(60)).to_dict()
        buried += any(len(pile) > 1 for pile in position["discards"])
        drawn += position["drawn"] is not None
        for player in range(players):
            other = {**exchanged(position, player, config.perfect_recall, rng), "stream": rng.getrandbits(64)}
            one, same = view_of(config, position, player), view_of(config, other, player)
            assert one.tobytes() == same.tobytes()
            own = position["drawn"] is not None and player == position["current_player"]
            assert (one["drawn"][0] != NO_CARD) == own
    assert buried and drawn, "the positions must have something to hide"
