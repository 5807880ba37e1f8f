"""The hats of ``questions``: answers to questions about a hand (rule 2 of `questions.py`).

The same code computes a hat from visible cards and applies a hat to hidden ones, so giver and receivers cannot
disagree. Questions are asked one after another; each depends on ``memory.draft`` after the answers before.
"""

from hanabako.compiler.jit import rule, subroutine
from hanabako.engine.bits import ONE, ZERO, bit, has_bit, low_bits, nth_set_bit, popcount
from hanabi_env.engine.cards import rank_of

from .hats import after_play, copy_hands, is_known, narrow, probability_of

GOOD_PROBABILITY = 0.7  # question b is about the card whose probability of being playable is closest to this
NEARLY = 0.2  # question b is asked if the difference is less than this
DEAD = 64  # added to a slot in a list of questions for "is it dead?"


@subroutine
def sum_of_hats(rules, memory, view, giver, messages, said):
    """Return the sum of the hats in sight, modulo ``messages``; a receiver also learns its own hat from ``said``.

    The new common knowledge is written to ``memory.draft``. A player's hat is computed for the fireworks expected at
    that player's turn.
    """
    copy_hands(rules, memory.possible, memory.draft)
    playable, mine, total = memory.playable, memory.playable, 0
    for offset in range(1, rules.players):
        player = (giver + offset) % rules.players
        if player == memory.player:
            mine = playable
        else:
            total += work_out_hat(memory, view, player, playable, messages, -1)
        playable = after_known_play(rules, memory, player, playable)
    if giver != memory.player:
        work_out_hat(memory, view, memory.player, mine, messages, (said - total) % messages)
    return total % messages


@rule
def after_known_play(rules, memory, player, playable):
    """Return the playable cards after the turn of ``player``, as expected from common knowledge."""
    played, lowest = ZERO, rules.ranks
    for slot in range(memory.hand_count[player]):
        possible = memory.possible[player, slot]
        if is_known(possible) and possible & playable != ZERO:
            rank = rank_of(rules, popcount(possible - ONE))
            if rank < lowest:
                played, lowest = possible, rank
    return after_play(rules, memory, playable, played) if played != ZERO else playable


@subroutine
def work_out_hat(memory, view, player, playable, messages, hat):
    """Ask ``player`` questions, narrow ``memory.draft`` by the answers, and return the hat.

    If ``hat`` is -1, the answers are those of the true cards, otherwise those encoded in ``hat``.
    """
    size, value = 1, 0
    while True:
        room = (messages - value - 1) // size + 1  # any answer below this keeps the value below ``messages``
        asked, answer = ask(memory, view, player, playable, room, -1 if hat < 0 else hat // size)
        if asked < 2:
            return value
        value += size * answer
        size *= asked


@rule
def ask(memory, view, player, playable, room, hat):
    """Ask the next question, with at most ``room`` answers; return the number of answers (1: none) and the answer."""
    if room < 2:
        return 1, 0
    length = list_candidates(memory, player, playable, room)
    if length == 0:
        slot = nearest_slot(memory, player, playable, GOOD_PROBABILITY, NEARLY)
        if slot >= 0:
            memory.order[0] = slot
            length = 1
    if length > 0:
        return ask_for_first(memory, view, player, playable, length, hat)
    slot = nearest_slot(memory, player, ~memory.needed, 0.0, 2.0)  # question c: the least likely to be dead
    return ask_which(memory, view, player, slot, room, hat) if slot >= 0 else (1, 0)


@rule
def is_open(memory, possible):
    """Whether there is something to ask about a card: it is neither known nor dead."""
    return not is_known(possible) and possible & memory.needed != ZERO


@rule
def list_candidates(memory, player, playable, room):
    """Prepare question a: write up to ``room`` - 1 slots to ``memory.order``; return their number, 0 to skip it."""
    knows_play, knows_dead = False, False
    for slot in range(memory.hand_count[player]):
        knows_play = knows_play or memory.draft[player, slot] & ~playable == ZERO
        knows_dead = knows_dead or memory.draft[player, slot] & memory.needed == ZERO
    length = 0 if knows_play else add_candidates(memory, player, playable, 0, 0, room)
    return length if knows_dead else add_candidates(memory, player, ~memory.needed, DEAD, length, room)


@rule
def add_candidates(memory, player, cards, kind, length, room):
    """Append slots that may be one of ``cards``, the likeliest last, to ``memory.order``; return its new length."""
    begin, asked = length, 0
    while length < room - 1:
        best, most = -1, 0.0
        for slot in range(memory.hand_count[player]):
            if (asked >> slot) & 1 == 0 and is_open(memory, memory.draft[player, slot]):
                probability = probability_of(memory.left, memory.draft[player, slot], cards)
                if probability > most:
                    best, most = slot, probability
        if best < 0:
            break
        asked |= 1 << best
        for k in range(length, begin, -1):
            memory.order[k] = memory.order[k - 1]
        memory.order[begin] = best + kind
        length += 1
    return length


@rule
def nearest_slot(memory, player, cards, wanted, within):
    """Return the slot whose probability of ``cards`` is closest to ``wanted``, with a gap below ``within``; or -1."""
    best, nearest = -1, within
    for slot in range(memory.hand_count[player]):
        if is_open(memory, memory.draft[player, slot]):
            distance = abs(probability_of(memory.left, memory.draft[player, slot], cards) - wanted)
            if distance < nearest:
                best, nearest = slot, distance
    return best


@rule
def ask_for_first(memory, view, player, playable, length, hat):
    """Ask question a or b: which slot in ``memory.order`` is the first with the property? Returns the same as `ask`."""
    answer = 0  # none
    if hat >= 0:
        answer = hat % (length + 1)
    else:
        for k in range(length):
            card = view.hands[player, memory.order[k] % DEAD]
            if answer == 0 and has_bit(meant_by(memory, k, playable), card) != ZERO:
                answer = k + 1
    for k in range(length if answer == 0 else answer):
        meant = meant_by(memory, k, playable)
        narrow(memory.draft, player, memory.order[k] % DEAD, meant if k + 1 == answer else ~meant)
    return length + 1, answer


@rule
def meant_by(memory, k, playable):
    """Return the set of cards about which the ``k``-th candidate is asked."""
    return playable if memory.order[k] < DEAD else ~memory.needed


@rule
def ask_which(memory, view, player, slot, room, hat):
    """Ask question c: in which part of its possible cards is it? The last part is the dead ones. Returns as `ask`."""
    possible = memory.draft[player, slot]
    live = possible & memory.needed
    dead = possible & ~memory.needed
    has_dead = 1 if dead != ZERO else 0
    parts = min(room - has_dead, popcount(live))
    answer = parts
    if hat >= 0:
        answer = hat % (parts + has_dead)
    elif has_bit(live, view.hands[player, slot]) != ZERO:
        answer = popcount(live & low_bits(view.hands[player, slot])) % parts
    meant = dead
    if answer < parts:
        meant = ZERO
        for k in range(answer, popcount(live), parts):
            meant |= bit(nth_set_bit(live, k))
    narrow(memory.draft, player, slot, meant)
    return parts + has_dead, answer
