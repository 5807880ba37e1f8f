"""Rounds of Koi-Koi that a network plays out."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hanafuda_env.engine.state import PHASE_END

from ..played_out import PlayedOut

__all__ = ["Rounds"]


class Rounds(PlayedOut):
    """See `agents.search.played_out.PlayedOut`: deals are of `ROUND_STATE`, and points of the round are what counts."""

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
