"""SAD, the Simplified Action Decoder (Hu & Foerster 2020): partners see the greedy action besides an exploring one.

    hanabako train --algorithm sad --preset mini --minutes 2                         # memoryless
    hanabako train --algorithm sad --preset mini --minutes 5 --network recurrent

Partners read meaning into each action, so random exploration confuses them. During training SAD therefore shows them
two actions of the last player: the one taken, which changed the game, and the greedy one, which the player would have
chosen without exploring. Once training is over no one explores, and the two are the same.

It is `agents.learning.iql` with one more input, see `agents.networks.greedy_input`. Differences from the authors'
program: theirs also shows what the greedy action would have done, such as the cards that a hint would have touched;
their SAD is recurrent and sums the players' values (VDN), where this one has the value of the player to move; with
three or more players theirs remembers the greedy actions of all players since its own last decision, where this one
sees the last. With the usual networks it has no memory, and results call it ``sad-memoryless``.
"""

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from typing_extensions import override

from ..networks.greedy_input import event_words
from .common.q_learner import QLearner, QSettings
from .common.ranks import Ranks
from .common.selfplay import SelfPlayEnvs


@dataclass(frozen=True)
class Args(QSettings):
    """Train one network to play every seat of a cooperative game, with the last player's greedy action as an input."""

    variant = "greedy-"  # the network also reads the last greedy action


class SAD(QLearner):
    """IQL with the last greedy action as an input: an `agents.learning.common.trainer.Algorithm`."""

    def __init__(self, args: Args, envs: SelfPlayEnvs, ranks: Ranks) -> None:
        self.words = event_words(envs.config)
        self.greedy = torch.zeros(envs.games, 1, dtype=torch.int64)
        """(games, 1) int64: the last player's greedy action, as the player to move sees it; 0 in an opening
        position."""
        super().__init__(args, envs, ranks)

    @override
    def inputs(self) -> Tensor:
        return torch.cat([self.envs.observations, self.greedy], 1)

    @override
    def follow(self, players: Tensor, greedy: Tensor, dones: Tensor) -> None:
        offset = (players - self.envs.players) % self.envs.config.players
        self.greedy = torch.where(dones, 0, self.words[offset, greedy.cpu()])[:, None]

    @override
    def state(self) -> dict[str, Any]:
        return {**super().state(), "greedy": self.greedy}

    @override
    def restore(self, state: dict[str, Any]) -> None:
        super().restore(state)
        self.greedy = state["greedy"].cpu()
