"""Checks of Ikebana game records that come from outside, such as loaded files."""

from math import isqrt
from typing import Any

import numpy as np

from hanabako.engine.bounds import Bounds
from ikebana_env.engine.cards import all_copies, copies
from ikebana_env.engine.layout import BOX
from ikebana_env.engine.state import (
    BOUQUET_SIZE,
    DECK_SIZE,
    END_ILLEGAL,
    KINDS,
    NO_CARD,
    START_PRESTIGE,
    Rules,
)

BEST_GAIN = 88  # I12
LEAST_RESHUFFLED = 26  # J6: the smallest size of a rebuilt deck


def state_bounds(rules: Rules) -> Bounds:
    """Return the allowed range of every field of a `ikebana_env.engine.state.state_dtype`."""
    seat, card, count = (0, rules.players - 1), (0, KINDS - 1), (0, DECK_SIZE)
    return {
        "bouquets": (0, 2**DECK_SIZE - 1),
        "length": (0, 2 * most_steps(rules)),  # of a loaded position, and of the game from there
        "refusals": (0, most_refusals(rules)),
        "reshuffles": (0, 2 * most_reshuffles(rules)),
        "prestige": (0, 2**15 - 1),
        "current_player": seat,
        "drawn": (*card, NO_CARD),
        "round_index": (0, rules.rounds - 1),
        "starter": seat,
        "end_reason": (0, END_ILLEGAL),
        "deck_count": count,
        "given_rounds": (0, rules.rounds),
        "discard_count": count,
        "cards": card,
        "discards": card,
        "given_decks": card,
    }


def most_prestige(rules: Rules) -> int:
    """Return an upper bound of all players' prestige together."""
    return START_PRESTIGE * rules.players + rules.rounds * rules.players * 2 * BEST_GAIN


def most_refusals(rules: Rules) -> int:
    """I6: return an upper bound of the refusals of a turn; k refusals cost 1 + 2 + ... + k."""
    return isqrt(2 * most_prestige(rules))


def _most_draws(rules: Rules) -> int:
    """Return an upper bound of the draws of a round: one per turn, and one more per refusal."""
    return BOUQUET_SIZE * rules.players * (1 + most_refusals(rules))


def most_reshuffles(rules: Rules) -> int:
    """Return an upper bound of the reshuffles of a round (I9)."""
    return _most_draws(rules) // LEAST_RESHUFFLED


def most_steps(rules: Rules) -> int:
    """Return an upper bound of the steps of a game: a draw, and an answer to it."""
    return 2 * rules.rounds * _most_draws(rules)


def is_whole(rules: Rules, states: Any) -> np.ndarray:
    """Return whether each record (N,) holds every card of the box exactly once: bool (N,).

    The sizes of the bouquets must agree with the turns taken (I3), and the sum of prestige with what was dealt out and
    earned (I2, I6, I7). Given decks of coming rounds must be the box. The records must be within their bounds.
    """
    places = np.arange(DECK_SIZE)
    is_deck = places < states["deck_count"][:, None]
    is_discard = places < states["discard_count"][:, : rules.players, None]
    bouquets = states["bouquets"][:, : rules.players]
    discards = np.where(is_discard, states["discards"][:, : rules.players], NO_CARD)
    whole = np.ones(len(states), np.bool_)
    for card in range(KINDS):
        number = ((states["cards"] == card) & is_deck).sum(axis=1) + (discards == card).sum(axis=(1, 2))
        number += np.bitwise_count(bouquets & all_copies(card)).sum(axis=1, dtype=np.int64)
        whole &= number + (states["drawn"] == card) == copies(card)
    lengths = np.bitwise_count(bouquets).astype(np.int64)
    turns = lengths.sum(axis=1)
    offsets = (np.arange(rules.players) - states["starter"][:, None]) % rules.players
    whole &= (lengths == (turns[:, None] + rules.players - 1 - offsets) // rules.players).all(axis=1)
    whole &= states["current_player"] == (states["starter"] + turns) % rules.players
    whole &= turns < BOUQUET_SIZE * rules.players
    is_finished = np.arange(states["gains"].shape[1]) < states["round_index"][:, None]
    earned = (states["gains"][:, :, : rules.players].sum(axis=2, dtype=np.int64) * is_finished).sum(axis=1)
    prestige = states["prestige"][:, : rules.players].sum(axis=1, dtype=np.int64)
    whole &= prestige == START_PRESTIGE * rules.players + earned
    rounds = np.arange(states["given_decks"].shape[1])
    is_coming = (rounds > states["round_index"][:, None]) & (rounds < states["given_rounds"][:, None])
    is_sound = (np.sort(states["given_decks"], axis=2) == BOX).all(axis=2)
    return whole & (is_sound | ~is_coming).all(axis=1)
