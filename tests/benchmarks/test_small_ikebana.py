"""Exact solutions of small Ikebana games agree with the whole tree of the plain game."""

import copy
import random
from collections import Counter
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest

from benchmarks.strength.solvers.ikebana.exact import last_turns, most_refusals, round_before, solved_turns
from benchmarks.strength.solvers.ikebana.small_game import SmallGame, empty_position, turns_of
from benchmarks.strength.solvers.ikebana.small_lookahead import SmallPlay
from tests.agents.test_search_ikebana import PlainTurns
from tests.reference.ikebana_plain import PlainIkebana, box, gain_of

GAMES = {
    "two colors": SmallGame(2, (3, 3)),
    "jokers": SmallGame(2, (3, 2), (1, 2)),
    "a straight": SmallGame(1, (2, 2, 3, 4), (1,)),
    "three colors": SmallGame(3, (2, 2)),
}


# --- A plain solver ---------------------------------------------------------------------------------------------------


def cards_of(game: SmallGame) -> list[str]:
    """Return the names of the kinds of cards, in order."""
    return [f"{'J' if color == game.colors else 'KRG'[color]}{value}" for color, value in game.kinds]


class PlainRound(PlainIkebana):
    """A single round in play with any box; the order of its deck does not matter."""

    def __init__(self, cards: list[str], bouquets: Any, discards: Any, own: int, other: int):
        super().__init__(2, [box()], rounds=2)
        self.bouquets, self.discards, self.prestige = copy.deepcopy(bouquets), copy.deepcopy(discards), [own, other]
        left = Counter(cards) - Counter(card for pile in [*bouquets, *discards] for card in pile)
        self.deck = list(left.elements())

    def begin_round(self, number: int, starter: int) -> None:
        if number == 1:
            super().begin_round(number, starter)
        self.round, self.starter = number, starter

    def afters(self, move: str) -> list[PlainIkebana]:
        """Return what a move may lead to; all cards of the deck are equally likely."""
        shuffled = [card for pile in self.discards for card in pile[:-1]]
        if move == "refuse" and not self.deck:  # the refused card becomes the top
            mine, theirs = self.discards[self.current_player], self.discards[1 - self.current_player]
            shuffled = [*mine, *theirs[:-1]]
        found, deck = [], (self.deck or shuffled) if move in ("draw", "refuse") else [""]
        for place in range(len(deck)):
            after = copy.copy(self)
            after.bouquets, after.discards = [[*pile] for pile in self.bouquets], [[*pile] for pile in self.discards]
            after.prestige, after.gains, after.deck = [*self.prestige], [], [*self.deck]
            if deck != [""]:
                first = [deck[place], *deck[:place], *deck[place + 1 :]]
                after.deck, shuffled = (first, None) if self.deck else ([], first)
            after.move(move, shuffled)
            found.append(after)
        return found


def value(game: Any, ended: Callable[[Any], float], known: dict[Any, float]) -> float:
    """Return the probability that player 0 wins."""
    if game.round == 2:
        return ended(game)
    told = [map(sorted, game.bouquets), game.discards, [sorted(game.deck), game.prestige]]
    key = (*(tuple(map(tuple, part)) for part in told), game.drawn, game.refusals, game.current_player)
    if key not in known:
        moves = [np.mean([value(after, ended, known) for after in game.afters(move)]) for move in game.legal_moves()]
        known[key] = float((max if game.current_player == 0 else min)(moves))
    return known[key]


def over(game: Any) -> float:
    """Return player 0's result, 1, 0.5 or 0, if the game ends with the round."""
    lead = game.prestige[0] - game.prestige[1]
    return 1.0 if lead > 0 else 0.5 if lead == 0 else 0.0


def solved(game: SmallGame, total: int, start: Any, later: Any = None) -> list[float]:
    """Return the probabilities by the prestige of the player to move at the start."""
    turns, gains = turns_of(game, most_refusals(total), start)
    ended = last_turns(total, gains) if later is None else round_before(total, gains, later)
    *_, probabilities = solved_turns(turns, total, ended)
    assert len(probabilities) == 1
    return probabilities[0].tolist()


def table_of(game: SmallGame, sizes: list[int], heights: list[int], seed: int) -> tuple[Any, list[Any]]:
    """Return a position with bouquets and discards of these sizes, as a record and in plain form."""
    names = cards_of(game)
    cards = [name for name, count in zip(names, game.box.tolist(), strict=True) for _ in range(count)]
    random.Random(f"{game} {seed}").shuffle(cards)
    start, piles = empty_position(), []
    for x, (size, height) in enumerate(zip(sizes, heights, strict=True)):
        piles.append((sorted(cards[:size]), cards[size : size + height]))
        for card in piles[-1][0]:
            start["bouquets"][0, x, names.index(card)] += 1
        start["discards"][0, x, :height] = [names.index(card) for card in piles[-1][1]]
        start["heights"][0, x] = height
        cards = cards[size + height :]
    return start, [list(part) for part in zip(*piles, strict=True)]


TURNS = [([4, 5], [2, 1]), ([4, 4], [3, 1]), ([4, 4], [0, 4]), ([3, 4], [2, 2]), ([3, 3], [1, 2]), ([2, 3], [1, 1])]


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize(("sizes", "heights"), TURNS, ids=str)
def test_a_small_round_is_worth_what_the_whole_tree_of_the_plain_game_says(
    name: str, sizes: list[int], heights: list[int]
):
    game, total = GAMES[name], 2 if sum(sizes) < 6 else 6
    cards = [card for card, count in zip(cards_of(game), game.box.tolist(), strict=True) for _ in range(count)]
    for seed in range(2):
        start, (bouquets, discards) = table_of(game, sizes, heights, seed)
        found = solved(game, total, start)
        for own in range(total + 1):
            known: dict[Any, float] = {}
            plain = PlainRound(cards, bouquets, discards, own, total - own)
            assert found[own] == pytest.approx(value(plain, over, known), abs=1e-6)


def test_behind_a_round_stands_the_next_one_which_its_best_florist_begins():
    """I13: after equal gains, the same player starts again; made-up probabilities stand for the next round."""
    game, total = GAMES["two colors"], 5
    cards = [card for card, count in zip(cards_of(game), game.box.tolist(), strict=True) for _ in range(count)]
    begun = set()

    def later(sum_of_both: int) -> np.ndarray:
        return np.sin(np.arange(sum_of_both + 1) + sum_of_both).astype(np.float32)

    def ended(plain: Any) -> float:
        begun.add((plain.starter, plain.gains[0][0] - plain.gains[0][1]))
        probability = float(later(sum(plain.prestige))[plain.prestige[plain.starter]])
        return probability if plain.starter == 0 else 1 - probability

    for seed in range(3):
        for sizes in ([4, 5], [4, 4]):
            start, piles = table_of(game, sizes, [1, 1], seed)
            found = solved(game, total, start, later)
            for own in range(total + 1):
                plain = PlainRound(cards, piles[0], piles[1], own, total - own)
                plain.starter = sum(sizes) % 2
                assert found[own] == pytest.approx(value(plain, ended, {}), abs=1e-5)
    assert {(0, 0), (1, 0), (0, 2), (1, -2)} <= begun


def test_a_whole_round_of_a_tiny_box_is_worth_what_the_whole_tree_says():
    game, total = SmallGame(1, (7, 5)), 2
    cards = ["K1"] * 7 + ["K2"] * 5
    found, known = solved(game, total, None), {}
    plain = [value(PlainRound(cards, [[], []], [[], []], own, total - own), over, known) for own in range(total + 1)]
    assert found == pytest.approx(plain, abs=1e-6)


def test_bouquets_of_small_games_earn_what_brute_force_says():
    for game in GAMES.values():
        names, rng = cards_of(game), random.Random(1)
        cards = [name for name, count in zip(names, game.box.tolist(), strict=True) for _ in range(count)]
        for _ in range(50):
            bouquet = rng.sample(cards, 5)
            assert game.gain([bouquet.count(name) for name in names]) == gain_of(bouquet)


def test_a_box_that_is_no_small_game_is_refused_in_words():
    with pytest.raises(ValueError, match="12 to 21 cards of at most 6 kinds, got 10 of 4"):
        turns_of(SmallGame(2, (3, 2)), 1)
    with pytest.raises(ValueError, match="of at most 6 kinds, got 14 of 7"):
        turns_of(SmallGame(1, (1, 1, 3, 4, 3), (1, 2)), 1)


# --- Look-ahead in small games ----------------------------------------------------------------------------------------


@cache
def tiny_play() -> SmallPlay:
    return SmallPlay(SmallGame(2, (6,)), 6)


def test_what_an_action_is_worth_agrees_with_what_its_position_is_worth():
    play, rng = tiny_play(), np.random.default_rng(1)
    for m, turn in enumerate(play.turns):
        for i in rng.integers(turn.starts, size=5).tolist():
            for own in range(play.total + 1):
                best = max(play.exact(m, i, -1, 0, own).values())
                assert best == pytest.approx(play.probabilities[m][i, own], abs=1e-6)


@pytest.mark.parametrize("m", [8, 9])
def test_the_last_turns_are_looked_through_as_a_plain_look_ahead_does(m: int):
    """Its odds are constant; bouquets have four cards, and every card of the deck may come again."""
    game = SmallGame(2, (4, 3))
    names, total, checked = cards_of(game), 6, 0
    for seed in range(12):
        start, (bouquets, discards) = table_of(game, [4, 4 + m % 2], [seed % 3, 1 + seed % 2], seed)
        play = SmallPlay(game, total, start)
        left = Counter({name: int(count) for name, count in zip(names, game.box, strict=True)})
        left -= Counter(card for pile in [*bouquets, *discards] for card in pile)
        top = discards[0][-1] if discards[0] else None
        for own in (1, 3, 5):
            turns, other = PlainTurns(list(left.elements()), *bouquets), total - own
            expected = [turns.draw(own, other, 0, top), np.nan, np.nan]
            if (price := int(discards[1][-1][1])) <= own:
                expected[2] = turns.keep(discards[1][-1], own - price, other + price, top)
            assert play.seen(0, 0, -1, 0, own) == pytest.approx(expected, abs=2e-5, nan_ok=True)
            checked += 1
    assert checked == 36


def test_choices_cost_what_the_best_would_have_brought_more():
    choices = [choice for number in range(20) for choice in tiny_play().choices(number, seed=1)]
    assert choices and all(choice.costs >= 0 and choice.costs <= choice.best <= 1 for choice in choices)
    assert list(tiny_play().choices(3, seed=1)) == list(tiny_play().choices(3, seed=1))
