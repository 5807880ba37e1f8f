"""IQL: Q-learning of the player to move, with shared weights and the team's rewards (Tan 1993; R2D2, Kapturowski 2019).

    hanabako train --algorithm iql --preset mini --minutes 2
    hanabako train --algorithm iql --preset mini --network recurrent --minutes 5 --burn-in

One Q function is learned for all seats: the value of an action of the player to move, from that player's observation.
Players take turns, so a decision builds on the best Q of the next player to move. It is double Q-learning with a
dueling head, a slowly moving target network, a different exploration rate in each game (Ape-X), and a replay memory of
sequences. A recurrent network replays a sequence from the hidden state saved with it. `agents.learning.vdn` also
sums the waiting players' values.

Returns of 3 steps, prioritized replay and exploration rates of ``0.1 ** (1 + 7 i / (n - 1))`` in game i of n are those
of the Hanabi scripts of SAD's authors (R2D2 itself has returns of 5 steps). Peng's Q(lambda), uniform replay and rates
up to 0.4 as in Ape-X are ``--n-step 0 --priority 0 --epsilon 0.4``.

Differences from SAD's authors' program:

* A return ends with the value of the player who is then to move. With two players and 3 steps this is the partner, who
  does not see what the first player sees: the partner's own hand. So what only the first player knows counts only for
  the steps of the return. In their program the value is that of the same player, as it is here for two players with
  ``--n-step 2`` or ``--n-step 4``.
* Sequences are 16 decisions of a game, with the memory that the network had before them. They replay whole games.
* A recurrent network's memory changes only with a player's own decisions, as it does in play. Theirs changes at every
  step, so it also sees the player's own last action. Here a player sees what the action did, unless the observation has
  more of the past (``--config history=2`` for two players).
* Game i has its rate of exploration for all players and the whole run; with several ranks the first has the games that
  explore most, and each rank replays its own games. Their players each draw one of the rates for each game, so a player
  who explores little also meets partners who explore much.
* The dueling head subtracts the mean advantage of the legal actions. Theirs divides the sum of these advantages by the
  number of all actions.
* Games have no limit of length. Theirs end at move 80, and then score 0.
* The target network moves a little with each gradient step (`Args.target_rate`) and follows closely. Theirs is a copy,
  made every 2,500 steps. The loss is the squared error; theirs is smooth L1.

Differences from the papers:

* Each decision is used once on average, within the next eight rollouts.
* Sequences begin with the memory that the network had while it played. ``--burn-in`` renews that memory as in R2D2;
  here the burn-in is a whole sequence, half of what is replayed. Values are not rescaled: rewards are small.
* New sequences have the highest priority (Schaul et al. 2016); in R2D2 they have the priority of their first errors.
  There are as many draws as new sequences, and the highest priority hardly falls, as sequences that were not drawn
  again keep theirs. So most draws are of sequences that were not drawn before. The importance weights then mostly scale
  the steps down, which Adam evens out.
* As in PPO, losing costs little at first (`Args.loss_ramp`).

Most of the algorithm is in `agents.learning.common.q_learner`, which the other value learners share. Budgets, ranks,
logs, checkpoints and evaluations are in `agents.learning.common.trainer`.
"""

from dataclasses import dataclass

import torch
from torch import Tensor

from ..networks.network import Network
from .common.algorithms import command_line
from .common.q_learner import QLearner, QSettings
from .common.replay import Sequences

__all__ = ["IQL", "Args"]


@dataclass(frozen=True)
class Args(QSettings):
    """Train one network to play every seat of a cooperative game."""


class IQL(QLearner):
    """Q-learning of the player to move: an `agents.learning.common.trainer.Algorithm`."""

    def outputs(self, learner: Network, some: Sequences) -> tuple[Tensor, Tensor]:
        """See `QLearner.outputs`: the only term is that of the player to move."""
        if self.memories.now is None:
            logits, values = learner(some.observations.flatten(0, 1))
        else:
            dones = torch.cat([some.dones, some.dones.new_zeros(1, some.dones.shape[1])])
            played = some.observations, some.players, dones, some.memories
            logits, values = self.memories.replayed(learner, *played)
        return logits.view(*some.masks.shape), values.view(*some.players.shape, 1)

    def team_value(self, learner: Network, terms: Tensor, inputs: Tensor) -> Tensor:
        """See `QLearner.team_value`."""
        return terms.squeeze(-1)


if __name__ == "__main__":
    command_line(__spec__.name)
