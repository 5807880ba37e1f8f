"""The last cards of the deck, played out: how many points can still be made after a move?

The seat deals itself hands and decks that it cannot tell from the true ones (*worlds*), makes each of its moves in them
and searches, depth first, how many cards the table can play until the end. In the search everybody plays what is known
to its holder, a hint tells everybody all of their cards, and only needed cards are looked at: a hand is a set of them,
and whether there is another card to throw away. So it errs on the hopeful side, but it knows what matters at the end:
that a card must come to its turn, when to let others draw the last cards, and that time can be bought with hints.

Nothing is looked at but the seat's view and what it remembers; chance is the seat's own.
"""

import numpy as np

from hanabako.compiler.jit import rule, subroutine
from hanabako.engine.bits import ONE, ZERO, bit, has_bit, nth_set_bit, popcount
from hanabako.engine.rng import random_below

from .hats import after_play, is_known

WORLDS = 8
MOST_NODES = 200  # of one search
DEPTH = 64
MOST_DECK = 8  # cards that the deck may have left
DRAWS = 64  # numbers of the random stream for one world

# Columns of a world: the own hand, then the deck.
DECK = 8
WORLD = DECK + MOST_DECK

# Columns of a frame, a position of the search: all are uint64.
PLAYABLE = 0
PLAYER = 1
TOKENS = 2
DECK_LEFT = 3
TURNS = 4  # turns of the last round that are left, or NO_LAST_ROUND
POINTS = 5
TRASH = 6  # players with a card to throw away, one bit each
PLAYS = 7  # plays that were not tried yet, a set of cards
OTHERS = 8  # other moves that were not tried yet
NEEDED = 9  # five columns: the needed cards in every hand
KNOWN = 14  # five columns: those that their holder knows
FRAME = 19

NO_LAST_ROUND = np.uint64(1000)
HINT = ONE
THROW = np.uint64(2)


@subroutine
def sample_worlds(rules, m, view, chance, worlds):
    """Deal the own hand and the deck so often. Returns how many deals came out."""
    dealt = 0
    left = np.zeros(3, np.uint64)
    for k in range(2 * WORLDS):
        if dealt < WORLDS:
            for j in range(3):
                left[j] = m.unseen[j]
            is_possible = True
            for place in range(m.count[m.player] + np.int64(view.deck_count)):
                slot = place if place < m.count[m.player] else DECK + place - m.count[m.player]
                table = m.mine[slot] if slot < DECK else ~ZERO
                card = deal_card(left, table, chance, DRAWS * k + place)
                is_possible = is_possible and card >= 0
                worlds[dealt, slot] = card
            dealt += 1 if is_possible else 0
    return dealt


@rule
def deal_card(left, table, chance, counter):
    """Take a random copy of one of the cards in the set ``table``; -1: none is left."""
    total = popcount(table & left[0]) + popcount(table & left[1]) + popcount(table & left[2])
    if total == 0:
        return -1
    pick = random_below(chance, counter, total)
    level = 0
    while pick >= popcount(table & left[level]):
        pick -= popcount(table & left[level])
        level += 1
    card = nth_set_bit(table & left[level], pick)
    last = 2
    while has_bit(left[last], card) == ZERO:
        last -= 1
    left[last] = left[last] & ~bit(card)
    return card


@rule
def set_up(rules, m, view, world, f):
    """The position before the seat's move, in a world."""
    f[PLAYABLE] = m.playable
    f[PLAYER] = np.uint64(m.player)
    f[TOKENS] = np.uint64(m.tokens)
    f[DECK_LEFT] = np.uint64(view.deck_count)
    f[TURNS] = np.uint64(view.turns_to_play) if view.turns_to_play >= 0 else NO_LAST_ROUND
    f[POINTS] = ZERO
    f[TRASH] = ZERO
    for p in range(rules.players):
        f[NEEDED + p] = ZERO
        f[KNOWN + p] = ZERO
        for slot in range(m.count[p]):
            card = bit(world[slot]) if p == m.player else bit(view.hands[p, slot])
            table = m.mine[slot] if p == m.player else m.possible[p, slot]
            take_card(m, f, p, card)
            if card & m.needed != ZERO and (is_known(table) or table & ~m.playable == ZERO):
                f[KNOWN + p] = f[KNOWN + p] | card


@rule
def take_card(m, f, p, card):
    """A card (a set of one) comes to a hand."""
    if card & m.needed != ZERO and card & f[NEEDED + p] == ZERO:
        f[NEEDED + p] = f[NEEDED + p] | card
    else:
        f[TRASH] = f[TRASH] | bit(p)


@rule
def copy_frame(source, target):
    """The same position once more."""
    for k in range(FRAME):
        target[k] = source[k]


@rule
def hint(rules, f):
    """The player to move hints: all others know their cards."""
    f[TOKENS] = f[TOKENS] - ONE
    for p in range(rules.players):
        if p != np.int64(f[PLAYER]):
            f[KNOWN + p] = f[NEEDED + p]


@rule
def play(rules, m, f, card):
    """The player to move plays a card (a set of one)."""
    p = np.int64(f[PLAYER])
    f[NEEDED + p] = f[NEEDED + p] & ~card
    f[KNOWN + p] = f[KNOWN + p] & ~card
    if card & f[PLAYABLE] != ZERO:
        before = f[PLAYABLE]
        f[PLAYABLE] = after_play(rules, m, before, card)
        f[POINTS] = f[POINTS] + ONE
        if f[PLAYABLE] & ~before == ZERO:
            gain_token(rules, f)


@rule
def throw(rules, f, card):
    """The player to move discards a card (a set of one), or a useless one (the empty set)."""
    p = np.int64(f[PLAYER])
    f[NEEDED + p] = f[NEEDED + p] & ~card
    f[KNOWN + p] = f[KNOWN + p] & ~card
    gain_token(rules, f)


@rule
def gain_token(rules, f):
    """A token comes back."""
    if f[TOKENS] < np.uint64(rules.max_information_tokens):
        f[TOKENS] = f[TOKENS] + ONE


@rule
def end_turn(rules, m, f, world, uses_card):
    """A card that was used is replaced, the last round begins or goes on, the next player follows."""
    p = np.int64(f[PLAYER])
    if f[TURNS] != NO_LAST_ROUND:
        f[TURNS] = f[TURNS] - ONE
    if uses_card and f[DECK_LEFT] > ZERO:
        f[DECK_LEFT] = f[DECK_LEFT] - ONE
        take_card(m, f, p, bit(world[DECK + np.int64(f[DECK_LEFT])]))
        if f[DECK_LEFT] == ZERO and not rules.final_bouquet:
            f[TURNS] = np.uint64(rules.players)
    p = p + 1 if p + 1 < rules.players else 0
    f[PLAYER] = np.uint64(p)
    f[PLAYS] = f[NEEDED + p] & f[KNOWN + p] & f[PLAYABLE]
    f[OTHERS] = HINT | THROW


@rule
def most_possible(rules, m, f, world):
    """No line from here can make more points than this."""
    held = ZERO
    for p in range(rules.players):
        held |= f[NEEDED + p]
    for place in range(np.int64(f[DECK_LEFT])):
        held |= bit(world[DECK + place]) & m.needed
    turns = np.int64(f[TURNS])
    if f[TURNS] == NO_LAST_ROUND and not rules.final_bouquet:
        turns = np.int64(f[DECK_LEFT]) + rules.players
    return np.int64(f[POINTS]) + min(popcount(held), turns)


@subroutine
def most_points(rules, m, world, frames):
    """The most points from the position in ``frames[0]`` to the end, as far as `MOST_NODES` steps find."""
    depth = 0
    best = 0
    nodes = 0
    while depth >= 0:
        f = frames[depth]
        best = max(best, np.int64(f[POINTS]))
        if f[TURNS] == ZERO or most_possible(rules, m, f, world) <= best or nodes > MOST_NODES or depth > DEPTH - 2:
            depth -= 1
        elif f[PLAYS] != ZERO:
            card = f[PLAYS] & (~f[PLAYS] + ONE)
            f[PLAYS] = f[PLAYS] & ~card
            copy_frame(f, frames[depth + 1])
            depth += 1
            play(rules, m, frames[depth], card)
            end_turn(rules, m, frames[depth], world, True)
            nodes += 1
        elif f[OTHERS] & HINT != ZERO:
            f[OTHERS] = f[OTHERS] & ~HINT
            if f[TOKENS] > ZERO:
                copy_frame(f, frames[depth + 1])
                depth += 1
                hint(rules, frames[depth])
                end_turn(rules, m, frames[depth], world, False)
                nodes += 1
        elif f[OTHERS] != ZERO:
            f[OTHERS] = ZERO
            p = np.int64(f[PLAYER])
            has_trash = has_bit(f[TRASH], p) != ZERO
            if has_trash or f[TOKENS] == ZERO:
                copy_frame(f, frames[depth + 1])
                depth += 1
                throw(rules, frames[depth], ZERO if has_trash else least_needed(f, p))
                end_turn(rules, m, frames[depth], world, True)
                nodes += 1
        else:
            depth -= 1
    return best


@rule
def least_needed(f, p):
    """A card that a hand without useless ones throws away: if possible one that it does not know."""
    cards = f[NEEDED + p] & ~f[KNOWN + p]
    if cards == ZERO:
        cards = f[NEEDED + p]
    return bit(nth_set_bit(cards, popcount(cards) - 1)) if cards != ZERO else ZERO


@rule
def begin_search(rules, m, view, world, frames, slot, is_play):
    """The position after the seat has played or discarded ``slot``, or hinted (-1)."""
    f = frames[0]
    set_up(rules, m, view, world, f)
    if slot < 0:
        hint(rules, f)
    elif is_play:
        play(rules, m, f, bit(world[slot]))
    else:
        throw(rules, f, bit(world[slot]) & m.needed)
    end_turn(rules, m, f, world, slot >= 0)


@subroutine
def points_after(rules, m, view, worlds, count, frames, slot, is_play):
    """The sum, over all worlds, of the points that can be made after the seat's move."""
    total = 0
    for k in range(count):
        begin_search(rules, m, view, worlds[k], frames, slot, is_play)
        total += most_points(rules, m, worlds[k], frames)
    return total


@subroutine
def most_to_hope_for(rules, m, view, worlds, count, frames):
    """The sum, over all worlds, of what no move can exceed."""
    total = 0
    for k in range(count):
        set_up(rules, m, view, worlds[k], frames[0])
        total += most_possible(rules, m, frames[0], worlds[k])
    return total
