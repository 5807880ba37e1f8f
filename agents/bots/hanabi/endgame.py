"""A search of the last turns: how many points can the team still make after a move?

The seat samples hands and decks that it cannot distinguish from the true ones (*worlds*), makes each of its moves in
them, and searches depth first for the most cards that the team can play until the end. In the search, players play
cards that they know, and a hint shows all others their whole hands. Only needed cards matter: a hand is a set of needed
cards, and a bit that says whether it has another card to discard. So the search is optimistic, but it models what
matters at the end: a card must be in hand at the right turn, others may be left to draw the last cards, and hints gain
time.

It uses only the seat's view and memory, and the random stream of the decision.
"""

import numpy as np

from hanabako.compiler.jit import rule, subroutine
from hanabako.engine.bits import ONE, ZERO, bit, has_bit, nth_set_bit, popcount
from hanabako.engine.rng import random_below

from .hats import after_play, copies_in, is_known, take_copy

WORLDS = 8
MOST_NODES = 200  # per search
DEPTH = 64
MOST_DECK = 8  # cards that the deck may have left
DRAWS = 64  # random numbers per world

# Columns of a world: the seat's own hand, then the deck. Larger hands are not searched.
DECK = 8
WORLD = DECK + MOST_DECK

NO_LAST_ROUND = 1000
FRAME = np.dtype(  # a position of the search; a record, as it is allocated in compiled code and in plain Python
    (
        np.record,
        np.dtype(
            [
                ("playable", np.uint64),
                ("player", np.int64),
                ("tokens", np.int64),
                ("deck_count", np.int64),
                ("turns", np.int64),  # turns left in the last round, or `NO_LAST_ROUND`
                ("points", np.int64),
                ("trash", np.uint64),  # players with a useless card to discard, one bit each
                ("needed", np.uint64, (5,)),  # the needed cards in each hand
                ("known", np.uint64, (5,)),  # the needed cards that their holder knows
                ("plays", np.uint64),  # plays not tried yet, a set of cards
                ("others", np.int64),  # other moves not tried yet: `HINT_AND_DISCARD`, `DISCARD` or 0
            ],
            align=True,
        ),
    )
)
HINT_AND_DISCARD, DISCARD = 2, 1


@subroutine
def sample_worlds(memory, view, key, worlds):
    """Deal the seat's own hand and the deck for up to `WORLDS` worlds, and return the number of successful deals."""
    dealt = 0
    hand_count = memory.hand_count[memory.player]
    left = np.zeros(3, np.uint64)
    for k in range(2 * WORLDS):
        if dealt < WORLDS:
            for j in range(3):
                left[j] = memory.unseen[j]
            is_possible = True
            for place in range(hand_count + np.int64(view.deck_count)):
                slot = place if place < hand_count else DECK + place - hand_count
                possible = memory.mine[slot] if slot < DECK else ~ZERO
                card = deal_card(left, possible, key, DRAWS * k + place)
                is_possible = is_possible and card >= 0
                worlds[dealt, slot] = card
            dealt += 1 if is_possible else 0
    return dealt


@rule
def deal_card(left, possible, key, counter):
    """Take a random copy of one of the ``possible`` cards from those ``left``, and return the card, or -1."""
    total = copies_in(left, possible)
    if total == 0:
        return -1
    pick = random_below(key, counter, total)
    level = 0
    while pick >= popcount(possible & left[level]):
        pick -= popcount(possible & left[level])
        level += 1
    card = nth_set_bit(possible & left[level], pick)
    take_copy(left, bit(card))
    return card


@rule
def set_up(rules, memory, view, world, frame):
    """Write the position before the seat's move in a world to ``frame``."""
    frame.playable = memory.playable
    frame.player = memory.player
    frame.tokens = memory.information_tokens
    frame.deck_count = view.deck_count
    frame.turns = view.turns_to_play if view.turns_to_play >= 0 else NO_LAST_ROUND
    frame.points = 0
    frame.trash = ZERO
    for player in range(rules.players):
        frame.needed[player] = ZERO
        frame.known[player] = ZERO
        for slot in range(memory.hand_count[player]):
            card = bit(world[slot]) if player == memory.player else bit(view.hands[player, slot])
            possible = memory.mine[slot] if player == memory.player else memory.possible[player, slot]
            take_card(memory, frame, player, card)
            if card & memory.needed != ZERO and (is_known(possible) or possible & ~memory.playable == ZERO):
                frame.known[player] |= card


@rule
def take_card(memory, frame, player, card):
    """Add a card (a set of one) to a hand."""
    if card & memory.needed != ZERO and card & frame.needed[player] == ZERO:
        frame.needed[player] |= card
    else:
        frame.trash |= bit(player)


@rule
def hint(rules, frame):
    """Let the player to move give a hint, after which all others know their cards."""
    frame.tokens -= 1
    for player in range(rules.players):
        if player != frame.player:
            frame.known[player] = frame.needed[player]


@rule
def play(rules, memory, frame, card):
    """Let the player to move play a card (a set of one)."""
    lose_card(frame, card)
    if card & frame.playable != ZERO:
        before = frame.playable
        frame.playable = after_play(rules, memory, before, card)
        frame.points += 1
        if frame.playable & ~before == ZERO:
            frame.tokens = min(frame.tokens + 1, rules.max_information_tokens)


@rule
def discard(rules, frame, card):
    """Let the player to move discard a card (a set of one), or a useless card (the empty set)."""
    lose_card(frame, card)
    frame.tokens = min(frame.tokens + 1, rules.max_information_tokens)


@rule
def lose_card(frame, card):
    """Take a card (a set of at most one) from the player to move."""
    frame.needed[frame.player] &= ~card
    frame.known[frame.player] &= ~card


@rule
def end_turn(rules, memory, frame, world, uses_card):
    """Replace a card that was used, begin or continue the last round, and pass the turn to the next player."""
    if frame.turns != NO_LAST_ROUND:
        frame.turns -= 1
    if uses_card and frame.deck_count > 0:
        frame.deck_count -= 1
        take_card(memory, frame, frame.player, bit(world[DECK + frame.deck_count]))
        if frame.deck_count == 0 and not rules.final_bouquet:
            frame.turns = rules.players
    frame.player = frame.player + 1 if frame.player + 1 < rules.players else 0
    frame.plays = frame.needed[frame.player] & frame.known[frame.player] & frame.playable
    frame.others = HINT_AND_DISCARD


@rule
def most_possible(rules, memory, frame, world):
    """Return an upper bound of the points that can be reached from a position."""
    cards = ZERO
    for player in range(rules.players):
        cards |= frame.needed[player]
    for k in range(frame.deck_count):
        cards |= bit(world[DECK + k]) & memory.needed
    turns = frame.turns
    if turns == NO_LAST_ROUND and not rules.final_bouquet:
        turns = frame.deck_count + rules.players
    return frame.points + min(popcount(cards), turns)


@subroutine
def most_points(rules, memory, world, frames):
    """Return the most points from the position in ``frames[0]`` to the end that are found within `MOST_NODES` moves."""
    depth, best, nodes = 0, 0, 0
    while depth >= 0:
        frame = frames[depth]
        best = max(best, frame.points)
        is_over = frame.turns == 0 or nodes > MOST_NODES or depth > DEPTH - 2
        if is_over or most_possible(rules, memory, frame, world) <= best:
            depth -= 1
            continue
        frames[depth + 1] = frame
        after = frames[depth + 1]
        uses_card = True
        if frame.plays != ZERO:
            card = frame.plays & (~frame.plays + ONE)
            frame.plays &= ~card
            play(rules, memory, after, card)
        elif frame.others == HINT_AND_DISCARD:
            frame.others = DISCARD
            if frame.tokens == 0:
                continue
            uses_card = False
            hint(rules, after)
        elif frame.others == DISCARD:
            frame.others = 0
            has_trash = has_bit(frame.trash, frame.player) != ZERO
            if not has_trash and frame.tokens > 0:
                continue
            discard(rules, after, ZERO if has_trash else least_needed(frame))
        else:
            depth -= 1
            continue
        end_turn(rules, memory, after, world, uses_card)
        depth += 1
        nodes += 1
    return best


@rule
def least_needed(frame):
    """Return the card to discard from a hand without useless cards, preferably one that its holder does not know."""
    cards = frame.needed[frame.player] & ~frame.known[frame.player]
    if cards == ZERO:
        cards = frame.needed[frame.player]
    return bit(nth_set_bit(cards, popcount(cards) - 1)) if cards != ZERO else ZERO


@subroutine
def points_after(rules, memory, view, slot, is_play, worlds, count, frames):
    """Return the sum over all worlds of the points possible after the seat plays or discards ``slot``.

    If ``slot`` is -1, the seat gives a hint instead.
    """
    total, frame = 0, frames[0]
    for k in range(count):
        set_up(rules, memory, view, worlds[k], frame)
        if slot < 0:
            hint(rules, frame)
        elif is_play:
            play(rules, memory, frame, bit(worlds[k, slot]))
        else:
            discard(rules, frame, bit(worlds[k, slot]) & memory.needed)
        end_turn(rules, memory, frame, worlds[k], slot >= 0)
        total += most_points(rules, memory, worlds[k], frames)
    return total


@subroutine
def most_points_of_all(rules, memory, view, worlds, count, frames):
    """Return the sum over all worlds of an upper bound for all moves."""
    total = 0
    for k in range(count):
        set_up(rules, memory, view, worlds[k], frames[0])
        total += most_possible(rules, memory, frames[0], worlds[k])
    return total
