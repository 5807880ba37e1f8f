"""The endgame search agrees with a recursive solver that uses sets and lists."""

import numpy as np
import pytest

from hanabako import agents
from hanabako.agents import play
from hanabako.agents.bots.hanabi import endgame, hats
from hanabako.engine.bits import bit
from hanabi_env import HanabiConfig

pytestmark = pytest.mark.filterwarnings("ignore:overflow")  # plain Python's bit operations overflow modulo 2^64

CONFIG = HanabiConfig(players=3, colors=3, ranks=4, hand_size=3)
RULES = CONFIG.rules()
FIRST = {0, 4, 8}  # the lowest card of every suit


def most_points(hands, known, trash, fits, tokens, deck, turns, player):
    """Return the largest number of cards that can still be played.

    ``hands`` and ``known`` are sets of cards per player, ``trash`` the players who can discard without losing a needed
    card. ``deck`` is drawn from its end; ``turns`` is None before the last round.
    """
    if turns == 0:
        return 0
    results = [0]

    def go_on(gain, hands, known, trash, fits, tokens, draws):
        rest, left = deck, None if turns is None else turns - 1
        if draws and deck:
            rest, card = deck[:-1], deck[-1]
            if card in hands[player]:
                trash = trash | {player}
            else:
                hands = [hand | {card} if p == player else hand for p, hand in enumerate(hands)]
            left = left if rest else len(hands)
        results.append(gain + most_points(hands, known, trash, fits, tokens, rest, left, (player + 1) % len(hands)))

    def without(sets, card):
        return [cards - {card} if p == player else cards for p, cards in enumerate(sets)]

    for card in hands[player] & known[player] & fits:
        after = fits - {card} | ({card + 1} if card % 4 < 3 else set())
        back = 1 if card % 4 == 3 else 0
        go_on(1, without(hands, card), without(known, card), trash, after, min(tokens + back, 8), True)
    if tokens:
        told = [known[p] if p == player else set(hand) for p, hand in enumerate(hands)]
        go_on(0, hands, told, trash, fits, tokens - 1, False)
    if player in trash:
        go_on(0, hands, known, trash, fits, min(tokens + 1, 8), True)
    return max(results)


def searched(hands, known, trash, fits, tokens, deck, turns, player):
    memory = np.zeros(1, np.dtype(hats.fields(RULES), align=True)).view(np.recarray)[0]
    memory.needed = np.uint64((1 << 12) - 1)
    frames = np.zeros(endgame.DEPTH, endgame.FRAME)
    world = np.zeros(endgame.WORLD, np.int64)
    world[endgame.DECK : endgame.DECK + len(deck)] = deck
    frame = frames[0]
    frame.playable, frame.player, frame.tokens = sum(1 << card for card in fits), player, tokens
    frame.deck_count, frame.turns = len(deck), endgame.NO_LAST_ROUND if turns is None else turns
    frame.trash = sum(1 << p for p in trash)
    for p, hand in enumerate(hands):
        frame.needed[p] = sum(1 << card for card in hand)
        frame.known[p] = sum(1 << card for card in known[p])
    frame.plays = frame.needed[player] & frame.known[player] & frame.playable
    frame.others = endgame.HINT_AND_DISCARD
    return endgame.most_points(RULES, memory, world, frames)


def test_the_search_finds_the_best_line():
    rng = np.random.default_rng(8)
    points = []
    for _ in range(60):
        cards = [int(card) for card in rng.permutation(12)[: 5 + rng.integers(3)]]
        size = int(rng.integers(0, 3))
        deck, dealt = cards[:size], cards[size:]
        hands = [set(dealt[p::3]) for p in range(3)]
        known = [{card for card in hand if rng.random() < 0.5} for hand in hands]
        turns = None if deck else int(rng.integers(1, 4))
        position = (hands, known, {0, 1, 2}, FIRST, int(rng.integers(1, 3)), deck, turns, int(rng.integers(3)))
        points.append(searched(*position))
        assert points[-1] == most_points(*position)
    assert len(set(points)) > 3


def test_worlds_agree_with_what_the_seat_knows():
    memory = np.zeros(1, np.dtype(hats.fields(RULES), align=True)).view(np.recarray)[0]
    memory.hand_count[0] = 2
    memory.mine[0], memory.mine[1] = np.uint64(0b0110), np.uint64(0b0010)
    memory.unseen[:] = [0b1110, 0b0010, 0]  # two copies of card 1, one of cards 2 and 3
    view = np.zeros(1, [("deck_count", np.int64)]).view(np.recarray)[0]
    view.deck_count = 2
    worlds = np.zeros((endgame.WORLDS, endgame.WORLD), np.int64)
    dealt = endgame.sample_worlds(memory, view, np.uint64(3), worlds)
    assert dealt == endgame.WORLDS
    for world in worlds:
        hand, deck = [int(card) for card in world[:2]], [int(card) for card in world[endgame.DECK :][:2]]
        assert sorted(hand + deck) == [1, 1, 2, 3]
        assert hand[1] == 1 and bit(hand[0]) & np.uint64(0b0110)


@pytest.mark.slow
@pytest.mark.parametrize("hand_size", [9, 17, 25])
def test_larger_hands_than_a_world_has_room_for_are_not_searched(hand_size: int):
    config = HanabiConfig(hand_size=hand_size)
    assert (play(config, agents.load("questions", config), 20, seed=1).length > 0).all()
