"""Exact look-ahead in Ikebana: plain solvers of turns and of the relaxed round agree; play, and refusals."""

import random
from collections import Counter
from functools import cache
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest

from hanabako import agents
from hanabako.agents import play
from hanabako.agents.bots.ikebana.odds import BOUQUET_WORTHS, color_class, value_class
from hanabako.agents.playing.seating import OneTable
from hanabako.agents.search.ikebana.lookahead import RICH, SPREAD, WIDEST, lookahead_loop, new_lookahead
from hanabako.agents.search.ikebana.relaxed import BEGINS, MOST_LEFT, bouquet_values, kind_of, solve_round, won
from hanabako.agents.search.ikebana.rollouts import round_value
from ikebana_env import IkebanaConfig, ikebana_v0
from ikebana_env.engine.state import state_dtype
from ikebana_env.words.notation import CARD_NAMES, set_of
from tests.reference.ikebana_plain import box, gain_of

pytestmark = pytest.mark.filterwarnings("ignore:overflow")  # words of 64 bits overflow in plain Python
ONE_ROUND = IkebanaConfig(rounds=1)
SEEDS = 6
"""Positions of each kind that are compared with the plain solver."""


# --- A plain solver of one's turn and the reply -----------------------------------------------------------------------


@cache
def relaxed_round(total: int) -> list[Any]:
    own = np.arange(total + 1)
    return solve_round(total, lambda one, other: won(2 * own - total + one - other))


def number_of(cards: list[str]) -> Any:
    return set_of(map(CARD_NAMES.index, cards))


@cache
def ended(mine: tuple[str, ...], theirs: tuple[str, ...], own: int, other: int) -> float:
    """Return the probability that the player to move, who has ``mine`` and ``own``, wins the last round."""
    if len(mine) == len(theirs) == 5:
        lead = own + gain_of(list(mine)) - other - gain_of(list(theirs))
        return 1.0 if lead > 0 else 0.5 if lead == 0 else 0.0
    return float(relaxed_round(own + other)[len(mine) + len(theirs)][kind_place(mine), kind_place(theirs), own])


@cache
def kind_place(pile: tuple[str, ...]) -> int:
    return int(kind_of(number_of(list(pile))) - BEGINS[len(pile)])


class PlainTurns:
    """Turns with constant odds; the player with ``theirs`` replies if it lacks a card and replies are allowed."""

    def __init__(self, unseen: list[str], mine: list[str], theirs: list[str], buys: bool = True) -> None:
        self.odds = {card: number / len(unseen) for card, number in Counter(unseen).items()}
        self.mine, self.theirs, self.buys = mine, theirs, buys
        self.draw, self.reply = cache(self.draw), cache(self.reply)

    def keep(self, card: str, own: int, other: int, top: str | None) -> float:
        mine = tuple(sorted([*self.mine, card]))
        if len(self.theirs) == 5:
            return ended(mine, tuple(self.theirs), own, other)
        chance = self.reply(mine, own, other, 0)
        if top and self.buys and (price := int(top[1])) <= other:
            chance = min(chance, self.end(mine, top, own + price, other - price))
        return chance

    def end(self, mine: tuple[str, ...], card: str, own: int, other: int) -> float:
        return ended(mine, tuple(sorted([*self.theirs, card])), own, other)

    def reply(self, mine: tuple[str, ...], own: int, other: int, refusals: int) -> float:
        price = refusals + 1
        again = self.reply(mine, own + price, other - price, price) if other >= price else 1.0
        return sum(odd * min(self.end(mine, card, own, other), again) for card, odd in self.odds.items())

    def draw(self, own: int, other: int, refusals: int, top: str | None) -> float:
        price = refusals + 1
        chance = 0.0
        for card, odd in self.odds.items():
            worth = self.keep(card, own, other, top)
            if own >= price:
                worth = max(worth, self.draw(own - price, other + price, price, card))
            chance += odd * worth
        return chance


def in_play(seed: int, sizes: tuple[int, int], most: int = 5) -> Any:
    """Return a randomly played one-round game with these bouquet sizes and at most ``most`` prestige to spend."""
    rng = random.Random(f"{seed} {sizes}")
    for attempt in range(1000):
        env: Any = ikebana_v0.raw_env(config=ONE_ROUND)
        env.reset(seed=1000 * seed + attempt)
        while not all(env.terminations.values()):
            game = env.unwrapped.to_dict()
            player = game["current_player"]
            held = tuple(len(game["bouquets"][k]) for k in (player, 1 - player))
            if held == sizes and game["prestige"][player] <= most and all(game["discards"]) and rng.random() < 0.5:
                return env
            mask = env.observe(env.agent_selection)["action_mask"]
            env.step(rng.choice(np.flatnonzero(mask).tolist()))
    raise AssertionError


def seen_by_search(env: Any) -> tuple[str, list[float]]:
    """Return the look-ahead's action, and the values of drawing, keeping and buying."""
    unwrapped = env.unwrapped
    seats, actions, found = np.full(1, 3, np.uint64), np.zeros(1, np.int64), np.zeros((1, 3))
    lookahead = new_lookahead(unwrapped.config, unwrapped.tables.dtype["state"])
    lookahead_loop()(unwrapped.game.rules_array, unwrapped.tables, seats, lookahead, actions, found)
    return unwrapped.action_to_str(int(actions[0])), found[0].tolist()


def expected_worths(env: Any) -> dict[str, float]:
    game = env.unwrapped.to_dict()
    player = game["current_player"]
    own, other = game["prestige"][player], game["prestige"][1 - player]
    top, offered = game["discards"][player][-1], game["discards"][1 - player][-1]
    buried = [card for pile in game["discards"] for card in pile[:-1]]
    bouquets = game["bouquets"][player], game["bouquets"][1 - player]
    plain = PlainTurns([*game["deck"], *buried], *bouquets)
    if (drawn := game["drawn"]) is None:
        worths = {"draw": plain.draw(own, other, 0, top)}
        if (price := int(offered[1])) <= own:
            worths["buy 1"] = plain.keep(offered, own - price, other + price, top)
        return worths
    worths = {"keep": plain.keep(drawn, own, other, top)}
    if own > game["refusals"]:
        price = game["refusals"] + 1
        worths["refuse"] = plain.draw(own - price, other + price, price, drawn)
    return worths


@pytest.mark.parametrize("sizes", [(4, 5), (4, 4), (3, 4), (2, 2)], ids=str)
def test_turns_are_worth_what_a_plain_solver_says(sizes: tuple[int, int], full: bool):
    """In the last round, values are exact to the end of the game, or use `solve_round` at the horizon."""
    for seed in range((SEEDS if full else 2) if 4 in sizes else 2):
        env = in_play(seed, sizes)
        expected = expected_worths(env)
        move, (drawing, keeping, buying) = seen_by_search(env)
        found = {"draw": drawing, "refuse": drawing, "keep": keeping, "buy 1": buying}
        assert {name: found[name] for name in expected} == pytest.approx(expected, abs=2e-5)
        assert expected[move] == pytest.approx(max(expected.values()), abs=4e-5)
        assert np.isnan([drawing, keeping, buying]).sum() == 3 - len(expected)


# --- The relaxed round ------------------------------------------------------------------------------------------------


def test_kinds_lose_nothing_that_counts():
    """For every class of four cards, `bouquet_values` and `lookahead` give the same value."""
    assert np.diff(BEGINS).tolist() == [1, 10, 60, 210, 560, 60]
    rng, mean = random.Random(2), bouquet_values(1)[0]
    for _ in range(300):
        cards = number_of(rng.sample(box(), 4))
        expected = BOUQUET_WORTHS[0, value_class(cards), color_class(cards)]
        assert mean[kind_of(cards), MOST_LEFT] == pytest.approx(expected)


def test_the_relaxed_round_ends_as_a_plain_solver_says():
    """In the last two turns with a sum of 5, cards come from the whole box, and nothing is bought."""
    rng, total = random.Random(3), 5
    solved = relaxed_round(total)
    for number in range(6):
        cards = rng.sample(box(), 9)
        mine, theirs = cards[:4], cards[4 : 8 + number % 2]
        kinds = [kind_place(tuple(pile)) for pile in (mine, theirs)]
        turns = PlainTurns(box(), mine, theirs, buys=False)
        expected = [turns.draw(p, total - p, 0, None) for p in range(total + 1)]
        assert solved[4 + len(theirs)][*kinds] == pytest.approx(expected, abs=1e-6)


@pytest.mark.slow
def test_the_lead_of_two_relaxed_rounds_spreads_as_the_normal_distribution_that_search_uses():
    """I13: the round's best florist begins the next one."""
    own, leads = np.arange(RICH + 1), np.arange(-RICH, RICH + 1, 2)
    last = solve_round(RICH, lambda one, other: won(2 * own - RICH + one - other))[0][0, 0].astype(np.float64)

    def ended(one: int, other: int) -> Any:
        lead = 2 * own - RICH + one - other
        return np.interp(lead, leads, last) if one >= other else 1 - np.interp(-lead, leads, last)

    normal = NormalDist(0, SPREAD * np.sqrt(2))
    for lead, probability in zip(leads.tolist(), solve_round(RICH, ended)[0][0, 0], strict=True):
        assert abs(lead) > WIDEST or probability == pytest.approx(normal.cdf(lead), abs=0.01)


# --- Play -------------------------------------------------------------------------------------------------------------


def test_two_players_without_an_option_of_roll_outs_look_ahead():
    options: list[tuple[int, dict[str, Any]]] = [(2, {}), (3, {}), (2, {"margin": 1})]
    found = [agents.load("search:lookahead", IkebanaConfig(players=players), **more) for players, more in options]
    assert [getattr(search, "looks_ahead", None) for search in found] == [True, False, False]


@pytest.mark.slow
def test_points_and_doubled_gains_are_looked_ahead_for_too():
    for config in (IkebanaConfig(reward="prestige"), IkebanaConfig(final_bouquet=True)):
        search, other = agents.load("search:lookahead", config), agents.load("greedy", config)
        assert np.isfinite(play(config, [search, other], 3, seed=2).rewards).all()


@pytest.mark.slow
def test_where_all_discards_are_seen_an_empty_deck_is_what_lies_below_their_tops():
    """J3, I9: no card is unseen then; the look-ahead used to have no odds, and its values were NaN."""
    env: Any = ikebana_v0.raw_env(preset="perfect_recall")
    env.reset(seed=4)
    for words in ("draw", "keep", "draw", "keep"):
        env.step(env.str_to_action(words))
    state = env.to_dict()
    half = len(state["deck"]) // 2
    state["discards"], state["deck"] = [state["deck"][:half], state["deck"][half:]], []
    env.reset(seed=4, options={"state": state})
    table = OneTable(env, agents.load("search:lookahead", env.config), 4)
    table.action()
    seated: Any = table.players[0]
    (values,) = seated.values
    assert len(values) > 1 and all(0 < value < 1 for value in values.values())


@pytest.mark.parametrize(("doubled", "spread"), [(False, 21.0), (True, 42.0)])
def test_the_gains_of_a_doubled_last_round_spread_twice_as_far(doubled: bool, spread: float):
    """I15: with a lead of 20 and one round to come, the lead at the end is normal around 20."""
    config = IkebanaConfig(final_bouquet=doubled)
    state = np.zeros(1, state_dtype(2, config.rounds)).view(np.recarray)[0]
    state.prestige[0], state.prestige[1], state.round_index = 30, 10, config.rounds - 1
    assert round_value(config.rules(), state, 0) == pytest.approx(1 - NormalDist(20, spread).cdf(0))
