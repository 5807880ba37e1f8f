"""Hat guessing: common knowledge is the same at all seats, true, and sufficient for the claimed scores."""

from dataclasses import replace

import numpy as np
import pytest

from hanabako import agents
from hanabako.agents import play
from hanabako.agents.bots.bot import BotPolicy, BotsSeated
from hanabako.agents.playing.block import Block
from hanabako.agents.playing.play import steps_with
from hanabako.games import game_of
from hanabi_env import PRESETS, HanabiConfig

pytestmark = pytest.mark.filterwarnings("ignore:overflow")  # plain Python's bit operations overflow modulo 2^64
VARIANTS = ["standard", "avalanche_5", "avalanche_10", "black_powder", "flamboyants", "all_extensions"]


@pytest.mark.parametrize("name", ["information", "questions"])
@pytest.mark.parametrize(
    ("players", "preset"), [*((players, "standard") for players in (2, 3, 5)), *((4, preset) for preset in VARIANTS)]
)
def test_all_seats_know_the_same_and_it_is_true(name, players, preset):
    config, steps = replace(PRESETS[preset], players=players), 0
    block = Block(game_of(config).make_game(config), 100, observes=False, specialize=False)
    policy = agents.load(name, config)
    assert isinstance(policy, BotPolicy)
    bots = BotsSeated(block, policy, range(players))
    for _ in steps_with(block, [bots], 3, 0):
        tables = block.tables[block.open_games]
        known = bots._memories["possible"][block.open_games]  # (games, seats, players, slots): what a seat takes for it
        steps += len(known)
        np.testing.assert_array_equal(known, np.broadcast_to(known[:, :1], known.shape))
        hands = tables["state"]["hands"][:, :players, : config.cards_in_hand]
        is_card = hands < config.suits * config.ranks
        may_be = known[:, 0, :players, : config.cards_in_hand] >> np.where(is_card, hands, 0).astype(np.uint64)
        assert (may_be[is_card] & np.uint64(1) == 1).all()
    assert steps > 100 * 15


@pytest.mark.parametrize(
    ("name", "players", "least"),
    [
        ("recommendation", 5, 21.7),
        ("information", 5, 24.5),
        ("questions", 2, 23.1),
        ("questions", 3, 24.8),
        ("questions", 4, 24.9),
        ("questions", 5, 24.9),
    ],
)
def test_scores_do_not_fall(name, players, least):
    """Each bound is at least five standard errors of 400 games below the mean of 20,000 games (see the boards)."""
    config = HanabiConfig(players=players)
    assert play(config, agents.load(name, config), 400, seed=1).score.mean() > least
