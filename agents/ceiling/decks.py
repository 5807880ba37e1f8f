"""Decks of the games that everybody else plays too, and lines of play followed by the rules of the game.

Here a card is its suit and its *place* on the firework, ``suit * ranks + place``, so that black powder (V3) is a suit
like any other. A deck is an int64 array of cards, top first: player 0's hand, player 1's, and so on, then the draws.

A target is the set (bits of an int64) of the cards that shall be played: from every suit the first few places.

A *move* is what a line of play consists of, with ``cards = suits * ranks``:

* ``card``: the player to move plays it;
* ``cards + card``: drops it: discards it, or misplays it where all information tokens are there;
* ``2 * cards``: drops a card that is useless to the target or that the same hand holds twice;
* ``2 * cards + 1``: gives any hint, which says nothing here but passes the turn.
"""

from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import numpy as np

from hanabako.compiler.digest import digest_of
from hanabako.compiler.jit import interned, kernel, keyed, rule
from hanabako.engine.bits import ZERO, has_bit
from hanabako.engine.deck import draw
from hanabako.engine.rng import game_key
from hanabi_env.engine.actions import first_announced_play, first_color_hint, first_play
from hanabi_env.engine.cards import place_of, rank_of, suit_of
from hanabi_env.engine.rules import init, is_playable, is_terminal, legal_action_mask, score, shuffle_of, step
from hanabi_env.engine.state import Rules, roomy, state_dtype

__all__ = ["MASK_WORDS", "MOST_STEPS", "DeckLoops", "deck_loops", "empty_states", "heights_of", "target_of"]

MOST_STEPS = 256
"""Steps of the longest game that is looked for or followed."""
MASK_WORDS = 4


def empty_states(rules: Rules) -> np.ndarray:
    """Room for one game: an array (1,) of records of `hanabi_env.engine.state.state_dtype`."""
    room = roomy(rules)
    dtype = state_dtype(room.players, room.hand_size, room.suits, room.ranks, room.deck_size, room.history)
    return np.zeros(1, interned(dtype))


def target_of(rules: Rules, heights: tuple[int, ...]) -> int:
    """The set of the first ``heights[suit]`` cards of every firework."""
    return sum(((1 << height) - 1) << (suit * rules.ranks) for suit, height in enumerate(heights))


def heights_of(rules: Rules, target: int) -> tuple[int, ...]:
    """How many cards of every firework a target holds: the inverse of `target_of`."""
    return tuple((target >> (suit * rules.ranks) & ((1 << rules.ranks) - 1)).bit_count() for suit in range(rules.suits))


@rule
def placed(rules, card):
    """A card of the rules (suit and rank) as one of this package (suit and place)."""
    suit = suit_of(rules, card)
    return suit * rules.ranks + place_of(rules, suit, rank_of(rules, card))


@rule
def wanted_slot(rules, s, target, move):
    """The slot of the current player that a play or drop is about, or -1.

    A useless card that must be misplayed should not fit by chance, so others come first.
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
    """The action by which the current player makes a move, or -1."""
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
    """The first legal action from ``begin`` to before ``end``, or -1."""
    for action in range(begin, end):
        if has_bit(mask[action >> 6], action & 63) != ZERO:
            return action
    return -1


@rule
def safe_action(rules, mask):
    """A hint if there is one, or else a discard, or -1."""
    hint = first_allowed(mask, first_color_hint(rules), first_announced_play(rules))
    return hint if hint >= 0 else first_allowed(mask, 0, rules.hand_size)


class DeckLoops(NamedTuple):
    """Compiled loops over one deck; ``states`` is `empty_states`."""

    deal: Callable[..., None]
    """(rules, states, seed, index, deck): the deck of game ``index`` of ``seed`` (both uint64)."""
    follow: Callable[..., int]
    """(rules, states, seed, index, target, moves, count, mask, actions): play that game by the moves, then to its end
    by hints and discards. Returns its score, or -100 if a move is illegal; ``actions`` are what was done, then -1."""


@cache
def deck_loops() -> DeckLoops:
    """The loops, compiled when first called."""
    digest = digest_of(placed, init, draw, step, legal_action_mask, action_of, safe_action, score, deck_loops)

    @kernel
    def deal(rules, states, seed, index, deck):
        s = states[keyed(0, digest)]
        s.game_key = game_key(seed, index)
        s.episode = 0
        init(rules, s)
        for player in range(rules.players):
            for slot in range(rules.hand_size):
                deck[player * rules.hand_size + slot] = placed(rules, s.hands[player, slot])
        at = rules.players * rules.hand_size
        while s.deck_count > 0:
            deck[at] = placed(rules, draw(s, shuffle_of(rules, s)))
            at += 1

    @kernel
    def follow(rules, states, seed, index, target, moves, count, mask, actions):
        s = states[keyed(0, digest)]
        s.game_key = game_key(seed, index)
        s.episode = 0
        init(rules, s)
        actions[:] = -1
        for k in range(len(actions)):
            if is_terminal(s):
                break
            legal_action_mask(rules, s, mask)
            action = action_of(rules, s, target, moves[k]) if k < count else -1
            if action < 0:
                action = safe_action(rules, mask)
            if action < 0 or has_bit(mask[action >> 6], action & 63) == ZERO:
                return -100
            actions[k] = action
            step(rules, s, action)
        return np.int64(score(rules, s)) if is_terminal(s) else -100

    return DeckLoops(deal, follow)
