"""Hiding the last action in observations, for learners that at first learn without it.

Independent runs of a cooperative game often settle on different private meanings of actions: in Hanabi, on which hint
makes the partner play which card. Before that, all runs learn much the same from what hints say literally. If the last
action becomes visible only gradually, its meaning develops from that common ground.
"""

from typing import Any

import numpy as np
import torch
from torch import Tensor

from hanabako.engine.sections import words_for
from hanabako.games import game_of
from hanabako.packing import pack

__all__ = ["LastAction"]

SECTION = "last_action"


class LastAction:
    """The bits of the last action, and of earlier ones with ``history``, in a player's observation.

    Args:
        config: the game's config.

    Raises:
        ValueError: observations of this game do not contain the last action.
    """

    def __init__(self, config: Any) -> None:
        if not self.is_seen(config):
            name = game_of(config).name
            raise ValueError(f"last_action_ramp must be 0 in {name}, whose observations lack the last action")
        bits = np.ones((1, config.observation_bits), np.uint8)
        for place in places_of(config):
            bits[0, place] = 0
        words = pack(bits, words_for(config.observation_bits))
        self.others = torch.from_numpy(words.view(np.int64))[0]
        """(words,) int64: all bits of an observation but those of the last action."""

    @staticmethod
    def is_seen(config: Any) -> bool:
        """Whether observations of this game contain the last action."""
        return bool(places_of(config))

    def without(self, observations: Tensor, rows: Tensor) -> Tensor:
        """Return packed observations in which some rows look as if there had been no action yet.

        Args:
            observations: (rows, words or more) int64; views of other players may follow the first one.
            rows: (rows,) bool, the rows to change.
        """
        self.others = self.others.to(observations.device)
        own, others = observations.tensor_split([len(self.others)], 1)
        return torch.cat([torch.where(rows[:, None], own & self.others, own), others], 1)


def places_of(config: Any) -> list[slice]:
    """Return where the fields of the last action are in an observation's bits."""
    fields = game_of(config).layout(config).fields
    return [place for field in fields if field.section == SECTION for place in field.places()]
