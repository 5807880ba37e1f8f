"""Checks of Koi-Koi game records that come from outside, such as loaded files."""

from typing import Any

import numpy as np

from hanabako.engine.bits import ONE
from hanabako.engine.bounds import Bounds
from hanafuda_env.engine.cards import ALL_CARDS, CARDS, NO_CARD
from hanafuda_env.engine.dealing import dealt, is_void
from hanafuda_env.engine.limits import MOST_STEPS, most_base, most_score
from hanafuda_env.engine.state import (
    HAND,
    NOBODY,
    PHASE_END,
    PHASE_KOI,
    PHASE_PICK_DRAW,
    PHASE_PLAY,
    PHASE_SWAP,
    REASON_BOTH_LUCKY,
    TURNS,
    Rules,
)


def state_bounds(rules: Rules) -> Bounds:
    """Return the allowed range of every field of a `hanafuda_env.engine.state.state_dtype`."""
    cards, card, flag = (0, int(ALL_CARDS)), (0, CARDS - 1), (0, 1)
    rounds, anybody = (0, rules.rounds), (NOBODY, 1)
    return {
        "hand": cards,
        "captured": cards,
        "field": cards,
        "revealed": cards,
        "refused": cards,
        "length": (0, 2 * rules.rounds * MOST_STEPS),  # of a loaded position, and of the game from there
        "score": (-2 * most_score(rules), 2 * most_score(rules)),
        "base_points": (0, most_base(rules)),
        "chain": (0, HAND),
        "koikoi_called": (0, HAND),
        "yaku": (0, 2 ** len(rules.points) - 1),
        "november": (0, 3),
        "joker_holder": anybody,
        "joker_month": (0, 11),
        "phase": (0, PHASE_END),
        "current_player": flag,
        "dealer": flag,
        "turn": (0, TURNS),
        "pending": (*card, NO_CARD),
        "drawn": (0, CARDS),
        "deck": card,
        "round_number": rounds,
        "finished": rounds,
        "rewarded": rounds,
        "given_rounds": rounds,
        "turns.captured": cards,
        "turns.player": anybody,
        "turns.played": (*card, NO_CARD),
        "turns.drawn": (*card, NO_CARD),
        "turns.is_joker": flag,
        "turns.koikoi": flag,
        "results.winner": anybody,
        "results.dealer": flag,
        "results.reason": (0, REASON_BOTH_LUCKY),
        "given_decks": card,
    }


def is_whole(rules: Rules, states: Any) -> np.ndarray:
    """Return whether each record (N,) holds every card of the box exactly once: bool (N,).

    The sizes of hands and deck must fit the turn (K5, K13, K18), the current player must fit the turn (K11), and the
    round must follow the finished ones. Given decks of coming rounds must be the box, and must not make their round
    void (K9). The records must be within their bounds.
    """
    deck = states["deck"]
    is_drawn = np.arange(CARDS) < states["drawn"][:, None]
    pending = (ONE << states["pending"].astype(np.uint64)) & ALL_CARDS
    zones = [*states["hand"].T, *states["captured"].T, states["field"], pending]
    zones += [np.where(drawn, 0, ONE << card.astype(np.uint64)) for drawn, card in zip(is_drawn.T, deck.T, strict=True)]
    whole = np.bitwise_or.reduce(zones) == ALL_CARDS
    whole &= np.sum([np.bitwise_count(zone) for zone in zones], axis=0, dtype=np.int64) == CARDS
    turn, phase = states["turn"].astype(np.int64), states["phase"]
    player, dealer = states["current_player"].astype(np.int64), states["dealer"].astype(np.int64)
    is_swap = phase == PHASE_SWAP
    whole &= player == (dealer + np.where(is_swap, 1, turn - 1)) % 2
    whole &= (turn == 1) | ((turn > 1) & ~is_swap)
    whole &= states["drawn"] == 3 * HAND + turn - 1 + ((phase == PHASE_PICK_DRAW) | (phase == PHASE_KOI))
    whole &= phase <= PHASE_KOI
    for seat in range(2):
        has_played = (seat == player) & ~is_swap & (phase != PHASE_PLAY)
        played = np.where(seat == dealer, turn, turn - 1) // 2 + has_played
        whole &= np.bitwise_count(states["hand"][:, seat]) == HAND - played
    whole &= states["round_number"] == states["finished"] + 1
    for row in np.flatnonzero(whole & (states["given_rounds"] > states["round_number"])):
        state = states.view(np.recarray)[row]
        coming = state["given_decks"][state["round_number"] : state["given_rounds"]]
        whole[row] = all(can_be_dealt(rules, state, deck) for deck in coming)
    return whole


def can_be_dealt(rules: Rules, state: Any, deck: np.ndarray) -> bool:
    """Return whether a given deck is the box, and does not make its round void (K9)."""
    if not np.array_equal(np.sort(deck), np.arange(CARDS)):
        return False
    with np.errstate(over="ignore"):  # integers wrap
        return not is_void(rules, dealt(state, deck))
