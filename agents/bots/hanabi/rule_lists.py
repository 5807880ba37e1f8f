"""The rule lists of the Hanabi competitions: players that do the first thing on their list that applies.

They tell what they see and believe what they are told, nothing more: a hint means its words. Each is a list of rules,
first come, first served; a rule that is not legal now, or finds nothing, is passed over. Cards keep their places in a
hand, and a new one takes the place of the one that left: of several cards a rule takes the *first* in this order (where
it weighs them, the last of the best), which says nothing of their age.

=============  =========================================================================================================
``internal``   play a sure card; discard a useless one; tell the next player of a playable card (color or rank at
               random); tell the next player something at random; discard at random [O]
``outer``      the same, but tell only what the receiver does not know yet: of playable cards rank first, and else of
               any card color first [O]
``cautious``   play a sure card; tell somebody of a playable card what is missing, rank first; discard a useless card;
               discard at random; tell at random [W]
``iggi``       as cautious, but discards the oldest card, and does so before telling at random [W]
``piers``      with lives to spare and no deck: play the likeliest card; play a sure card; with lives to spare: play a
               card that fits with 60 %; tell of a playable card; with fewer than four tokens tell what can be thrown
               away; discard a useless card; discard the oldest; tell at random; discard at random [W]
``vdb``        play a card that fits with 60 % (on the last life: a sure one); discard a surely useless card; tell of a
               playable card; tell whatever touches the most cards that do not know it; discard the card that is most
               likely useless [B]
``flawed``     play a sure card; play a card that fits with 25 %; tell at random; discard a useless card; discard the
               oldest. A partner to be careful with [W]
=============  =========================================================================================================

Sources: [O] Osawa 2015, "Solving Hanabi: estimating hands by opponent's actions in cooperative game with incomplete
information"; [W] Walton-Rivers et al. 2017, "Evaluating and modelling Hanabi-playing agents"; [B] van den Bergh et al.
2017, "Aspects of the cooperative card game Hanabi". Where the papers leave details open these follow the authors'
program (fossgalaxy/hanabi), and `agents/README.md` has its scores beside theirs. One thing differs on purpose: there
the first rule of ``piers`` never applies, as what a player takes for the deck has the own hand in it.

A card is *sure* where every card that hints and counting leave is playable, *useless* where its holder can tell from
its color (firework complete), its rank (played everywhere) or both that nobody needs it. In variants: the color of a
card is known where all cards left are of one suit; what no hint can name (black, V3) is told by rank alone; a free hint
(V4) is given like any other; a sure card whose suit is known is announced (V6); and with ``final_bouquet`` (V5) a
player left without a rule does the first thing that is legal.
"""

import numpy as np

from hanabako.compiler.jit import rule
from hanabako.engine.bits import ZERO, bit, has_bit
from hanabako.engine.rng import random_below
from hanabi_env.engine.cards import playable_set, player_at, rank_of, suit_of, touched_by_color, touched_by_rank

from ..bot import Bot
from .knowledge import (
    any_action,
    choose_for_tile,
    color_hint,
    color_to_tell,
    count_unseen,
    hand_count,
    is_allowed,
    is_choice_pending,
    known_rank,
    known_suit,
    needed_set,
    play_action,
    rank_hint,
    steps_away,
)
from .places import NO_SLOT, keep_places, lay_out, places

NO_RULE = 0
PLAY_SURE = 1
PLAY_LIKELY = 2  # 60 %, with a life to spare
PLAY_LIKELIEST = 3  # however likely, with a life to spare and no deck
PLAY_HOPED = 4  # 25 %
TELL_PLAYABLE = 5  # next player, color or rank at random
TELL_PLAYABLE_UNKNOWN = 6  # next player, rank before color
TELL_ANYBODY_PLAYABLE = 7  # the same for everybody
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
TABLE = np.array([[*rules, *[NO_RULE] * (LONGEST - len(rules))] for rules in LISTS.values()], np.int64)
FEW_TOKENS = 4


def memory_dtype(rules):
    """What a seat keeps: who it is, where all cards lie, and room for counting the cards it does not see."""
    own = [("style", np.int64), ("player", np.int64), ("unseen", np.int64, (rules.suits * rules.ranks,))]
    return np.dtype([*own, *places(rules)])


@rule
def begin(rules, memory, view, player, style):
    """Remember who sits here, and lay the cards out."""
    memory.style = style
    memory.player = player
    lay_out(rules, memory, view)


@rule
def act(rules, memory, view, mask, chance):
    """The first rule of the list that finds something legal."""
    if is_choice_pending(rules, view):
        return choose_for_tile(rules, view, mask)
    count_unseen(rules, view, memory.player, memory.unseen)
    needed = needed_set(rules, view)
    for k in range(LONGEST):
        action = apply_rule(rules, memory, view, mask, chance, needed, TABLE[memory.style, k])
        if action >= 0 and is_allowed(mask, action):
            return action
    return any_action(rules, mask)


@rule
def apply_rule(rules, memory, view, mask, chance, needed, name):
    """What one rule of the list wants to do, or -1."""
    if name == NO_RULE:
        return -1
    if name <= PLAY_HOPED:
        return play_by(rules, memory, view, name)
    if name <= TELL_MOST:
        return tell_by(rules, memory, view, mask, chance, name)
    return discard_by(rules, memory, view, chance, needed, name)


# --- Plays ------------------------------------------------------------------------------------------------------------


@rule
def play_by(rules, memory, view, name):
    """The rules that play a card of the own hand."""
    playable = playable_set(rules, view)
    if name == PLAY_SURE:
        slot = first_sure(rules, memory, view, playable)
    elif name == PLAY_HOPED:
        slot = likeliest(rules, memory, view, playable, 25)
    elif view.life_tokens == 1:
        return -1
    elif name == PLAY_LIKELY:
        slot = likeliest(rules, memory, view, playable, 60)
    else:
        slot = likeliest(rules, memory, view, playable, 0) if view.deck_count == 0 else -1
    if slot < 0:
        return -1
    suit = known_suit(rules, view.plausible[memory.player, slot])
    return play_action(rules, slot, suit * rules.ranks if suit >= 0 else -1)


@rule
def first_sure(rules, memory, view, cards):
    """The first own card that can only be one of ``cards``, or -1."""
    for place in range(rules.hand_size):
        slot = memory.slots[memory.player, place]
        total = copies_among(rules, memory, view, slot, ~ZERO)
        if total > 0 and copies_among(rules, memory, view, slot, cards) == total:
            return slot
    return -1


@rule
def likeliest(rules, memory, view, cards, percent):
    """The own card that is most likely one of ``cards``, if at ``percent`` or more; the last of equals; or -1."""
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
    """How many of the copies that an own card may be (by hints, and not seen elsewhere) belong to ``cards``."""
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
def tell_by(rules, memory, view, mask, chance, name):
    """The rules that tell another player something."""
    if name == TELL_PLAYABLE:
        return tell_playable(rules, memory, view, mask, 1, chance, True)
    if name == TELL_PLAYABLE_UNKNOWN:
        return tell_playable(rules, memory, view, mask, 1, chance, False)
    if name == TELL_ANYBODY_PLAYABLE:
        for offset in range(1, rules.players):
            action = tell_playable(rules, memory, view, mask, offset, chance, False)
            if action >= 0:
                return action
        return -1
    if name == TELL_UNKNOWN:
        return tell_unknown(rules, memory, view, mask)
    if name == TELL_DISPENSABLE:
        return tell_dispensable(rules, memory, view, mask) if view.information_tokens < FEW_TOKENS else -1
    if name == TELL_MOST:
        return tell_most(rules, memory, view, mask)
    return tell_at_random(rules, view, mask, chance)


@rule
def name_color(rules, view, mask, offset, slot):
    """A legal hint of the color of a card, or -1."""
    color = color_to_tell(rules, view, player_at(rules, view.current_player, offset), slot)
    action = color_hint(rules, offset, color)
    return action if color >= 0 and is_allowed(mask, action) else -1


@rule
def name_rank(rules, view, mask, offset, slot):
    """A legal hint of the rank of a card, or -1."""
    action = rank_hint(rules, offset, rank_of(rules, view.hands[player_at(rules, view.current_player, offset), slot]))
    return action if is_allowed(mask, action) else -1


@rule
def name_either(rules, view, mask, offset, slot, rank_first):
    """A legal hint of the color or rank of a card, the one where the other is not legal; or -1."""
    rank = name_rank(rules, view, mask, offset, slot)
    color = name_color(rules, view, mask, offset, slot)
    if rank_first:
        return rank if rank >= 0 else color
    return color if color >= 0 else rank


@rule
def name_missing(rules, view, mask, offset, slot, rank_first):
    """A legal hint of what the holder does not know of a card: its rank or color. Or -1."""
    plausible = view.plausible[player_at(rules, view.current_player, offset), slot]
    rank = name_rank(rules, view, mask, offset, slot) if known_rank(rules, plausible) < 0 else -1
    color = name_color(rules, view, mask, offset, slot) if known_suit(rules, plausible) < 0 else -1
    if rank_first:
        return rank if rank >= 0 else color
    return color if color >= 0 else rank


@rule
def tell_playable(rules, memory, view, mask, offset, chance, at_random):
    """A hint about the first playable card of a player, of which something is not known unless ``at_random``."""
    player = player_at(rules, view.current_player, offset)
    playable = playable_set(rules, view)
    for place in range(rules.hand_size):
        slot = memory.slots[player, place]
        if slot != NO_SLOT and has_bit(playable, view.hands[player, slot]) != ZERO:
            if at_random:
                return name_either(rules, view, mask, offset, slot, random_below(chance, 0, 2) == 0)
            action = name_missing(rules, view, mask, offset, slot, True)
            if action >= 0:
                return action
    return -1


@rule
def tell_unknown(rules, memory, view, mask):
    """Something the next player does not know, about the first card possible."""
    for place in range(rules.hand_size):
        slot = memory.slots[player_at(rules, view.current_player, 1), place]
        action = name_missing(rules, view, mask, 1, slot, False) if slot != NO_SLOT else -1
        if action >= 0:
            return action
    return -1


@rule
def tell_at_random(rules, view, mask, chance):
    """Color or rank of a random card of the next player."""
    count = hand_count(view, player_at(rules, view.current_player, 1))
    if count == 0:
        return -1
    return name_either(rules, view, mask, 1, random_below(chance, 1, count), random_below(chance, 0, 2) == 0)


@rule
def tell_dispensable(rules, memory, view, mask):
    """What shows a player that a card is useless: its color, its rank, or the one that is missing of both."""
    for other in range(rules.players):
        offset = (other - memory.player) % rules.players
        if offset == 0:
            continue
        for place in range(rules.hand_size):
            slot = memory.slots[other, place]
            action = show_useless(rules, view, mask, offset, slot) if slot != NO_SLOT else -1
            if action >= 0:
                return action
    return -1


@rule
def show_useless(rules, view, mask, offset, slot):
    """`tell_dispensable` for one card."""
    player = player_at(rules, view.current_player, offset)
    card = view.hands[player, slot]
    suit = known_suit(rules, view.plausible[player, slot])
    rank = known_rank(rules, view.plausible[player, slot])
    if suit < 0 and view.fireworks[suit_of(rules, card)] == rules.ranks:
        return name_color(rules, view, mask, offset, slot)
    if rank < 0 and is_rank_over(rules, view, rank_of(rules, card)):
        return name_rank(rules, view, mask, offset, slot)
    if (suit < 0) != (rank < 0) and steps_away(rules, view, card) < 0:
        return name_missing(rules, view, mask, offset, slot, True)
    return -1


@rule
def is_rank_over(rules, view, rank):
    """The card of this rank lies on every firework."""
    for suit in range(rules.suits):  # noqa: SIM110 - compiled code has no generators
        if steps_away(rules, view, suit * rules.ranks + rank) >= 0:
            return False
    return True


@rule
def tell_most(rules, memory, view, mask):
    """The hint that touches most cards of which it tells something new; ranks before colors, player 0 first."""
    best, best_count = -1, 0
    for other in range(rules.players):
        offset = (other - memory.player) % rules.players
        if offset == 0:
            continue
        for value in range(rules.ranks + rules.colors):
            is_rank = value < rules.ranks
            if is_rank:
                action = rank_hint(rules, offset, value)
                touched = touched_by_rank(rules, value)
            else:
                action = color_hint(rules, offset, value - rules.ranks)
                touched = touched_by_color(rules, value - rules.ranks)
            count = count_news(rules, view, other, touched, is_rank)
            if count > best_count and is_allowed(mask, action):
                best, best_count = action, count
    return best


@rule
def count_news(rules, view, player, touched, is_rank):
    """How many cards of a hand are ``touched`` and are not known to be."""
    count = 0
    for slot in range(hand_count(view, player)):
        plausible = view.plausible[player, slot]
        is_known = (known_rank(rules, plausible) if is_rank else known_suit(rules, plausible)) >= 0
        if not is_known and has_bit(touched, view.hands[player, slot]) != ZERO:
            count += 1
    return count


# --- Discards ---------------------------------------------------------------------------------------------------------


@rule
def discard_by(rules, memory, view, chance, needed, name):
    """The rules that discard a card of the own hand: its slot, which is also the action."""
    if name == DISCARD_USELESS:
        return first_useless(rules, memory, view, needed)
    if name == DISCARD_DEAD:
        return likeliest(rules, memory, view, ~needed, 100)
    if name == DISCARD_LIKELIEST_DEAD:
        return likeliest(rules, memory, view, ~needed, 0)
    count = hand_count(view, memory.player)
    if count == 0:
        return -1
    return 0 if name == DISCARD_OLDEST else random_below(chance, 2, count)


@rule
def first_useless(rules, memory, view, needed):
    """The first card whose color, rank or both tell that it is useless.

    Then the first one whose color is known and that by counting can only be out of reach. That some of what a card may
    be has been played, and the rest is out of reach, the authors' program does not see.
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
    lost = lost_set(rules, view, needed)
    for place in range(rules.hand_size):
        slot = memory.slots[memory.player, place]
        if slot != NO_SLOT and known_suit(rules, view.plausible[memory.player, slot]) >= 0:
            total = copies_among(rules, memory, view, slot, ~ZERO)
            if total > 0 and copies_among(rules, memory, view, slot, lost) == total:
                return slot
    return -1


@rule
def lost_set(rules, view, needed):
    """Cards that no firework can reach any more."""
    cards = ZERO
    for card in range(rules.suits * rules.ranks):
        if has_bit(needed, card) == ZERO and steps_away(rules, view, card) >= 0:
            cards |= bit(card)
    return cards


RULE_LISTS = tuple(
    Bot(
        name=name,
        memory_dtype=memory_dtype,
        begin=begin,
        observe=keep_places,
        act=act,
        style=style,
    )
    for style, name in enumerate(LISTS)
)
