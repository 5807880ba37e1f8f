"""The common knowledge under the conventions of ``smart``, which docstrings cite by their numbers in `smart.py`.

Every seat also keeps the public state before the last step, with which that step is read.
"""

import numpy as np

from hanabako.compiler.jit import rule, subroutine
from hanabako.engine.bits import ZERO, bit, has_bit, nth_set_bit, popcount
from hanabi_env.engine.cards import all_cards, playable_set, player_at, touched_by_color, touched_by_rank
from hanabi_env.engine.state import EVENT_DISCARD, EVENT_HINT_COLOR, EVENT_HINT_RANK, EVENT_PLAY

from .hats import narrow, remove_card
from .knowledge import copies_to_come, critical_set, hand_count, needed_set


def memory_dtype(rules):
    """Return the dtype of a seat's memory. Fields of the game's state have their values before the last step."""
    return np.dtype(
        [
            ("style", np.int64),
            ("player", np.int64),
            ("possible", np.uint64, (rules.players, rules.hand_size)),  # sets of cards, by common knowledge
            ("hand_count", np.int64, (rules.players,)),
            ("fireworks", np.uint8, (rules.suits,)),
            ("discarded", np.uint16, (rules.suits,)),
            ("information_tokens", np.int64),
            ("deck_count", np.int64),
            ("counts", np.int64, (rules.suits * rules.ranks,)),  # scratch: copies of each card
        ]
    )


# --- Common knowledge -------------------------------------------------------------------------------------------------


@rule
def begin(rules, memory, view, player, style):
    """Begin with nothing known about any card."""
    memory.style = style
    memory.player = player
    note_state(rules, memory, view)


@rule
def observe(rules, memory, view, event):
    """Read the step with the state before it, then keep the state after it."""
    if event.kind == EVENT_HINT_COLOR or event.kind == EVENT_HINT_RANK:
        read_hint(rules, memory, view, event)
    elif event.kind == EVENT_PLAY or event.kind == EVENT_DISCARD:
        read_silence(rules, memory, event.player)
        if event.kind == EVENT_DISCARD:
            read_finesse(rules, memory, view, event)
        remove_card(rules, memory, np.int64(event.player), np.int64(event.slot))
    note_state(rules, memory, view)
    rule_out(rules, memory, view)


@subroutine
def note_state(rules, memory, view):
    """Keep the state with which the next step will be read, and add new cards, which may be anything."""
    for suit in range(rules.suits):
        memory.fireworks[suit] = view.fireworks[suit]
        memory.discarded[suit] = view.discarded[suit]
    memory.information_tokens = view.information_tokens
    memory.deck_count = view.deck_count
    for player in range(rules.players):
        for slot in range(memory.hand_count[player], hand_count(view, player)):
            memory.possible[player, slot] = all_cards(rules)
        memory.hand_count[player] = view.hand_count[player]


@rule
def restrict(memory, view, player, slot, cards):
    """Restrict a card to ``cards``. If conventions contradict each other, use the literal meaning of hints alone."""
    left = memory.possible[player, slot] & cards
    memory.possible[player, slot] = left if left != ZERO else np.uint64(view.plausible[player, slot])


@rule
def rule_out(rules, memory, view):
    """Rule out cards whose copies are all played, discarded or known in hands, until nothing more follows."""
    known_before = -1
    known = count_known(rules, memory)
    while known != known_before:
        gone = ZERO
        for card in range(rules.suits * rules.ranks):
            if copies_to_come(rules, memory, card) <= memory.counts[card]:
                gone |= bit(card)
        for player in range(rules.players):
            for slot in range(memory.hand_count[player]):
                if popcount(memory.possible[player, slot]) != 1:
                    restrict(memory, view, player, slot, ~gone)
        known_before = known
        known = count_known(rules, memory)


@rule
def count_known(rules, memory):
    """Count the copies of each card commonly known to be in hands, in ``memory.counts``, and return their sum."""
    for card in range(rules.suits * rules.ranks):
        memory.counts[card] = 0
    known = 0
    for player in range(rules.players):
        for slot in range(memory.hand_count[player]):
            if popcount(memory.possible[player, slot]) == 1:
                memory.counts[nth_set_bit(memory.possible[player, slot], 0)] += 1
                known += 1
    return known


# --- Reading a step ---------------------------------------------------------------------------------------------------


@rule
def is_sure(possible, cards):
    """Whether the card is certainly one of ``cards``."""
    return possible & ~cards == ZERO


@rule
def is_maybe(possible, cards):
    """Whether the card may or may not be one of ``cards``."""
    return possible & cards != ZERO and possible & ~cards != ZERO


@subroutine
def next_discard(rules, memory, player):
    """Return the slot that ``player`` would discard next; -1 with a known playable or dead card, or none to spare.

    It is the card most likely to be dead, the oldest of equals, among those that are not certainly the last of their
    kind.
    """
    playable = playable_set(rules, memory)
    needed = needed_set(rules, memory)
    critical = critical_set(rules, memory, needed)
    best, best_dead, best_all = -1, -1, 1
    for slot in range(memory.hand_count[player]):
        possible = memory.possible[player, slot]
        if is_sure(possible, playable) or is_sure(possible, ~needed):
            return -1
        if is_sure(possible, critical):
            continue
        dead = popcount(possible & ~needed)
        total = popcount(possible)
        if dead * best_all > best_dead * total:
            best, best_dead, best_all = slot, dead, total
    return best


@subroutine
def read_silence(rules, memory, player):
    """Read that ``player`` could have warned the next player and did not (3)."""
    if memory.deck_count == 0 or memory.information_tokens == 0:
        return
    target = player_at(rules, player, 1)
    slot = next_discard(rules, memory, target)
    if slot >= 0:
        narrow(memory.possible, target, slot, ~critical_set(rules, memory, needed_set(rules, memory)))


@subroutine
def could_be_warning(rules, memory, player, slot, meant):
    """Whether the next discard, if one of ``meant``, may be the last of its kind, which was open so far (2)."""
    possible = memory.possible[player, slot]
    critical = critical_set(rules, memory, needed_set(rules, memory))
    return is_maybe(possible, critical) and possible & meant & critical != ZERO


@rule
def is_filler(rules, memory, event):
    """Whether the hint has its literal meaning only (5)."""
    return (
        event.kind == EVENT_HINT_RANK
        and memory.information_tokens == rules.max_information_tokens
        and event.player == player_at(rules, event.target, 1)
        and has_bit(event.touched, 0) != ZERO
    )


@rule
def read_hint(rules, memory, view, event):
    """Apply what a hint says by convention, besides its literal meaning (1, 2)."""
    is_rank = event.kind == EVENT_HINT_RANK
    meant = touched_by_rank(rules, event.value) if is_rank else touched_by_color(rules, event.value)
    target = np.int64(event.target)
    filler = is_filler(rules, memory, event)
    is_next = target == player_at(rules, event.player, 1)
    warns = False
    if is_rank and is_next and not filler:
        slot = next_discard(rules, memory, target)
        touches = slot >= 0 and has_bit(event.touched, slot) != ZERO
        warns = touches and could_be_warning(rules, memory, target, slot, meant)
        if warns:
            restrict(memory, view, target, slot, critical_set(rules, memory, needed_set(rules, memory)))
    clue = apply_meaning(rules, memory, view, target, event.touched, meant)
    if clue >= 0 and not warns and not filler:
        restrict(memory, view, target, clue, playable_set(rules, memory))
    if not is_next:
        read_silence(rules, memory, event.player)


@rule
def apply_meaning(rules, memory, view, target, touched, meant):
    """Apply the literal meaning of a hint, and return the slot that is playable under 1, or -1."""
    playable = playable_set(rules, memory)
    clue, shown = -1, False
    for k in range(memory.hand_count[target]):
        slot = memory.hand_count[target] - 1 - k
        is_touched = has_bit(touched, slot) != ZERO
        was_maybe = is_maybe(memory.possible[target, slot], playable)
        restrict(memory, view, target, slot, meant if is_touched else ~meant)
        if was_maybe and is_sure(memory.possible[target, slot], playable):
            shown = True
        elif was_maybe and is_touched and clue < 0 and is_maybe(memory.possible[target, slot], playable):
            clue = slot
    return -1 if shown else clue


@rule
def read_finesse(rules, memory, view, event):
    """Read the discard of a commonly known playable card (4): it is another hand's newest card, else this seat's."""
    playable = playable_set(rules, memory)
    possible = memory.possible[event.player, event.slot]
    if popcount(possible) != 1 or not is_sure(possible, playable):
        return
    holder = memory.player
    for offset in range(1, rules.players):
        other = player_at(rules, event.player, offset)
        if other != memory.player and newest_card(memory, view, other) == event.card:
            holder = other
            break
    if holder != event.player and memory.hand_count[holder] > 0:
        memory.possible[holder, memory.hand_count[holder] - 1] = bit(event.card)


@rule
def newest_card(memory, view, player):
    """Return the newest card of a hand, or -1 if it is empty."""
    count = memory.hand_count[player]
    return np.int64(view.hands[player, count - 1]) if count > 0 else -1
