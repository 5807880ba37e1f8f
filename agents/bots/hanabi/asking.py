"""What the hats of ``questions`` are: answers to questions about a hand (see `agents.bots.hanabi.questions`, rule 2).

One set of lines works out a hat from the cards in sight, and what the own hat says of the cards that are not, so that
sender and receivers cannot disagree. Questions are asked one after another: each sees ``m.draft`` as the answers before
it have left it.
"""

from hanabako.compiler.jit import rule, subroutine
from hanabako.engine.bits import ONE, ZERO, bit, has_bit, low_bits, nth_set_bit, popcount
from hanabi_env.engine.cards import rank_of

from .hats import after_play, is_known, narrow, reset_draft, weight

GOOD_CHANCE = 0.7
NEARLY = 0.2
DEAD = 64  # added to a slot in a list of questions: "is it dead?"


@subroutine
def sum_of_hats(rules, m, view, giver, messages, said):
    """The sum of the hats in sight, modulo ``messages``; a receiver then learns the own hat from what was ``said``.

    What everybody will know is written to ``m.draft``. Hats are computed for the fireworks that everybody expects at
    the turn of their player.
    """
    reset_draft(rules, m)
    playable = m.playable
    mine = playable
    total = 0
    for offset in range(1, rules.players):
        p = (giver + offset) % rules.players
        if p == m.player:
            mine = playable
        else:
            total += work_out_hat(rules, m, view, p, playable, messages, -1)
        playable = after_known_play(rules, m, p, playable)
    if giver != m.player:
        work_out_hat(rules, m, view, m.player, mine, messages, (said - total) % messages)
    return total % messages


@rule
def after_known_play(rules, m, p, playable):
    """The cards that fit after the turn of ``p``, as far as everybody can tell."""
    played = ZERO
    lowest = rules.ranks
    for slot in range(m.count[p]):
        table = m.possible[p, slot]
        if is_known(table) and table & playable != ZERO:
            rank = rank_of(rules, popcount(table - ONE))
            if rank < lowest:
                lowest = rank
                played = table
    return after_play(rules, m, playable, played) if played != ZERO else playable


@subroutine
def work_out_hat(rules, m, view, p, playable, messages, hat):
    """Ask ``p`` questions and narrow ``m.draft`` by the answers: those of the true cards, if ``hat`` is -1, or of it.

    Sender and receivers run these same lines. Returns the hat.
    """
    size = 1
    value = 0
    while True:
        room = (messages - value - 1) // size + 1  # any answer below this keeps the value below `messages`
        asked, answer = ask(rules, m, view, p, playable, room, -1 if hat < 0 else hat // size)
        if asked < 2:
            return value
        value += size * answer
        size *= asked


@rule
def ask(rules, m, view, p, playable, room, hat):
    """Ask the next question, which has at most ``room`` answers. Returns their number, or 1, and the answer."""
    if room < 2:
        return 1, 0
    length = list_candidates(rules, m, p, playable, room)
    if length == 0:
        slot = likely_slot(m, p, playable)
        if slot >= 0:
            m.order[0] = slot
            length = 1
    if length > 0:
        return ask_for_first(m, view, p, playable, length, hat)
    slot = live_slot(m, p)
    return ask_which(m, view, p, slot, room, hat) if slot >= 0 else (1, 0)


@rule
def chance_of(m, table, cards):
    """How likely a card is one of ``cards``, if all copies that are left are equally likely."""
    return weight(m.left, table & cards) / max(1, weight(m.left, table))


@rule
def is_open(m, table):
    """There is something to ask about a card: it is neither known nor dead."""
    return not is_known(table) and table & m.needed != ZERO


@rule
def list_candidates(rules, m, p, playable, room):
    """Question a: write slots to ``m.order`` as far as there is ``room``. Returns how many; 0 if it is not due."""
    knows_play = False
    knows_dead = False
    for slot in range(m.count[p]):
        knows_play = knows_play or m.draft[p, slot] & ~playable == ZERO
        knows_dead = knows_dead or m.draft[p, slot] & m.needed == ZERO
    length = 0 if knows_play else add_candidates(m, p, playable, 0, 0, room)
    return length if knows_dead else add_candidates(m, p, ~m.needed, DEAD, length, room)


@rule
def add_candidates(m, p, cards, kind, length, room):
    """Add the slots that may be one of ``cards``, the likeliest last, to the ``length`` ones of ``m.order``."""
    begin = length
    asked = 0
    while length < room - 1:
        best = -1
        most = 0.0
        for slot in range(m.count[p]):
            if (asked >> slot) & 1 == 0 and is_open(m, m.draft[p, slot]):
                chance = chance_of(m, m.draft[p, slot], cards)
                if chance > most:
                    most = chance
                    best = slot
        if best < 0:
            break
        asked |= 1 << best
        for k in range(length, begin, -1):
            m.order[k] = m.order[k - 1]
        m.order[begin] = best + kind
        length += 1
    return length


@rule
def likely_slot(m, p, playable):
    """Question b: the slot whose card is playable with nearly a certain chance, or -1."""
    best = -1
    nearest = NEARLY
    for slot in range(m.count[p]):
        if is_open(m, m.draft[p, slot]):
            distance = abs(chance_of(m, m.draft[p, slot], playable) - GOOD_CHANCE)
            if distance < nearest:
                nearest = distance
                best = slot
    return best


@rule
def live_slot(m, p):
    """Question c: the slot whose card is least likely dead, or -1 if there is nothing to ask."""
    best = -1
    least = 2.0
    for slot in range(m.count[p]):
        if is_open(m, m.draft[p, slot]):
            chance = chance_of(m, m.draft[p, slot], ~m.needed)
            if chance < least:
                least = chance
                best = slot
    return best


@rule
def ask_for_first(m, view, p, playable, length, hat):
    """Question a: which is the first of ``m.order`` that is so? 0: none."""
    answer = 0
    if hat >= 0:
        answer = hat % (length + 1)
    else:
        for k in range(length):
            if answer == 0 and has_bit(meant_by(m, k, playable), view.hands[p, m.order[k] % DEAD]) != ZERO:
                answer = k + 1
    for k in range(length if answer == 0 else answer):
        meant = meant_by(m, k, playable)
        narrow(m, p, m.order[k] % DEAD, meant if k + 1 == answer else ~meant)
    return length + 1, answer


@rule
def meant_by(m, k, playable):
    """The cards of which the ``k``-th candidate may be one."""
    return playable if m.order[k] < DEAD else ~m.needed


@rule
def ask_which(m, view, p, slot, room, hat):
    """Question c: which part of its cards is it of? The dead ones are the last part."""
    table = m.draft[p, slot]
    live = table & m.needed
    dead = table & ~m.needed
    has_dead = 1 if dead != ZERO else 0
    parts = min(room - has_dead, popcount(live))
    answer = parts
    if hat >= 0:
        answer = hat % (parts + has_dead)
    elif has_bit(live, view.hands[p, slot]) != ZERO:
        answer = popcount(live & low_bits(view.hands[p, slot])) % parts
    meant = dead
    if answer < parts:
        meant = ZERO
        for k in range(answer, popcount(live), parts):
            meant |= bit(nth_set_bit(live, k))
    narrow(m, p, slot, meant)
    return parts + has_dead, answer
