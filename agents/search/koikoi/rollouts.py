"""Rounds of Koi-Koi that a network plays out."""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hanabako.compiler.digest import digest_of
from hanabako.compiler.jit import kernel, keyed
from hanabako.engine.loops import reader_of
from hanabako.engine.rng import random_word
from hanafuda_env.engine.state import PHASE_END, Rules

from ..rollouts import PlayedOut
from .one_round import hand_out, hidden_cards

__all__ = ["Rounds", "unseen_loop"]


class Rounds(PlayedOut):
    """See `agents.search.rollouts.PlayedOut`: deals are of `ROUND_STATE`, and points of the round are what counts."""

    def write(self, states: NDArray[Any], deals: NDArray[Any]) -> None:
        """See `PlayedOut.write`: hands, and what is left of the deck."""
        drawn = int(states["drawn"][0])
        states["hand"] = deals["hand"]
        states["deck"][:, drawn:] = deals["deck"][:, drawn:]

    def over(self, states: NDArray[Any], root: Any) -> NDArray[np.bool_]:
        """See `PlayedOut.over`."""
        return states["finished"] > root["finished"]

    def worth(self, states: NDArray[Any], root: Any) -> NDArray[np.float64]:
        """See `PlayedOut.worth`: the points won, below 0 if the other won."""
        results, player = states["results"][:, int(root["finished"])], int(root["current_player"])
        signs = np.where(results["winner"] == player, 1, np.where(results["winner"] == 1 - player, -1, 0))
        return (signs * results["points"]).astype(np.float64)

    def close(self, states: NDArray[Any], rows: NDArray[Any]) -> None:
        """See `PlayedOut.close`."""
        states["phase"][rows] = PHASE_END


@cache
def unseen_loop() -> Callable[..., None]:
    """The loop ``(rules_array, root (1,), hidden (2,), key, step, first, deals)``: the unseen cards dealt anew."""
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
