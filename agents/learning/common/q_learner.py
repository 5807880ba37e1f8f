"""Q-learning from a replay memory of sequences, the common part of IQL, VDN, QMIX and SAD.

All players share one network. At each decision the player to move has a Q of its actions from its own observation, and
an algorithm may add values of the players who wait. Their combination, the team's value (`QLearner.team_value`), is
learned from the team's rewards. `agents.learning.iql` lists how this differs from the papers.
"""

import copy
from dataclasses import dataclass
from typing import Annotated, Any

import torch
from torch import Tensor
from typing_extensions import override

from hanabako.games import game_named
from hanabako.words.ranges import Part, Size, Within

from ...networks.network import Network, choose, masked, q_values
from .network_learner import NetworkLearner
from .network_settings import NetworkSettings
from .ranks import Ranks
from .replay import ReplayMemory, Sequences
from .selfplay import SelfPlayEnvs, paid
from .trainer import risen

# --- Settings ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class QSettings(NetworkSettings):
    """Settings of Q-learning for a team."""

    horizon: Size = 16
    """Decisions per sequence, both per game between updates and in the replay memory."""
    minibatch: Size = 512
    """Decisions per gradient step, all ranks together."""
    passes: Size = 1
    """How often a decision is used for learning, on average."""
    rollouts: Size = 8
    """Rollouts in the replay memory, each of ``games * horizon`` decisions."""
    gamma: Part = 0.999
    """Discount factor per decision."""
    n_step: Annotated[int, Within(0, 1000)] = 3
    """Number of rewards in a return before the value of the position reached, 3 as in the scripts of SAD's authors;
    0: returns with ``q_lambda`` instead."""
    q_lambda: Part = 0.8
    """Lambda of the returns if ``n_step`` is 0: 1 uses only rewards, 0 only the values of the next positions."""
    epsilon: Part = 0.1
    """The probability of a random action in the game that explores most, as in the scripts of SAD's authors; 0.4 in
    Ape-X."""
    epsilon_power: Annotated[float, Within(1, 1000)] = 8.0
    """The game that explores least does so with probability ``epsilon ** epsilon_power``."""
    target_rate: Part = 0.05
    """How far the target network moves towards the network per gradient step, from 0 to 1."""
    priority: Part = 0.9
    """Exponent of a sequence's error in the probability that it is replayed, 0.9 as in R2D2; 0 replays all alike."""
    importance: Part = 0.6
    """Exponent of the importance weights, which make up for these probabilities; 1 makes up for them entirely."""
    loss_ramp: Part = 0.4
    """Fraction of the budget over which the price of losing a game rises from 0 to all points; 0: no ramp."""

    @override
    def check(self, world: int) -> None:
        super().check(world)
        if self.minibatch % (self.horizon * world):
            least = f"horizon * ranks = {self.horizon * world}"
            raise ValueError(f"minibatch must be a multiple of {least}, got {self.minibatch}")
        if not game_named(self.game).cooperative:
            raise ValueError(f"game must be a cooperative one, whose rewards are the team's, got {self.game}")


# --- The learner ------------------------------------------------------------------------------------------------------


class QLearner(NetworkLearner):
    """The training state on one rank; each kind is an `agents.learning.common.trainer.Algorithm`.

    The team's value is that of the player to move, unless a subclass says otherwise.
    """

    def __init__(self, args: QSettings, envs: SelfPlayEnvs, ranks: Ranks) -> None:
        super().__init__(args, envs, ranks)
        self.target = copy.deepcopy(self.learner).requires_grad_(False)
        numbers = 0 if self.memories.now is None else self.memories.now.shape[2]
        self.replay = ReplayMemory(args.rollouts, args.horizon, envs, self.inputs().shape[1], numbers, ranks.device)
        own = slice(ranks.rank * envs.games, (ranks.rank + 1) * envs.games)
        self.epsilons = epsilons(args.epsilon, args.epsilon_power, args.games)[own]
        self.reward_scale = 3 / envs.config.max_score

    def learn(self, fraction: float) -> dict[str, float]:
        """Play ``horizon`` decisions of every game, update the network and return a row for the log."""
        args = self.args
        learning_rate = self.descent.set_rate(fraction)
        self.collect()
        price = risen(args.loss_ramp, fraction)
        count = args.minibatch // (args.horizon * self.ranks.world)
        row: dict[str, Tensor] = {}
        for _ in range(max(args.passes * self.envs.games // count, 1)):
            row = self.update(count, price)
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
            logits, _, after, _ = network.step(self.own_view(room.observations[t]), memories.of(envs.players))
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
        """Return what is stored of the positions now, packed: (games, words) int64, what the policy reads first."""
        return self.envs.observations

    def own_view(self, inputs: Tensor) -> Tensor:
        """Return the part of `inputs` (..., words) that the policy reads."""
        return inputs[..., : self.network.words].contiguous()

    def follow(self, players: Tensor, greedy: Tensor, dones: Tensor) -> None:
        """Take note of a decision in every game, with the greedy actions of those who decided; a hook for subclasses.

        All are (games,); ``dones`` says whether the decision ended its game.
        """

    def outputs(self, learner: Network, some: Sequences) -> tuple[Tensor, Tensor]:
        """Return logits and values of all positions of some sequences, by the network or the target network.

        Logits are those of the player to move, (horizon + 1, sequences, actions), values those of the players whose
        observations are stored, the player to move first: (horizon + 1, sequences, terms).
        """
        views = some.observations.unflatten(2, (-1, self.network.words))
        dones = torch.cat([some.dones, some.dones.new_zeros(1, views.shape[1])])
        logits, values, *_ = learner.replay(views, some.memories, some.players, dones)
        return logits.view(*views.shape[:3], -1)[:, :, 0], values.view(views.shape[:3])

    def team_value(self, learner: Network, terms: Tensor, inputs: Tensor) -> Tensor:
        """Return the values (horizon, sequences) of the team from those of its players, in ``learner`` or the target.

        ``terms`` (horizon, sequences, terms) are the Q of the player to move, then the values of waiting players;
        ``inputs`` (horizon, sequences, words) int64 are the positions as they are stored in the replay memory.
        """
        return terms[..., 0]

    def errors(self, some: Sequences, price: float) -> tuple[Tensor, Tensor]:
        """Return the errors (horizon, sequences) of the team's values, and the values (horizon, sequences).

        ``price``, from 0 to 1, is the part of its points that losing a game costs.
        """
        masks, inputs = some.masks, some.observations
        logits, values = self.outputs(self.learner, some)
        q = q_values(logits, values[..., 0], masks)
        own = q[:-1].gather(2, some.actions[..., None])
        chosen = self.team_value(self.learner, torch.cat([own, values[:-1, :, 1:]], 2), inputs[:-1])
        with torch.no_grad():
            logits, values = self.outputs(self.target, some)
            greedy = masked(q, masks).argmax(-1, keepdim=True)  # double Q-learning (van Hasselt et al. 2016)
            best = q_values(logits, values[..., 0], masks).gather(-1, greedy)
            after = self.team_value(self.target, torch.cat([best, values[..., 1:]], 2)[1:], inputs[1:])
            args, decisions = self.args, (paid(some.rewards, price), some.dones, after, self.args.gamma)
            returns = n_step_returns(*decisions, args.n_step) if args.n_step else returns_of(*decisions, args.q_lambda)
        return chosen - returns, chosen

    def update(self, count: int, price: float) -> dict[str, Tensor]:
        """Draw ``count`` sequences, take one gradient step, and return statistics; ``price`` as in `errors`."""
        args = self.args
        rows, odds = self.replay.draw(count, self.generator, args.priority)
        errors, chosen = self.errors(self.replay.at(rows), price)
        weights = odds**-args.importance
        loss = ((weights / weights.max()).to(errors.device) * errors.square()).mean()
        norm = self.descent.step(loss)
        if args.priority:
            self.replay.priorities[rows] = priorities_of(errors.detach()).cpu()
        with torch.no_grad():
            for slow, fast in zip(self.target.parameters(), self.learner.parameters(), strict=True):
                slow.lerp_(fast, args.target_rate)
        return {"loss": loss, "q": chosen.mean(), "gradient_norm": norm}

    @override
    def state(self) -> dict[str, Any]:
        return super().state() | {"target": self.target.state_dict(), "replay": self.replay.state()}

    @override
    def restore(self, state: dict[str, Any]) -> None:
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


def returns_of(rewards: Tensor, dones: Tensor, next_values: Tensor, gamma: float, q_lambda: float) -> Tensor:
    """Return the returns of Peng's Q(lambda) (Peng & Williams 1996), (horizon, sequences).

    A decision's return is its reward plus a discounted mixture: ``1 - q_lambda`` of the value of the next position and
    ``q_lambda`` of the next decision's return. The last decision of a sequence uses only the value. All arguments are
    (horizon, sequences): rewards, whether the decision ended its game, and the values of the positions after it.
    """
    returns = torch.empty_like(rewards)
    after = next_values[-1]
    for t in reversed(range(len(rewards))):
        after = torch.lerp(next_values[t], after, q_lambda)
        after = returns[t] = rewards[t] + gamma * after * ~dones[t]
    return returns


def n_step_returns(rewards: Tensor, dones: Tensor, next_values: Tensor, gamma: float, n: int) -> Tensor:
    """Return n-step returns (Sutton 1988), (horizon, sequences): ``n`` discounted rewards, then a discounted value.

    A return has fewer rewards if the game or the sequence ends before. Arguments as in `returns_of`.
    """
    returns = rewards + gamma * next_values * ~dones
    for _ in range(n - 1):
        after = torch.cat([returns[1:], next_values[-1:]])
        returns = rewards + gamma * after * ~dones
    return returns


def priorities_of(errors: Tensor) -> Tensor:
    """Return the priorities (sequences,) of sequences by their ``errors`` (horizon, sequences), as in R2D2.

    A priority is 0.9 times the largest error plus 0.1 times the mean error, clipped to 1e-6 .. 1e6. NaN, the result of
    diverging training, becomes 1e6.
    """
    sizes = errors.abs()
    return torch.lerp(sizes.mean(0), sizes.amax(0), 0.9).nan_to_num(1e6).clamp(1e-6, 1e6)
