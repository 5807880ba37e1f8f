"""The rest of a round as a search sees it: one small record for all configs, and what is known of the other hand.

A search imagines rounds, and no more: its record has room for one round and two turns, so that copies are small and its
loops are compiled once. K14 tells something of hands: who lays a card without capturing holds no card that would have
captured. `Laid` keeps track of it.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hanabako.compiler.jit import interned, rule
from hanabako.engine.bits import ZERO, bit, nth_set_bit, popcount
from hanabako.engine.rng import random_below
from hanafuda_env.engine.cards import months_of
from hanafuda_env.engine.private_view import hide, unseen
from hanafuda_env.engine.state import LEAST_TURNS, PHASE_PLAY, TURNS, Rules, state_dtype

from ...bots.koikoi.judgement import hand_left

__all__ = ["ROUND_STATE", "Laid", "hand_out", "hidden_cards", "lead_of", "round_rules", "round_state"]

ROUND_STATE = interned(state_dtype(1, 0))


def round_rules(rules: Rules) -> Rules:
    """The rules of a single round: the game ends with it."""
    return rules._replace(rounds=1, history=0)


def round_state(rules: Rules, state: Any, out: NDArray[Any]) -> None:
    """The round in play of ``state`` (a record of ``rules``) to ``out`` (1,), a record of `ROUND_STATE`."""
    row = out[0]
    for name in ROUND_STATE.names or ():
        if name not in ("turns", "results", "given_decks"):
            row[name] = state[name]
    row["finished"] = row["rewarded"] = row["given_rounds"] = 0
    row["round_number"] = 1
    turn = int(state["turn"])
    row["turns"][turn % LEAST_TURNS] = state["turns"][turn % max(rules.history, LEAST_TURNS)]


@rule
def hidden_cards(rules, root, hidden):
    """Turn the root into its player's view, and note what that player does not see; the size of the other's share."""
    player = np.int64(root.current_player)
    hide(rules, root, player)
    hidden[0] = unseen(root)
    return hand_left(root) - popcount(root.hand[1 - player])


@rule
def hand_out(s, hidden, excluded, missing, other, key):
    """Deal ``hidden`` cards at random: ``missing`` to the ``other`` hand, none of ``excluded``, the rest as draws."""
    left = hidden & ~excluded
    for k in range(missing):
        card = nth_set_bit(left, random_below(key, k, popcount(left)))
        left &= ~bit(card)
        hidden &= ~bit(card)
        s.hand[other] |= bit(card)
    place = np.int64(s.drawn)
    for k in range(TURNS + 1 - np.int64(s.turn)):
        if hidden == ZERO:
            break
        card = nth_set_bit(hidden, random_below(key, 64 + k, popcount(hidden)))
        hidden &= ~bit(card)
        s.deck[place + k] = card


@rule
def lead_of(s, player):
    """The points that ``player`` won in the finished round, below 0 if the other did."""
    result = s.results[0]
    points = np.int64(result.points)
    return points if result.winner == player else -points if result.winner == 1 - player else 0


class Laid:
    """What all know of hands by K14, over many games.

    Args:
        rules: of the games.
        tables: their records (N,), those in play.
    """

    def __init__(self, rules: Rules, tables: NDArray[Any]) -> None:
        self._rules, self._tables = rules, tables
        self.excluded = np.zeros((len(tables), 2), np.uint64)
        """(N, 2): cards that each player cannot hold, as sets."""
        self._before = tables["state"][["phase", "turn", "round_number", "current_player", "field"]].copy()

    def begin(self, rows: NDArray[np.int64]) -> None:
        """The cards of these games have been dealt."""
        self.excluded[rows] = 0
        self._note(rows)

    def observe(self, rows: NDArray[np.int64]) -> None:
        """A step was made in these games."""
        before, states = self._before[rows], self._tables["state"][rows]
        if self._rules.forced_match:
            turns = states["turns"][np.arange(len(rows)), before["turn"] % max(self._rules.history, LEAST_TURNS)]
            played = np.uint64(1) << turns["played"].astype(np.uint64)
            matched = np.asarray(months_of(before["field"]))
            laid = (before["phase"] == PHASE_PLAY) & (turns["is_joker"] == 0) & (played & matched == 0)
            self.excluded[rows[laid], before["current_player"][laid]] |= matched[laid]
        anew = states["round_number"] != before["round_number"]
        self.excluded[rows[anew]] = 0
        self._note(rows)

    def _note(self, rows: NDArray[np.int64]) -> None:
        state = self._tables["state"]
        for name in self._before.dtype.names or ():
            self._before[name][rows] = state[name][rows]
