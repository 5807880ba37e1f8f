"""What ``questions`` says by not giving a hint, and which discard it expects of a player (rule 4 of `questions.py`).

Every function here depends only on what everybody knows, so that all seats read a silence alike.
"""

from hanabako.compiler.jit import rule, subroutine
from hanabako.engine.bits import ZERO, bit, has_bit, nth_set_bit, popcount

from .hats import copies_in, is_known
from .knowledge import rest_of_firework

TWIN = 0.3  # what it costs to discard a card that is seen in another hand, in tenths of points
LAST_COPY = 10.0  # the last copy, for each point that is lost with it
SPARE_COPY = 0.35  # one of several copies, for each point that depends on it, and one more


@rule
def is_silence_read(rules):
    """Among few players, what silence tells is worth more than the freedom to be silent."""
    return rules.players < 4


@rule
def read_silence(rules, memory, giver):
    """The giver discards: if there was a token, players who know of no playable card have none."""
    if can_warn(rules, memory):
        for player in range(rules.players):
            if player != giver and not knows_play(memory, player):
                for slot in range(memory.hand_count[player]):
                    rest = memory.possible[player, slot] & ~memory.playable
                    memory.possible[player, slot] = rest if rest != ZERO else memory.possible[player, slot]


@rule
def read_no_warning(rules, memory, giver):
    """The giver plays or discards: if there was a token, the next player's discard is not the last copy of a card."""
    if can_warn(rules, memory):
        player = (giver + 1) % rules.players
        slot = next_discard(rules, memory, player)
        if slot >= 0:
            rest = memory.possible[player, slot] & ~last_copies(memory)
            memory.possible[player, slot] = rest if rest != ZERO else memory.possible[player, slot]


@rule
def can_warn(rules, memory):
    """There is a token for a warning, and moves are not searched yet."""
    return is_silence_read(rules) and memory.information_tokens > 0 and memory.deck_count > last_cards(rules)


@rule
def last_cards(rules):
    """The search begins when this many cards are left in the deck: few players know too little of their cards."""
    return 4 if rules.players > 3 else 2


@rule
def last_copies(memory):
    """Needed cards with one copy left."""
    return memory.needed & ~memory.left[1]


@subroutine
def next_discard(rules, memory, player):
    """The slot that ``player`` should discard as far as all know; -1 if a playable or a useless card is known."""
    if knows_play(memory, player) or useless_slots(memory, memory.possible[player], memory.hand_count[player]) != ZERO:
        return -1
    return cheapest_slot(rules, memory, memory.possible[player], memory.hand_count[player], memory.left, ZERO)[0]


@rule
def knows_play(memory, player):
    """Everybody knows that ``player`` knows a playable card."""
    knows = False
    for slot in range(memory.hand_count[player]):
        knows = knows or memory.possible[player, slot] & ~memory.playable == ZERO
    return knows


@rule
def useless_slots(memory, possible, count):
    """Slots whose cards are certainly dead, or held twice in the hand, one bit each."""
    slots = ZERO
    for slot in range(count):
        if possible[slot] & memory.needed == ZERO:
            slots |= bit(slot)
        elif is_known(possible[slot]):
            for other in range(count):
                if other != slot and possible[other] == possible[slot]:
                    slots |= bit(slot)
    return slots


@subroutine
def cheapest_slot(rules, memory, possible, count, left, seen):
    """The slot whose discard is expected to cost least, and how much, in tenths of points.

    ``possible`` are the cards that each slot may hold, ``left`` their copies, and ``seen`` cards are in other hands.
    """
    best = 0
    least = -1.0
    for slot in range(count):
        cost = 0.0
        live = possible[slot] & memory.needed
        for k in range(popcount(live)):
            card = nth_set_bit(live, k)
            cost += cost_of_discard(rules, memory, card, seen) * copies_in(left, bit(card))
        cost /= max(1, copies_in(left, possible[slot]))
        if least < 0 or cost < least:
            least = cost
            best = slot
    return best, least


@rule
def cost_of_discard(rules, memory, card, seen):
    """What it costs to discard a needed card, in tenths of points: of the last copy, it and all that come after it."""
    points = popcount(memory.needed & rest_of_firework(rules, card))
    if has_bit(seen, card) != ZERO:
        return TWIN
    if has_bit(memory.left[1], card) == ZERO:
        return LAST_COPY * points
    return SPARE_COPY * (1.0 + points) / (1 if has_bit(memory.left[2], card) == ZERO else 2)
