"""Deals agree with exact combinatorics (section 4 of the rule card), and random play with the card's figures.

Every count lies within five standard deviations of its expected value. With seven counts, a run raises a false alarm
with probability 4 in a million. Seeds are fixed, so a passing test stays passing.
"""

import math
from typing import Any

import numpy as np
import pytest

from hanabako.compiler.digest import digest_of
from hanabako.compiler.jit import kernel
from hanabako.engine.rng import random_word
from hanafuda_env import KoiKoiConfig, KoiKoiVectorEnv
from hanafuda_env.engine.dealing import deal, shuffle
from hanafuda_env.engine.yaku import has_kuttsuki, has_teshi
from hanafuda_env.game import KoiKoiGame
from tests.shuffles import assert_evenly_mixed

HANDS = math.comb(48, 8)
TESHI = 1_628_946 / HANDS
KUTTSUKI = 641_520 / HANDS
VOID = 2_270_466 / HANDS
ONE_LUCKY = 0.01191240  # given a valid field
BOTH_LUCKY = 0.00004828
ALL_ORDINARY = 0.98209440


def deal_counter() -> Any:
    """Return a compiled loop that counts deals.

    It counts teshi and kuttsuki in player 0's hand, void fields, and, among the other deals, those with no, one and two
    lucky hands.
    """
    digest = digest_of(shuffle, deal, has_teshi, has_kuttsuki)

    @kernel
    def count(tables, seed, deals, counts):
        s = tables[0].state
        s.round_number, s.given_rounds, s.dealer = 1, digest & 0, 0
        for d in range(deals):
            s.key = random_word(seed, d)
            shuffle(s, 0)
            deal(s)
            counts[0] += has_teshi(s.hand[0])
            counts[1] += has_kuttsuki(s.hand[0])
            if has_teshi(s.field) or has_kuttsuki(s.field):
                counts[2] += 1
                continue
            lucky = 0
            for player in range(2):
                if has_teshi(s.hand[player]) or has_kuttsuki(s.hand[player]):
                    lucky += 1
            counts[3 + lucky] += 1

    return count


@pytest.mark.statistical
@pytest.mark.parametrize("deals", [10**7, pytest.param(10**8, marks=pytest.mark.slow)])
def test_many_deals_have_the_exact_probabilities(deals: int):
    game = KoiKoiGame(KoiKoiConfig())
    tables, counts = np.zeros(1, game.table_dtype(specialize=False)), np.zeros(6, np.int64)
    deal_counter()(tables, np.uint64(20261120), deals, counts)
    teshi, kuttsuki, void, none, one, both = counts.tolist()
    valid = deals - void
    for name, found, trials, probability in (
        ("teshi", teshi, deals, TESHI),
        ("kuttsuki", kuttsuki, deals, KUTTSUKI),
        ("void", void, deals, VOID),
        ("one lucky", one, valid, ONE_LUCKY),
        ("both lucky", both, valid, BOTH_LUCKY),
        ("ordinary", none, valid, 1 - ONE_LUCKY - BOTH_LUCKY),
        ("all ordinary", none, deals, ALL_ORDINARY),
    ):
        deviation = math.sqrt(trials * probability * (1 - probability))
        rounding = trials * 5e-9  # the card rounds its figures to eight decimals
        assert abs(found - trials * probability) < 5 * deviation + rounding, name


def test_the_cards_figures_agree_with_each_other():
    assert pytest.approx(VOID) == TESHI + KUTTSUKI
    assert pytest.approx((1 - VOID) * (1 - ONE_LUCKY - BOTH_LUCKY)) == ALL_ORDINARY


@pytest.mark.statistical
def test_every_card_is_dealt_everywhere_equally_often(full: bool):
    """K2, K5: 48 cards by 48 positions over many shuffles; false alarm 1 in 10^6, with a fixed seed."""
    envs = KoiKoiVectorEnv(100_000 if full else 20_000, teshi="plays", kuttsuki="plays", specialize=False)
    envs.reset(seed=5)
    assert_evenly_mixed(envs._tables["state"]["deck"])
