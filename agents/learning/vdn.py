"""VDN, value decomposition (Sunehag et al. 2018): the team's value is the sum of the values of all players.

    hanabako train --algorithm vdn --preset mini --minutes 2
    hanabako train --algorithm vdn --preset mini --network recurrent --minutes 5

At each step every player i has a Q from its own observation o_i. The sum is learned from the team's reward r:

    sum over i of Q(o_i, a_i)  towards  r + gamma * sum over i of max over a of Q(o'_i, a)

All players share one network. In a game with turns only one of them acts; the others wait, which is their only legal
action, as in hanabi_SAD (Hu & Foerster 2020). With a dueling head, a sole legal action has the value of the
observation, so a waiting player contributes that. All else is as in `agents.learning.iql`, whose sum has one term, that
of the player to move: 3-step returns, double Q-learning with a target network, prioritized replay, exploration.

Differences from the papers:

* hanabi_SAD gives waiting an output of its own, and the dueling head subtracts the sum of the legal actions' advantages
  divided by the number of all actions. So the value of waiting may differ from that of the observation. Here the mean
  is over legal actions, and it cannot.
* A recurrent network's memory changes only with a player's own decisions, as it does in play. A waiting player's value
  comes from its memory and its observation, and the memory then stays as it was. In hanabi_SAD every player's memory
  changes at every step.
* What `agents.learning.iql` says of replay holds here too.
"""

from dataclasses import dataclass

import torch
from torch import Tensor

from hanabako.words.ranges import Part

from ..networks.network import Network
from .common.algorithms import command_line
from .common.q_learner import QLearner, QSettings
from .common.replay import Sequences
from .common.selfplay import EveryView

__all__ = ["VDN", "Args"]


@dataclass(frozen=True)
class Args(QSettings):
    """Train one network to play every seat of a cooperative game."""

    waiting: Part = 1.0
    """The weight of the waiting players' values in the sum: 1 is VDN, 0 leaves them out, as `agents.learning.iql`
    does."""


class VDN(QLearner):
    """Q-learning of the sum over players: an `agents.learning.common.trainer.Algorithm`."""

    Envs = EveryView

    def input_words(self) -> int:
        """See `QLearner.input_words`: the observations of all players, the player to move first."""
        return self.envs.config.players * self.network.words

    def own_view(self, inputs: Tensor) -> Tensor:
        """See `QLearner.own_view`."""
        return inputs[..., : self.network.words].contiguous()

    def outputs(self, learner: Network, some: Sequences) -> tuple[Tensor, Tensor]:
        """See `QLearner.outputs`: there is one term per player, in turn order from the player to move."""
        *shape, _ = some.observations.shape
        views = some.observations.view(*shape, -1, self.network.words)
        if self.memories.now is not None:
            return self.remembered(learner, views, some)
        logits, values = learner(views.flatten(0, 2))
        return logits.view(*views.shape[:3], -1)[:, :, 0], values.view(*views.shape[:3])

    def remembered(self, learner: Network, views: Tensor, some: Sequences) -> tuple[Tensor, Tensor]:
        """Return what `outputs` does, with a network with memory: only the player to move keeps a new memory.

        Args:
            learner: the network, or the target network.
            views: (horizon + 1, sequences, players, words) int64.
            some: the sequences.
        """
        assert self.memories.fresh is not None
        fresh, memories, count = self.memories.fresh, some.memories, views.shape[2]
        rows, seats = torch.arange(views.shape[1], device=views.device), torch.arange(count, device=views.device)
        read, seen = learner.read(views.flatten(0, 2))
        followed = []
        for t, now in enumerate(read.unflatten(0, views.shape[:3])):
            turned = memories[rows[:, None], (some.players[t][:, None] + seats) % count]
            after = learner.remember(now.flatten(0, 1), turned.flatten(0, 1))
            followed.append(after)
            if t < len(some.dones):
                memories = memories.index_put((rows, some.players[t]), after.unflatten(0, (-1, count))[:, 0])
                memories = torch.where(some.dones[t][:, None, None], fresh, memories)
        logits, values = learner.decide(seen, torch.cat(followed))
        return logits.view(*views.shape[:3], -1)[:, :, 0], values.view(*views.shape[:3])

    def team_value(self, learner: Network, terms: Tensor, inputs: Tensor) -> Tensor:
        """See `QLearner.team_value`."""
        return terms[..., 0] + self.args.waiting * terms[..., 1:].sum(-1)


if __name__ == "__main__":
    command_line(__spec__.name)
