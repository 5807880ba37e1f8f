"""``questions``: hat guessing in which a hat answers questions about the hand. The strongest bot of this package.

It follows Cox et al.'s information strategy, WuTheFWasThat/hanabi.rs (questions in mixed radix, discards and silence as
messages) and giove91/hanabi's deltahanabi (a hand is judged by the fireworks at its player's turn, and the end of the
game is searched). The convention, for any number of players:

1. *Hints.* A hint announces the sum of the hats of all other players, modulo the number of messages (see
   `messages.py`). Among hints with the same message, the one with the most informative literal meaning is given.
2. *A hat* holds the answers to as many questions as fit into one number: the first answer is its lowest digit, and so
   on. Each question depends on the common knowledge after the answers before it. "Playable" refers to the fireworks
   expected at that player's turn, after the players before have played their lowest known playable card.

   a. "Which is the first of these that is ...?" The list has the cards that may be playable (if the hand has no known
      playable card), then those that may be dead (if it has no known dead card). The least likely ones come first, as
      the answer excludes all cards before it; if there are too few messages, the least likely ones are left out.
   b. "Is this card playable?", about the card whose probability is closest to 0.7, if one is within 0.2 of it.
   c. "Which part of its possible cards is it in?", about the card that is least likely to be dead. The dead cards are
      one part, and the others are divided into as many parts as possible.

3. *Discards.* If a hand has several useless cards by common knowledge (dead, or held twice), the choice among them
   announces the sum of the hats modulo their number.
4. *Silence,* with two or three players. A discard although there was a token says that players without a known playable
   card have no playable card. A play or discard although there was a token says that the next player's expected discard
   is not the last copy of a needed card. (It is the card with the least cost, see rule 5, if that player has no known
   playable or useless card.) If this would be false, a hint has priority over everything else. In the rare case that no
   hint carries the message, the player plays the most likely card instead.
5. *Moves.* Play a certainly playable card, the lowest first, and later if others hold it too. Give a hint if there is a
   token and another player has a playable card but knows of none. Discard a useless card. Give a hint if the best
   discard has an expected cost above 0.04 points (five players: 0.02, which saves cards seen twice), or if there are
   seven tokens. Otherwise discard the card that costs least. With two players the cost of a discard is no reason for a
   hint; a playable card in the other hand is one, or four tokens, even before the discard of a useless card if the
   deck has fewer cards than are still needed.
6. *At the end* of the deck the move is searched: see `endgame.py`.
"""

import numpy as np

from hanabako.compiler.jit import rule, subroutine
from hanabako.engine.bits import ZERO, bit, has_bit, low_bits, nth_set_bit, popcount
from hanabi_env.engine.actions import first_play
from hanabi_env.engine.cards import hand_set, others_set, rank_of
from hanabi_env.engine.state import EVENT_DISCARD, EVENT_PLAY

from ..bot import Bot
from .asking import sum_of_hats
from .endgame import DECK, DEPTH, FRAME, WORLD, WORLDS, most_points_of_all, points_after, sample_worlds
from .hats import (
    begin_public,
    copies_in,
    copy_hands,
    deduce_own_hand,
    is_hint,
    learn_event,
    memory_dtype,
    probability_of,
    slots_within,
)
from .knowledge import any_action, any_hint, choose_for_tile, is_allowed, is_choice_pending, known_suit, play_action
from .messages import hint_for_message, make_alphabets, message_of
from .silence import (
    can_warn,
    cheapest_slot,
    is_silence_read,
    knows_play,
    last_cards,
    last_copies,
    next_discard,
    read_no_warning,
    read_silence,
    useless_slots,
)

TOLERANCE = 0.03  # messages are used if the probability that no hint carries them is at most this
SPARE_TOKENS = 6
SPARE_TOKENS_OF_TWO = 3
CHEAP = 0.4  # tenths of a point: a hint is better than a discard that costs more
CHEAP_OF_FIVE = 0.2


@rule
def begin(rules, memory, view, player, style):
    """Begin with the deck list as the only knowledge."""
    begin_public(rules, memory, view, player, style)
    memory.tolerance = TOLERANCE


@rule
def observe(rules, memory, view, event):
    """Update the common knowledge after a step."""
    giver = np.int64(event.player)
    if is_hint(event):
        messages = make_alphabets(rules, memory, giver)
        sum_of_hats(rules, memory, view, giver, messages, message_of(memory, event))
        copy_hands(rules, memory.draft, memory.possible)
    elif event.kind == EVENT_PLAY:
        read_no_warning(rules, memory, giver)
    elif event.kind == EVENT_DISCARD:
        read_discard(rules, memory, view, giver, np.int64(event.slot))
    learn_event(rules, memory, view, event)


@rule
def read_discard(rules, memory, view, giver, slot):
    """Read a discard: the choice among several useless cards announces a number, and silence is information too."""
    read_no_warning(rules, memory, giver)
    read_silence(rules, memory, giver)
    useless = useless_slots(memory, memory.possible[giver], memory.hand_count[giver])
    number = popcount(useless)
    if number > 1 and has_bit(useless, slot) != ZERO:
        sum_of_hats(rules, memory, view, giver, number, popcount(useless & low_bits(slot)))
        copy_hands(rules, memory.draft, memory.possible)


# --- Decisions --------------------------------------------------------------------------------------------------------


@rule
def act(rules, memory, view, mask, key):
    """Return the action of the player to move."""
    if is_choice_pending(rules, view):
        return choose_for_tile(rules, view, mask)
    deduce_own_hand(rules, memory, view)
    if not is_allowed(mask, first_play(rules)):  # a tile's free hint, or no card in hand
        action = best_hint(rules, memory, view, mask)
        return action if action >= 0 else any_action(rules, mask)
    action = -1
    if view.deck_count <= last_cards(rules) and rules.hand_size <= DECK:
        action = move_at_the_end(rules, memory, view, mask, key)
    return action if action >= 0 else move(rules, memory, view, mask)


@subroutine
def move(rules, memory, view, mask):
    """Return the action by rules 4 and 5."""
    if can_warn(rules, memory) and is_next_in_danger(rules, memory, view):
        action = best_hint(rules, memory, view, mask)
        if action >= 0:
            return action
    slot = slot_to_play(rules, memory, view)
    if slot >= 0:
        return play_action(rules, slot, known_suit(rules, memory.mine[slot]))
    if should_hint(rules, memory, view, mask):
        action = best_hint(rules, memory, view, mask)
        if action >= 0:
            return action
        if is_silence_read(rules) and somebody_waits(rules, memory, view, True) and view.life_tokens > 1:
            return first_play(rules) + likeliest_slot(memory)
    if is_allowed(mask, 0):
        return slot_to_discard(rules, memory, view)
    action = any_hint(rules, mask)
    return first_play(rules) + likeliest_slot(memory) if view.life_tokens > 1 or action < 0 else action


@rule
def is_next_in_danger(rules, memory, view):
    """Whether the next player's expected discard is the last copy of a card."""
    player = (memory.player + 1) % rules.players
    slot = next_discard(rules, memory, player)
    return slot >= 0 and has_bit(last_copies(memory), view.hands[player, slot]) != ZERO


@rule
def should_hint(rules, memory, view, mask):
    """Whether a hint is legal and no other action is better."""
    if any_hint(rules, mask) < 0:
        return False
    if not is_allowed(mask, 0) or somebody_waits(rules, memory, view, True):
        return True
    hand_count = memory.hand_count[memory.player]
    has_useless = useless_slots(memory, memory.mine, hand_count) != ZERO
    if rules.players > 2:
        cost = cheapest_slot(rules, memory, memory.mine, hand_count, memory.unseen, others_set(rules, view))[1]
        cheap = CHEAP if rules.players < 5 else CHEAP_OF_FIVE
        return not has_useless and (cost > cheap or memory.information_tokens > SPARE_TOKENS)
    if has_useless and np.int64(view.deck_count) >= popcount(memory.needed):
        return False
    return somebody_waits(rules, memory, view, False) or memory.information_tokens > SPARE_TOKENS_OF_TWO


@rule
def somebody_waits(rules, memory, view, without_knowing):
    """Whether another player has a playable card; ``without_knowing``: in a hand without a known playable card."""
    for player in range(rules.players):
        is_free = player != memory.player and not (without_knowing and knows_play(memory, player))
        if is_free and hand_set(rules, view, player) & memory.playable != ZERO:
            return True
    return False


@rule
def best_hint(rules, memory, view, mask):
    """Return the hint that announces the sum of the hats, or -1."""
    messages = make_alphabets(rules, memory, memory.player)
    return hint_for_message(rules, memory, view, sum_of_hats(rules, memory, view, memory.player, messages, 0), mask)


@subroutine
def slot_to_play(rules, memory, view):
    """Return the slot of the best certainly playable card, or -1."""
    best, most = -1, -1.0
    slots = slots_within(memory, memory.playable)
    for slot in range(memory.hand_count[memory.player]):
        if has_bit(slots, slot) != ZERO:
            value = 0.0
            for k in range(popcount(memory.mine[slot])):
                card = nth_set_bit(memory.mine[slot], k)
                value += value_of_play(rules, memory, view, card) * copies_in(memory.unseen, bit(card))
            value /= max(1, copies_in(memory.unseen, memory.mine[slot]))
            if value > most:
                best, most = slot, value
    return best


@rule
def value_of_play(rules, memory, view, card):
    """Return the value of playing a card, higher for low cards and for cards that no one else holds."""
    holders = 1
    for player in range(rules.players):
        if player != memory.player:
            holders += np.int64(has_bit(hand_set(rules, view, player), card))
    return (2 * rules.ranks - rank_of(rules, card)) / holders


@rule
def likeliest_slot(memory):
    """Return the slot whose card is most likely to be playable."""
    best, most = 0, -1.0
    for slot in range(memory.hand_count[memory.player]):
        probability = probability_of(memory.unseen, memory.mine[slot], memory.playable)
        if probability > most:
            best, most = slot, probability
    return best


@subroutine
def slot_to_discard(rules, memory, view):
    """Return the slot to discard: a useless one that announces a number, any useless one, or the one of least cost."""
    useless = useless_slots(memory, memory.possible[memory.player], memory.hand_count[memory.player])
    number = popcount(useless)
    if number > 1:
        copy_hands(rules, memory.possible, memory.saved)
        read_no_warning(rules, memory, memory.player)
        read_silence(rules, memory, memory.player)
        said = sum_of_hats(rules, memory, view, memory.player, number, 0)
        copy_hands(rules, memory.saved, memory.possible)
        return nth_set_bit(useless, said)
    useless = useless_slots(memory, memory.mine, memory.hand_count[memory.player])
    if useless != ZERO:
        return nth_set_bit(useless, 0)
    hand_count = memory.hand_count[memory.player]
    return cheapest_slot(rules, memory, memory.mine, hand_count, memory.unseen, others_set(rules, view))[0]


# --- The last cards of the deck ---------------------------------------------------------------------------------------


@subroutine
def move_at_the_end(rules, memory, view, mask, key):
    """Return the action that allows the most points, or -1; ties: a certain play, then a hint, then a discard."""
    worlds = np.zeros((WORLDS, WORLD), np.int64)  # bots may allocate where a search costs far more
    frames = np.zeros(DEPTH, FRAME)
    count = sample_worlds(memory, view, key, worlds)
    bound = most_points_of_all(rules, memory, view, worlds, count, frames)
    best, most, favorite = -1, -1.0, slot_to_play(rules, memory, view)
    for k in range(-1, memory.hand_count[memory.player]):
        slot = favorite if k < 0 else k
        if slot >= 0 and slot != (favorite if k >= 0 else -1) and most < bound and may_play(rules, memory, view, slot):
            risk = 0.0 if memory.mine[slot] & ~memory.playable == ZERO else 0.1 * count
            points = points_after(rules, memory, view, slot, True, worlds, count, frames) - risk
            if points > most:
                best, most = play_action(rules, slot, known_suit(rules, memory.mine[slot])), points
    if memory.information_tokens > 0 and most + 0.01 * count < bound:
        points = points_after(rules, memory, view, -1, False, worlds, count, frames) - 0.01 * count
        action = best_hint(rules, memory, view, mask) if points > most else -1
        if action >= 0:
            best, most = action, points
    if is_allowed(mask, 0) and most + 0.03 * count < bound:
        slot = slot_to_discard(rules, memory, view)
        if points_after(rules, memory, view, slot, False, worlds, count, frames) - 0.03 * count > most:
            best = slot
    return best


@rule
def may_play(rules, memory, view, slot):
    """Whether a card may be played in the search: it is playable, or possibly playable and worth risking a life."""
    if memory.mine[slot] & ~memory.playable == ZERO:
        return True
    is_worth_a_life = view.life_tokens > 1 and (view.deck_count == 0 or rules.players > 3)
    return is_worth_a_life and memory.mine[slot] & memory.playable != ZERO


QUESTIONS = Bot(name="questions", memory_dtype=memory_dtype, begin=begin, observe=observe, act=act)
