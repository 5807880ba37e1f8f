"""SAD, the Simplified Action Decoder (Hu & Foerster 2020): explore in what one does, not in what one tells.

    hanabako train --algorithm sad --preset mini --minutes 2

A player who explores confuses partners, who read meaning into each action. So while they learn, players are told two
actions of the last mover: the one that was taken, which changed the game, and the greedy one, which is what the mover
meant to say. When no one explores these are the same, and nothing need be told.

It is `agents.learning.vdn` with one more input, whose form is that of `agents.networks.greedy_input`. As in the
authors' program only the last action is told twice.
"""

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from ..networks.greedy_input import event_words
from .common.algorithms import command_line
from .common.ranks import Ranks
from .common.selfplay import SelfPlayEnvs
from .vdn import VDN
from .vdn import Args as VDNArgs

__all__ = ["SAD", "Args"]


@dataclass(frozen=True)
class Args(VDNArgs):
    """Train one network to play every seat of a cooperative game, and tell it what explorers would have done."""

    prefix = "greedy-"


class SAD(VDN):
    """VDN whose network is also told the greedy action: an `agents.learning.common.trainer.Algorithm`."""

    def __init__(self, args: Args, envs: SelfPlayEnvs, ranks: Ranks) -> None:
        super().__init__(args, envs, ranks)
        self.words = event_words(envs.config)
        self.told = torch.zeros(envs.games, 1, dtype=torch.int64)
        """The last mover's greedy action in each game, as who is to move sees it; 0 in an opening position."""

    def inputs(self) -> Tensor:
        """See `VDN.inputs`."""
        return torch.cat([self.envs.observations, self.told], 1)

    def follow(self, players: Tensor, greedy: Tensor, dones: Tensor) -> None:
        """See `VDN.follow`."""
        place = (players - self.envs.players) % self.envs.config.players
        self.told = torch.where(dones, 0, self.words[place, greedy.cpu()])[:, None]

    def state(self) -> dict[str, Any]:
        """See `agents.learning.common.trainer.Algorithm.state`."""
        return {**super().state(), "told": self.told}

    def restore(self, state: dict[str, Any]) -> None:
        """See `agents.learning.common.trainer.Algorithm.restore`."""
        super().restore(state)
        self.told = state["told"].cpu()


if __name__ == "__main__":
    command_line(__spec__.name)
