"""Decks and tiles are shuffled fairly (H1, V4): chi-square tests of counts over many deals.

A fair shuffle exceeds `tests.shuffles.chi_square_bound` for at most one seed in a million; the seeds are fixed.
"""

from collections import Counter
from typing import Any

import numpy as np
import pytest

from hanabi_env import HanabiConfig, HanabiVectorEnv
from hanabi_env.words.notation import card_names
from tests.reference.hanabi_plain import box
from tests.shuffles import chi_square_bound

pytestmark = pytest.mark.statistical


def deals(count: int, **fields: Any) -> Any:
    envs = HanabiVectorEnv(count, seed=11, specialize=False, **fields)
    envs.reset(seed=11)
    return envs._tables["state"]


@pytest.mark.parametrize(
    ("table", "cards_left"),
    [
        ({"players": 5}, 30),  # the first twenty draws from fifty cards
        ({"players": 4, "colors": 2, "hand_size": 5}, 0),  # every draw from twenty
        ({"players": 5, "multicolor": "all_colors", "black_powder": True}, 50),
    ],
)
def test_H1_every_card_is_dealt_everywhere_equally_often(table: dict[str, Any], cards_left: int):
    """Check that every card comes at every draw equally often; the cards left in the deck count as one large draw.

    Draws are without replacement, so the statistic times (n - 1) / n follows a chi-square distribution.
    """
    config = HanabiConfig(**table)
    n, size = config.deck_size, config.cards_in_hand
    hands = deals(20_000, **table)["hands"][:, : config.players, :size].reshape(-1, n - cards_left)
    names = card_names(config)
    copies = np.array([box(config).count(name) for name in names])
    dealt = np.array([np.bincount(draw, minlength=len(names)) for draw in hands.T])
    found = np.vstack([dealt, len(hands) * copies - dealt.sum(0)])
    drawn = np.array([1] * (n - cards_left) + [cards_left])
    expected = len(hands) * np.outer(drawn, copies) / n
    found, expected = found[drawn > 0], expected[drawn > 0]
    chi_square = (n - 1) / n * ((found - expected) ** 2 / expected).sum()
    assert chi_square < chi_square_bound((len(found) - 1) * (len(names) - 1))


def test_V4_every_order_of_the_tiles_is_equally_likely():
    games = 72_000
    orders = Counter(map(bytes, deals(games, preset="all_extensions")["bonus_tiles"]))
    expected = games / 720
    chi_square = sum((count - expected) ** 2 / expected for count in orders.values())
    assert len(orders) == 720
    assert chi_square < chi_square_bound(719)


@pytest.mark.parametrize("players", [2, 3, 5])
def test_H4_every_player_begins_equally_often(players: int):
    first = np.bincount(deals(30_000, players=players, random_start_player=True)["current_player"], minlength=players)
    expected = 30_000 / players
    assert ((first - expected) ** 2 / expected).sum() < chi_square_bound(players - 1)
