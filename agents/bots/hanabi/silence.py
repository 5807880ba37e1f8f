"""What ``questions`` infers if no hint is given, and which discard it expects of a player (rule 4 of `questions.py`).

Every function here depends only on common knowledge, so that all seats read a silence in the same way.
"""

from hanabako.compiler.jit import rule, subroutine
from hanabako.engine.bits import ZERO, bit, has_bit, nth_set_bit, popcount

from .hats import copies_in, is_known, narrow
from .knowledge import rest_of_firework

TWIN = 0.3  # cost of discarding a card that is seen in another hand, in tenths of points
LAST_COPY = 10.0  # cost of the last copy, per point that is lost with it
SPARE_COPY = 0.35  # cost of one of several copies, per point that depends on it, plus one


@rule
def is_silence_read(rules):
    """Whether silence is information: with few players that is better than the freedom to be silent."""
    return rules.players < 4


@rule
def read_silence(rules, memory, giver):
    """Read a discard by ``giver`` although there was a token: players without a known playable card have none."""
    if can_warn(rules, memory):
        for player in range(rules.players):
            if player != giver and not knows_play(memory, player):
                for slot in range(memory.hand_count[player]):
                    narrow(memory.possible, player, slot, ~memory.playable)


@rule
def read_no_warning(rules, memory, giver):
    """Read a play or discard by ``giver`` although there was a token: the next player's discard is no last copy."""
    if can_warn(rules, memory):
        player = (giver + 1) % rules.players
        slot = next_discard(rules, memory, player)
        if slot >= 0:
            narrow(memory.possible, player, slot, ~last_copies(memory))


@rule
def can_warn(rules, memory):
    """Whether there is a token for a warning, and moves are not searched yet."""
    return is_silence_read(rules) and memory.information_tokens > 0 and memory.deck_count > last_cards(rules)


@rule
def last_cards(rules):
    """Return the deck size at which the search begins; it is smaller with few players, who know less of their cards."""
    return 4 if rules.players > 3 else 2


@rule
def last_copies(memory):
    """Return the needed cards with one copy left."""
    return memory.needed & ~memory.left[1]


@subroutine
def next_discard(rules, memory, player):
    """Return the slot that ``player`` is expected to discard; -1 if a playable or useless card is known."""
    if knows_play(memory, player) or useless_slots(memory, memory.possible[player], memory.hand_count[player]) != ZERO:
        return -1
    return cheapest_slot(rules, memory, memory.possible[player], memory.hand_count[player], memory.left, ZERO)[0]


@rule
def knows_play(memory, player):
    """Whether the hand of ``player`` has a playable card by common knowledge."""
    knows = False
    for slot in range(memory.hand_count[player]):
        knows = knows or memory.possible[player, slot] & ~memory.playable == ZERO
    return knows


@rule
def useless_slots(memory, possible, count):
    """Return the slots whose cards are certainly dead, or held twice in the hand, one bit each."""
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
    """Return the slot with the least expected cost of a discard, and the cost in tenths of points.

    ``possible`` are the cards that each slot may hold, ``left`` their copies, and ``seen`` the cards in other hands.
    """
    best, least = 0, -1.0
    for slot in range(count):
        cost = 0.0
        live = possible[slot] & memory.needed
        for k in range(popcount(live)):
            card = nth_set_bit(live, k)
            cost += cost_of_discard(rules, memory, card, seen) * copies_in(left, bit(card))
        cost /= max(1, copies_in(left, possible[slot]))
        if least < 0 or cost < least:
            best, least = slot, cost
    return best, least


@rule
def cost_of_discard(rules, memory, card, seen):
    """Return the cost of discarding a needed card, in tenths of points; a last copy also costs all cards after it."""
    points = popcount(memory.needed & rest_of_firework(rules, card))
    if has_bit(seen, card) != ZERO:
        return TWIN
    if has_bit(memory.left[1], card) == ZERO:
        return LAST_COPY * points
    return SPARE_COPY * (1.0 + points) / (1 if has_bit(memory.left[2], card) == ZERO else 2)
