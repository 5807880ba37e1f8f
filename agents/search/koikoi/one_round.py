"""The rest of a round for a search: one small record for all configs, knowledge of the other hand, and roll-outs.

The record holds one round and two turns, so that copies are small and loops are compiled once. K14 gives information
about hands: a player who plays a card without capturing holds no card that would have captured; see `Exclusions`.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from hanabako.compiler.digest import digest_of
from hanabako.compiler.jit import interned, kernel, keyed, rule
from hanabako.engine.bits import ZERO, bit, nth_set_bit, popcount
from hanabako.engine.loops import reader_of
from hanabako.engine.rng import random_below, random_word
from hanafuda_env.engine.cards import months_of
from hanafuda_env.engine.private_view import hide, unseen
from hanafuda_env.engine.state import LEAST_TURNS, PHASE_END, PHASE_PLAY, TURNS, Rules, state_dtype

from ...bots.koikoi.judgement import hand_left
from ..rounds import RoundRollouts

ROUND_STATE = interned(state_dtype(1, 0))


def round_rules(rules: Rules) -> Rules:
    """Return the rules of a game of a single round."""
    return rules._replace(rounds=1, history=0)


def round_state(rules: Rules, state: Any, out: NDArray[Any]) -> None:
    """Write the current round of ``state`` (a record of ``rules``) to ``out`` (1,), a record of `ROUND_STATE`."""
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
    """Turn the root into its player's view, write the unseen cards to ``hidden[0]``; count those of the other."""
    player = np.int64(root.current_player)
    hide(rules, root, player)
    hidden[0] = unseen(root)
    return hand_left(root) - popcount(root.hand[1 - player])


@rule
def hand_out(s, hidden, excluded, missing, other, key):
    """Deal the ``hidden`` cards at random: ``missing`` to the ``other`` hand, none of them ``excluded``, then draws."""
    left = hidden & ~excluded
    for k in range(missing):
        card = nth_set_bit(left, random_below(key, k, popcount(left)))
        left &= ~bit(card)
        hidden &= ~bit(card)
        s.hand[other] |= bit(card)
    drawn = np.int64(s.drawn)
    for k in range(TURNS + 1 - np.int64(s.turn)):
        if hidden == ZERO:
            break
        card = nth_set_bit(hidden, random_below(key, 64 + k, popcount(hidden)))
        hidden &= ~bit(card)
        s.deck[drawn + k] = card


@cache
def unseen_loop() -> Callable[..., None]:
    """Return the loop ``(rules_array, root (1,), hidden (2,), key, step, first, deals)`` that deals unseen cards."""
    rules_of = reader_of(Rules, None)
    digest = digest_of(hand_out, hidden_cards, unseen_loop)

    @kernel
    def hand_out_unseen(rules_array, root, hidden, key, step, first, deals):
        rules = keyed(rules_of(rules_array), digest)
        stream = random_word(key, step)
        missing = hidden_cards(rules, root[0], hidden)
        for k in range(deals.shape[0]):
            deals[k] = root[0]
            deals[k].key = random_word(stream, first + k)
            hand_out(deals[k], hidden[0], hidden[1], missing, 1 - np.int64(root[0].current_player), deals[k].key)

    return hand_out_unseen


class KoiKoiRollouts(RoundRollouts):
    """See `agents.search.rollouts`; deals are records of `ROUND_STATE`, and scores are the points of the round."""

    ended = "phase", PHASE_END

    @override
    def deal_hidden(self, states: NDArray[Any], deals: NDArray[Any]) -> None:
        drawn = int(states["drawn"][0])
        states["hand"] = deals["hand"]
        states["deck"][:, drawn:] = deals["deck"][:, drawn:]

    @override
    def is_over(self, count: int) -> NDArray[np.bool_]:
        return self.tables["state"]["finished"][:count] > self.root["finished"]

    @override
    def round_scores(self, rows: NDArray[np.int64]) -> NDArray[Any]:
        results = self.tables["state"]["results"][rows, int(self.root["finished"])]
        player = int(self.root["current_player"])
        signs = np.where(results["winner"] == player, 1, np.where(results["winner"] == 1 - player, -1, 0))
        return signs * results["points"]


class Exclusions:
    """The cards that players publicly cannot hold, by K14, in games whose records are ``tables`` (N,)."""

    def __init__(self, rules: Rules, tables: NDArray[Any]) -> None:
        self._rules, self._tables = rules, tables
        self.excluded = np.zeros((len(tables), 2), np.uint64)
        """(N, 2) uint64: cards that each player cannot hold, as bit sets."""
        self._before = tables["state"][["phase", "turn", "round_number", "current_player", "field"]].copy()

    def begin(self, rows: NDArray[np.int64]) -> None:
        """Reset the games ``rows``, whose cards have just been dealt."""
        self.excluded[rows] = 0
        self._note(rows)

    def observe(self, rows: NDArray[np.int64]) -> None:
        """Update the games ``rows`` after a step."""
        before, states = self._before[rows], self._tables["state"][rows]
        if self._rules.forced_match:
            turns = states["turns"][np.arange(len(rows)), before["turn"] % max(self._rules.history, LEAST_TURNS)]
            played = np.uint64(1) << turns["played"].astype(np.uint64)
            matched = np.asarray(months_of(before["field"]))
            missed = (before["phase"] == PHASE_PLAY) & (turns["is_joker"] == 0) & (played & matched == 0)
            self.excluded[rows[missed], before["current_player"][missed]] |= matched[missed]
        is_new_round = states["round_number"] != before["round_number"]
        self.excluded[rows[is_new_round]] = 0
        self._note(rows)

    def _note(self, rows: NDArray[np.int64]) -> None:
        state = self._tables["state"]
        for name in self._before.dtype.names or ():
            self._before[name][rows] = state[name][rows]
