"""E3T, end-to-end training with a mixed partner (Yan et al. 2023): one network learns with a noisy copy of itself.

    hanabako train --algorithm e3t --preset mini --minutes 5
    hanabako train --algorithm e3t --preset mini --minutes 5 --epsilon 0.3

The learner has one seat in every game. At the others sit partners with its current policy, who with probability
``epsilon`` take a random legal action instead. There is no population to train, yet partners are as skilled as the
learner and differ from it. The network predicts the next player's action from its observation, and reads its own
prediction (`agents.networks.modelling`), so that it can adapt to what the partner does.

All else is as in PPO with a dense network. Only the learner's own decisions are learned from, and only they
count in a budget of decisions.

Differences from the paper, whose game is Overcooked: the model of the partner reads the observation, which has the last
action in it, and not a sequence of recent positions and actions (``--config history=5`` adds actions). In Hanabi three
wrong plays lose the game, so by default few of the partner's actions are random.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional as F

from hanabako.games import game_named
from hanabako.words.checks import shown
from hanabako.words.ranges import Part, Positive

from ..networks.modelling import ModellingDenseNetwork
from ..networks.network import Network, choose
from ..networks.neural_policy import NeuralPolicy
from ..playing.policy import Actions, Mask, Noise, has
from . import ppo
from .common.algorithms import command_line
from .common.network_settings import NetworkKind
from .common.ranks import Ranks
from .common.selfplay import SelfPlayEnvs
from .fcp import PopulationEnvs
from .ppo import PPO, Batch

__all__ = ["E3T", "Args", "MixedPartner", "MixedPartnerEnvs"]

NONE = -1
"""The reply in a game that ended before the next player's decision."""


@dataclass(frozen=True)
class Args(ppo.Args):
    """Train one network to play a cooperative game with noisy copies of itself."""

    network: NetworkKind = "dense"
    """The kind of network, which must be ``dense``; it has a model of the partner."""
    last_action_ramp: Part | None = 0.0
    """As in `agents.learning.ppo.Args.last_action_ramp`. The paper has no such ramp."""
    epsilon: Part = 0.1
    """Probability that a partner takes a random legal action."""
    model_weight: Positive = 1.0
    """Weight of the prediction's loss."""

    def kind_of(self, basic: str) -> str:
        """See `NetworkSettings.kind_of`; the network also has a model of the partner."""
        return f"modelling-{basic}"

    def check(self, world: int) -> None:
        """See `agents.learning.common.settings.Settings.check`."""
        super().check(world)
        if not game_named(self.game).cooperative:
            raise ValueError(f"game must be a cooperative one for a mixed partner, got {self.game}")
        if self.pool:
            raise ValueError(f"partners must be empty: they are copies of the learner, got {shown(self.pool)}")
        if self.network != "dense":
            raise ValueError(f"network must be dense, the only kind with a model of the partner, got {self.network}")


# --- The partner ------------------------------------------------------------------------------------------------------


class MixedPartner(NeuralPolicy):
    """A network that samples its actions, and with probability ``epsilon`` takes any legal one.

    Args:
        network: see `NeuralPolicy`.
        config: see there.
        epsilon: the probability.
    """

    def __init__(self, network: Network, config: Any, epsilon: float) -> None:
        super().__init__(network, config, greedy=False)
        self.epsilon = epsilon

    def probabilities(self, observation: NDArray[Any], mask: Mask, memory: Any = None) -> NDArray[np.float32]:
        """See `NeuralPolicy.probabilities`."""
        uniform = mask / mask.sum(1, keepdims=True, dtype=np.float32)
        return (1 - self.epsilon) * super().probabilities(observation, mask, memory) + self.epsilon * uniform

    def act(self, observation: NDArray[Any], mask: Mask, noise: Noise, memory: Any = None) -> Actions:
        """See `agents.playing.policy.BatchedPolicy.act`."""
        probabilities = torch.from_numpy(self.probabilities(observation, mask, memory))
        return choose(probabilities, torch.from_numpy(noise).float()).numpy()


class MixedPartnerEnvs(PopulationEnvs):
    """Games among partners that also say what the next player did.

    ``replies`` (games,) int16 has the action with which the next player answered the learner's last decision; `NONE`
    if there was no answer.
    """

    def __init__(self, config: Any, games: int, seed: int, ranks: Ranks, threads: int = 1) -> None:
        self.replies = np.full(games // ranks.world, NONE, np.int16)
        super().__init__(config, games, seed, ranks, threads)

    def step(self, actions: Tensor) -> tuple[Tensor, Tensor]:
        """See `PartnersEnvs.step`."""
        self.replies[:] = NONE
        return super().step(actions)

    def _go_on(self, rows: NDArray[np.int64]) -> None:
        others = ~has(self.learners[rows], self.block.tables["current_player"][rows])
        replying = rows[others & (self.replies[rows] == NONE) & ~self._dones[rows]]
        self.replies[replying] = self.block.actions[replying]
        super()._go_on(rows)


# --- The algorithm ----------------------------------------------------------------------------------------------------


class Modelling(Network):
    """A network in training, whose logits (rows, 2 * actions) end with those of the next player's action."""

    def __init__(self, network: ModellingDenseNetwork) -> None:
        torch.nn.Module.__init__(self)
        self.network = network

    def forward(self, words: Tensor) -> tuple[Tensor, Tensor]:
        """See `Network.forward`."""
        logits, values, predicted = self.network.with_prediction(words)
        return torch.cat([logits, predicted], 1), values

    def rounded(self) -> Network:  # type: ignore[override]
        """Return a copy of the network of the policy for playing, see `Network.rounded`."""
        return self.network.rounded()


class E3T(PPO):
    """PPO at one seat among noisy copies: an `agents.learning.common.trainer.Algorithm`."""

    Envs = MixedPartnerEnvs

    def __init__(self, args: Args, envs: SelfPlayEnvs, ranks: Ranks) -> None:
        assert isinstance(envs, MixedPartnerEnvs)
        self.mixed = envs
        super().__init__(args, envs, ranks)
        self.partner = MixedPartner(self.network, envs.config, args.epsilon)
        envs.admit(self.partner)

    def with_critic(self, network: Network) -> Network:
        """See `NetworkLearner.with_critic`: the network and its prediction."""
        assert isinstance(network, ModellingDenseNetwork)
        return Modelling(network)

    def learn(self, fraction: float) -> dict[str, float]:
        """See `agents.learning.ppo.PPO.learn`; first the partner gets the current policy."""
        self.partner.network = self.network.rounded()
        return super().learn(fraction)

    def collect(self, price: float, visible: float = 1.0) -> Tensor:
        """See `PPO.collect`; a decision's label is the reply to it, which is known one step later."""
        last_values, labels = super().collect(price, visible), self.rollout.labels
        labels[:-1] = labels[1:].clone()
        labels[-1].copy_(self.labels())
        return last_values

    def labels(self) -> Tensor:
        """See `PPO.labels`: the replies to the last decisions."""
        return torch.from_numpy(self.mixed.replies)[:, None]

    def loss(
        self, logits: Tensor, values: Tensor, batch: Batch, entropy_weight: float
    ) -> tuple[Tensor, dict[str, Tensor]]:
        """See `PPO.loss`."""
        own, predicted = logits.tensor_split([self.network.actions], 1)
        loss, statistics = super().loss(own, values, batch, entropy_weight)
        replies = batch.labels[:, 0].long()
        errors = F.cross_entropy(predicted, replies, ignore_index=NONE, reduction="sum")
        model_loss = errors / (replies != NONE).sum().clamp(min=1)
        return loss + self.args.model_weight * model_loss, {**statistics, "model_loss": model_loss}


if __name__ == "__main__":
    command_line(__spec__.name)
