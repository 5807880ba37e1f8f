"""Exact last turns of Ikebana agree with the whole tree of the plain game; other positions are refused."""

import copy
import random
from typing import Any

import numpy as np
import pytest

from benchmarks.strength.solvers.ikebana.last_turns import exact_ending
from ikebana_env import IkebanaConfig, ikebana_v0
from ikebana_env.words.notation import CARD_NAMES
from tests.ikebana.table import position
from tests.reference.ikebana_plain import PlainIkebana, box

pytestmark = pytest.mark.filterwarnings("ignore:overflow")  # words of 64 bits overflow in plain Python


def probabilities(game: PlainIkebana, player: int) -> dict[str, float]:
    """Return the probability that ``player`` wins for each legal move; every order of the deck is equally likely."""
    return {move: float(np.mean([value(a, player) for a in afters(game, move)])) for move in game.legal_moves()}


def value(game: PlainIkebana, player: int) -> float:
    if game.winners is not None:
        return (player in game.winners) / len(game.winners)
    return (max if game.current_player == player else min)(probabilities(game, player).values())


def afters(game: PlainIkebana, move: str) -> list[PlainIkebana]:
    draws = move in ("draw", "refuse")
    found = []
    for place in range(len(game.deck) if draws else 1):
        after = copy.copy(game)
        after.bouquets, after.discards = [[*pile] for pile in game.bouquets], [[*pile] for pile in game.discards]
        after.deck, after.prestige, after.gains = [*game.deck], [*game.prestige], [*game.gains]
        if draws:
            after.deck.insert(0, after.deck.pop(place))
        after.move(move)
        found.append(after)
    return found


@pytest.mark.parametrize("replies", [False, True], ids=["the other is done", "the other replies"])
def test_exact_endings_agree_with_the_whole_tree_of_the_game(replies: bool):
    """The deck has five cards; all others are in bouquets and discards."""
    rng = random.Random(1)
    for _ in range(60):
        cards = box()
        rng.shuffle(cards)
        bouquets = [cards[:4], cards[4 : 8 if replies else 9]]
        deck, discards = cards[9:14], [cards[14:20], [*cards[20:], *cards[len(bouquets[1]) + 4 : 9]]]
        plain = PlainIkebana(2, [box()], rounds=1)
        plain.bouquets, plain.discards, plain.deck = copy.deepcopy(bouquets), copy.deepcopy(discards), list(deck)
        plain.prestige = [rng.randrange(1, 3), rng.randrange(1, 3)]
        env: Any = ikebana_v0.raw_env(config=IkebanaConfig(rounds=1, perfect_recall=True))
        piles = {"bouquets": [" ".join(pile) for pile in bouquets], "discards": [" ".join(pile) for pile in discards]}
        env.reset(seed=0, options={"state": position(**piles)})
        state = env.unwrapped.tables["state"][0]
        state["prestige"][:2] = plain.prestige
        if rng.random() < 0.5:
            plain.move("draw")
            state["drawn"] = CARD_NAMES.index(plain.drawn)
            rest = [CARD_NAMES.index(card) for card in plain.deck]
            state["deck_count"], state["cards"][: len(rest)] = len(rest), rest
        exact = exact_ending(env.unwrapped.game.rules, state)
        found = {env.unwrapped.action_to_str(action): probability for action, probability in exact.items()}
        assert found == pytest.approx(probabilities(plain, 0))


def test_an_ending_begins_with_the_last_turn_but_one():
    env: Any = ikebana_v0.raw_env(config=IkebanaConfig(rounds=1))
    env.reset(seed=1)
    with pytest.raises(ValueError, match="an ending is the last turn or the last but one of a game"):
        exact_ending(env.unwrapped.game.rules, env.unwrapped.tables["state"][0])
