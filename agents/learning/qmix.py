"""QMIX (Rashid et al. 2018): the team's value is a monotonic function of the players' values, and of the state.

    hanabako train --algorithm qmix --preset mini --minutes 2

`agents.learning.vdn` with a mixing network in place of the sum. Its weights come from the state s by hypernetworks, and
those that multiply values are absolute, so that no player's value lowers the team's and the players' best actions are
the team's best:

    Q_team = abs(w2(s)) . elu(abs(W1(s)) q + b1(s)) + v(s),   q = the players' values, the player to move first

The state is the observations of all players, as the critic of `agents.learning.mappo` reads them: together they show
every card that is dealt. The mixing network begins as the sum of positive values. It is used only in training; the
network of the players is evaluated and saved.

Differences from the paper: W1, b1, w2 and v share one hidden layer of the state; W1 starts near 1, w2 near 1 / units;
and the mixing network distinguishes the suits, even if the players' network treats them alike. What
`agents.learning.vdn` says of waiting players holds here too.

By default returns are Peng's Q(lambda), replay is uniform, and the game that explores most does so with probability
0.4. The defaults of the other value learners are ``--n-step 3 --priority 0.9 --epsilon 0.1``.
"""

from dataclasses import dataclass
from typing import Annotated

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from typing_extensions import override

from hanabako.words.ranges import Part, Within

from ..networks.network import Network, Outputs, RoundedLinear
from ..networks.packing import to_numbers
from .common.q_learner import QLearner, QSettings
from .common.selfplay import EveryView


@dataclass(frozen=True)
class Args(QSettings):
    """Train one network to play every seat of a cooperative game."""

    games_class = EveryView

    n_step: Annotated[int, Within(0, 1000)] = 0
    """Number of rewards in a return before the value of the position reached; 0: returns with ``q_lambda`` instead."""
    priority: Part = 0.0
    """Exponent of a sequence's error in the probability that it is replayed; 0 replays all alike."""
    epsilon: Part = 0.4
    """The probability of a random action in the game that explores most, 0.4 as in Ape-X."""


class Mixer(nn.Module):
    """The mixing network of ``units``, with its weights from a hidden layer of ``width`` that reads the state.

    ``opening``, (words,) int64, are the bits that are set in every opening state.
    """

    def __init__(self, opening: Tensor, players: int, units: int = 32, width: int = 64) -> None:
        super().__init__()
        self.players, self.units = players, units
        self.register_buffer("opening", opening)
        self.state = RoundedLinear(64 * len(opening), width)
        self.weights = nn.Linear(width, units * (players + 2) + 1)
        nn.init.orthogonal_(self.weights.weight, 0.1)
        start = [1.0] * (units * players) + [0.0] * units + [1 / units] * units + [0.0]
        self.weights.bias.data.copy_(torch.tensor(start))

    def forward(self, values: Tensor, state: Tensor) -> Tensor:
        """Return the team's values (rows,) from those of (rows, players), and the packed state, (rows, words) int64."""
        sizes = [self.units * self.players, self.units, self.units, 1]
        given = self.weights(F.relu(self.state(to_numbers(state ^ self.opening, torch.float32))))
        first, bias, second, value = given.split(sizes, 1)
        first = first.abs().view(-1, self.units, self.players)
        hidden = F.elu((first * values[:, None]).sum(2) + bias)
        return (second.abs() * hidden).sum(1) + value.squeeze(1)


class Mixed(Network):
    """The network of the players together with the mixing network, so that one optimizer trains both."""

    def __init__(self, policy: Network, mixer: Mixer) -> None:
        nn.Module.__init__(self)
        self.policy, self.mixer = policy, mixer

    @override
    def replay(self, words: Tensor, memory: Tensor, players: Tensor, dones: Tensor) -> Outputs:
        return self.policy.replay(words, memory, players, dones)


class QMIX(QLearner):
    """Q-learning of the mixture of all players' values: an `agents.learning.common.trainer.Algorithm`."""

    @override
    def with_critic(self, network: Network) -> Network:
        mixer = Mixer(self.envs.opening_bits(), self.envs.config.players)
        return Mixed(network, mixer.to(self.ranks.device))

    @override
    def team_value(self, learner: Network, terms: Tensor, inputs: Tensor) -> Tensor:
        assert isinstance(learner, Mixed)
        return learner.mixer(terms.flatten(0, 1), inputs.flatten(0, 1)).view(terms.shape[:2])
