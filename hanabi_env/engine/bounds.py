"""Checks of Hanabi game records that come from outside, such as loaded files."""

from typing import Any

import numpy as np

from hanabako.engine.bounds import Bounds
from hanabi_env.engine.cards import copies, first_copy
from hanabi_env.engine.state import (
    CHOICE_OF_E,
    END_ILLEGAL,
    END_NOT_YET,
    EVENT_CHOOSE,
    EVENT_DISCARD,
    EVENT_HINT_COLOR,
    EVENT_HINT_RANK,
    EVENT_PLAY,
    EVENT_PLAY_FROM_DISCARD,
    LAST_ROUND_NOT_BEGUN,
    NO_CARD,
    NO_TILE,
    TILES,
    Rules,
)


def state_bounds(rules: Rules) -> Bounds:
    """Return the allowed range of every field of a `hanabi_env.engine.state.state_dtype`.

    `NO_CARD` is allowed in all events, because a loaded position gives it to hints; `has_possible_events` checks the
    events that need a card.
    """
    kinds = rules.suits * rules.ranks
    seat, card, flag = (0, rules.players - 1), (0, kinds - 1), (0, 1)
    slot, count = (*card, NO_CARD), (0, rules.deck_size)
    return {
        "plausible": (0, 2**kinds - 1),
        "events.touched": (0, 2**rules.hand_size - 1),
        "events.kind": (0, EVENT_PLAY_FROM_DISCARD if rules.flamboyants else EVENT_HINT_RANK),
        "events.player": seat,
        "events.target": seat,
        "events.value": (0, max(rules.colors, rules.ranks) - 1),
        "events.slot": (0, rules.hand_size - 1),
        "events.card": slot,
        "events.announced": (0, rules.suits if rules.choreography else 0),
        "events.scored": flag,
        "events.gave_token": flag,
        "length": (0, 2 * most_steps(rules)),  # of a loaded position, and of the game from there
        "shuffles": flag,
        "hinted": (0, 2 ** (rules.colors + rules.ranks) - 1),
        "hands": slot,
        "hand_count": (0, rules.hand_size),
        "cards": card,
        "fireworks": (0, rules.ranks),
        "deck_count": count,
        "discard_count": count,
        "information_tokens": (0, rules.max_information_tokens),
        "life_tokens": (0, rules.max_life_tokens),
        "turns_to_play": (-1, rules.players),
        "current_player": seat,
        "end_reason": (0, END_ILLEGAL),
        "bonus_tiles": (0, CHOICE_OF_E - 1),
        "tiles_left": (0, TILES),
        "pending": (0, NO_TILE),
    }


def most_steps(rules: Rules) -> int:
    """Return an upper bound of the steps of a game. A step uses a card, spends a token on a hint, or chooses (V4).

    Every card is used once, and one card twice if (e) put it back. A card brings at most two tokens (H11, V6), a tile
    brings at most one. A tile needs at most two choices (E10).
    """
    cards = rules.deck_size + 1
    hints = rules.max_information_tokens + 2 * cards + TILES
    return cards + hints + 2 * TILES


def is_whole(rules: Rules, states: Any) -> np.ndarray:
    """Return whether each record (N,) holds every card of the box exactly once, and possible events: bool (N,).

    The sets of discarded copies must agree with the discard, and all six tiles (V4) must be there. If the game goes on,
    see also `can_go_on`. The records must be within their bounds.
    """
    deck = np.arange(states["cards"].shape[1])
    is_deck = deck < states["deck_count"][:, None]
    is_discard = (deck < rules.deck_size) & (
        deck >= rules.deck_size - states["discard_count"].astype(np.int64)[:, None]
    )
    slots = np.arange(states["hands"].shape[2])
    is_held = (slots < states["hand_count"][..., None]) & (np.arange(states["hands"].shape[1]) < rules.players)[:, None]
    whole = ~(is_deck & is_discard).any(axis=1)
    whole &= ~(is_held & (states["hands"] == NO_CARD)).any(axis=(1, 2))
    held = np.where(is_held, states["hands"], NO_CARD)
    for suit in range(rules.suits):
        for rank in range(rules.ranks):
            card, number = suit * rules.ranks + rank, copies(rules, suit, rank)
            discarded = ((states["cards"] == card) & is_discard).sum(axis=1)
            elsewhere = ((states["cards"] == card) & is_deck).sum(axis=1) + (held == card).sum(axis=(1, 2))
            bits = states["discarded"][:, suit].astype(np.int64) >> first_copy(rules, suit, rank) & (1 << number) - 1
            whole &= bits == (1 << discarded) - 1
            whole &= discarded + elsewhere + is_played(rules, states, suit, rank) == number
    if rules.flamboyants:
        whole &= (np.sort(states["bonus_tiles"], axis=1) == np.arange(TILES)).all(axis=1)
    whole &= can_go_on(rules, states) | (states["end_reason"] != END_NOT_YET)
    return whole & has_room_for_a_choice(rules, states) & has_possible_events(rules, states)


def can_go_on(rules: Rules, states: Any) -> np.ndarray:
    """Return whether lives, turns and tiles of each record (N,) are those of a game that is not over: bool (N,).

    A life is left (H12). The last round has begun if the deck is empty, and has turns left (H14); a final bouquet has
    none (E5). Every completed firework except black has revealed a tile (V4).
    """
    turns, tiles = states["turns_to_play"], states["tiles_left"]
    is_last_round = (states["deck_count"] == 0) & (not rules.final_bouquet)
    possible = (states["life_tokens"] > 0) & np.where(is_last_round, turns > 0, turns == LAST_ROUND_NOT_BEGUN)
    if rules.flamboyants:
        suits = [suit for suit in range(rules.suits) if suit != rules.black_suit]
        possible &= tiles == TILES - (states["fireworks"][:, suits] == rules.ranks).sum(axis=1)
    return possible


def has_room_for_a_choice(rules: Rules, states: Any) -> np.ndarray:
    """V4: return whether no choice for a tile is open in each record (N,), or its player lacks a card: bool (N,).

    The choice comes before the draw, and tile (e) may put a card from the discard into the hand.
    """
    player = states["current_player"].astype(np.int64)
    held = states["hand_count"][np.arange(len(player)), player]
    return (states["pending"] == NO_TILE) | ((held < rules.hand_size) & bool(rules.flamboyants))


def has_possible_events(rules: Rules, states: Any) -> np.ndarray:
    """Return whether all events of each record (N,) can have happened, so that they can be shown: bool (N,).

    A play, a discard and a choice (V4) have a card of the box. A hint (H6) goes to another player, and names a color or
    rank of this game.
    """
    events = states["events"][:, : rules.history]
    kind, card, value = events["kind"], events["card"], events["value"]
    has_card = np.isin(kind, (EVENT_PLAY, EVENT_DISCARD, EVENT_CHOOSE))
    values = np.where(kind == EVENT_HINT_COLOR, rules.colors, rules.ranks)
    is_hint = np.isin(kind, (EVENT_HINT_COLOR, EVENT_HINT_RANK))
    wrong = has_card & (card == NO_CARD)
    wrong |= is_hint & ((value >= values) | (events["target"] == events["player"]))
    return ~wrong.any(axis=1)


def is_played(rules: Rules, states: Any, suit: int, rank: int) -> np.ndarray:
    """H10, V3: whether the card is on its firework in each record (N,): bool (N,)."""
    place = rules.ranks - 1 - rank if suit == rules.black_suit else rank
    return states["fireworks"][:, suit] > place
