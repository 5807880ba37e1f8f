"""What ``questions`` says by not hinting, and what it expects of a player's discard (`agents.bots.hanabi.questions`, 4).

Every function here is a function of what everybody knows, so that all seats hear the same silence.
"""

from hanabako.compiler.jit import rule, subroutine
from hanabako.engine.bits import ZERO, bit, has_bit, low_bits, nth_set_bit, popcount
from hanabi_env.engine.cards import suit_of, suit_set

from .hats import is_known, weight

TWIN = 0.3  # what the discard of a card costs that is seen in another hand, in tenths of points
LAST_COPY = 10.0  # that of the last copy, for every point that is lost
SPARE_COPY = 0.35  # of one of several copies, for every point that hangs on it, and one more


@rule
def is_silence_heard(rules):
    """Among few players a hint that is not given tells more than it costs not to be able to be silent."""
    return rules.players < 4


@rule
def hear_silence(rules, m, giver):
    """The giver discards: if there was a token, nobody who knows of no playable card has one."""
    if can_warn(rules, m):
        for p in range(rules.players):
            if p != giver and not knows_play(m, p):
                for slot in range(m.count[p]):
                    rest = m.possible[p, slot] & ~m.playable
                    m.possible[p, slot] = rest if rest != ZERO else m.possible[p, slot]


@rule
def hear_no_warning(rules, m, giver):
    """The giver plays or discards: if there was a token, the next player's discard is not the last copy of a card."""
    if can_warn(rules, m):
        p = (giver + 1) % rules.players
        slot = next_discard(rules, m, p)
        if slot >= 0:
            rest = m.possible[p, slot] & ~last_copies(m)
            m.possible[p, slot] = rest if rest != ZERO else m.possible[p, slot]


@rule
def can_warn(rules, m):
    """There is a token for a warning, and moves are not searched."""
    return is_silence_heard(rules) and m.tokens > 0 and m.deck > last_cards(rules)


@rule
def last_cards(rules):
    """The search begins when so many cards are left: with few players the table knows too little of its cards."""
    return 4 if rules.players > 3 else 2


@rule
def last_copies(m):
    """Needed cards of which one copy is left."""
    return m.needed & ~m.left[1]


@subroutine
def next_discard(rules, m, p):
    """The slot that ``p`` would discard, as far as everybody knows; -1 if it knows a playable or a useless card."""
    if knows_play(m, p) or useless_slots(m, m.possible[p], m.count[p]) != ZERO:
        return -1
    return cheapest_slot(rules, m, m.possible[p], m.count[p], m.left, ZERO)[0]


@rule
def knows_play(m, p):
    """Everybody knows that ``p`` knows a playable card."""
    knows = False
    for slot in range(m.count[p]):
        knows = knows or m.possible[p, slot] & ~m.playable == ZERO
    return knows


@rule
def useless_slots(m, tables, count):
    """Slots whose cards are surely dead, or twice in the hand, one bit each."""
    slots = ZERO
    for slot in range(count):
        if tables[slot] & m.needed == ZERO:
            slots |= bit(slot)
        elif is_known(tables[slot]):
            for other in range(count):
                if other != slot and tables[other] == tables[slot]:
                    slots |= bit(slot)
    return slots


@subroutine
def cheapest_slot(rules, m, tables, count, left, seen):
    """The slot whose discard is expected to cost least, and how much, in tenths of points.

    Its card may be what ``tables`` say, with the copies that are ``left``; ``seen`` cards are in other hands.
    """
    best = 0
    least = -1.0
    for slot in range(count):
        cost = 0.0
        live = tables[slot] & m.needed
        for k in range(popcount(live)):
            card = nth_set_bit(live, k)
            cost += cost_of_discard(rules, m, seen, card) * weight(left, bit(card))
        cost /= max(1, weight(left, tables[slot]))
        if least < 0 or cost < least:
            least = cost
            best = slot
    return best, least


@rule
def cost_of_discard(rules, m, seen, card):
    """What it costs to discard a needed card, in tenths of points: itself and the cards above it, if it is the last."""
    suit = suit_of(rules, card)
    above = m.needed & suit_set(rules, suit)
    above &= low_bits(card + 1) if suit == rules.black_suit else ~low_bits(card)
    points = popcount(above)
    if has_bit(seen, card) != ZERO:
        return TWIN
    if has_bit(m.left[1], card) == ZERO:
        return LAST_COPY * points
    return SPARE_COPY * (1.0 + points) / (1 if has_bit(m.left[2], card) == ZERO else 2)
