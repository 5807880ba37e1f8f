"""Exact endings of Koi-Koi with hidden hands agree with a plain search of beliefs, and with Kuhn's poker."""

import itertools
from collections import defaultdict
from typing import Any

import numpy as np
import pytest

from benchmarks.strength.solvers.koikoi.equilibrium import Matching, both_hands, solve, solve_call
from benchmarks.strength.solvers.koikoi.written_game import CHOICES
from hanabako.games import game_of
from hanafuda_env import KoiKoiConfig
from tests.agents.test_game_search import (
    ENDINGS,
    NAMES,
    ROUND,
    ending,
    lead,
    open_value,
    position,
    root_of,
    ways,
    with_hands,
)
from tests.reference.koikoi_plain import PlainKoiKoi


def believed_value(games: list[PlainKoiKoi]) -> float:
    """Return the sum over deals that look alike to the player to move, the only one with choices before turn 16."""
    games = [game for game in games if game.phase != "end"]
    if not games:
        return 0.0
    if games[0].turn == 16:
        return sum(open_value(game) for game in games)
    totals = []
    for move in games[0].legal():
        total, by_card = 0.0, {}
        for game in games:
            found = ways(game, move)
            for card, after in found.items():
                by_card.setdefault(card, []).append((after, 1 / len(found)))
        for group in by_card.values():
            total += weighted(group)
        totals.append(total)
    return max(totals) if games[0].player == 0 else min(totals)


def weighted(group: list[tuple[PlainKoiKoi, float]]) -> float:
    """Return `believed_value` of deals after the same card was drawn; all ways are equally likely."""
    part = group[0][1]
    ended = sum(lead(game) for game, _ in group if game.phase == "end")
    return part * (ended + believed_value([game for game, _ in group]))


@pytest.mark.parametrize(("config", "turn"), ENDINGS[:3], ids=NAMES[:3])
def test_closed_hands_are_worth_what_a_plain_search_of_beliefs_says(config: KoiKoiConfig, turn: int):
    """With one card in each hand, only one player has choices that depend on hidden cards."""
    for seed in range(3):
        game, root = ending(config, turn, seed)
        player = game.player
        every = both_hands(root[0], [0, 0])
        own = [deal for deal in every if deal[player] == root["hand"][0, player]][:3]
        solved = solve(game_of(config).make_game(config).rules, root, np.array(own), within=1e-6)
        assert solved.value == pytest.approx(believed_value([with_hands(game, deal) for deal in own]) / 3, abs=1e-5)
        assert solved.opened == pytest.approx(np.mean([open_value(with_hands(game, deal)) for deal in own]))


@pytest.mark.parametrize("config", [ROUND, ENDINGS[2][0]], ids=["document", "koikoi_japan"])
def test_a_call_is_worth_what_a_plain_search_of_beliefs_says(config: KoiKoiConfig):
    """With one deal, nothing is hidden. If all of three hands call, the other player learns nothing from the call."""
    all_call = 0
    for seed in range(8):
        game, env = position(config, 14, seed, phase="koi")
        player, rules, root = game.player, env.game.rules, root_of(env)
        sign, actual = 1 if player == 0 else -1, root["hand"][0].tolist()
        ((_, stopped),) = ways(game, "stop").items()
        ((_, called),) = ways(game, "koikoi").items()
        alone = solve_call(rules, root, np.array([actual], np.uint64))
        assert (alone.stop, alone.koikoi) == pytest.approx((sign * lead(stopped), sign * open_value(called)))
        deals = [deal for deal in both_hands(root[0], [0, 0]).tolist() if deal[1 - player] == actual[1 - player]][:3]
        found = []
        for deal in deals:
            root["hand"][0] = deal
            found.append(solve_call(rules, root, np.array(deals), within=1e-6))
        assert [one.stop for one in found] == pytest.approx([alone.stop] * 3, abs=1e-5)
        value = solve(rules, root, np.array(deals), within=1e-6).value
        assert np.mean([max(one.stop, one.koikoi) for one in found]) == pytest.approx(sign * value, abs=1e-5)
        if min(one.often for one in found) > 0.9999:
            all_call += 1
            believed = believed_value([with_hands(called, deal) for deal in deals]) / 3
            assert np.mean([one.koikoi for one in found]) == pytest.approx(sign * believed, abs=1e-3)
    assert all_call


def test_regret_matching_finds_the_value_of_kuhns_poker():
    """The value is -1/18 for the first player (Kuhn 1950); the solver sees only plans and pairs."""
    # First player, card c: bet or pass; after pass and bet: call or fold. Second: after bet call or fold; after pass
    # bet or check.
    rows: list[Any] = []
    pairs: dict[tuple[int, int], float] = defaultdict(float)
    first = [1 + 4 * card for card in range(3)]  # plans bet, pass, then fold, call
    for card in range(3):
        rows += [(3 * card + 1, 0, 0, first[card], 2), (3 * card + 2, 0, first[card] + 1, first[card] + 2, 2)]
        rows += [(50 + card, 1, 0, first[card], 2), (60 + card, 1, 0, first[card] + 2, 2)]
    for one, other in itertools.permutations(range(3), 2):
        a, b = first[one], first[other]
        shown = 1 if one > other else -1
        pairs[a, b] += 1 / 6  # bet, fold
        pairs[a, b + 1] += 2 * shown / 6  # bet, call
        pairs[a + 1, b + 2] += shown / 6  # pass, check
        pairs[a + 2, b + 3] += -1 / 6  # pass, bet, fold
        pairs[a + 3, b + 3] += 2 * shown / 6  # pass, bet, call
    one, other = (np.array([pair[k] for pair in pairs]) for k in (0, 1))
    matching = Matching(np.array(rows, CHOICES), (one, other, np.array(list(pairs.values()))), np.array([13, 13]))
    matching.go_on(0, 1000)
    lower, upper = matching.bounds()
    assert lower <= -1 / 18 + 1e-12 and upper >= -1 / 18 - 1e-12
    assert upper - lower < 1e-3
