"""The rule lists of the Hanabi competitions: bots that apply the first rule on their list that finds a legal action.

Hints have their literal meaning only. Cards have fixed places in a hand, and a drawn card takes the place of the one
that left. Of several cards a rule takes the *first* in this order (or, if it compares them, the last of the best),
which need not be the oldest.

=============  =========================================================================================================
``internal``   play a sure card; discard a useless one; tell the next player of a playable card (color or rank at
               random); tell the next player something at random; discard at random [O]
``outer``      the same, but tell only what the receiver does not know yet: about playable cards rank first, else about
               any card color first [O]
``cautious``   play a sure card; tell any player what is missing about a playable card, rank first; discard a useless
               card; discard at random; tell at random [W]
``iggi``       as cautious, but discard the oldest card instead of a random one [W]
``piers``      with lives to spare and an empty deck: play the likeliest card; play a sure card; with lives to spare:
               play a card that is playable with 60 %; tell of a playable card; with fewer than four tokens, tell what
               can be discarded; discard a useless card; discard the oldest; tell at random; discard at random [W]
``vdb``        play a card that is playable with 60 % (on the last life: a sure one); discard a certainly useless card;
               tell of a playable card; give the hint that is new for the most cards; discard the card that is most
               likely to be useless [B]
``flawed``     play a sure card; play a card that is playable with 25 %; tell at random; discard a useless card; discard
               the oldest. A partner that needs caution [W]
=============  =========================================================================================================

Sources: [O] Osawa 2015, "Solving Hanabi: estimating hands by opponent's actions in cooperative game with incomplete
information"; [W] Walton-Rivers et al. 2017, "Evaluating and modelling Hanabi-playing agents"; [B] van den Bergh et al.
2017, "Aspects of the cooperative card game Hanabi". If the papers leave a detail open, these bots follow the authors'
program (fossgalaxy/hanabi). One difference is intended: in that program the first rule of ``piers`` never applies,
because its count of the deck includes the player's hand.

A card is *sure* if all cards that it may be, after hints and counting, are playable. It is *useless* if its holder can
tell from its color (firework complete), its rank (played everywhere) or both that no one needs it. In variants: the
color of a card is known if all possible cards are of one suit; black cards, which no color hint can name (V3), are
hinted by rank alone; a free hint (V4) is given like any other; a sure card whose suit is known is announced (V6); and
with ``final_bouquet`` (V5) a player without an applicable rule takes the first legal action.
"""

import numpy as np

from hanabako.compiler.jit import rule
from hanabako.engine.bits import ZERO, has_bit
from hanabako.engine.rng import random_below
from hanabi_env.engine.cards import playable_set, played_set

from ..bot import Bot
from .knowledge import (
    any_action,
    choose_for_tile,
    count_unseen,
    hand_count,
    is_allowed,
    is_choice_pending,
    is_rank_over,
    known_rank,
    known_suit,
    needed_set,
    play_action,
)
from .rule_list_hints import (
    NO_SLOT,
    keep_places,
    lay_out,
    tell_at_random,
    tell_dispensable,
    tell_most,
    tell_playable,
    tell_unknown,
)

NO_RULE = 0
PLAY_SURE = 1
PLAY_LIKELY = 2  # 60 %, with a life to spare
PLAY_LIKELIEST = 3  # however likely, with a life to spare and no deck
PLAY_HOPED = 4  # 25 %
TELL_PLAYABLE = 5  # next player, color or rank at random
TELL_PLAYABLE_UNKNOWN = 6  # next player, rank before color
TELL_ANYBODY_PLAYABLE = 7  # the same for all players in turn
TELL_UNKNOWN = 8  # next player, color before rank
TELL_AT_RANDOM = 9  # next player
TELL_DISPENSABLE = 10  # with fewer than four tokens
TELL_MOST = 11
DISCARD_USELESS = 12
DISCARD_DEAD = 13
DISCARD_LIKELIEST_DEAD = 14
DISCARD_OLDEST = 15
DISCARD_AT_RANDOM = 16

LISTS = {
    "internal": (PLAY_SURE, DISCARD_USELESS, TELL_PLAYABLE, TELL_AT_RANDOM, DISCARD_AT_RANDOM),
    "outer": (PLAY_SURE, DISCARD_USELESS, TELL_PLAYABLE_UNKNOWN, TELL_UNKNOWN, DISCARD_AT_RANDOM),
    "cautious": (PLAY_SURE, TELL_ANYBODY_PLAYABLE, DISCARD_USELESS, DISCARD_AT_RANDOM, TELL_AT_RANDOM),
    "iggi": (PLAY_SURE, TELL_ANYBODY_PLAYABLE, DISCARD_USELESS, DISCARD_OLDEST, TELL_AT_RANDOM),
    "piers": (
        *(PLAY_LIKELIEST, PLAY_SURE, PLAY_LIKELY, TELL_ANYBODY_PLAYABLE, TELL_DISPENSABLE),
        *(DISCARD_USELESS, DISCARD_OLDEST, TELL_AT_RANDOM, DISCARD_AT_RANDOM),
    ),
    "vdb": (PLAY_LIKELY, PLAY_SURE, DISCARD_DEAD, TELL_ANYBODY_PLAYABLE, TELL_MOST, DISCARD_LIKELIEST_DEAD),
    "flawed": (PLAY_SURE, PLAY_HOPED, TELL_AT_RANDOM, DISCARD_USELESS, DISCARD_OLDEST),
}
LONGEST = max(map(len, LISTS.values()))
LIST_RULES = np.array([[*rules, *[NO_RULE] * (LONGEST - len(rules))] for rules in LISTS.values()], np.int64)
FEW_TOKENS = 4


def memory_dtype(rules):
    """Return the dtype of a seat's memory: style and seat, counts of unseen cards, and the slot at each place."""
    unseen, slots = (rules.suits * rules.ranks,), (rules.players, rules.hand_size)
    fields = [("style", np.int64), ("player", np.int64), ("unseen", np.int64, unseen), ("slots", np.int64, slots)]
    return np.dtype(fields)


@rule
def begin(rules, memory, view, player, style):
    """Store the style and the seat, and give each card its place."""
    memory.style = style
    memory.player = player
    lay_out(rules, memory, view)


@rule
def act(rules, memory, view, mask, key):
    """Return the action of the first rule on the list that finds a legal one."""
    if is_choice_pending(rules, view):
        return choose_for_tile(rules, view, mask)
    count_unseen(rules, view, memory.player, memory.unseen)
    needed = needed_set(rules, view)
    for k in range(LONGEST):
        action = apply_rule(rules, memory, view, needed, LIST_RULES[memory.style, k], mask, key)
        if action >= 0 and is_allowed(mask, action):
            return action
    return any_action(rules, mask)


@rule
def apply_rule(rules, memory, view, needed, code, mask, key):
    """Return the action of one rule on the list, or -1."""
    if code == NO_RULE:
        return -1
    if code <= PLAY_HOPED:
        return play_by(rules, memory, view, code)
    if code <= TELL_MOST:
        return tell_by(rules, memory, view, code, mask, key)
    return discard_by(rules, memory, view, needed, code, key)


# --- Plays ------------------------------------------------------------------------------------------------------------


@rule
def play_by(rules, memory, view, code):
    """Apply a rule that plays a card; return the action, or -1."""
    playable = playable_set(rules, view)
    if code == PLAY_SURE:
        slot = first_sure(rules, memory, view, playable, False)
    elif code == PLAY_HOPED:
        slot = likeliest(rules, memory, view, playable, 25)
    elif view.life_tokens == 1:
        return -1
    elif code == PLAY_LIKELY:
        slot = likeliest(rules, memory, view, playable, 60)
    else:
        slot = likeliest(rules, memory, view, playable, 0) if view.deck_count == 0 else -1
    return play_action(rules, slot, known_suit(rules, view.plausible[memory.player, slot])) if slot >= 0 else -1


@rule
def first_sure(rules, memory, view, cards, of_known_suit):
    """Return the slot of the seat's first card (``of_known_suit``) that can only be one of ``cards``, or -1."""
    for place in range(rules.hand_size):
        slot = memory.slots[memory.player, place]
        total = copies_among(rules, memory, view, slot, ~ZERO)
        is_sure = total > 0 and copies_among(rules, memory, view, slot, cards) == total
        if is_sure and (not of_known_suit or known_suit(rules, view.plausible[memory.player, slot]) >= 0):
            return slot
    return -1


@rule
def likeliest(rules, memory, view, cards, percent):
    """Return the slot whose card is most likely (at least ``percent``) one of ``cards``, the last of equals; or -1."""
    best, best_hits, best_total = -1, percent, 100
    for place in range(rules.hand_size):
        slot = memory.slots[memory.player, place]
        total = copies_among(rules, memory, view, slot, ~ZERO)
        hits = copies_among(rules, memory, view, slot, cards)
        if total > 0 and hits * best_total >= best_hits * total:
            best, best_hits, best_total = slot, hits, total
    return best


@rule
def copies_among(rules, memory, view, slot, cards):
    """Return the number of unseen copies of ``cards`` that the card in the seat's ``slot`` may be, given the hints."""
    if slot == NO_SLOT:
        return 0
    possible = np.uint64(view.plausible[memory.player, slot]) & cards
    count = 0
    for card in range(rules.suits * rules.ranks):
        if has_bit(possible, card) != ZERO:
            count += memory.unseen[card]
    return count


# --- Hints ------------------------------------------------------------------------------------------------------------


@rule
def tell_by(rules, memory, view, code, mask, key):
    """Apply a rule that gives a hint; return the action, or -1."""
    if code <= TELL_ANYBODY_PLAYABLE:
        for offset in range(1, rules.players if code == TELL_ANYBODY_PLAYABLE else 2):
            action = tell_playable(rules, memory, view, offset, code == TELL_PLAYABLE, mask, key)
            if action >= 0:
                return action
        return -1
    if code == TELL_UNKNOWN:
        return tell_unknown(rules, memory, view, mask)
    if code == TELL_DISPENSABLE:
        return tell_dispensable(rules, memory, view, mask) if view.information_tokens < FEW_TOKENS else -1
    if code == TELL_MOST:
        return tell_most(rules, memory, view, mask)
    return tell_at_random(rules, view, mask, key)


# --- Discards ---------------------------------------------------------------------------------------------------------


@rule
def discard_by(rules, memory, view, needed, code, key):
    """Apply a rule that discards a card; return its slot, which is also the action, or -1."""
    if code == DISCARD_USELESS:
        return first_useless(rules, memory, view, needed)
    if code == DISCARD_DEAD:
        return likeliest(rules, memory, view, ~needed, 100)
    if code == DISCARD_LIKELIEST_DEAD:
        return likeliest(rules, memory, view, ~needed, 0)
    count = hand_count(view, memory.player)
    if count == 0:
        return -1
    return 0 if code == DISCARD_OLDEST else random_below(key, 2, count)


@rule
def first_useless(rules, memory, view, needed):
    """Return the slot of the first card that is useless by its color, its rank or both; or -1.

    If there is none, return the first card whose color is known and which, by counting, its firework can no longer
    reach. As in the authors' program, a card that may be either already played or out of reach is not recognized.
    """
    for place in range(rules.hand_size):
        slot = memory.slots[memory.player, place]
        if slot == NO_SLOT:
            continue
        plausible = np.uint64(view.plausible[memory.player, slot])
        suit = known_suit(rules, plausible)
        rank = known_rank(rules, plausible)
        if suit >= 0 and view.fireworks[suit] == rules.ranks:
            return slot
        if rank >= 0 and is_rank_over(rules, view, rank):
            return slot
        if suit >= 0 and rank >= 0 and plausible & needed == ZERO:
            return slot
    return first_sure(rules, memory, view, ~needed & ~played_set(rules, view), True)


RULE_LISTS = tuple(
    Bot(name=name, memory_dtype=memory_dtype, begin=begin, observe=keep_places, act=act, style=style)
    for style, name in enumerate(LISTS)
)
