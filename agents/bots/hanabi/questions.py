"""``questions``: hat guessing where a hat is the answer to questions about the hand. The strongest bot of this package.

In the line of Cox et al.'s information strategy, WuTheFWasThat/hanabi.rs (questions with mixed radices, discards and
silence as messages) and giove91/hanabi's deltahanabi (hands are looked at with the fireworks of their player's turn in
mind, the end is searched). The convention, for any number of players:

1. *Hints.* A hint says the sum of the hats of all others, modulo the number of messages (`agents.bots.hanabi.messages`). Of
   the hints that say the same, the one is given whose words tell most.
2. *A hat* is the answer to as many questions as have room in one number: the first answer is its lowest digit, and so
   on. A question is chosen by what everybody would know after the answers before it. "Playable" means: on the fireworks
   as everybody expects them at that player's turn, when those before have played their lowest known playable card.

   a. "Which is the first of these that is so?", of the cards that may be playable (if the hand knows no playable one),
      then of those that may be dead (if it knows no dead one); the least likely come first, because all that come
      before the answer are not so, and if there is no room for all the least likely are left out.
   b. "Is this one playable?", of the card whose chance is nearest to 0.7, if one is within 0.2 of it.
   c. "Which part of its cards is it of?", of the card that is least likely dead: dead ones are one part, and the others
      are dealt out to as many parts as there is room for.

3. *Discards.* If everybody knows of several useless cards in a hand (dead, or there twice), which of them its player
   discards says the sum of the hats modulo their number.
4. *Silence,* with two or three players. A discard although there was a token says: who does not know a playable card
   has none. A play or a discard although there was a token says: what the next player is expected to discard (if it
   knows no playable or useless card; the slot that costs least, rule 5) is not the last copy of a needed card. So it is
   the first thing to give a hint where that would be false. Where the hint that is due has no words (a message that is
   missing rarely), its giver plays the likeliest card instead.
5. *To move:* play a card that is surely playable, the lowest first, later if others hold it too. Hint if there is a
   token and somebody has a playable card without knowing any. Discard a useless card. Hint if the best discard is
   expected to cost more than 0.04 points (five players: 0.02, which saves cards seen twice), or if there are seven
   tokens. Else discard what costs least. Two players hint before they discard a useless card, too, if fewer cards are
   in the deck than are to be played and the other one has a playable card, or there are four tokens; and never because
   of what a discard costs.
6. *At the end* of the deck the move is searched: `agents.bots.hanabi.endgame`.
"""

import numpy as np

from hanabako.compiler.jit import rule, subroutine
from hanabako.engine.bits import ZERO, bit, has_bit, low_bits, nth_set_bit, popcount
from hanabi_env.engine.actions import first_play
from hanabi_env.engine.cards import hand_set, rank_of
from hanabi_env.engine.state import EVENT_DISCARD, EVENT_PLAY

from ..bot import Bot
from .asking import sum_of_hats
from .endgame import DEPTH, FRAME, WORLD, WORLDS, most_to_hope_for, points_after, sample_worlds
from .hats import (
    begin_public,
    is_hint,
    is_known,
    keep_draft,
    learn_event,
    look_at_hands,
    memory_dtype,
    restore_public,
    save_public,
    slots_within,
    weight,
)
from .knowledge import (
    any_action,
    any_hint,
    choose_for_tile,
    hands_of_others,
    is_allowed,
    is_choice_pending,
    play_action,
)
from .messages import hint_for_message, make_alphabets, message_of, suits_of
from .silence import (
    can_warn,
    cheapest_slot,
    hear_no_warning,
    hear_silence,
    is_silence_heard,
    knows_play,
    last_cards,
    last_copies,
    next_discard,
    useless_slots,
)

MISSING = 0.03  # messages that are missing as rarely as this are counted on
SPARE_TOKENS = 6
SPARE_TOKENS_OF_TWO = 3
CHEAP = 0.4  # tenths of points that a discard may cost before a hint is the better move
CHEAP_OF_FIVE = 0.2


@rule
def begin(rules, memory, view, player, style):
    """Nothing is known."""
    begin_public(rules, memory, view, player, style)
    memory.rarely = MISSING


@rule
def observe(rules, memory, view, event):
    """What everybody knows after a step."""
    m = memory
    giver = np.int64(event.player)
    if is_hint(event):
        messages = make_alphabets(rules, m, giver)
        sum_of_hats(rules, m, view, giver, messages, message_of(rules, m, event))
        keep_draft(rules, m)
    elif event.kind == EVENT_PLAY:
        hear_no_warning(rules, m, giver)
    elif event.kind == EVENT_DISCARD:
        hear_discard(rules, m, view, giver, np.int64(event.slot))
    learn_event(rules, m, view, event)


@rule
def hear_discard(rules, m, view, giver, slot):
    """Which of several useless cards is discarded says a number; that no hint was given says something too."""
    hear_no_warning(rules, m, giver)
    hear_silence(rules, m, giver)
    useless = useless_slots(m, m.possible[giver], m.count[giver])
    number = popcount(useless)
    if number > 1 and has_bit(useless, slot) != ZERO:
        sum_of_hats(rules, m, view, giver, number, popcount(useless & low_bits(slot)))
        keep_draft(rules, m)


# --- Decisions --------------------------------------------------------------------------------------------------------


@rule
def act(rules, memory, view, mask, chance):
    """The action of the player to move."""
    m = memory
    if is_choice_pending(rules, view):
        return choose_for_tile(rules, view, mask)
    look_at_hands(rules, m, view)
    if not is_allowed(mask, first_play(rules)):  # a tile's free hint, or no card in hand
        action = best_hint(rules, m, view, mask)
        return action if action >= 0 else any_action(rules, mask)
    action = -1
    if view.deck_count <= last_cards(rules):
        action = move_at_the_end(rules, m, view, mask, chance)
    return action if action >= 0 else move(rules, m, view, mask)


@subroutine
def move(rules, m, view, mask):
    """Rule 5."""
    if can_warn(rules, m) and is_next_in_danger(rules, m, view):
        action = best_hint(rules, m, view, mask)
        if action >= 0:
            return action
    slot = slot_to_play(rules, m, view)
    if slot >= 0:
        return play_of(rules, m, slot)
    if should_hint(rules, m, view, mask):
        action = best_hint(rules, m, view, mask)
        if action >= 0:
            return action
        if is_silence_heard(rules) and somebody_waits(rules, m, view, True) and view.life_tokens > 1:
            return first_play(rules) + likeliest_slot(m)
    if is_allowed(mask, 0):
        return slot_to_discard(rules, m, view)
    action = any_hint(rules, mask)
    return first_play(rules) + likeliest_slot(m) if view.life_tokens > 1 or action < 0 else action


@rule
def is_next_in_danger(rules, m, view):
    """The next player's discard would be the last copy of a card."""
    p = (m.player + 1) % rules.players
    slot = next_discard(rules, m, p)
    return slot >= 0 and has_bit(last_copies(m), view.hands[p, slot]) != ZERO


@rule
def should_hint(rules, m, view, mask):
    """There is a token, and nothing better to do."""
    if any_hint(rules, mask) < 0:
        return False
    if not is_allowed(mask, 0) or somebody_waits(rules, m, view, True):
        return True
    has_useless = useless_slots(m, m.mine, m.count[m.player]) != ZERO
    if rules.players > 2:
        seen = hands_of_others(rules, view, m.player)
        cost = cheapest_slot(rules, m, m.mine, m.count[m.player], m.unseen, seen)[1]
        cheap = CHEAP if rules.players < 5 else CHEAP_OF_FIVE
        return not has_useless and (cost > cheap or m.tokens > SPARE_TOKENS)
    if has_useless and np.int64(view.deck_count) >= popcount(m.needed):
        return False
    return somebody_waits(rules, m, view, False) or m.tokens > SPARE_TOKENS_OF_TWO


@rule
def somebody_waits(rules, m, view, without_knowing):
    """Somebody else has a playable card, if so wished without knowing any."""
    for p in range(rules.players):
        is_free = p != m.player and not (without_knowing and knows_play(m, p))
        if is_free and hand_set(rules, view, p) & m.playable != ZERO:
            return True
    return False


@rule
def best_hint(rules, m, view, mask):
    """The hint that says the sum of the hats, or -1."""
    messages = make_alphabets(rules, m, m.player)
    return hint_for_message(rules, m, view, mask, sum_of_hats(rules, m, view, m.player, messages, 0))


@rule
def play_of(rules, m, slot):
    """Play a card. V6: announce its suit where it is known."""
    suits = suits_of(rules, m.mine[slot])
    return play_action(rules, slot, nth_set_bit(m.mine[slot], 0) if is_known(suits) else -1)


@subroutine
def slot_to_play(rules, m, view):
    """The slot of the surely playable card that is worth most, or -1."""
    best = -1
    most = -1.0
    slots = slots_within(m, m.playable)
    for slot in range(m.count[m.player]):
        if has_bit(slots, slot) != ZERO:
            worth = 0.0
            for k in range(popcount(m.mine[slot])):
                card = nth_set_bit(m.mine[slot], k)
                worth += worth_of_play(rules, m, view, card) * weight(m.unseen, bit(card))
            worth /= max(1, weight(m.unseen, m.mine[slot]))
            if worth > most:
                most = worth
                best = slot
    return best


@rule
def worth_of_play(rules, m, view, card):
    """Low cards are worth more, and those that nobody else could play."""
    holders = 1
    for p in range(rules.players):
        if p != m.player:
            holders += np.int64(has_bit(hand_set(rules, view, p), card))
    return (2 * rules.ranks - rank_of(rules, card)) / holders


@rule
def likeliest_slot(m):
    """The slot whose card is most likely playable."""
    best = 0
    most = -1.0
    for slot in range(m.count[m.player]):
        chance = weight(m.unseen, m.mine[slot] & m.playable) / max(1, weight(m.unseen, m.mine[slot]))
        if chance > most:
            most = chance
            best = slot
    return best


@subroutine
def slot_to_discard(rules, m, view):
    """The slot to discard: one that says a number, one that is useless, or the one that costs least."""
    useless = useless_slots(m, m.possible[m.player], m.count[m.player])
    number = popcount(useless)
    if number > 1:
        save_public(rules, m)
        hear_no_warning(rules, m, m.player)
        hear_silence(rules, m, m.player)
        said = sum_of_hats(rules, m, view, m.player, number, 0)
        restore_public(rules, m)
        return nth_set_bit(useless, said)
    useless = useless_slots(m, m.mine, m.count[m.player])
    if useless != ZERO:
        return nth_set_bit(useless, 0)
    seen = hands_of_others(rules, view, m.player)
    return cheapest_slot(rules, m, m.mine, m.count[m.player], m.unseen, seen)[0]


# --- The last cards of the deck ---------------------------------------------------------------------------------------


@subroutine
def move_at_the_end(rules, m, view, mask, chance):
    """The move after which most points can be made; among equals a sure play, then a hint, then a discard; or -1."""
    worlds = np.zeros((WORLDS, WORLD), np.int64)  # a bot may allocate where a search costs far more
    frames = np.zeros((DEPTH, FRAME), np.uint64)
    count = sample_worlds(rules, m, view, chance, worlds)
    hope = most_to_hope_for(rules, m, view, worlds, count, frames)
    best = -1
    most = -1.0
    favorite = slot_to_play(rules, m, view)
    for k in range(-1, m.count[m.player]):
        slot = favorite if k < 0 else k
        if slot >= 0 and slot != (favorite if k >= 0 else -1) and most < hope and may_play(rules, m, view, slot):
            is_sure = m.mine[slot] & ~m.playable == ZERO
            points = points_after(rules, m, view, worlds, count, frames, slot, True) - (0.0 if is_sure else 0.1 * count)
            if points > most:
                most = points
                best = play_of(rules, m, slot)
    if m.tokens > 0 and most + 0.01 * count < hope:
        points = points_after(rules, m, view, worlds, count, frames, -1, False) - 0.01 * count
        action = best_hint(rules, m, view, mask) if points > most else -1
        if action >= 0:
            most = points
            best = action
    if is_allowed(mask, 0) and most + 0.03 * count < hope:
        slot = slot_to_discard(rules, m, view)
        if points_after(rules, m, view, worlds, count, frames, slot, False) - 0.03 * count > most:
            best = slot
    return best


@rule
def may_play(rules, m, view, slot):
    """The card is surely playable, or may be and is worth a life: on an empty deck, or where much is known."""
    if m.mine[slot] & ~m.playable == ZERO:
        return True
    is_worth_a_life = view.life_tokens > 1 and (view.deck_count == 0 or rules.players > 3)
    return is_worth_a_life and m.mine[slot] & m.playable != ZERO


QUESTIONS = Bot(
    "questions",
    memory_dtype,
    begin,
    observe,
    act,
)
