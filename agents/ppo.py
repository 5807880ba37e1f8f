"""Masked PPO in self-play (Schulman et al. 2017): one network plays every seat and learns from all of them.

    python -m agents.ppo --preset mini --minutes 1                                       # one core
    torchrun --standalone --nproc-per-node 2 -m agents.ppo --preset standard --minutes 5   # two cores
    python -m agents.ppo --resume runs/hanabi-standard-2p-20261120-184500                # after an interruption

What differs from the textbook, each because it was measured to pay:

* A step of the batch is a decision of the player to move; nobody's waiting turns are computed or learned from.
* Observations stay packed (one bit a bit) in the rollout and are unpacked straight into the network's bfloat16.
* Everything that changes over a run (learning rate, entropy bonus, the price of a lost game) follows the fraction of
  the budget that is spent, in steps or in minutes, so that a slow machine also ends with a finished schedule.
* In a contest every player has a stream of rewards of its own, and a decision is followed by that player's next one.
* Losing a cooperative game costs little at first and all of its points later (`Args.loss_ramp`): otherwise the players
  learn never to play a card before they learn which card to play.
* Every core, GPU or machine is a rank of torch.distributed with games and random numbers of its own. Ranks average
  their gradients, so their weights stay equal to the last bit.

The file reads from top to bottom: settings, rollout, advantages, update, schedules, and the run. What is not learning
is beside it: the processes in `agents.learning.ranks`, their games in `agents.learning.selfplay`, a run's files in `agents.learning.runs`,
evaluations in `agents.learning.validation`, the network in `agents.learning.network`.
"""

import json
import os
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
import torch
import tyro
from torch import Tensor

from hanabako.games import game_named, game_of, make_config

from .learning.network import Network, NeuralPolicy, choose, fast_dtype, masked, save_policy
from .learning.ranks import Ranks, joined_ranks, processor_settings
from .learning.runs import Interruption, Log, draw_curve, load_checkpoint, new_run_dir, save_checkpoint
from .learning.selfplay import Tables, common_bits
from .learning.validation import validate

# --- Settings ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Args:
    """Train one network to play every seat of a game."""

    game: str = "hanabi"
    """The game."""
    preset: str | None = None
    """A preset of the game; its first where none is given."""
    players: int | None = None
    """Players at the table; the preset's number where it is not given."""
    config: tuple[str, ...] | None = None
    """More fields of the game's config, as name=value; derived=true in Hanabi where none are given."""
    seed: int = 1
    """Of everything random: weights, deals, actions, minibatches."""
    minutes: float = 5.0
    """The budget in minutes of training, evaluations included; not used where ``steps`` is given."""
    steps: int = 0
    """The budget in decisions, all ranks together. Runs of equal settings and ranks are then equal to the last bit."""
    run_dir: Path | None = None
    """Where the run is kept; a name with the time under ``runs/`` where it is not given."""
    resume: Path | None = None
    """Continue the run kept in this directory, by its own settings: all others are ignored."""

    width: int = 256
    """Units of a hidden layer."""
    layers: int = 2
    """Hidden layers."""
    games: int = 1024
    """Games played at a time, all ranks together."""
    horizon: int = 32
    """Decisions a game in one rollout."""
    minibatch: int = 2048
    """Decisions in one gradient step, all ranks together."""
    epochs: int = 1
    """Passes over each rollout; small games learn faster with 2."""

    learning_rate: float = 1e-3
    """Adam's at the start; it falls linearly with the budget."""
    learning_rate_end: float = 2e-5
    """Adam's at the end."""
    gamma: float = 0.999
    """Discount a decision."""
    gae_lambda: float = 0.95
    """Of generalized advantage estimation: 1 trusts returns, 0 trusts the value head."""
    stream: Literal["auto", "team", "seat"] = "auto"
    """Whose next decision the value of a decision builds on: the next one at the table (only in cooperative games), or
    the same player's next one; ``auto`` is ``team`` in a cooperative game and ``seat`` in a contest."""
    clip: float = 0.2
    """How far from 1 a probability ratio still earns."""
    value_weight: float = 0.5
    """Of the value loss in the loss."""
    reward_scale: float | None = None
    """Factor of all rewards; 3 / maximal score where it is not given, in a contest 1."""
    entropy: float = 0.05
    """Weight of the entropy bonus at the start; it falls geometrically with the budget."""
    entropy_end: float = 0.003
    """Weight of the entropy bonus at the end."""
    loss_ramp: float = 0.4
    """Part of the budget in which the price of a lost cooperative game rises from nothing to its points; 0: none."""
    max_grad_norm: float = 0.5
    """Longer gradients are shortened to this norm."""

    device: str = "auto"
    """``cpu``, ``cuda``, ``mps``, or ``auto`` for the best there is."""
    trunk: Literal["auto", "bfloat16", "float32"] = "auto"
    """Number type of the hidden layers; ``auto`` is bfloat16 where the hardware has it."""
    evaluations: int = 12
    """Evaluations (and checkpoints) over the budget."""
    evaluation_games: int = 2000
    """Games of an evaluation, played greedily on deals that training never sees."""
    final_games: int = 10_000
    """Games of the last evaluation."""
    opponent: str = "random"
    """An agent (its name or file) that has all other seats when a contest is evaluated."""
    tensorboard: bool = False
    """Also log for TensorBoard, which must be installed."""


def check(args: Args, ranks: Ranks) -> None:
    """Refuse settings that cannot work, in words.

    Raises:
        ValueError: a size that is not positive, or that the ranks cannot share evenly.
    """
    for name in ("width", "layers", "games", "horizon", "minibatch", "epochs", "evaluations", "evaluation_games"):
        if getattr(args, name) < 1:
            raise ValueError(f"{name} must be at least 1, got {getattr(args, name)}")
    for name in ("games", "minibatch"):
        if getattr(args, name) % ranks.world:
            raise ValueError(f"{name} must be a multiple of the {ranks.world} ranks, got {getattr(args, name)}")
    if args.steps < 0 or (args.steps == 0 and args.minutes <= 0):
        raise ValueError(f"the budget must be positive, got steps={args.steps}, minutes={args.minutes}")
    if args.stream == "team" and not game_named(args.game).cooperative:
        raise ValueError(f"stream must be seat in a contest such as {args.game}, got team")


def config_of(args: Args) -> Any:
    """The table to train at.

    Raises:
        ValueError: an unknown game, preset or field, or a value that the config refuses.
    """
    settings = game_named(args.game).training_settings if args.config is None else args.config
    return make_config(args.game, args.preset, args.players, settings)


def saved_args(run_dir: Path) -> Args:
    """The settings of the run kept in ``run_dir``, to resume it.

    Raises:
        ValueError: it holds no run.
    """
    try:
        values = json.loads((run_dir / "config.json").read_text())["args"]
        values["config"] = None if values["config"] is None else tuple(values["config"])
        return replace(Args(**values), run_dir=run_dir, resume=run_dir)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ValueError(f"{run_dir} holds no run to resume: {error}") from error


# --- Rollout ----------------------------------------------------------------------------------------------------------


class Rollout:
    """What happened in ``horizon`` decisions of every game; each array begins with (horizon, games)."""

    def __init__(self, args: Args, tables: Tables, streams: int, device: torch.device) -> None:
        shape = (args.horizon, tables.games)

        def room(*more: int, dtype: torch.dtype = torch.float32) -> Tensor:
            return torch.zeros(*shape, *more, dtype=dtype, device=device)

        self.words = room(tables.words.shape[1], dtype=torch.int64)  # packed observation of the player to move
        self.masks = room(tables.masks.shape[1], dtype=torch.int8)
        self.seats = room(dtype=torch.int64)  # whose stream of rewards a decision belongs to
        self.actions = room(dtype=torch.int64)
        self.log_probabilities = room()  # of the action, when it was chosen
        self.values = room()
        self.rewards = room(streams)  # scaled; one stream for a team, or one a player
        self.dones = room(dtype=torch.bool)  # the decision ended its game


@torch.no_grad()
def collect(
    args: Args, tables: Tables, network: Network, rollout: Rollout, chance: torch.Generator, scale: float, price: float
) -> tuple[Tensor, np.ndarray]:
    """Play ``horizon`` decisions of every game into ``rollout``.

    Args:
        args: settings.
        tables: the games; they go on from where they are.
        network: plays every seat.
        rollout: is overwritten.
        chance: of the actions.
        scale: factor of all rewards.
        price: the part of its points that a lost cooperative game costs now, 0 to 1.

    Returns:
        The values of the positions after the rollout, (games, streams), and of the finished games (3,): their number,
        the sum of their scores, the sum of their lengths.
    """
    network = network.rounded()
    finished = np.zeros(3)
    team = rollout.rewards.shape[2] == 1
    for t in range(args.horizon):
        rollout.words[t].copy_(tables.words)
        rollout.masks[t].copy_(tables.masks)
        if not team:
            rollout.seats[t].copy_(tables.seats)
        logits, rollout.values[t] = network(rollout.words[t])
        probabilities = masked(logits, rollout.masks[t]).softmax(1)
        actions = choose(probabilities, torch.rand(tables.games, generator=chance).to(logits.device))
        rollout.actions[t] = actions
        rollout.log_probabilities[t] = probabilities.gather(1, actions[:, None]).squeeze(1).log()
        observation, reward, terminations, truncations, infos = tables.env.step(actions.cpu().numpy())
        dones = terminations | truncations
        rewards = np.asarray(reward, np.float32)[:, None] if team else np.asarray(infos["rewards"], np.float32)
        if team:
            rewards = np.where(dones[:, None] & (rewards < 0), price * rewards, rewards)
        rollout.rewards[t].copy_(torch.from_numpy(rewards * np.float32(scale)))
        rollout.dones[t].copy_(torch.from_numpy(dones))
        if dones.any():
            finished += dones.sum(), infos["score"][dones].sum(), infos["length"][dones].sum()
        tables.observe(observation, infos)
    return bootstrap_values(tables, network, rollout), finished


def bootstrap_values(tables: Tables, network: Network, rollout: Rollout) -> Tensor:
    """Values of the positions that the rollout stops at, (games, streams): NaN but for the player to move.

    What the others would see is no decision of theirs, and the network has never learned what such a view is worth.
    """
    values = network(tables.words.to(rollout.words.device))[1][:, None]
    streams = rollout.rewards.shape[2]
    if streams == 1:
        return values
    nobody = values.new_full((tables.games, streams), torch.nan)
    return nobody.scatter_(1, tables.seats.to(values.device)[:, None], values)


# --- Advantages -------------------------------------------------------------------------------------------------------


def advantages_of(rollout: Rollout, last_values: Tensor, gamma: float, gae_lambda: float) -> Tensor:
    """Generalized advantage estimation (Schulman et al. 2016) along streams of decisions, (horizon, games).

    A decision of stream k is followed by the next decision of stream k in the same game, however many decisions of
    others lie between; it earns all rewards of k until then. With one stream this is the usual recursion. The last
    decision of a stream of which it is not known how it went on has no advantage.

    Args:
        rollout: decisions, their values, rewards (horizon, games, streams) and ends.
        last_values: (games, streams), what each stream is worth after the rollout; NaN where that is not known.
        gamma: discount a decision of the stream.
        gae_lambda: see `Args.gae_lambda`.
    """
    advantages = torch.empty_like(rollout.values)
    games = torch.arange(last_values.shape[0], device=last_values.device)
    known = ~last_values.isnan()
    next_value, next_advantage = last_values.nan_to_num(), torch.zeros_like(last_values)
    earned = torch.zeros_like(last_values)  # since the stream's decision
    for t in reversed(range(len(rollout.values))):
        goes_on = ~rollout.dones[t][:, None]
        earned = rollout.rewards[t] + earned * goes_on
        next_value, next_advantage = next_value * goes_on, next_advantage * goes_on
        known |= ~goes_on
        at = games, rollout.seats[t]
        surprise = earned[at] + gamma * next_value[at] - rollout.values[t]
        advantages[t] = torch.where(known[at], surprise + gamma * gae_lambda * next_advantage[at], 0.0)
        next_value[at], next_advantage[at], earned[at], known[at] = rollout.values[t], advantages[t], 0.0, True
    return advantages


# --- Update -----------------------------------------------------------------------------------------------------------


def update(
    args: Args,
    ranks: Ranks,
    network: Network,
    optimizer: torch.optim.Optimizer,
    rollout: Rollout,
    advantages: Tensor,
    normal: Tensor,
    entropy_weight: float,
    chance: torch.Generator,
) -> dict[str, float]:
    """Improve the network by ``epochs`` passes of clipped policy gradient over the rollout.

    Args:
        args: settings.
        ranks: average their gradients.
        network: is changed.
        optimizer: of its parameters.
        rollout: this rank's decisions.
        advantages: (horizon, games), as estimated.
        normal: the same to steer by, normalized over all ranks.
        entropy_weight: of the entropy bonus.
        chance: of the minibatches.

    Returns:
        Statistics of this rank's last minibatch, for the log.
    """
    returns = advantages + rollout.values
    decisions = rollout.words, rollout.masks, rollout.actions, rollout.log_probabilities, normal, returns
    parts = [part.flatten(0, 1) for part in decisions]
    statistics: dict[str, Tensor] = {}
    for _ in range(args.epochs):
        order = torch.randperm(len(parts[0]), generator=chance).to(normal.device)
        for rows in order.split(args.minibatch // ranks.world):
            loss, statistics = loss_of(args, network, [part.index_select(0, rows) for part in parts], entropy_weight)
            optimizer.zero_grad()
            loss.backward()
            ranks.average_gradients(network)
            norm = torch.nn.utils.clip_grad_norm_(network.parameters(), args.max_grad_norm)
            optimizer.step()
            statistics["gradient_norm"] = norm
    return {name: float(value.detach()) for name, value in statistics.items()}


def loss_of(
    args: Args, network: Network, batch: Sequence[Tensor], entropy_weight: float
) -> tuple[Tensor, dict[str, Tensor]]:
    """What gradient descent makes smaller, and statistics.

    Args:
        args: settings.
        network: as it is now.
        batch: of decisions: packed observations, masks, actions, log probabilities when they were chosen, normalized
            advantages, returns.
        entropy_weight: of the entropy bonus.
    """
    words, masks, actions, old, gain, returns = batch
    logits, values = network(words)
    logits = masked(logits, masks)
    log_probabilities, probabilities = logits.log_softmax(1), logits.softmax(1)
    log_ratio = log_probabilities.gather(1, actions[:, None]).squeeze(1) - old
    ratio = log_ratio.exp()
    policy_loss = -torch.minimum(gain * ratio, gain * ratio.clamp(1 - args.clip, 1 + args.clip)).mean()
    value_loss = (values - returns).square().mean()
    entropy = -(probabilities * log_probabilities).sum(1).mean()
    statistics = {
        "policy_loss": policy_loss,
        "value_loss": value_loss,
        "entropy": entropy,
        "kl": (ratio - 1 - log_ratio).mean(),
        "clipped": ((ratio - 1).abs() > args.clip).float().mean(),
    }
    return policy_loss + args.value_weight * value_loss - entropy_weight * entropy, statistics


def normalized(ranks: Ranks, advantages: Tensor) -> Tensor:
    """The advantages of all ranks shifted and scaled to mean 0 and deviation 1."""
    moments = torch.stack([advantages.new_tensor(advantages.numel()), advantages.sum(), advantages.square().sum()])
    count, total, squares = ranks.sum(moments.double() if advantages.device.type != "mps" else moments)
    mean = total / count
    deviation = (squares / count - mean.square()).clamp(min=0).sqrt()
    return ((advantages - mean) / (deviation + 1e-8)).float()


# --- Budget and schedules ---------------------------------------------------------------------------------------------


@dataclass
class Progress:
    """How far a run is."""

    updates: int = 0
    steps: int = 0
    """Decisions, all ranks together."""
    seconds: float = 0.0
    """Spent on training and evaluating, by rank 0's clock, earlier sessions included."""
    evaluations: int = 0

    def fraction(self, args: Args) -> float:
        """The part of the budget that is spent, 0 to 1."""
        spent = self.steps / args.steps if args.steps else self.seconds / (60 * args.minutes)
        return min(spent, 1.0)


def linear(start: float, end: float, fraction: float) -> float:
    """From ``start`` to ``end`` in equal steps."""
    return start + (end - start) * fraction


def geometric(start: float, end: float, fraction: float) -> float:
    """From ``start`` to ``end`` in equal factors."""
    return start * (end / start) ** fraction


def price_of_losing(ramp: float, fraction: float) -> float:
    """The part of its points that a lost game costs: from 0 to 1 while ``ramp`` of the budget is spent."""
    return 1.0 if ramp == 0 else min(fraction / ramp, 1.0)


# --- The run ----------------------------------------------------------------------------------------------------------


class Learner:
    """Everything that changes while training, on one rank."""

    def __init__(self, args: Args, config: Any, ranks: Ranks) -> None:
        self.args, self.config, self.ranks = args, config, ranks
        torch.manual_seed(args.seed)  # the same weights on every rank
        self.tables = Tables(config, args.games, args.seed, ranks)
        actions = self.tables.masks.shape[1]
        self.network = Network(config.observation_bits, actions, args.width, args.layers).to(ranks.device)
        self.network.opening.copy_(ranks.sum(common_bits(self.tables.words) * (ranks.rank == 0)))
        wanted = {"bfloat16": torch.bfloat16, "float32": torch.float32}
        self.network.trunk_dtype = wanted.get(args.trunk, fast_dtype(ranks.device))
        self.optimizer = torch.optim.Adam(self.network.parameters(), lr=args.learning_rate, eps=1e-5, fused=True)
        self.chance = torch.Generator().manual_seed(args.seed * 1_000_003 + ranks.rank)
        self.cooperative = game_of(config).cooperative
        streams = config.players if args.stream == "seat" or not self.cooperative else 1
        self.rollout = Rollout(args, self.tables, streams, ranks.device)
        self.progress = Progress()

    def learn(self) -> dict[str, float]:
        """One rollout and its update; returns a row for the log."""
        args, fraction = self.args, self.progress.fraction(self.args)
        price = price_of_losing(args.loss_ramp, fraction)
        entropy = geometric(args.entropy, args.entropy_end, fraction)
        rate = linear(args.learning_rate, args.learning_rate_end, fraction)
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        scale = args.reward_scale or (3 / self.config.max_score if self.cooperative else 1.0)
        last, finished = collect(args, self.tables, self.network, self.rollout, self.chance, scale, price)
        advantages = advantages_of(self.rollout, last, args.gamma, args.gae_lambda)
        row = update(
            args,
            self.ranks,
            self.network,
            self.optimizer,
            self.rollout,
            advantages,
            normalized(self.ranks, advantages),
            entropy,
            self.chance,
        )
        games, points, moves = self.ranks.sum(torch.from_numpy(finished)).tolist()
        self.progress.updates += 1
        self.progress.steps += args.games * args.horizon
        row |= {"learning_rate": rate, "entropy_weight": entropy, "price_of_losing": price}
        return row | ({"score": points / games, "length": moves / games} if games else {})

    def evaluate(self, games: int) -> dict[str, float]:
        """See `agents.learning.validation.validate`; a row for the log."""
        self.progress.evaluations += 1
        policy = NeuralPolicy(self.network, self.config)
        return validate(policy, games, self.args.opponent, self.ranks)

    def state(self) -> dict[str, Any]:
        """Everything needed to go on but for the tables', in the types of a checkpoint."""
        mine = {"chance": self.chance.get_state(), "progress": asdict(self.progress)}
        return mine | {"network": self.network.state_dict(), "optimizer": self.optimizer.state_dict()}

    def restore(self, state: dict[str, Any], tables: dict[str, np.ndarray]) -> None:
        """The inverse of `state`, and of that of the tables."""
        self.network.load_state_dict(state["network"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.chance.set_state(state["chance"].cpu())
        self.tables.restore(tables)
        self.progress = Progress(**state["progress"])


def train(args: Args) -> Path:
    """Run the training that ``args`` describe, or go on with the one they resume.

    An interruption (Ctrl-C, SIGTERM) saves a checkpoint and returns early; ``policy.safetensors`` is written by every
    evaluation, so there is a playable network at any time.

    Returns:
        The run's directory: ``config.json``, ``metrics.jsonl``, ``curve.png``, ``checkpoint/``, ``policy.safetensors``.

    Raises:
        ValueError: a setting that cannot work, or a checkpoint that cannot be continued.
    """
    if args.resume is not None:
        args = saved_args(args.resume)
    with joined_ranks(args.device) as ranks, processor_settings(), Interruption().watched() as interruption:
        check(args, ranks)
        config = config_of(args)
        name = f"{args.game}-{args.preset or game_named(args.game).first_preset}-{config.players}p"
        run_dir = args.resume or new_run_dir(args.run_dir, name, asdict(args), config, ranks)
        learner = Learner(args, config, ranks)
        if args.resume is not None:
            load_checkpoint(run_dir / "checkpoint", ranks, learner.restore)
        log = Log(run_dir, learner.progress.updates, args.tensorboard) if ranks.rank == 0 else None
        try:
            run(learner, run_dir, log, interruption)
        finally:
            if log:
                log.close()
        if ranks.rank == 0:
            draw_curve(run_dir)
        return run_dir


def run(learner: Learner, run_dir: Path, log: Log | None, interruption: Interruption) -> None:
    """Learn, evaluate and save until the budget is spent or an interruption comes."""
    args, progress, ranks = learner.args, learner.progress, learner.ranks
    started, before = time.perf_counter(), Progress(**asdict(progress))
    interrupted = False
    while progress.fraction(args) < 1 and not interrupted:
        row = learner.learn()
        seconds = before.seconds + time.perf_counter() - started
        news = torch.tensor([seconds if ranks.rank == 0 else 0.0, float(interruption.happened)], dtype=torch.float64)
        progress.seconds, interrupted = ranks.sum(news).tolist()
        fraction = progress.fraction(args)
        due = fraction * args.evaluations >= progress.evaluations + 1
        if due:
            row |= learner.evaluate(args.final_games if fraction >= 1 else args.evaluation_games)
        if log:
            row |= {
                "update": progress.updates,
                "steps": progress.steps,
                "seconds": progress.seconds,
                "fraction": fraction,
            }
            row["steps_per_second"] = (progress.steps - before.steps) / (progress.seconds - before.seconds)
            log.write(row)
        if log and (due or interrupted):
            about = {"name": run_dir.name, "seed": args.seed, "ranks": ranks.world, **row}
            save_policy(run_dir / "policy.safetensors", learner.network, learner.config, about)
        if due or interrupted:
            save_checkpoint(run_dir / "checkpoint", progress.updates, ranks, learner.state(), learner.tables.state())


def main(argv: list[str] | None = None) -> None:
    """The command line: settings as `Args`."""
    args = tyro.cli(Args, args=argv, description=__doc__)
    try:
        run_dir = train(args)
    except ValueError as error:
        raise SystemExit(f"ppo: {error}") from error
    if int(os.environ.get("RANK", "0")) == 0:
        print(f"{run_dir}: policy.safetensors, curve.png, metrics.jsonl, checkpoint/")


if __name__ == "__main__":
    main()
