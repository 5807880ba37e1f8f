"""The common knowledge under the conventions of ``smart``, which docstrings cite by their numbers in `smart.py`.

Every seat also keeps the public state before the last step, with which that step is read.
"""

import numpy as np

from hanabako.compiler.jit import rule, subroutine
from hanabako.engine.bits import ZERO, bit, has_bit, nth_set_bit, popcount
from hanabi_env.engine.cards import all_cards, playable_set, player_at, touched_by_color, touched_by_rank
from hanabi_env.engine.state import EVENT_DISCARD, EVENT_HINT_COLOR, EVENT_HINT_RANK, EVENT_PLAY

from .hats import narrow, remove_card
from .knowledge import card_at, count_to_come, hand_count, used_up


def memory_dtype(rules):
    """Return the dtype of a seat's memory. Fields of the game's state have their values before the last step."""
    return np.dtype(
        [
            ("style", np.int64),
            ("player", np.int64),
            ("possible", np.uint64, (rules.players, rules.hand_size)),  # sets of cards, by common knowledge
            ("hand_count", np.int64, (rules.players,)),
            ("playable", np.uint64),
            ("needed", np.uint64),
            ("critical", np.uint64),
            ("information_tokens", np.int64),
            ("deck_count", np.int64),
            ("copies", np.int64, (rules.suits * rules.ranks,)),  # of each card, neither discarded nor played
            ("counts", np.int64, (rules.suits * rules.ranks,)),  # scratch: copies of each card
        ]
    )


# --- Common knowledge -------------------------------------------------------------------------------------------------


@rule
def begin(rules, memory, view, player, style):
    """Begin with nothing known about any card."""
    memory.style = style
    memory.player = player
    note_cards(rules, memory, view)
    note_state(rules, memory, view)


@rule
def observe(rules, memory, view, event):
    """Read the step with the state before it, then keep the state after it."""
    if event.kind == EVENT_HINT_COLOR or event.kind == EVENT_HINT_RANK:
        read_hint(rules, memory, view, event)
    else:
        if event.kind == EVENT_PLAY or event.kind == EVENT_DISCARD:
            read_silence(rules, memory, event.player)
            if event.kind == EVENT_DISCARD:
                read_finesse(rules, memory, view, event)
            remove_card(rules, memory, np.int64(event.player), np.int64(event.slot))
        note_cards(rules, memory, view)
    note_state(rules, memory, view)
    rule_out(rules, memory, view)


@subroutine
def note_cards(rules, memory, view):
    """Keep what the fireworks and the discards say about each card."""
    count_to_come(rules, view, memory.copies)
    memory.playable = playable_set(rules, view)
    memory.needed = memory.critical = ZERO
    for suit in range(rules.suits):
        for place in range(np.int64(view.fireworks[suit]), rules.ranks):
            card = card_at(rules, suit, place)
            if memory.copies[card] == 0:
                break
            memory.needed |= bit(card)
            memory.critical |= bit(card) if memory.copies[card] == 1 else ZERO


@subroutine
def note_state(rules, memory, view):
    """Keep the state with which the next step will be read, and add new cards, which may be anything."""
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
    is_new = True
    while is_new:
        is_new = False
        gone = gone_by_common_knowledge(rules, memory)
        for player in range(rules.players):
            for slot in range(memory.hand_count[player]):
                if popcount(memory.possible[player, slot]) != 1:
                    restrict(memory, view, player, slot, ~gone)
                    is_new = is_new or popcount(memory.possible[player, slot]) == 1


@rule
def gone_by_common_knowledge(rules, memory):
    """Return the cards of which all copies are played, discarded or commonly known to be in hands."""
    for card in range(rules.suits * rules.ranks):
        memory.counts[card] = memory.copies[card]
    for player in range(rules.players):
        for slot in range(memory.hand_count[player]):
            if popcount(memory.possible[player, slot]) == 1:
                memory.counts[nth_set_bit(memory.possible[player, slot], 0)] -= 1
    return used_up(rules, memory.counts)


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
def next_discard(memory, player):
    """Return the slot that ``player`` would discard next; -1 with a known playable or dead card, or none to spare.

    It is the card most likely to be dead, the oldest of equals, among those that are not certainly the last of their
    kind.
    """
    best, best_dead, best_all = -1, -1, 1
    for slot in range(memory.hand_count[player]):
        possible = memory.possible[player, slot]
        if is_sure(possible, memory.playable) or is_sure(possible, ~memory.needed):
            return -1
        if is_sure(possible, memory.critical):
            continue
        dead = popcount(possible & ~memory.needed)
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
    slot = next_discard(memory, target)
    if slot >= 0:
        narrow(memory.possible, target, slot, ~memory.critical)


@subroutine
def could_be_warning(memory, player, slot, meant):
    """Whether the next discard, if one of ``meant``, may be the last of its kind, which was open so far (2)."""
    possible = memory.possible[player, slot]
    return is_maybe(possible, memory.critical) and possible & meant & memory.critical != ZERO


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
        slot = next_discard(memory, target)
        touches = slot >= 0 and has_bit(event.touched, slot) != ZERO
        warns = touches and could_be_warning(memory, target, slot, meant)
        if warns:
            restrict(memory, view, target, slot, memory.critical)
    clue = apply_meaning(memory, view, target, event.touched, meant)
    if clue >= 0 and not warns and not filler:
        restrict(memory, view, target, clue, memory.playable)
    if not is_next:
        read_silence(rules, memory, event.player)


@rule
def apply_meaning(memory, view, target, touched, meant):
    """Apply the literal meaning of a hint, and return the slot that is playable under 1, or -1."""
    clue, shown = -1, False
    for k in range(memory.hand_count[target]):
        slot = memory.hand_count[target] - 1 - k
        is_touched = has_bit(touched, slot) != ZERO
        was_maybe = is_maybe(memory.possible[target, slot], memory.playable)
        restrict(memory, view, target, slot, meant if is_touched else ~meant)
        if was_maybe and is_sure(memory.possible[target, slot], memory.playable):
            shown = True
        elif was_maybe and is_touched and clue < 0 and is_maybe(memory.possible[target, slot], memory.playable):
            clue = slot
    return -1 if shown else clue


@rule
def read_finesse(rules, memory, view, event):
    """Read the discard of a commonly known playable card (4): it is another hand's newest card, else this seat's."""
    possible = memory.possible[event.player, event.slot]
    if popcount(possible) != 1 or not is_sure(possible, memory.playable):
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
