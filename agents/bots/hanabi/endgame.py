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

from .hats import after_play, copies_in, is_known

WORLDS = 8
MOST_NODES = 200  # per search
DEPTH = 64
MOST_DECK = 8  # cards that the deck may have left
DRAWS = 64  # random numbers per world

# Columns of a world: the seat's own hand, then the deck. Larger hands are not searched.
DECK = 8
WORLD = DECK + MOST_DECK

# Columns of a frame, a position of the search: all are uint64.
PLAYABLE = 0
PLAYER = 1
TOKENS = 2
DECK_LEFT = 3
TURNS = 4  # turns left in the last round, or NO_LAST_ROUND
POINTS = 5
TRASH = 6  # players with a useless card to discard, one bit each
PLAYS = 7  # plays not tried yet, a set of cards
OTHERS = 8  # other moves not tried yet
NEEDED = 9  # five columns: the needed cards in each hand
KNOWN = 14  # five columns: the needed cards that their holder knows
FRAME = 19

NO_LAST_ROUND = np.uint64(1000)
HINT = ONE
DISCARD = np.uint64(2)


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
    last = 2
    while has_bit(left[last], card) == ZERO:
        last -= 1
    left[last] = left[last] & ~bit(card)
    return card


@rule
def set_up(rules, memory, view, world, frame):
    """Write the position before the seat's move in a world to ``frame``."""
    frame[PLAYABLE] = memory.playable
    frame[PLAYER] = np.uint64(memory.player)
    frame[TOKENS] = np.uint64(memory.information_tokens)
    frame[DECK_LEFT] = np.uint64(view.deck_count)
    frame[TURNS] = np.uint64(view.turns_to_play) if view.turns_to_play >= 0 else NO_LAST_ROUND
    frame[POINTS] = ZERO
    frame[TRASH] = ZERO
    for player in range(rules.players):
        frame[NEEDED + player] = ZERO
        frame[KNOWN + player] = ZERO
        for slot in range(memory.hand_count[player]):
            card = bit(world[slot]) if player == memory.player else bit(view.hands[player, slot])
            possible = memory.mine[slot] if player == memory.player else memory.possible[player, slot]
            take_card(memory, frame, player, card)
            if card & memory.needed != ZERO and (is_known(possible) or possible & ~memory.playable == ZERO):
                frame[KNOWN + player] = frame[KNOWN + player] | card


@rule
def take_card(memory, frame, player, card):
    """Add a card (a set of one) to a hand."""
    if card & memory.needed != ZERO and card & frame[NEEDED + player] == ZERO:
        frame[NEEDED + player] = frame[NEEDED + player] | card
    else:
        frame[TRASH] = frame[TRASH] | bit(player)


@rule
def copy_frame(source, target):
    """Copy a position."""
    for k in range(FRAME):
        target[k] = source[k]


@rule
def hint(rules, frame):
    """Let the player to move give a hint, after which all others know their cards."""
    frame[TOKENS] = frame[TOKENS] - ONE
    for player in range(rules.players):
        if player != np.int64(frame[PLAYER]):
            frame[KNOWN + player] = frame[NEEDED + player]


@rule
def play(rules, memory, frame, card):
    """Let the player to move play a card (a set of one)."""
    player = np.int64(frame[PLAYER])
    frame[NEEDED + player] = frame[NEEDED + player] & ~card
    frame[KNOWN + player] = frame[KNOWN + player] & ~card
    if card & frame[PLAYABLE] != ZERO:
        before = frame[PLAYABLE]
        frame[PLAYABLE] = after_play(rules, memory, before, card)
        frame[POINTS] = frame[POINTS] + ONE
        if frame[PLAYABLE] & ~before == ZERO:
            gain_token(rules, frame)


@rule
def discard(rules, frame, card):
    """Let the player to move discard a card (a set of one), or a useless card (the empty set)."""
    player = np.int64(frame[PLAYER])
    frame[NEEDED + player] = frame[NEEDED + player] & ~card
    frame[KNOWN + player] = frame[KNOWN + player] & ~card
    gain_token(rules, frame)


@rule
def gain_token(rules, frame):
    """Return one information token, unless all are available."""
    if frame[TOKENS] < np.uint64(rules.max_information_tokens):
        frame[TOKENS] = frame[TOKENS] + ONE


@rule
def end_turn(rules, memory, frame, world, uses_card):
    """Replace a card that was used, begin or continue the last round, and pass the turn to the next player."""
    player = np.int64(frame[PLAYER])
    if frame[TURNS] != NO_LAST_ROUND:
        frame[TURNS] = frame[TURNS] - ONE
    if uses_card and frame[DECK_LEFT] > ZERO:
        frame[DECK_LEFT] = frame[DECK_LEFT] - ONE
        take_card(memory, frame, player, bit(world[DECK + np.int64(frame[DECK_LEFT])]))
        if frame[DECK_LEFT] == ZERO and not rules.final_bouquet:
            frame[TURNS] = np.uint64(rules.players)
    player = player + 1 if player + 1 < rules.players else 0
    frame[PLAYER] = np.uint64(player)
    frame[PLAYS] = frame[NEEDED + player] & frame[KNOWN + player] & frame[PLAYABLE]
    frame[OTHERS] = HINT | DISCARD


@rule
def most_possible(rules, memory, frame, world):
    """Return an upper bound of the points that can be reached from a position."""
    held = ZERO
    for player in range(rules.players):
        held |= frame[NEEDED + player]
    for place in range(np.int64(frame[DECK_LEFT])):
        held |= bit(world[DECK + place]) & memory.needed
    turns = np.int64(frame[TURNS])
    if frame[TURNS] == NO_LAST_ROUND and not rules.final_bouquet:
        turns = np.int64(frame[DECK_LEFT]) + rules.players
    return np.int64(frame[POINTS]) + min(popcount(held), turns)


@subroutine
def most_points(rules, memory, world, frames):
    """Return the most points from the position in ``frames[0]`` to the end that are found within `MOST_NODES` moves."""
    depth = 0
    best = 0
    nodes = 0
    while depth >= 0:
        frame = frames[depth]
        best = max(best, np.int64(frame[POINTS]))
        is_over = frame[TURNS] == ZERO or nodes > MOST_NODES or depth > DEPTH - 2
        if is_over or most_possible(rules, memory, frame, world) <= best:
            depth -= 1
        elif frame[PLAYS] != ZERO:
            card = frame[PLAYS] & (~frame[PLAYS] + ONE)
            frame[PLAYS] = frame[PLAYS] & ~card
            copy_frame(frame, frames[depth + 1])
            depth += 1
            play(rules, memory, frames[depth], card)
            end_turn(rules, memory, frames[depth], world, True)
            nodes += 1
        elif frame[OTHERS] & HINT != ZERO:
            frame[OTHERS] = frame[OTHERS] & ~HINT
            if frame[TOKENS] > ZERO:
                copy_frame(frame, frames[depth + 1])
                depth += 1
                hint(rules, frames[depth])
                end_turn(rules, memory, frames[depth], world, False)
                nodes += 1
        elif frame[OTHERS] != ZERO:
            frame[OTHERS] = ZERO
            player = np.int64(frame[PLAYER])
            has_trash = has_bit(frame[TRASH], player) != ZERO
            if has_trash or frame[TOKENS] == ZERO:
                copy_frame(frame, frames[depth + 1])
                depth += 1
                discard(rules, frames[depth], ZERO if has_trash else least_needed(frame, player))
                end_turn(rules, memory, frames[depth], world, True)
                nodes += 1
        else:
            depth -= 1
    return best


@rule
def least_needed(frame, player):
    """Return the card to discard from a hand without useless cards, preferably one that its holder does not know."""
    cards = frame[NEEDED + player] & ~frame[KNOWN + player]
    if cards == ZERO:
        cards = frame[NEEDED + player]
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
