"""The view of a bot at a seat: the record of the game without what the seat may not know (I8, J3)."""

import random
from typing import Any

import numpy as np
import pytest

from ikebana_env import IkebanaConfig, ikebana_v0
from ikebana_env.engine.private_view import hide
from ikebana_env.engine.state import NO_CARD, state_dtype
from ikebana_env.words.notation import str_to_card
from ikebana_env.words.positions import load_position

from .test_properties import exchanged, position_after


def view_of(config: IkebanaConfig, position: dict[str, Any], player: int) -> np.ndarray:
    """Return the hidden record of a position, (1,)."""
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


@pytest.mark.parametrize("perfect_recall", [False, True])
def test_I8_after_a_reshuffle_a_view_shows_no_card_that_is_buried_or_gone(perfect_recall):
    """The check runs in games, because their records still hold old cards after a purchase, a reshuffle or a round."""
    config, rng = IkebanaConfig(players=5, perfect_recall=perfect_recall), random.Random(8)
    env = ikebana_v0.raw_env(config=config)
    reshuffles = purchases = 0
    for seed in range(1):
        env.reset(seed=seed)
        while not all(env.terminations.values()):
            words = [env.action_to_str(int(k)) for k in env.observe(env.agent_selection)["action_mask"].nonzero()[0]]
            word = "refuse" if "refuse" in words else rng.choice(words)
            env.step(env.str_to_action(word))
            state = env.to_dict()
            reshuffles += state["reshuffles"] > 0
            purchases += word.startswith("buy")
            player = rng.randrange(5)
            view = env._tables["state"].copy()
            hide(config.rules(), view.view(np.recarray)[0], player)
            piles = state["discards"] if perfect_recall else [pile[-1:] for pile in state["discards"]]
            for pile, shown, height in zip(piles, view["discards"][0], map(len, state["discards"]), strict=True):
                cards = [NO_CARD] * (height - len(pile)) + [str_to_card(card) for card in pile]
                assert shown.tolist() == cards + [NO_CARD] * (len(shown) - height)
    assert reshuffles > 10 and purchases > 10
