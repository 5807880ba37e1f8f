"""VDN, value decomposition (Sunehag et al. 2018): the team's value is the sum of the values of all players.

    hanabako train --algorithm vdn --preset mini --minutes 2
    hanabako train --algorithm vdn --preset mini --network recurrent --minutes 5

At each step every player i has a Q from its own observation o_i. The sum is learned from the team's reward r:

    sum over i of Q(o_i, a_i)  towards  r + gamma * sum over i of max over a of Q(o'_i, a)

All players share one network. Those who wait have one legal action, so with a dueling head they contribute the value of
their observation. All else is as in `agents.learning.iql`, whose sum has one term.

Differences from hanabi_SAD (Hu & Foerster 2020): waiting has no output of its own, and the memory of a player who waits
stays as it was, where there every player's memory changes at every step.
"""

from dataclasses import dataclass

from torch import Tensor
from typing_extensions import override

from ..networks.network import Network
from .common.q_learner import QLearner, QSettings
from .common.selfplay import EveryView


@dataclass(frozen=True)
class Args(QSettings):
    """Train one network to play every seat of a cooperative game."""

    games_class = EveryView


class VDN(QLearner):
    """Q-learning of the sum over players: an `agents.learning.common.trainer.Algorithm`."""

    @override
    def team_value(self, learner: Network, terms: Tensor, inputs: Tensor) -> Tensor:
        return terms[..., 0] + terms[..., 1:].sum(-1)
