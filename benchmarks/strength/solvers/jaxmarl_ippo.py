"""IPPO as in JaxMARL's ``ippo_ff_hanabi.py`` (Rutherford et al. 2023): every seat learns from every step of the game.

Each seat of each game is an actor with a stream of its own: at each step it sees its view, and gets the team's reward,
whether it moves or waits. A player who waits has one action, which has no gradient; the value of the position has one.
Advantages are those of the stream, normalized in each minibatch, which holds all steps of some actors. The loss of the
value is clipped like that of the policy. Rewards are points, and a lost game takes all of them back.

Differences: the games are ours, and each is dealt from the seed of the run.
"""

from dataclasses import dataclass

import torch
from torch import Tensor

from hanabako.agents.learning.common.network_learner import NetworkLearner
from hanabako.agents.learning.common.network_settings import NetworkSettings
from hanabako.agents.learning.common.selfplay import EveryView
from hanabako.agents.learning.ppo import advantages_of, normalized
from hanabako.agents.networks.network import choose, masked
from hanabako.words.ranges import Part, Positive, Size


@dataclass(frozen=True)
class Args(NetworkSettings):
    """Train one network to play every seat, as JaxMARL does."""

    games_class = EveryView

    horizon: Size = 128
    """Steps per game in one rollout."""
    minibatches: Size = 4
    """Gradient steps per pass over a rollout."""
    epochs: Size = 4
    """Passes over each rollout."""
    gamma: Part = 0.99
    """Discount factor per step."""
    gae_lambda: Part = 0.95
    """Lambda of generalized advantage estimation."""
    clip: Positive = 0.2
    """Clipping range of probability ratios, and of values in points."""
    value_weight: Positive = 0.5
    """Weight of the value loss, which is half the squared error."""
    entropy: Positive = 0.01
    """Weight of the entropy bonus."""


class SeatIPPO(NetworkLearner):
    """The training state on one rank: an `agents.learning.common.trainer.Algorithm`."""

    def learn(self, fraction: float) -> dict[str, float]:
        """Play one rollout, update the network and return a row for the log."""
        args, learning_rate = self.args, self.descent.set_rate(fraction)
        actors, last_values = self.collect()
        advantages = advantages_of(actors, last_values, args.gamma, args.gae_lambda)
        actors |= {"advantages": advantages, "returns": advantages + actors["values"]}
        row: dict[str, Tensor] = {}
        for _ in range(args.epochs):
            order = torch.randperm(advantages.shape[1], generator=self.generator).to(advantages.device)
            for some in order.tensor_split(args.minibatches):
                row = self.update({name: part[:, some].flatten(0, 1) for name, part in actors.items()})
        return {name: float(value) for name, value in row.items()} | {"learning_rate": learning_rate}

    @torch.no_grad()
    def collect(self) -> tuple[dict[str, Tensor], Tensor]:
        """Play the next ``horizon`` steps of every game.

        Return arrays (horizon, actors, ...) by name, and the values afterwards, (actors, 1): each actor is a game of
        one stream to `advantages_of`. The actors of a game are its seats in order; ``moves`` says which one moves, and
        only there ``masks``, ``actions`` and ``log_probabilities`` mean something.
        """
        envs, network, steps = self.envs, self.network.rounded(), []
        for _ in range(self.args.horizon):
            views, logits, values = self.seen(network)
            movers = torch.arange(envs.games) * envs.config.players + envs.players
            probabilities = masked(logits[movers], envs.masks.to(logits.device)).softmax(1)
            noise = torch.rand(envs.games, generator=self.generator).to(logits.device)
            chosen = choose(probabilities, noise)
            actor = torch.zeros(len(views), dtype=torch.int64, device=views.device)
            masks = actor.new_ones(len(views), logits.shape[1], dtype=torch.int8)
            masks[movers] = envs.masks.to(views.device)
            step = {"observations": views, "values": values, "masks": masks, "moves": actor.bool()}
            step |= {"actions": actor, "log_probabilities": actor.float()}
            step["moves"][movers], step["actions"][movers] = True, chosen
            step["log_probabilities"][movers] = probabilities.gather(1, chosen[:, None]).squeeze(1).log()
            rewards, dones = envs.step(chosen)
            step |= {
                "rewards": rewards.flatten()[:, None],
                "players": torch.zeros_like(actor),
                "dones": dones.repeat_interleave(envs.config.players),
            }
            steps.append({name: part.to(views.device) for name, part in step.items()})
        return {name: torch.stack([step[name] for step in steps]) for name in steps[0]}, self.seen(network)[2][:, None]

    def seen(self, network: torch.nn.Module) -> tuple[Tensor, Tensor, Tensor]:
        """Return every actor's observation (actors, words), and the network's logits and values of them."""
        envs, players = self.envs, self.envs.config.players
        views = envs.observations.unflatten(1, (players, -1))  # from the player to move on
        seats = (torch.arange(players) - envs.players[:, None]) % players
        words = views.gather(1, seats[:, :, None].expand_as(views)).flatten(0, 1).to(self.ranks.device)
        return words, *network(words)

    def update(self, batch: dict[str, Tensor]) -> dict[str, Tensor]:
        """Take one gradient step on some actors' steps, (rows, ...) by name, and return statistics for the log."""
        args, moves = self.args, batch["moves"]
        advantages = normalized(self.ranks, batch["advantages"])
        logits, values = self.network(batch["observations"])
        log_probabilities = masked(logits, batch["masks"]).log_softmax(1)
        own = log_probabilities.gather(1, batch["actions"][:, None]).squeeze(1)
        ratio = (own - batch["log_probabilities"]).exp()
        gain = torch.minimum(advantages * ratio, advantages * ratio.clamp(1 - args.clip, 1 + args.clip))
        policy_loss = -torch.where(moves, gain, advantages).mean()
        near = batch["values"] + (values - batch["values"]).clamp(-args.clip, args.clip)
        errors = [(guess - batch["returns"]).square() for guess in (values, near)]
        value_loss = 0.5 * torch.maximum(*errors).mean()
        entropy = -(moves * (log_probabilities.exp() * log_probabilities).sum(1)).mean()
        norm = self.descent.step(policy_loss + args.value_weight * value_loss - args.entropy * entropy)
        statistics = {"policy_loss": policy_loss, "value_loss": value_loss, "entropy": entropy, "gradient_norm": norm}
        return {name: value.detach() for name, value in statistics.items()}
