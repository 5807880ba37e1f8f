"""The decks of ordinary games, and lines of play followed by the rules of the game.

Here a card is its suit and its *place* on the firework, ``suit * ranks + place``, so that black powder (V3) is a suit
like any other. A deck is an int64 array of cards, top first: player 0's hand, player 1's, and so on, then the draws.

A target is the set (bits of an int64) of the cards to be played: the first few places of every suit.

A line of play consists of *moves*, with ``cards = suits * ranks``:

* ``card``: the player to move plays it;
* ``cards + card``: the player drops it: discards it, or misplays it if all information tokens are available;
* ``2 * cards``: the player drops a card that is useless for the target or held twice in the same hand;
* ``2 * cards + 1``: the player gives any hint, which only passes the turn here.

With V4, a play that turns up tile (e) or (f) has a *choice*; ``2 * cards + 2`` times the choice is added to the move:

* ``0``: (e) takes a useless card back, or the tile has no effect;
* ``1 + card``: (e) takes this card back, or (f) plays it;
* ``1 + cards + card``: (e) on an empty deck plays it.
"""

from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import numpy as np

from hanabako.compiler.digest import digest_of
from hanabako.compiler.jit import interned, kernel, keyed, rule
from hanabako.engine.bits import ZERO, has_bit
from hanabako.engine.deck import draw, draw_place
from hanabako.engine.rng import game_key
from hanabi_env.engine.actions import (
    first_announced_play,
    first_choice,
    first_color_hint,
    first_play,
    shuffle_back,
)
from hanabi_env.engine.cards import place_of, rank_of, suit_of
from hanabi_env.engine.rules import init, is_playable, is_terminal, legal_action_mask, score, shuffle_of, step
from hanabi_env.engine.state import CHOICE_OF_E, SHUFFLE_STRIDE, TILES, Rules, roomy, state_dtype
from hanabi_env.engine.tiles import is_tile_pending

from .orders import FIRST_ORDER, TAKEN_BACK, forget_orders

__all__ = ["MASK_WORDS", "MOST_STEPS", "DeckLoops", "deck_loops", "empty_states", "target_of"]

MOST_STEPS = 256
"""The number of steps of the longest game that is searched or followed."""
MASK_WORDS = 4


def empty_states(rules: Rules) -> np.ndarray:
    """Return an array (1,) for one game, with the dtype `hanabi_env.engine.state.state_dtype`."""
    room = roomy(rules)
    dtype = state_dtype(room.players, room.hand_size, room.suits, room.ranks, room.deck_size, room.history)
    return np.zeros(1, interned(dtype))


def target_of(rules: Rules, heights: tuple[int, ...]) -> int:
    """Return the set of the first ``heights[suit]`` cards of every firework."""
    return sum(((1 << height) - 1) << (suit * rules.ranks) for suit, height in enumerate(heights))


@rule
def placed(rules, card):
    """Convert a card of the rules (suit and rank) to one of this package (suit and place)."""
    suit = suit_of(rules, card)
    return suit * rules.ranks + place_of(rules, suit, rank_of(rules, card))


@rule
def wanted_slot(rules, s, target, move):
    """Return the current player's slot for a play or drop, or -1.

    A useless card that must be misplayed should not be playable by accident, so unplayable cards come first.
    """
    cards = rules.suits * rules.ranks
    player = s.current_player
    held = np.int64(0)
    best = -1
    for slot in range(np.int64(s.hand_count[player])):
        card = np.int64(placed(rules, s.hands[player, slot]))
        suit = card // rules.ranks
        if move < 2 * cards:
            if card == move % cards:
                return slot
            continue
        is_needed = (target >> card) & 1 and card - suit * rules.ranks >= np.int64(s.fireworks[suit])
        is_twice = (held >> card) & 1
        held |= np.int64(1) << card
        if (is_twice or not is_needed) and (best < 0 or not is_playable(rules, s, s.hands[player, slot])):
            best = slot
    return best


@rule
def action_of(rules, s, target, move):
    """Return the action for the current player's move, or -1."""
    cards = rules.suits * rules.ranks
    if move == 2 * cards + 1:
        return -1
    slot = wanted_slot(rules, s, target, move)
    if slot < 0:
        return -1
    is_full = s.information_tokens >= rules.max_information_tokens
    if move < cards and rules.choreography and not is_full:
        return first_announced_play(rules) + slot * rules.suits + move // rules.ranks
    if move < cards or is_full:
        return first_play(rules) + slot
    return slot


@rule
def first_allowed(mask, begin, end):
    """Return the first legal action in ``range(begin, end)``, or -1."""
    for action in range(begin, end):
        if has_bit(mask[action >> 6], action & 63) != ZERO:
            return action
    return -1


@rule
def safe_action(rules, mask):
    """Return a legal hint, else a discard, else -1."""
    hint = first_allowed(mask, first_color_hint(rules), first_announced_play(rules))
    return hint if hint >= 0 else first_allowed(mask, 0, rules.hand_size)


@rule
def note_shuffle(rules, s, drawn, orders):
    """Record the rest of the deck with `TAKEN_BACK`, shuffled by tile (e) (E10) when ``drawn`` cards are drawn."""
    left = np.int64(s.deck_count)
    for k in range(left):
        orders.shuffled[drawn, k] = placed(rules, s.cards[k])
    orders.shuffled[drawn, left] = TAKEN_BACK
    for k in range(left + 1):
        last = left - k
        place = draw_place(s.key, SHUFFLE_STRIDE, last + 1)
        card = orders.shuffled[drawn, place]
        orders.shuffled[drawn, place] = orders.shuffled[drawn, last]
        orders.shuffled[drawn, last] = card


@rule
def choice_action(rules, s, target, mask, choice):
    """Return the action for a choice (V4); without a choice, the first one that takes no needed card."""
    cards = rules.suits * rules.ranks
    if s.pending == CHOICE_OF_E:
        return shuffle_back(rules) + (choice > cards)
    first = np.int64(-1)
    for card in range(cards):
        action = first_choice(rules) + card
        if has_bit(mask[action >> 6], action & 63) != ZERO:
            place = np.int64(placed(rules, card))
            suit = place // rules.ranks
            is_needed = (target >> place) & 1 and place - suit * rules.ranks >= np.int64(s.fireworks[suit])
            if place == (choice - 1) % cards and choice > 0:
                return action
            if first < 0 or not is_needed:
                first = action
    return first if first >= 0 else safe_action(rules, mask)


@rule
def note_cards(rules, s, orders):
    """Record the deck of the game ``s``, which has just begun, its tiles, and all shuffles by tile (e)."""
    for player in range(rules.players):
        for slot in range(rules.hand_size):
            orders.decks[FIRST_ORDER, player * rules.hand_size + slot] = placed(rules, s.hands[player, slot])
    for at in range(rules.players * rules.hand_size, rules.deck_size + 1):
        if rules.flamboyants:
            note_shuffle(rules, s, at, orders)
        if s.deck_count > 0:
            orders.decks[FIRST_ORDER, at] = placed(rules, draw(s, shuffle_of(rules, s)))
    for k in range(TILES):
        orders.tiles[k] = s.bonus_tiles[k]
    forget_orders(rules, orders)


class DeckLoops(NamedTuple):
    """Compiled loops over one deck; ``states`` is `empty_states`."""

    deal: Callable[..., None]
    """(rules, states, seed, index, orders): write game ``index`` of ``seed`` (both uint64) to `orders`."""
    follow: Callable[..., int]
    """(rules, states, seed, index, target, moves, count, mask, actions): play this game by the moves, then to its end
    by hints and discards. Returns its score, or -100 if a move is illegal; ``actions`` gets the actions, then -1."""


@cache
def deck_loops() -> DeckLoops:
    """Return the loops, which are compiled when first called."""
    digest = digest_of(note_cards, init, step, legal_action_mask, action_of, choice_action, score, deck_loops)

    @kernel
    def deal(rules, states, seed, index, box):
        s = states[keyed(0, digest)]
        s.game_key = game_key(seed, index)
        s.episode = 0
        init(rules, s)
        note_cards(rules, s, box[0])

    @kernel
    def follow(rules, states, seed, index, target, moves, count, mask, actions):
        s = states[keyed(0, digest)]
        s.game_key = game_key(seed, index)
        s.episode = 0
        init(rules, s)
        actions[:] = -1
        per_choice, turn = 2 * rules.suits * rules.ranks + 2, 0
        for k in range(len(actions)):
            if is_terminal(s):
                break
            legal_action_mask(rules, s, mask)
            action = -1
            if is_tile_pending(rules, s):
                action = choice_action(rules, s, target, mask, moves[turn - 1] // per_choice if turn <= count else 0)
            else:
                if turn < count:
                    action = action_of(rules, s, target, moves[turn] % per_choice)
                turn += 1
            if action < 0:
                action = safe_action(rules, mask)
            if action < 0 or has_bit(mask[action >> 6], action & 63) == ZERO:
                return -100
            actions[k] = action
            step(rules, s, action)
        return np.int64(score(rules, s)) if is_terminal(s) else -100

    return DeckLoops(deal, follow)
