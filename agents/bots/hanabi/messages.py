"""Hints as numbers: what a hint can say beside its words.

What a hint says beside its words must work for every hand that the receiver may believe in. Choose
``anchors`` among the receiver's cards, such that everybody knows that no two of them have a rank in common. Then a hint
of rank is one of as many messages as there are anchors, numbered by the first anchor it touches, and all are there to
be sent. With one anchor there are two messages, "touches it" and "does not", if everybody knows that the hand has
another rank too. Likewise for colors, and a hand about which nothing is known offers three messages: rank and color of
its anchor, and anything that does not touch it (chikinn/hanabi, WuTheFWasThat/hanabi.rs; with several anchors: here).
Cards of a suit that no color touches (V3) are no anchors of color hints, one that every color touches (V2) only the
last. The messages of all receivers are numbered one after another.
"""

import numpy as np

from hanabako.compiler.jit import rule, subroutine
from hanabako.engine.bits import ZERO, bit, has_bit, low_bits, popcount
from hanabi_env.engine.actions import first_color_hint, first_rank_hint
from hanabi_env.engine.cards import suit_set, touched_by_color, touched_by_rank
from hanabi_env.engine.state import EVENT_HINT_RANK, TILE_COLOR_HINT, TILE_RANK_HINT

from .hats import is_known, weight
from .knowledge import hand_count, is_allowed

TWO_A_RECEIVER = -1.0  # instead of what may be missing: every receiver offers two messages, a rank and a color
COLOR_HINTS = 1  # kinds of hints, as bits
RANK_HINTS = 2
ALL_HINTS = 3


@rule
def suits_of(rules, table):
    """The suits a card may have, one bit each."""
    suits = ZERO
    for suit in range(rules.suits):
        if table & suit_set(rules, suit) != ZERO:
            suits |= bit(suit)
    return suits


@rule
def ranks_of(rules, table):
    """The ranks a card may have, one bit each."""
    ranks = ZERO
    for suit in range(rules.suits):
        ranks |= table >> np.uint64(suit * rules.ranks)
    return ranks & low_bits(rules.ranks)


@rule
def disjoint_slots(m, count, allowed):
    """Slots of which no two can have a kind in common, one bit each: greedily, those that may be the least first."""
    chosen = 0
    taken = ZERO
    for size in range(1, 8):
        for slot in range(count):
            kinds = m.kinds[slot]
            if (allowed >> slot) & 1 and popcount(kinds) == size and kinds & taken == ZERO:
                chosen |= 1 << slot
                taken |= kinds
    return chosen


@rule
def vague_slot(m, p, allowed):
    """The slot among ``allowed`` of the card of which the least is known: the best one to touch."""
    best = 0
    most = -1
    for slot in range(m.count[p]):
        live = popcount(m.possible[p, slot] & m.needed)
        if is_known(m.possible[p, slot]):
            live = 0
        if (allowed >> slot) & 1 and live > most:
            most = live
            best = slot
    return best


@rule
def is_another_likely(m, count, anchor, wild):
    """Some card is of another kind than the anchor, and not a ``wild`` one: surely, or but for ``m.rarely``.

    As if the kinds that a card may have were equally likely, and cards knew nothing of each other.
    """
    lonely = 0.0
    for kind in range(7):
        if has_bit(m.kinds[anchor], kind) != ZERO:
            shared = 1.0
            for slot in range(count):
                kinds = m.kinds[slot]
                if slot != anchor:
                    shared *= popcount(kinds & (bit(kind) | wild)) / popcount(kinds)
            lonely += shared
    return lonely <= m.rarely * popcount(m.kinds[anchor])


@subroutine
def make_alphabet(rules, m, p, hints):
    """The messages that hints to ``p`` of the kinds ``hints`` can carry. Returns their number."""
    letters = m.alphabet[p]
    letters.rank_messages = 0
    letters.color_messages = 0
    letters.others = 0
    if m.rarely == TWO_A_RECEIVER:
        letters.rank_messages = 1 if hints & RANK_HINTS else 0
        letters.color_messages = 1 if hints & COLOR_HINTS else 0
        return size_of(letters)
    every = (1 << m.count[p]) - 1
    black = slots_without(rules, m, p, rules.black_suit)
    plain = black & slots_without(rules, m, p, -1 if rules.multicolor_is_single else rules.multicolor_suit)
    anchor = vague_slot(m, p, plain if plain else black if black else every)
    if hints & COLOR_HINTS and m.count[p] > 0:
        make_color_letters(rules, m, p, letters, anchor, plain, black)
    if hints & RANK_HINTS and m.count[p] > 0:
        make_rank_letters(rules, m, p, letters, anchor)
    if letters.rank_messages == 1 and letters.color_messages == 1 and (plain >> anchor) & 1 and m.count[p] > 3:
        letters.others = 1  # four cards or more are not all the same
    return size_of(letters)


@rule
def make_color_letters(rules, m, p, letters, anchor, plain, colored):
    """Anchors and messages of color hints; of several anchors all are ``plain``."""
    for slot in range(m.count[p]):
        m.kinds[slot] = suits_of(rules, m.possible[p, slot])
    letters.color_anchors = disjoint_slots(m, m.count[p], plain)
    letters.color_messages = popcount(letters.color_anchors)
    if letters.color_messages < 2:
        wild = bit(rules.black_suit) if rules.black_suit >= 0 else ZERO
        letters.color_anchors = 1 << anchor
        letters.color_messages = 1 if colored else 0
        if (plain >> anchor) & 1 and is_another_likely(m, m.count[p], anchor, wild):
            letters.color_messages = 2


@rule
def make_rank_letters(rules, m, p, letters, anchor):
    """Anchors and messages of rank hints."""
    for slot in range(m.count[p]):
        m.kinds[slot] = ranks_of(rules, m.possible[p, slot])
    letters.rank_anchors = disjoint_slots(m, m.count[p], (1 << m.count[p]) - 1)
    letters.rank_messages = popcount(letters.rank_anchors)
    if letters.rank_messages < 2:
        letters.rank_anchors = 1 << anchor
        letters.rank_messages = 2 if is_another_likely(m, m.count[p], anchor, ZERO) else 1


@rule
def slots_without(rules, m, p, suit):
    """Slots whose cards are surely not of a suit (-1: none), one bit each."""
    slots = 0
    for slot in range(m.count[p]):
        if suit < 0 or m.possible[p, slot] & suit_set(rules, suit) == ZERO:
            slots |= 1 << slot
    return slots


@rule
def size_of(letters):
    """How many messages an alphabet has."""
    return letters.rank_messages + letters.color_messages + letters.others


@rule
def first_touched(anchors, touched, messages):
    """The number of the first anchor that is touched, or of the last message."""
    place = 0
    rest = anchors
    while rest:
        lowest = rest & -rest
        if touched & lowest:
            break
        place += 1
        rest ^= lowest
    return min(place, messages - 1)


@rule
def letter_of(letters, is_rank, touched):
    """The number of a hint among the messages to its receiver."""
    if letters.others and touched & letters.rank_anchors == 0:
        return 2
    if is_rank:
        return first_touched(letters.rank_anchors, touched, letters.rank_messages)
    return letters.rank_messages + first_touched(letters.color_anchors, touched, letters.color_messages)


@rule
def hints_for(m):
    """The kinds of hints that may be given: a tile's free one is of one kind (V4)."""
    if m.pending == TILE_COLOR_HINT:
        return COLOR_HINTS
    return RANK_HINTS if m.pending == TILE_RANK_HINT else ALL_HINTS


@subroutine
def make_alphabets(rules, m, giver):
    """The alphabets of all hints that ``giver`` may give. Returns the number of messages."""
    total = 0
    for offset in range(1, rules.players):
        total += make_alphabet(rules, m, (giver + offset) % rules.players, hints_for(m))
    return total


@rule
def messages_before(rules, m, giver, target):
    """The messages of the receivers between ``giver`` and ``target``."""
    total = 0
    for offset in range(1, rules.players):
        p = (giver + offset) % rules.players
        if p == target:
            break
        letters = m.alphabet[p]
        total += size_of(letters)
    return total


@rule
def touched_slots(rules, view, p, cards):
    """The slots of a hand that hold one of ``cards``, one bit each."""
    touched = 0
    for slot in range(hand_count(view, p)):
        touched |= np.int64(has_bit(cards, view.hands[p, slot])) << slot
    return touched


@subroutine
def hint_for_message(rules, m, view, mask, message):
    """The legal hint that says ``message`` and whose words tell most after what ``m.draft`` has told; or -1."""
    best = -1
    most = -1.0
    for offset in range(1, rules.players):
        p = (m.player + offset) % rules.players
        letter = message - messages_before(rules, m, m.player, p)
        if 0 <= letter < size_of(m.alphabet[p]):
            for k in range(rules.colors + rules.ranks):
                action, meant = hint_in_words(rules, offset, k)
                touched = touched_slots(rules, view, p, meant)
                if is_allowed(mask, action) and letter_of(m.alphabet[p], k >= rules.colors, touched) == letter:
                    worth = worth_of_words(rules, m, p, meant, touched)
                    if worth > most:
                        most = worth
                        best = action
    return best


@rule
def hint_in_words(rules, offset, k):
    """The action and the cards of the ``k``-th hint to a receiver: colors, then ranks."""
    if k < rules.colors:
        return first_color_hint(rules) + (offset - 1) * rules.colors + k, touched_by_color(rules, k)
    rank = k - rules.colors
    return first_rank_hint(rules) + (offset - 1) * rules.ranks + rank, touched_by_rank(rules, rank)


@rule
def worth_of_words(rules, m, p, meant, touched):
    """How much the words of a hint shrink what a hand may be: a product over its cards."""
    worth = 1.0
    for slot in range(m.count[p]):
        table = m.draft[p, slot]
        if not is_known(table) and table & m.needed != ZERO:
            rest = table & (meant if (touched >> slot) & 1 else ~meant)
            worth *= weight(m.left, table) / max(1, weight(m.left, rest))
            if is_known(rest) or rest & m.needed == ZERO:
                worth *= 2.0
    return worth


@rule
def message_of(rules, m, event):
    """The number that a hint says; alphabets must be those of its giver."""
    letters = m.alphabet[event.target]
    before = messages_before(rules, m, np.int64(event.player), np.int64(event.target))
    return before + letter_of(letters, event.kind == EVENT_HINT_RANK, np.int64(event.touched))
