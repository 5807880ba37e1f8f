"""What the hat-guessing conventions share: what everybody knows of every card.

A hat is a number that all can see but its wearer. Here the hat of a player is a number worked out from the player's
hand. Whoever hints says the sum of the hats in sight, modulo the number of different hints: everybody subtracts the
hats in sight and learns the own one, so that one hint tells something to the whole table (Cox, De Silva, DeOrsey,
Kenter, Retter, Tobin 2015, "How to make the perfect fireworks display").

*What everybody knows* is kept by every seat alike in ``m.possible``: per player and slot the set of cards it may be,
from hints, hats and counting. It is computed from public facts only, so all seats have the same.
"""

from typing import Any

import numpy as np

from hanabako.compiler.jit import interned, rule, subroutine
from hanabako.engine.bits import ONE, ZERO, bit, low_bits, popcount
from hanabi_env.engine.cards import copies, first_copy, suit_set, touched_by_rank
from hanabi_env.engine.state import EVENT_DISCARD, EVENT_HINT_COLOR, EVENT_HINT_RANK, EVENT_PLAY, NO_TILE

from .knowledge import card_at, hand_count

ALPHABET = np.dtype(  # the messages that hints to one receiver can carry
    [
        ("rank_anchors", np.int64),  # slots, one bit each
        ("color_anchors", np.int64),
        ("rank_messages", np.int64),
        ("color_messages", np.int64),
        ("others", np.int64),  # 1: hints that touch no anchor are a message of their own
    ],
    align=True,
)


def fields(rules: Any) -> list[tuple]:
    """The fields of a memory that this module keeps. Sizes are those of ``rules``."""
    players, hand = rules.players, rules.hand_size
    return [
        ("style", np.int64),
        ("player", np.int64),
        ("pending", np.int64),  # the tile that waited for a choice before the last step (V4)
        ("tokens", np.int64),  # information tokens before the last step
        ("deck", np.int64),  # cards of the deck before the last step
        ("rarely", np.float64),  # messages that are missing as rarely as this are counted on
        ("possible", np.uint64, (players, hand)),  # what everybody knows; 0 in an empty slot
        ("draft", np.uint64, (players, hand)),  # the same while a message is worked out
        ("saved", np.uint64, (players, hand)),  # the same before a move is tried out
        ("mine", np.uint64, (hand,)),  # what the seat knows of its own cards, when it is to move
        ("count", np.int64, (players,)),  # cards in every hand
        ("left", np.uint64, (3,)),  # cards of which more than 0, 1, 2 copies are neither played nor discarded
        ("unseen", np.uint64, (3,)),  # the same, and not in a hand that the seat sees either
        ("playable", np.uint64),  # cards that fit now
        ("needed", np.uint64),  # cards that can still be played
        ("alphabet", ALPHABET, (players,)),
        ("kinds", np.uint64, (hand,)),  # scratch: ranks or colors that a card may have
        ("order", np.int64, (2 * hand,)),  # scratch
    ]


def memory_dtype(rules: Any) -> np.dtype:
    """What everybody knows."""
    return interned(np.dtype(fields(rules), align=True))


# --- Public facts -----------------------------------------------------------------------------------------------------


@rule
def begin_public(rules, m, view, player, style):
    """The cards are dealt: everybody knows what the box holds, and what hints have said where a game is taken up."""
    m.style = style
    m.player = player
    look_at_table(rules, m, view)
    for p in range(rules.players):
        m.count[p] = 0
    fill_hands(rules, m, view)
    hear_words(rules, m, view)
    count_copies(rules, m)


@subroutine
def look_at_table(rules, m, view):
    """Work out ``left``, ``playable`` and ``needed`` from fireworks and discard."""
    once = ZERO
    twice = ZERO
    thrice = ZERO
    m.playable = ZERO
    m.needed = ZERO
    for suit in range(rules.suits):
        pile = np.uint64(view.discarded[suit])
        played = np.int64(view.fireworks[suit])
        can_come = True
        for k in range(rules.ranks):
            card = card_at(rules, suit, k)
            rank = card - suit * rules.ranks
            total = copies(rules, suit, rank)
            gone = popcount((pile >> np.uint64(first_copy(rules, suit, rank))) & low_bits(total))
            there = total - gone - (1 if k < played else 0)
            once |= bit(card) if there > 0 else ZERO
            twice |= bit(card) if there > 1 else ZERO
            thrice |= bit(card) if there > 2 else ZERO
            if k >= played:
                can_come = can_come and there > 0
                if can_come:
                    m.needed |= bit(card)
                    if k == played:
                        m.playable |= bit(card)
    m.left[0] = once
    m.left[1] = twice
    m.left[2] = thrice
    m.pending = view.pending if rules.flamboyants else NO_TILE
    m.tokens = view.information_tokens
    m.deck = view.deck_count


@rule
def fill_hands(rules, m, view):
    """Cards that were drawn may be anything that is left."""
    for p in range(rules.players):
        while m.count[p] < hand_count(view, p):
            m.possible[p, m.count[p]] = m.left[0]
            m.count[p] += 1


@rule
def remove_slot(rules, m, p, slot):
    """A card has left its hand, and the newer ones have closed up."""
    for k in range(slot, rules.hand_size - 1):
        m.possible[p, k] = m.possible[p, k + 1]
    m.possible[p, rules.hand_size - 1] = ZERO
    m.count[p] -= 1


@subroutine
def hear_words(rules, m, view):
    """What hints have said in words, which the game keeps. Who is told what cannot be true believes the words only."""
    for p in range(rules.players):
        for slot in range(m.count[p]):
            words = np.uint64(view.plausible[p, slot]) & m.left[0]
            both = words & m.possible[p, slot]
            m.possible[p, slot] = both if both != ZERO else words


@subroutine
def count_copies(rules, m):
    """A card all of whose copies are known to be in certain slots is in no other slot."""
    is_new = True
    while is_new:
        is_new = False
        once = ZERO
        twice = ZERO
        thrice = ZERO
        for p in range(rules.players):
            for slot in range(m.count[p]):
                table = m.possible[p, slot]
                if table & (table - ONE) == ZERO:
                    thrice |= twice & table
                    twice |= once & table
                    once |= table
        full = (once & ~m.left[1]) | (twice & ~m.left[2]) | thrice
        for p in range(rules.players):
            for slot in range(m.count[p]):
                table = m.possible[p, slot]
                if table & (table - ONE) != ZERO and table & full != ZERO and table & ~full != ZERO:
                    table &= ~full
                    m.possible[p, slot] = table
                    is_new = is_new or table & (table - ONE) == ZERO


@subroutine
def look_at_hands(rules, m, view):
    """What the seat knows of its own cards: ``unseen`` and ``mine``."""
    for k in range(3):
        m.unseen[k] = m.left[k]
    for p in range(rules.players):
        if p != m.player:
            for slot in range(m.count[p]):
                see_card(m, bit(view.hands[p, slot]))
    for slot in range(m.count[m.player]):
        table = m.possible[m.player, slot] & m.unseen[0]
        m.mine[slot] = table if table != ZERO else m.possible[m.player, slot]
    for _ in range(2):
        for slot in range(m.count[m.player]):
            for other in range(m.count[m.player]):
                sure = m.mine[other]
                if other != slot and sure & (sure - ONE) == ZERO and sure & m.mine[slot] & ~m.unseen[1] != ZERO:
                    rest = m.mine[slot] & ~sure
                    m.mine[slot] = rest if rest != ZERO else m.mine[slot]


@rule
def see_card(m, card):
    """One copy less of the card (a set of one) is unseen."""
    gone3 = m.unseen[2] & card
    gone2 = m.unseen[1] & card & ~gone3
    gone1 = m.unseen[0] & card & ~gone3 & ~gone2
    m.unseen[2] = m.unseen[2] & ~gone3
    m.unseen[1] = m.unseen[1] & ~gone2
    m.unseen[0] = m.unseen[0] & ~gone1


@rule
def is_known(table):
    """A card that can be one thing only."""
    return table & (table - ONE) == ZERO


@rule
def weight(left, table):
    """Copies of cards in the set ``table`` that may be there."""
    return popcount(table & left[0]) + popcount(table & left[1]) + popcount(table & left[2])


@rule
def after_play(rules, m, playable, card):
    """The cards that fit when ``card`` (a set of one that fits) has been played."""
    follower = card << ONE
    if rules.black_suit >= 0 and card & suit_set(rules, rules.black_suit) != ZERO:
        follower = (card >> ONE) & suit_set(rules, rules.black_suit)
    else:
        follower &= ~touched_by_rank(rules, 0)
    return (playable & ~card) | (follower & m.needed)


@rule
def is_hint(event):
    """The step was a hint."""
    return event.kind == EVENT_HINT_COLOR or event.kind == EVENT_HINT_RANK


@rule
def learn_event(rules, m, view, event):
    """The public facts after a step: a card that left its hand, the words of a hint, the table."""
    if event.kind == EVENT_PLAY or event.kind == EVENT_DISCARD:
        remove_slot(rules, m, np.int64(event.player), np.int64(event.slot))
    look_at_table(rules, m, view)
    fill_hands(rules, m, view)
    hear_words(rules, m, view)
    count_copies(rules, m)


# --- Drafts -----------------------------------------------------------------------------------------------------------


@rule
def copy_hands(rules, source, target):
    """Copy what is kept per player and slot."""
    for p in range(rules.players):
        for slot in range(rules.hand_size):
            target[p, slot] = source[p, slot]


@rule
def reset_draft(rules, m):
    """Begin to work out a message from what everybody knows."""
    copy_hands(rules, m.possible, m.draft)


@rule
def narrow(m, p, slot, meant):
    """A card of the draft is one of ``meant``; what cannot be true is not believed."""
    table = m.draft[p, slot] & meant
    if table != ZERO:
        m.draft[p, slot] = table


@rule
def keep_draft(rules, m):
    """What was worked out is known to everybody."""
    copy_hands(rules, m.draft, m.possible)


@rule
def save_public(rules, m):
    """Remember what everybody knows, while a move is tried out."""
    copy_hands(rules, m.possible, m.saved)


@rule
def restore_public(rules, m):
    """The move was only tried out."""
    copy_hands(rules, m.saved, m.possible)


@rule
def slots_within(m, cards):
    """Slots of the own hand whose card is surely one of ``cards``, one bit each."""
    slots = ZERO
    for slot in range(m.count[m.player]):
        slots |= bit(slot) if m.mine[slot] & ~cards == ZERO else ZERO
    return slots
