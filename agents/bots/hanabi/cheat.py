"""``cheat``: a team that looks at its own cards. Its score is a goal for honest bots, but not an upper bound.

The convention:

1. Play a playable card: preferably one that lets others play (the sooner the better), then the lowest.
2. If no player holds a playable card, new cards must be drawn: discard a card that is dead or seen twice; if all tokens
   are available, misplay a dead card unless that costs the last life.
3. Otherwise pass the turn with an arbitrary hint if at least seven tokens are left, or if more cards must be played
   than the deck has, or no more than there are tokens. If not, first discard a card that is dead or seen twice.
4. Otherwise discard a card with copies left, the one furthest from its firework; as a last resort the furthest of all.

It does not know the order of the deck. Published bots of this kind are CheatBot (Quuxplusone/Hanabi) and ``cheat``
(WuTheFWasThat/hanabi.rs); the thresholds of 3 resemble the former's.
"""

from hanabako.compiler.jit import rule
from hanabako.engine.bits import ZERO, bit, has_bit, popcount
from hanabi_env.engine.cards import following, hand_set, others_set, playable_set, player_at, suit_of

from ..bot import Bot
from .knowledge import (
    any_action,
    any_hint,
    choose_for_tile,
    copies_left,
    hand_count,
    is_allowed,
    is_choice_pending,
    needed_set,
    place_of_card,
    play_action,
    steps_away,
)

FAR = 100  # more than any distance
SPARE_TOKENS = 7  # with at least this many tokens a hint costs nothing


@rule
def act(rules, memory, view, mask, key):  # noqa: ARG001 - the protocol of bots
    """Return the action of the player to move."""
    if is_choice_pending(rules, view):
        return choose_for_tile(rules, view, mask)
    player = memory.player
    playable = playable_set(rules, view)
    slot = slot_to_play(rules, view, player, playable)
    if slot >= 0:
        action = play_action(rules, slot, suit_of(rules, view.hands[player, slot]))
        if is_allowed(mask, action):
            return action
    hint = any_hint(rules, mask)
    if hint >= 0 and should_hint(rules, view, playable):
        return hint
    slot = slot_to_spare(rules, view, player)
    if slot >= 0:
        if is_allowed(mask, slot):
            return slot
        misplay = play_action(rules, slot, -1)
        can_misplay = view.life_tokens > 1 and is_allowed(mask, misplay)
        is_useless = has_bit(needed_set(rules, view), view.hands[player, slot]) == ZERO
        if can_misplay and is_useless and is_nothing_playable(rules, view, playable):
            return misplay
    if hint >= 0:
        return hint
    return last_resort(rules, view, player, mask)


@rule
def slot_to_play(rules, view, player, playable):
    """Return the slot of the best playable card, or -1."""
    best, best_cost = -1, FAR * FAR
    for slot in range(hand_count(view, player)):
        card = view.hands[player, slot]
        if has_bit(playable, card) != ZERO:
            cost = FAR * wait_for_next(rules, view, card) + place_of_card(rules, card)
            if cost < best_cost:
                best, best_cost = slot, cost
    return best


@rule
def wait_for_next(rules, view, card):
    """Return the turns until another player can play the card after ``card``; the number of players if none can."""
    for offset in range(1, rules.players):
        hand = hand_set(rules, view, player_at(rules, view.current_player, offset))
        if hand & following(rules, bit(card)) != ZERO:
            return offset
    return rules.players


@rule
def is_nothing_playable(rules, view, playable):
    """Whether no player holds a playable card."""
    return (others_set(rules, view) | hand_set(rules, view, view.current_player)) & playable == ZERO


@rule
def should_hint(rules, view, playable):
    """Whether passing the turn by a hint is better than a discard: time is short, and others can use the turn."""
    if is_nothing_playable(rules, view, playable):
        return False
    to_come, tokens = popcount(needed_set(rules, view)), view.information_tokens
    return tokens >= SPARE_TOKENS or to_come > view.deck_count or to_come <= tokens


@rule
def slot_to_spare(rules, view, player):
    """Return the slot of a card that is dead or held twice, else of one that is also in another hand; or -1."""
    needed, others = needed_set(rules, view), others_set(rules, view)
    once, twice = ZERO, ZERO
    for slot in range(hand_count(view, player)):
        card = bit(view.hands[player, slot])
        twice |= once & card
        once |= card
    spare = -1
    for slot in range(hand_count(view, player)):
        card = bit(view.hands[player, slot])
        if card & needed & ~twice == ZERO:
            return slot
        if spare < 0 and card & others != ZERO:
            spare = slot
    return spare


@rule
def last_resort(rules, view, player, mask):
    """Discard the card that is furthest from its firework, preferably one with copies left."""
    best, best_worth = -1, -1
    for slot in range(hand_count(view, player)):
        card = view.hands[player, slot]
        worth = steps_away(rules, view, card) + FAR * (copies_left(rules, view, card) - 1)
        if worth > best_worth and is_allowed(mask, slot):
            best, best_worth = slot, worth
    return best if best >= 0 else any_action(rules, mask)


CHEAT = Bot(name="cheat", act=act, cheats=True)
