"""Masked PPO in self-play (Schulman et al. 2017), or IPPO: one network plays every seat and learns from every seat.

    hanabako train --preset mini --minutes 1
    torchrun --standalone --nproc-per-node 2 -m hanabako train --preset standard --minutes 5   # ranks started by hand

A batch has only decisions of the player to move, and a rollout stays packed, 64 bits to a word. In a competitive game
each player has its own stream of rewards: a decision builds on the same player's next decision. In a cooperative game
all share one: a decision builds on the value of the next player to move, who sees other cards. Losing such a game costs
little at first (`Args.loss_ramp`), and in self-play the last action is hidden at first (`Args.last_action_ramp`), so
that all runs begin with what hints say literally. Advantages are normalized over the whole rollout. Values are neither
normalized nor clipped, and no bound on the change of the policy ends the passes early. The memory of a recurrent
network changes with a player's own decisions only. Ranks of torch.distributed have their own games and average their
gradients. All schedules follow the fraction of the budget that is spent.
"""

from dataclasses import dataclass
from math import ceil
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, TypeAlias

import numpy as np
import torch
from torch import Tensor
from typing_extensions import override

from hanabako.engine.sections import words_for
from hanabako.games import game_of
from hanabako.packing import pack
from hanabako.words.checks import shown
from hanabako.words.ranges import Part, Positive, Size, Within

from ..networks.network import Network, Outputs, choose, masked
from ..playing.open_games import check_members
from ..registry import load
from .common import trainer
from .common.network_learner import NetworkLearner
from .common.network_settings import NetworkSettings
from .common.partners import PartnersEnvs
from .common.ranks import Ranks
from .common.selfplay import SelfPlayEnvs
from .common.trainer import geometric, risen

Loss: TypeAlias = tuple[Tensor, dict[str, Tensor]]
"""The loss on a minibatch, and statistics for the log."""

# --- Settings ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Args(NetworkSettings):
    """Train one network to play a game: at every seat, or at one seat among partners."""

    alone: ClassVar[str] = ""
    """Who sits at the seats of an algorithm with games of its own, which takes no partners and no games on the GPU."""

    partners: tuple[str, ...] = ()
    """Agents that take all seats but one, separated by commas or spaces: names, files or FILE.py:NAME, whose code is
    imported and run. They form a pool: one is drawn for each seat of each game. The learner trains with them in a
    cooperative game, against them in a competitive one, and is evaluated among them."""
    simulator: Literal["cpu", "cuda"] = "cpu"
    """Where the games are played. ``cuda``: on the GPU of the network, in self-play only."""
    horizon: Size = 32
    """Decisions per game in one rollout."""
    minibatch: Size = 1024
    """Largest number of decisions per gradient step, all ranks together; a rollout is divided into equal parts."""
    epochs: Size = 1
    """Passes over each rollout; small games learn faster with 2."""
    gamma: Part = 0.99
    """Discount factor per decision."""
    gae_lambda: Part = 0.9
    """Lambda of generalized advantage estimation: 1 uses only returns, 0 only the value head."""
    clip: Positive = 0.2
    """PPO's clipping range: how far a probability ratio may move from 1."""
    value_weight: Annotated[float, Within(0, 1000)] = 2.0
    """Weight of the value loss."""
    reward_scale: Positive | None = None
    """Factor by which rewards are multiplied; by default 3 / maximal score, or 1 in a competitive game."""
    entropy: Annotated[float, Within(0, 1000)] = 0.05
    """Weight of the entropy bonus at the start."""
    entropy_end: Annotated[float, Within(0, 1000)] = 0.05
    """Weight of the entropy bonus at the end; it changes geometrically over the budget. A policy kept stochastic scores
    nearly the same when played greedily, and more in cross-play (Forkel et al. 2025)."""
    loss_ramp: Part = 0.4
    """Fraction of the budget over which the price of losing a cooperative game rises from 0 to all its points; 0 for no
    ramp."""
    last_action_ramp: Part | None = None
    """Fraction of the budget after which the last action is always visible; 0: it is from the start. At first it is
    hidden, so that players learn what hints say literally; then it is shown at a share of the decisions that rises from
    0 to 1. Independent runs then understand each other more often. By default 0.5 for random weights in cooperative
    self-play, where observations contain the last action, otherwise 0. With ``history``, all actions are hidden
    together. Evaluations always show them."""
    last_action_hidden: Annotated[float, Within(0, 0.99)] = 0.5
    """Fraction of ``last_action_ramp`` in which the last action is never visible."""

    @override
    def check(self, world: int) -> None:
        super().check(world)
        self.check_shared(world, "minibatch")
        if self.alone and self.pool:
            raise ValueError(f"partners must be empty: {self.alone}, got {shown(self.pool)}")
        if self.alone and self.simulator == "cuda":
            raise ValueError("simulator must be cpu for an algorithm with games of its own, got cuda")
        if self.simulator == "cuda" and self.pool:
            raise ValueError(f"simulator must be cpu with partners, got cuda and {shown(self.pool)}")

    @property
    def pool(self) -> tuple[str, ...]:
        """The names in ``partners``, split at commas."""
        return tuple(name for names in self.partners for name in names.split(",") if name)

    def ramp_of_last_action(self, config: Any) -> float:
        """Return ``last_action_ramp``, or its default for these settings."""
        if self.last_action_ramp is not None:
            return self.last_action_ramp
        begins = self.start is None and not self.pool
        return 0.5 if begins and game_of(config).cooperative and last_actions(config) else 0.0

    @override
    def others(self) -> tuple[str, ...]:
        return self.pool if self.pool and self.opponent is None else super().others()

    @override
    def check_agents(self, config: Any) -> None:
        super().check_agents(config)
        if self.last_action_ramp and not last_actions(config):
            name = game_of(config).name
            raise ValueError(f"last_action_ramp must be 0 in {name}, whose observations lack the last action")
        check_members([load(name, config) for name in self.pool])

    @override
    def make_envs(self, config: Any, ranks: Ranks) -> SelfPlayEnvs:
        if self.pool:
            return PartnersEnvs(config, self.games, self.seed, ranks, [load(name, config) for name in self.pool])
        if self.simulator == "cuda":
            return SelfPlayEnvs(config, self.games, self.seed, ranks, self.threads, self.simulator)
        return super().make_envs(config, ranks)


# --- The algorithm ----------------------------------------------------------------------------------------------------


class PPO(NetworkLearner):
    """The training state on one rank: an `agents.learning.common.trainer.Algorithm`."""

    def __init__(self, args: Args, envs: SelfPlayEnvs, ranks: Ranks) -> None:
        super().__init__(args, envs, ranks)
        streams = 1 if envs.cooperative else envs.config.players
        number, rewards = torch.zeros(envs.games), torch.zeros(envs.games, streams)
        self.rollout = self.empty_rollout(log_probabilities=number, values=number, rewards=rewards)
        """The last decisions; scaled ``rewards`` (horizon, games, streams) have one stream for a team or per player."""
        self.last_action_ramp = args.ramp_of_last_action(envs.config)
        self.other_bits = other_bits(envs.config).to(envs.observations.device)
        if args.simulator == "cuda":  # random numbers of the CPU would make the GPU wait
            self.generator = ranks.generator(args.seed, ranks.device)
        self.reward_scale = args.reward_scale or (3 / envs.config.max_score if envs.cooperative else 1.0)

    def learn(self, fraction: float) -> dict[str, float]:
        """Play one rollout, update the network and return a row for the log."""
        args = self.args
        price = risen(args.loss_ramp, fraction)
        entropy_weight = geometric(args.entropy, args.entropy_end, fraction)
        learning_rate = self.descent.set_rate(fraction)
        visible = self.visible(fraction)
        last_values = self.collect(price, visible)
        advantages = advantages_of(self.rollout, last_values, args.gamma, args.gae_lambda)
        row = self.update(advantages, ceil(args.horizon * args.games / args.minibatch), entropy_weight)
        return row | {"learning_rate": learning_rate, "entropy_weight": entropy_weight, "price_of_losing": price}

    @torch.no_grad()
    def collect(self, price: float, visible: float = 1.0) -> Tensor:
        """Play the next ``horizon`` decisions of every game into the rollout; return `bootstrap_values`.

        ``price``, from 0 to 1, is the part of its points that losing a cooperative game costs now, ``visible`` the
        share of decisions at which the last action is visible.
        """
        envs, rollout, network, memories = self.envs, self.rollout, self.learner.rounded(), self.memories
        memories.begin_rollout()
        is_team = rollout["rewards"].shape[2] == 1
        for t in range(self.args.horizon):
            rollout["observations"][t].copy_(self.observed(visible))
            rollout["masks"][t].copy_(envs.masks)
            rollout["players"][t].copy_(envs.players)
            logits, values, after, _ = network.step(rollout["observations"][t], memories.of(envs.players))
            rollout["values"][t] = values
            memories.keep(envs.players, after)
            probabilities = masked(logits, rollout["masks"][t]).softmax(1)
            noise = torch.rand(envs.games, generator=self.generator, device=self.generator.device).to(logits.device)
            actions = choose(probabilities, noise)
            rollout["actions"][t] = actions
            rollout["log_probabilities"][t] = probabilities.gather(1, actions[:, None]).squeeze(1).log()
            rewards, dones = self.play(t, actions)
            if is_team:
                rewards = rewards[:, :1]  # all players have the same rewards
            if envs.cooperative:
                rewards = envs.priced(rewards, price)
            rollout["rewards"][t].copy_(self.reward_scale * rewards)
            rollout["dones"][t].copy_(dones)
            memories.forget(dones)
        return self.bootstrap_values(network, self.observed(visible))

    def visible(self, fraction: float) -> float:
        """Return the share of the decisions at which the last action is visible, after this fraction of the budget."""
        hidden = self.args.last_action_hidden
        return max(0.0, (risen(self.last_action_ramp, fraction) - hidden) / (1 - hidden))

    def observed(self, visible: float) -> Tensor:
        """Return the observations now, (games, words) int64, with the last action in a share ``visible`` of them."""
        observations = self.envs.observations
        if self.last_action_ramp == 0 or visible == 1:
            return observations
        device = self.generator.device
        hidden = torch.rand(self.envs.games, generator=self.generator, device=device).to(observations.device) >= visible
        own, views = observations.tensor_split([len(self.other_bits)], 1)  # other players' views may follow one's own
        return torch.cat([torch.where(hidden[:, None], own & self.other_bits, own), views], 1)

    def play(self, t: int, actions: Tensor) -> tuple[Tensor, Tensor]:
        """Make decision ``t`` of the rollout in every game: see `SelfPlayEnvs.step`; a hook for subclasses."""
        return self.envs.step(actions)

    def bootstrap_values(self, network: Network, observations: Tensor) -> Tensor:
        """Return the values of the positions after the rollout, (games, streams); NaN except for the player to move.

        The network is never trained on the views of players who wait, so it cannot value them.
        """
        device, streams = self.ranks.device, self.rollout["rewards"].shape[2]
        memory = self.memories.of(self.envs.players)
        values = network.step(observations.to(device), memory).values[:, None]
        if streams == 1:
            return values
        unknown = values.new_full((self.envs.games, streams), torch.nan)
        return unknown.scatter_(1, self.envs.players.to(device)[:, None], values)

    def update(self, advantages: Tensor, parts: int, entropy_weight: float) -> dict[str, float]:
        """Update the network by ``epochs`` passes of clipped policy gradient over the rollout, of ``parts`` steps each.

        ``advantages`` are (horizon, games). Return statistics of this rank's last minibatch, for the log.
        """
        statistics: dict[str, Tensor] = {}
        returns = advantages.nan_to_num() + self.rollout["values"]
        decisions = self.rollout | {"advantages": normalized(self.ranks, advantages), "returns": returns}
        for _ in range(self.args.epochs):
            for batch, outputs in self.memories.minibatches(self.learner, decisions, parts, self.generator):
                loss, statistics = self.loss(outputs, batch, entropy_weight)
                statistics["gradient_norm"] = self.descent.step(loss)
        return {name: float(value.detach()) for name, value in statistics.items()}

    def loss(self, outputs: Outputs, batch: dict[str, Tensor], entropy_weight: float) -> Loss:
        """Return the loss on a minibatch, some decisions of the rollout."""
        args = self.args
        logits = masked(outputs.logits, batch["masks"])
        log_probabilities, probabilities = logits.log_softmax(1), logits.softmax(1)
        log_ratio = log_probabilities.gather(1, batch["actions"][:, None]).squeeze(1) - batch["log_probabilities"]
        ratio, advantages = log_ratio.exp(), batch["advantages"]
        clipped = ratio.clamp(1 - args.clip, 1 + args.clip)
        policy_loss = -torch.minimum(advantages * ratio, advantages * clipped).mean()
        value_loss = (outputs.values - batch["returns"]).square().mean()
        entropy = -(probabilities * log_probabilities).sum(1).mean()
        statistics = {
            "policy_loss": policy_loss,
            "value_loss": value_loss,
            "entropy": entropy,
            "kl": (ratio - 1 - log_ratio).mean(),
            "clipped": ((ratio - 1).abs() > args.clip).float().mean(),
        }
        return policy_loss + args.value_weight * value_loss - entropy_weight * entropy, statistics


# --- Advantages -------------------------------------------------------------------------------------------------------


def advantages_of(rollout: dict[str, Tensor], last_values: Tensor, gamma: float, gae_lambda: float) -> Tensor:
    """Generalized advantage estimation (Schulman et al. 2016) along streams of decisions.

    A decision of stream k is followed by the next decision of stream k in the same game, however many decisions of
    others lie between; its reward is the sum of k's rewards until then. With one stream this is the usual recursion.

    Args:
        rollout: ``values``, ``players`` and ``dones`` (horizon, games), and ``rewards`` (horizon, games, streams).
        last_values: (games, streams), the value of each stream after the rollout; NaN where it is unknown.
        gamma: discount per decision of the stream.
        gae_lambda: see `Args.gae_lambda`.

    Returns:
        Advantages (horizon, games). A stream's last decision has NaN if the stream's next value is unknown.
    """
    values, rewards_of, players, dones = (rollout[name] for name in ("values", "rewards", "players", "dones"))
    advantages = torch.empty_like(values)
    games = torch.arange(last_values.shape[0], device=last_values.device)
    streams = last_values.shape[1]
    known = ~last_values.isnan()
    next_value, next_advantage = last_values.nan_to_num(), torch.zeros_like(last_values)
    rewards = torch.zeros_like(last_values)  # since the stream's decision
    for t in reversed(range(len(values))):
        goes_on = ~dones[t][:, None]
        rewards = rewards_of[t] + rewards * goes_on
        next_value, next_advantage = next_value * goes_on, next_advantage * goes_on
        known |= ~goes_on
        own = games, players[t] if streams > 1 else 0
        delta = rewards[own] + gamma * next_value[own] - values[t]
        advantage = torch.where(known[own], delta + gamma * gae_lambda * next_advantage[own], 0.0)
        advantages[t] = advantage.where(known[own], torch.nan)
        next_value[own], next_advantage[own], rewards[own], known[own] = values[t], advantage, 0.0, True
    return advantages


def normalized(ranks: Ranks, advantages: Tensor) -> Tensor:
    """Return the advantages, normalized over all ranks to mean 0 and standard deviation 1; unknown ones are 0."""
    known = ~advantages.isnan()
    own = advantages.nan_to_num()
    moments = torch.stack([known.sum().to(own.dtype), own.sum(), own.square().sum()])
    count, total, squares = ranks.sum(moments.double() if advantages.device.type != "mps" else moments)
    mean = total / count
    deviation = (squares / count - mean.square()).clamp(min=0).sqrt()
    return ((own - mean) / (deviation + 1e-8)).where(known, 0.0).float()


# --- The last action --------------------------------------------------------------------------------------------------


def last_actions(config: Any) -> list[slice]:
    """Return where the last action's fields, and those of earlier ones with ``history``, are in an observation."""
    fields = game_of(config).layout(config).fields
    return [place for field in fields if field.section == "last_action" for place in field.places()]


def other_bits(config: Any) -> Tensor:
    """Return all bits of a packed observation but those of `last_actions`, (words,) int64."""
    bits = np.ones((1, config.observation_bits), np.uint8)
    for place in last_actions(config):
        bits[0, place] = 0
    return torch.from_numpy(pack(bits, words_for(config.observation_bits)).view(np.int64))[0]


def train(args: Args) -> Path:
    """Train with these settings; see `agents.learning.common.trainer.train`."""
    return trainer.train(args, PPO)
