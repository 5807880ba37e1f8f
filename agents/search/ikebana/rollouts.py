"""Rounds of Ikebana that a network plays out."""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hanabako.compiler.digest import digest_of
from hanabako.compiler.jit import kernel, keyed
from hanabako.engine.loops import reader_of
from hanabako.engine.rng import random_word
from ikebana_env.engine.private_view import hide
from ikebana_env.engine.state import END_COMPLETE, END_NOT_YET, Rules

from ..rollouts import PlayedOut
from .rounds import deal_unseen, list_unseen, worth_of

__all__ = ["Rounds", "unseen_loop"]


class Rounds(PlayedOut):
    """See `agents.search.rollouts.PlayedOut`: deals are records of the game, and its chances are what counts."""

    def write(self, states: NDArray[Any], deals: NDArray[Any]) -> None:
        """See `PlayedOut.write`."""
        states[:] = deals

    def over(self, states: NDArray[Any], root: Any) -> NDArray[np.bool_]:
        """See `PlayedOut.over`."""
        return (states["end_reason"] != END_NOT_YET) | (states["round_index"] != root["round_index"])

    def worth(self, states: NDArray[Any], root: Any) -> NDArray[np.float64]:
        """See `PlayedOut.worth`, and `agents.search.ikebana.rounds.worth_of`."""
        found = np.zeros(len(states))
        worth_loop()(self.game.rules_array, states, int(root["current_player"]), found)
        return found

    def close(self, states: NDArray[Any], rows: NDArray[Any]) -> None:
        """See `PlayedOut.close`."""
        states["end_reason"][rows] = END_COMPLETE


@cache
def unseen_loop() -> Callable[..., None]:
    """The loop ``(rules_array, root (1,), unseen, key, step, first, states)``: the unseen cards dealt anew."""
    rules_of = reader_of(Rules, None)
    digest = digest_of(deal_unseen, list_unseen, hide, unseen_loop)

    @kernel
    def hand_out_unseen(rules_array, root, unseen, key, step, first, states):
        rules = keyed(rules_of(rules_array), digest)
        hide(rules, root[0], np.int64(root[0].current_player))
        stream = random_word(key, step)
        for k in range(states.shape[0]):
            states[k] = root[0]
            count = list_unseen(rules, root[0], unseen)  # listed anew: it is shuffled
            deal_unseen(rules, states[k], unseen, count, random_word(stream, first + k))

    return hand_out_unseen


@cache
def worth_loop() -> Callable[..., None]:
    """The loop ``(rules_array, states, player, found)``: `worth_of` every state."""
    rules_of = reader_of(Rules, None)
    digest = digest_of(worth_of, worth_loop)

    @kernel
    def worth_of_rounds(rules_array, states, player, found):
        rules = keyed(rules_of(rules_array), digest)
        for k in range(states.shape[0]):
            found[k] = worth_of(rules, states[k], player)

    return worth_of_rounds
