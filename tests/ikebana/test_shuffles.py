"""Decks and rebuilt decks are shuffled fairly (I1, I9, I13): every card comes in every position equally often."""

from itertools import combinations
from typing import Any

import numpy as np
import pytest

from ikebana_env import IkebanaVectorEnv, ikebana_v0
from tests.reference.ikebana_plain import box
from tests.shuffles import assert_evenly_mixed

from .table import Table, deal, deck_from, position


@pytest.mark.statistical
def test_I1_I13_every_card_comes_in_every_place_of_a_deck_equally_often():
    """800 decks are evenly mixed; false alarm 1 in 10^6 (see `assert_evenly_mixed`), with a fixed seed."""
    envs = IkebanaVectorEnv(800, specialize=False)
    envs.reset(seed=1)
    assert_evenly_mixed([envs.to_dict(index)["deck"] for index in range(envs.num_envs)])


def made_anew(envs: IkebanaVectorEnv, state: dict[str, Any]) -> list[list[str]]:
    """Return the decks that all tables rebuild from one position's discards, with the drawn card first."""
    envs.reset(seed=2, options={"state": state})
    envs.step(np.zeros(envs.num_envs, np.int64))
    after = [envs.to_dict(index) for index in range(envs.num_envs)]
    return [[now["drawn"], *now["deck"]] for now in after]


def empty_deck(**keys: Any) -> dict[str, Any]:
    """Return a position of two players in which the deck is empty at the next draw."""
    rest = box()[::-1]
    bouquets = [" ".join(rest.pop() for _ in range(2)) for _ in range(2)]
    return position(2, bouquets=bouquets, discards=[" ".join(rest[::2]), " ".join(rest[1::2])], **keys)


@pytest.mark.statistical
def test_I9_every_card_comes_in_every_place_of_a_deck_made_anew_equally_often():
    """800 decks of 49 cards are evenly mixed; false alarm 1 in 10^6 (see `assert_evenly_mixed`), with a fixed seed."""
    assert_evenly_mixed(made_anew(IkebanaVectorEnv(800, specialize=False), empty_deck()))


def test_I9_each_deck_made_anew_in_a_game_has_an_order_of_its_own():
    """Orders differ between the rebuilt decks of a round and between rounds, for equal discards and random stream."""
    env = ikebana_v0.raw_env()
    orders = []
    for number in range(1, 5):
        for reshuffles in range(3):
            gains = [[0, 0]] * (number - 1)
            env.reset(options={"state": empty_deck(round=number, gains=gains, reshuffles=reshuffles, stream=5)})
            table = Table(env).do("draw")
            orders.append([table.drawn, *table.deck])
    assert len({tuple(order) for order in orders}) == len(orders)
    for one, other in combinations(orders, 2):
        assert sum(a == b for a, b in zip(one, other, strict=True)) < 15, "some 2 of 49 places agree by chance"


@pytest.mark.parametrize("given", [True, False])
def test_I9_a_deck_made_anew_does_not_lie_as_the_discards_did(given):
    """In games with given and with shuffled decks, the new order is neither that of the discards nor its reverse."""
    env = ikebana_v0.raw_env(players=5)
    env.reset(seed=3, options={"decks": [box()]} if given else None)
    table = Table(env)
    while not table.reshuffles:
        discards = table.discards
        discards[table.current_player] += [table.drawn] * bool(table.drawn)
        draw_on(table)
    pile = [card for discard in discards for card in discard[:-1]]
    assert sorted([table.drawn, *table.deck]) == sorted(pile)
    drawn = []
    while len(drawn) < 12:
        drawn += [table.drawn] if table.drawn else []
        draw_on(table)
    for lying in (pile, pile[::-1]):
        assert sum(a == b for a, b in zip(drawn, lying, strict=False)) < 6, "less than one agrees by chance"


def draw_on(table: Table) -> None:
    """Draw, and refuse drawn cards as long as the player can pay."""
    table.do("refuse" if "refuse" in table.legal else "keep" if table.drawn else "draw")


def test_I9_I13_a_given_deck_comes_in_its_order_also_after_a_deck_was_made_anew():
    """A given deck of the second round keeps its order; reshuffles are counted from 0 again in every round."""
    second = deck_from("J5 J4 K1 R2 B3")
    table = deal("", players=2)
    state = {**empty_deck(), "later_decks": [second]}
    table.env.reset(options={"state": state})
    table.play_round()
    assert table.round == 2 and table.deck == second
    assert table.reshuffles == 0
    table.do("draw", "keep", "draw", "keep")
    assert table.bouquets[table.starter] == [second[0]] and table.deck == second[2:]


@pytest.mark.parametrize("rounds", [1, 2, 3, 4])
def test_I15_the_last_round_is_the_one_that_doubles_however_many_there_are(rounds):
    cards = "K1 R5 R2 G5 G4 K5 B4 B4 B5 K4"  # in drawing order for players 0 and 1 in turn: gains of 8 and 23
    table = deal(*[cards] * rounds, rounds=rounds, final_bouquet=True)
    while not table.is_over:
        table.play_round()
    assert [sum(gains) for gains in table.gains] == [31] * (rounds - 1) + [62]
