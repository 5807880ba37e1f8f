"""Hints as numbers: the messages that hints can carry besides their literal meaning.

A message must be available for every hand that the receiver may have by common knowledge. So *anchors* are chosen among
the receiver's cards, such that no two of them can have the same rank, by common knowledge. Then rank hints carry as
many messages as there are anchors, numbered by the first anchor that is touched, and each message can be sent. One
anchor makes two messages, "touched" and "not touched", if it is common knowledge that the hand has another rank too.
Color hints work in the same way. A hand about which nothing is known offers three messages: the rank of its anchor, its
color, and any hint that does not touch it (as in chikinn/hanabi and WuTheFWasThat/hanabi.rs; using several anchors is
new here). A card that may be of a suit that no color touches (V3) cannot be an anchor of color hints; one that any
color may touch (V2) is used only as a last resort. The messages of hints to one receiver are its *alphabet*, and each
of them is a *letter*. The messages of all receivers are numbered one after another.
"""

import numpy as np

from hanabako.compiler.jit import rule, subroutine
from hanabako.engine.bits import ZERO, bit, has_bit, low_bits, popcount
from hanabi_env.engine.cards import suit_set
from hanabi_env.engine.state import EVENT_HINT_RANK, TILE_COLOR_HINT, TILE_RANK_HINT

from .hats import copies_in, is_known
from .knowledge import hand_count, is_allowed, nth_hint

TWO_PER_RECEIVER = -1.0  # a special tolerance: each receiver offers two messages, any rank and any color
COLOR_HINTS, RANK_HINTS, ALL_HINTS = 1, 2, 3  # kinds of hints, as bits


@rule
def suits_of(rules, possible):
    """Return the suits among ``possible`` cards, one bit each."""
    suits = ZERO
    for suit in range(rules.suits):
        if possible & suit_set(rules, suit) != ZERO:
            suits |= bit(suit)
    return suits


@rule
def ranks_of(rules, possible):
    """Return the ranks among ``possible`` cards, one bit each."""
    ranks = ZERO
    for suit in range(rules.suits):
        ranks |= possible >> np.uint64(suit * rules.ranks)
    return ranks & low_bits(rules.ranks)


@rule
def disjoint_slots(memory, count, allowed):
    """Return slots that cannot share a kind, one bit each; greedily, those with the fewest possible kinds first."""
    chosen, taken = 0, ZERO
    for size in range(1, 8):
        for slot in range(count):
            kinds = memory.kinds[slot]
            if (allowed >> slot) & 1 and popcount(kinds) == size and kinds & taken == ZERO:
                chosen |= 1 << slot
                taken |= kinds
    return chosen


@rule
def vague_slot(memory, player, allowed):
    """Return the slot among ``allowed`` whose card is least known, which makes it the best one to touch."""
    best, most = 0, -1
    for slot in range(memory.hand_count[player]):
        live = popcount(memory.possible[player, slot] & memory.needed)
        if is_known(memory.possible[player, slot]):
            live = 0
        if (allowed >> slot) & 1 and live > most:
            best, most = slot, live
    return best


@rule
def is_another_likely(memory, count, anchor, wild):
    """Whether some card is of another kind than the anchor and not ``wild``, except with probability ``tolerance``.

    The kinds that a card may have are assumed to be equally likely, and the cards to be independent.
    """
    alone = 0.0
    for kind in range(7):
        if has_bit(memory.kinds[anchor], kind) != ZERO:
            shared = 1.0
            for slot in range(count):
                kinds = memory.kinds[slot]
                if slot != anchor:
                    shared *= popcount(kinds & (bit(kind) | wild)) / popcount(kinds)
            alone += shared
    return alone <= memory.tolerance * popcount(memory.kinds[anchor])


@subroutine
def make_alphabet(rules, memory, player, kinds):
    """Compute the alphabet of ``player`` for some kinds of hints, and return its size."""
    letters = memory.alphabet[player]
    letters.rank_messages = 0
    letters.color_messages = 0
    letters.others = 0
    if memory.tolerance == TWO_PER_RECEIVER:
        letters.rank_messages = 1 if kinds & RANK_HINTS else 0
        letters.color_messages = 1 if kinds & COLOR_HINTS else 0
        return size_of(letters)
    count = memory.hand_count[player]
    every = (1 << count) - 1
    colored = slots_without(rules, memory, player, rules.black_suit)
    multicolor = -1 if rules.multicolor_is_single else rules.multicolor_suit
    plain = colored & slots_without(rules, memory, player, multicolor)
    anchor = vague_slot(memory, player, plain if plain else colored if colored else every)
    if kinds & COLOR_HINTS and colored:
        wild = bit(rules.black_suit) if rules.black_suit >= 0 else ZERO
        for slot in range(count):
            memory.kinds[slot] = suits_of(rules, memory.possible[player, slot])
        letters.color_anchors, letters.color_messages = anchors_among(memory, count, anchor, plain, wild)
    if kinds & RANK_HINTS and count > 0:
        for slot in range(count):
            memory.kinds[slot] = ranks_of(rules, memory.possible[player, slot])
        letters.rank_anchors, letters.rank_messages = anchors_among(memory, count, anchor, every, ZERO)
    if letters.rank_messages == 1 and letters.color_messages == 1 and (plain >> anchor) & 1 and count > 3:
        letters.others = 1  # four cards or more are not all the same
    return size_of(letters)


@rule
def anchors_among(memory, count, anchor, plain, wild):
    """Return anchors for hints about ``memory.kinds``, and the number of their messages.

    Several anchors must all be ``plain``; else the best one to touch is the only one, with two messages if it is plain.
    """
    anchors = disjoint_slots(memory, count, plain)
    if popcount(anchors) > 1:
        return anchors, popcount(anchors)
    if (plain >> anchor) & 1 and is_another_likely(memory, count, anchor, wild):
        return 1 << anchor, 2
    return 1 << anchor, 1


@rule
def slots_without(rules, memory, player, suit):
    """Return the slots whose cards are certainly not of a suit (-1: no suit), one bit each."""
    slots = 0
    for slot in range(memory.hand_count[player]):
        if suit < 0 or memory.possible[player, slot] & suit_set(rules, suit) == ZERO:
            slots |= 1 << slot
    return slots


@rule
def size_of(letters):
    """Return the number of letters in an alphabet."""
    return letters.rank_messages + letters.color_messages + letters.others


@rule
def first_touched(anchors, touched, messages):
    """Return the number of the first anchor that is touched, or the last message if none is."""
    hits = anchors & touched
    return min(popcount(anchors & ((hits & -hits) - 1)), messages - 1)  # without hits, this counts all anchors


@rule
def letter_of(letters, is_rank, touched):
    """Return the number of a hint's message among those to its receiver."""
    if letters.others and touched & letters.rank_anchors == 0:
        return 2
    if is_rank:
        return first_touched(letters.rank_anchors, touched, letters.rank_messages)
    return letters.rank_messages + first_touched(letters.color_anchors, touched, letters.color_messages)


@rule
def allowed_kinds(memory):
    """Return the kinds of hints that may be given; a tile's free hint is of one kind (V4)."""
    if memory.pending == TILE_COLOR_HINT:
        return COLOR_HINTS
    return RANK_HINTS if memory.pending == TILE_RANK_HINT else ALL_HINTS


@subroutine
def make_alphabets(rules, memory, giver):
    """Compute the alphabets of all receivers of ``giver``, and return the number of messages."""
    total = 0
    for offset in range(1, rules.players):
        player = (giver + offset) % rules.players
        memory.alphabet[player].before = total
        total += make_alphabet(rules, memory, player, allowed_kinds(memory))
    return total


@rule
def touched_slots(view, player, cards):
    """Return the slots of a hand that hold one of ``cards``, one bit each."""
    touched = 0
    for slot in range(hand_count(view, player)):
        touched |= np.int64(has_bit(cards, view.hands[player, slot])) << slot
    return touched


@subroutine
def hint_for_message(rules, memory, view, message, mask):
    """Return the legal hint with ``message`` whose literal meaning adds most to ``memory.draft``; or -1.

    The alphabets must have been computed for this seat.
    """
    best, most = -1, -1.0
    for offset in range(1, rules.players):
        player = (memory.player + offset) % rules.players
        letters = memory.alphabet[player]
        letter = message - letters.before
        if 0 <= letter < size_of(letters):
            for k in range(rules.colors + rules.ranks):
                action, meant = nth_hint(rules, offset, k)
                touched = touched_slots(view, player, meant)
                if is_allowed(mask, action) and letter_of(letters, k >= rules.colors, touched) == letter:
                    value = value_of_hint(memory, player, meant, touched)
                    if value > most:
                        best, most = action, value
    return best


@rule
def value_of_hint(memory, player, meant, touched):
    """Return the factor by which a hint's literal meaning reduces the possible hands: a product over the cards."""
    value = 1.0
    for slot in range(memory.hand_count[player]):
        possible = memory.draft[player, slot]
        if not is_known(possible) and possible & memory.needed != ZERO:
            rest = possible & (meant if (touched >> slot) & 1 else ~meant)
            value *= copies_in(memory.left, possible) / max(1, copies_in(memory.left, rest))
            if is_known(rest) or rest & memory.needed == ZERO:
                value *= 2.0
    return value


@rule
def message_of(memory, event):
    """Return the message of a hint; the alphabets must have been computed for its giver."""
    letters = memory.alphabet[event.target]
    return letters.before + letter_of(letters, event.kind == EVENT_HINT_RANK, np.int64(event.touched))
