"""VDN (Sunehag et al. 2018) over recurrent Q-learning with a replay memory (R2D2, Kapturowski et al. 2019).

    hanabako train --algorithm vdn --preset mini --minutes 2
    hanabako train --algorithm vdn --preset mini --network recurrent --minutes 5

One Q function is learned for the team: the value of an action of the player to move, from that player's observation. It
is double Q-learning with a dueling head, a slowly moving target network, a different exploration rate in each game
(Ape-X), and a replay memory of sequences. A recurrent network replays a sequence from the hidden state saved with it.
The differences from the papers were compared on ``mini`` (symmetric network, one million decisions, learning rate 1e-3,
greedy score out of 9; two runs with equal settings differed by 0.3, so smaller differences may be luck):

* VDN sums one Q per player at every step. Here only one player acts, so the other terms would be values of observations
  while waiting. With these terms the score was 7.5; without them 7.8, and 1.2 to 1.4 times as many decisions per
  second. So the sum has one term, and a decision builds on the best Q of the next player to move.
* Returns are Peng's Q(lambda) instead of 3 or 5 steps: lambda 0.5 and 0.8 scored alike, 0.95 lower (-0.7).
* Each decision is used once on average, within the next eight rollouts. One rollout, which is learning without replay
  as in PQN (Gallici et al. 2024), scored 0.25 below eight; 32 rollouts scored 0.6 below. Two passes scored 0.7 above
  one at 0.6 times the speed; doubling the learning rate to today's default scored 0.5 higher at no cost.
* The replay memory is sampled uniformly, sequences have no burn-in, and values are not rescaled: rewards are small.
* As in `agents.ppo`, losing costs little at first (`Args.loss_ramp`): 0.2 above the full price from the start.

The file reads from top to bottom: settings, algorithm, formulas. Budgets, ranks, logs, checkpoints and evaluations are
in `agents.learning.common.trainer`.
"""

import copy
from dataclasses import dataclass
from typing import Annotated, Any

import torch
from torch import Tensor

from hanabako.games import game_named
from hanabako.words.ranges import Part, Size, Within

from ..networks.network import Network, choose, masked, q_values
from .common.algorithms import command_line
from .common.network_learner import NetworkLearner
from .common.network_settings import NetworkSettings
from .common.ranks import Ranks
from .common.replay import ReplayMemory, Sequences
from .common.selfplay import SelfPlayEnvs
from .common.trainer import price_of_losing

# --- Settings ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Args(NetworkSettings):
    """Train one network to play every seat of a cooperative game."""

    horizon: Size = 16
    """Decisions per sequence, both per game between updates and in the replay memory."""
    minibatch: Size = 512
    """Decisions per gradient step, all ranks together."""
    passes: Size = 1
    """How often a decision is used for learning, on average; 2 scored higher, but is slower."""
    rollouts: Size = 8
    """Rollouts in the replay memory, each of ``games * horizon`` decisions."""
    gamma: Part = 0.999
    """Discount factor per decision."""
    q_lambda: Part = 0.8
    """Lambda of the returns: 1 uses only rewards, 0 only the values of the next positions."""
    epsilon: Part = 0.4
    """The probability of a random action in the game that explores most."""
    epsilon_power: Annotated[float, Within(1, 1000)] = 8.0
    """The game that explores least does so with probability ``epsilon ** epsilon_power``."""
    target_rate: Part = 0.05
    """How far the target network moves towards the network per gradient step, from 0 to 1."""
    loss_ramp: Part = 0.4
    """Fraction of the budget over which the price of losing a game rises from 0 to all points; 0: no ramp."""

    def check(self, world: int) -> None:
        """See `agents.learning.common.settings.Settings.check`."""
        super().check(world)
        if self.minibatch % (self.horizon * world):
            least = f"horizon * ranks = {self.horizon * world}"
            raise ValueError(f"minibatch must be a multiple of {least}, got {self.minibatch}")
        if not game_named(self.game).cooperative:
            raise ValueError(f"game must be a cooperative one, whose rewards are the team's, got {self.game}")


# --- The algorithm ----------------------------------------------------------------------------------------------------


class VDN(NetworkLearner):
    """The training state on one rank: an `agents.learning.common.trainer.Algorithm`."""

    def __init__(self, args: Args, envs: SelfPlayEnvs, ranks: Ranks) -> None:
        super().__init__(args, envs, ranks)
        self.target = copy.deepcopy(self.network).requires_grad_(False)
        numbers = 0 if self.memories.now is None else self.memories.now.shape[2]
        self.replay = ReplayMemory(args.rollouts, args.horizon, envs, self.network.words, numbers, ranks.device)
        own = slice(ranks.rank * envs.games, (ranks.rank + 1) * envs.games)
        self.epsilons = epsilons(args.epsilon, args.epsilon_power, args.games)[own]
        self.reward_scale = 3 / envs.config.max_score

    def learn(self, fraction: float) -> dict[str, float]:
        """Play ``horizon`` decisions of every game, update the network and return a row for the log."""
        args = self.args
        learning_rate = self.descent.set_rate(fraction)
        self.collect()
        price = price_of_losing(args.loss_ramp, fraction)
        count = args.minibatch // (args.horizon * self.ranks.world)
        row: dict[str, Tensor] = {}
        for _ in range(max(args.passes * self.envs.games // count, 1)):
            row = self.update(self.replay.sample(count, self.generator), price)
        row_of_numbers = {name: float(value.detach()) for name, value in row.items()}
        return row_of_numbers | {"learning_rate": learning_rate, "price_of_losing": price}

    @torch.no_grad()
    def collect(self) -> None:
        """Play the next ``horizon`` decisions of every game into the replay memory."""
        envs, network, memories = self.envs, self.network.rounded(), self.memories
        room = self.replay.begin()
        if memories.now is not None:
            room.memories.copy_(memories.now)
        for t in range(self.args.horizon):
            self.note(room, t)
            logits, _, after = network.step(room.observations[t], memories.of(envs.players))
            memories.keep(envs.players, after)
            masks, players = room.masks[t], envs.players.clone()  # the step overwrites them
            greedy = masked(logits, masks).argmax(1)
            whether, which = torch.rand(2, envs.games, generator=self.generator).to(logits.device)
            explores = whether < self.epsilons.to(logits.device)
            actions = torch.where(explores, choose(masks.float(), which), greedy)
            rewards, dones = envs.step(actions)
            room.actions[t] = actions
            room.rewards[t] = self.reward_scale * rewards[:, 0]  # all players have the same rewards
            room.dones[t] = dones
            memories.forget(dones)
            self.follow(players, greedy, dones)
        self.note(room, self.args.horizon)

    def note(self, room: Sequences, t: int) -> None:
        """Write what the players to move observe into ``room`` at index ``t``."""
        room.observations[t] = self.inputs()
        room.masks[t] = self.envs.masks
        room.players[t] = self.envs.players

    def inputs(self) -> Tensor:
        """Return the network's input now, packed: (games, words) int64."""
        return self.envs.observations

    def follow(self, players: Tensor, greedy: Tensor, dones: Tensor) -> None:
        """Take note of a decision in every game; a hook for subclasses.

        Args:
            players: (games,), the players who decided.
            greedy: (games,), their greedy actions, which they would have taken without exploring.
            dones: (games,) bool, whether the decision ended its game.
        """

    def outputs(self, network: Network, some: Sequences) -> tuple[Tensor, Tensor]:
        """Return a network's logits (horizon + 1, sequences, actions) and values (horizon + 1, sequences)."""
        if self.memories.now is None:
            logits, values = network(some.observations.flatten(0, 1))
        else:
            dones = torch.cat([some.dones, some.dones.new_zeros(1, some.dones.shape[1])])
            played = some.observations, some.players, dones, some.memories
            logits, values = self.memories.replayed(network, *played)
        return logits.view(*some.masks.shape), values.view(*some.players.shape)

    def update(self, some: Sequences, price: float) -> dict[str, Tensor]:
        """Take one gradient step on the sequences ``some`` and return statistics.

        Args:
            some: the sequences.
            price: the fraction of its points that losing a game costs, 0 to 1.
        """
        args = self.args
        q = q_values(*self.outputs(self.network, some), some.masks)
        with torch.no_grad():
            best = double_values(q, q_values(*self.outputs(self.target, some), some.masks), some.masks)
            rewards = torch.where(some.dones & (some.rewards < 0), price * some.rewards, some.rewards)
            returns = returns_of(rewards, some.dones, best[1:], args.gamma, args.q_lambda)
        chosen = q[:-1].gather(2, some.actions[..., None]).squeeze(2)
        loss = (chosen - returns).square().mean()
        norm = self.descent.step(loss)
        with torch.no_grad():
            for slow, fast in zip(self.target.parameters(), self.network.parameters(), strict=True):
                slow.lerp_(fast, args.target_rate)
        return {"loss": loss, "q": chosen.mean(), "gradient_norm": norm}

    def state(self) -> dict[str, Any]:
        """See `agents.learning.common.trainer.Algorithm.state`."""
        return super().state() | {"target": self.target.state_dict(), "replay": self.replay.state()}

    def restore(self, state: dict[str, Any]) -> None:
        """See `agents.learning.common.trainer.Algorithm.restore`."""
        super().restore(state)
        self.target.load_state_dict(state["target"])
        self.replay.restore(state["replay"])


# --- Formulas ---------------------------------------------------------------------------------------------------------


def epsilons(most: float, power: float, games: int) -> Tensor:
    """Return the probability of a random action in each game, (games,), spaced geometrically.

    It falls from ``most`` to ``most ** power``. As in Ape-X (Horgan et al. 2018), some games explore, and others show
    where good play leads.
    """
    return most ** torch.linspace(1, power, games)


def double_values(q: Tensor, target: Tensor, masks: Tensor) -> Tensor:
    """Return the values (...) of positions by double Q-learning (van Hasselt et al. 2016).

    The best legal action by ``q`` (..., actions) is chosen, and its value is taken from ``target``.
    """
    return target.gather(-1, masked(q, masks).argmax(-1, keepdim=True)).squeeze(-1)


def returns_of(rewards: Tensor, dones: Tensor, next_values: Tensor, gamma: float, q_lambda: float) -> Tensor:
    """Return the returns of Peng's Q(lambda) (Peng & Williams 1996), (horizon, sequences).

    A decision's return is its reward plus a discounted mixture: ``1 - q_lambda`` of the value of the next position and
    ``q_lambda`` of the next decision's return. The last decision of a sequence uses only the value.

    Args:
        rewards: (horizon, sequences).
        dones: (horizon, sequences) bool, whether the decision ended its game.
        next_values: (horizon, sequences), the value of the position after each decision.
        gamma: discount per decision.
        q_lambda: see above.
    """
    returns = torch.empty_like(rewards)
    after = next_values[-1]
    for t in reversed(range(len(rewards))):
        after = torch.lerp(next_values[t], after, q_lambda)
        after = returns[t] = rewards[t] + gamma * after * ~dones[t]
    return returns


if __name__ == "__main__":
    command_line(__spec__.name)
