"""Off-Belief Learning (Hu et al. 2021): partners' actions are taken to mean no more than the rules say.

    hanabako train --algorithm off_belief --preset mini --minutes 3 --level-below runs/NAME/policy.safetensors

At each decision the hand of the player to move and the deck are dealt again, from all arrangements consistent with what
the player knows. In this fictitious game the action is taken, the partners answer with the current policy, and the
network learns from what follows until the same player is to move again. The target of a decision is

    the rewards until the player's next decision + gamma * max over a of Q(the player's observation then, a)

This is level 1: a player believes that the partners acted as level 0, which chooses uniformly among its legal actions.
As a hint is legal only if it touches a card, level 1 weights hands by the likelihood of such partners' actions, see
`hanabi_env.engine.likelihood`. At level 2 a player reads the partners as players of level 1, given by
``--level-below``: hands are dealt from the belief that such partners' actions imply. The learning is PQN's (Gallici et
al. 2024), with a dueling head and LayerNorm, but without lambda returns.

Differences from the paper: networks have no memory. Beliefs choose among `Args.candidates` equally likely hands, level
1 by the exact likelihood, level 2 by the likelihood ratio that a network learns (van den Oord et al. 2018), a sum over
slots. Level 2 starts from random weights (``--start`` with the file of ``--level-below``: as in the authors' scripts).
Partners answer greedily. All games explore alike, and losing costs little at first (`Args.loss_ramp`).
"""

from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Annotated, Any

import numpy as np
import torch
from torch import Tensor, nn
from typing_extensions import override

from hanabako.words.ranges import Part, Positive, Size, Within

from ..networks.network import Network, RoundedLinear, choose, masked, q_values
from ..networks.neural_policy import load_policy
from ..networks.packing import to_numbers
from ..playing.fitting import sight
from .common.fictitious import FictitiousGames
from .common.network_learner import NetworkLearner
from .common.network_settings import Descent, NetworkSettings
from .common.ranks import Ranks
from .common.selfplay import SelfPlayEnvs, paid
from .common.trainer import geometric, risen

READING_RATE = 1e-3
"""Adam's learning rate for level 2's belief network."""

# --- Settings ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Args(NetworkSettings):
    """Train one network to play every seat of Hanabi, by Off-Belief Learning."""

    level_below: str | None = None
    """The policy file of the level below; without it, level 1 is trained."""
    horizon: Size = 8
    """Decisions per game in one rollout."""
    minibatch: Size = 1024
    """Decisions per gradient step, all ranks together."""
    epochs: Size = 1
    """Passes over each rollout."""
    gamma: Part = 0.999
    """Discount factor from a decision to the same player's next decision."""
    explore: Part = 0.2
    """Probability of a random decision at the start; it changes geometrically over the budget."""
    explore_end: Part = 0.02
    """Probability of a random decision at the end."""
    loss_ramp: Part = 0.4
    """Fraction of the budget over which the price of losing a game rises from 0 to all points; 0: no ramp."""
    max_grad_norm: Positive = 1.0
    """Maximum norm of a gradient; longer ones are scaled down to it."""
    weighted: bool = True
    """At level 1, weight hands by the probability that uniformly random partners would have acted as they did; without
    it, all arrangements of the cards are equally likely."""
    candidates: Size = 16
    """Number of drawn hands among which one is chosen by weight."""
    belief_part: Annotated[float, Within(0, 0.99)] = 0.2
    """Fraction of the budget in which level 2 only learns its belief, from games of the level below. The schedules of
    rate, exploration and losing then run over the rest."""
    norm: bool = True
    """Normalize hidden layers (LayerNorm)."""

    def kind_of(self, basic: str) -> str:
        """See `NetworkSettings.kind_of`."""
        return f"normed-{basic}" if self.norm else basic

    @override
    def check(self, world: int) -> None:
        super().check(world)
        self.check_shared(world, "minibatch")
        if self.game != "hanabi":
            raise ValueError(f"game must be hanabi, the only one with a belief over hands, got {self.game}")
        config = self.make_config()
        if config.flamboyants:
            raise ValueError("flamboyants must be false: with bonus tiles a player may decide several times in a turn")
        if config.observation_type == "seer":
            raise ValueError('observation_type must not be "seer": players who see their hands have no belief')

    @override
    def check_agents(self, config: Any) -> None:
        super().check_agents(config)
        if self.network == "towers":
            raise ValueError(f"network must be symmetric or dense, got {self.network}")
        if self.remembers(config):
            raise ValueError(f"network must be one without memory, got {self.start or self.network}")
        if self.level_below is not None:
            below = load_policy(Path(self.level_below), config)
            if below.network.initial_memory(1) is not None:
                raise ValueError(f"level_below must have no memory, and {self.level_below} is recurrent")


# --- The algorithm ----------------------------------------------------------------------------------------------------


class OffBelief(NetworkLearner):
    """The training state on one rank: an `agents.learning.common.trainer.Algorithm`."""

    def __init__(self, args: Args, envs: SelfPlayEnvs, ranks: Ranks) -> None:
        super().__init__(args, envs, ranks)
        self.fictions = FictitiousGames(envs)
        self.reward_scale = 3 / envs.config.max_score
        self.reading = None if args.level_below is None else Reading(args, envs, ranks)
        self.weighs = args.weighted and self.reading is None and not envs.config.empty_hints

    def learn(self, fraction: float) -> dict[str, float]:
        """Play one rollout, update the network and return a row for the log."""
        args = self.args
        if self.reading is not None:
            if fraction < args.belief_part:
                return self.reading.learn(self.fictions, self.generator)
            fraction = (fraction - args.belief_part) / (1 - args.belief_part)  # schedules are of its own part
        explore = geometric(args.explore, args.explore_end, fraction)
        learning_rate = self.descent.set_rate(fraction)
        price = risen(args.loss_ramp, fraction)
        row = self.update(*self.collect(explore, price))
        return row | {"learning_rate": learning_rate, "explore": explore, "price_of_losing": price}

    @override
    def state(self) -> dict[str, Any]:
        noted = {"noted": self.fictions.state()} if self.weighs else {}
        return super().state() | noted | ({} if self.reading is None else {"reading": self.reading.descent.state()})

    @override
    def restore(self, state: dict[str, Any]) -> None:
        super().restore(state)
        if self.weighs:
            self.fictions.restore(state["noted"])
        if self.reading is not None:
            self.reading.descent.restore(state["reading"])

    @torch.no_grad()
    def collect(self, explore: float, price: float) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Play ``horizon`` decisions of every game, random ones with probability ``explore``.

        ``price``, from 0 to 1, is the part of its points that losing a game costs now. Return observations (decisions,
        words), masks (decisions, actions), actions and targets (decisions,).
        """
        envs, network, device = self.envs, self.network.rounded(), self.ranks.device
        kept: list[tuple[Tensor, ...]] = []
        for _ in range(self.args.horizon):
            observations, masks = envs.observations.clone(), envs.masks.clone()
            actions = exploring(greedy_actions(network, envs, device), masks, explore, self.generator)
            self.deal()
            kept.append((observations, masks, actions, self.targets(network, actions, price)))
            if self.weighs:
                self.fictions.note(actions)
            envs.step(actions)
        observations, masks, actions, targets = (torch.cat(parts).to(device) for parts in zip(*kept, strict=True))
        return observations, masks, actions, targets

    def deal(self) -> None:
        """Begin the fictitious games, with hands dealt from the beliefs of this level."""
        if self.reading is None and not self.weighs:
            self.fictions.deal(new_stream(self.generator))
            return
        hands = self.fictions.candidates(new_stream(self.generator), self.args.candidates)
        logs = self.fictions.log_likelihoods(hands) if self.reading is None else self.reading.scores_of(hands)
        self.fictions.put(one_of(hands, logs, self.generator), new_stream(self.generator))

    def targets(self, network: Network, actions: Tensor, price: float) -> Tensor:
        """Play the fictitious games on to the same players' next decisions, and return the actions' targets (games,).

        ``network`` answers for the partners, and values the positions reached; ``price`` is as in `collect`.
        """
        fictions, device = self.fictions, self.ranks.device
        total = paid(fictions.step(actions), price)
        for _ in range(self.envs.config.players - 1):
            total += paid(fictions.step(greedy_actions(network, fictions, device)), price)
        masks, (logits, values) = fictions.masks.to(device), network(fictions.observations.to(device))
        best = masked(q_values(logits, values, masks), masks).amax(1).cpu()
        return self.reward_scale * total.float() + self.args.gamma * best * ~fictions.is_over

    def update(self, observations: Tensor, masks: Tensor, actions: Tensor, targets: Tensor) -> dict[str, float]:
        """Update the network by passes over the decisions and return statistics of this rank's last minibatch."""
        args, statistics = self.args, {}
        for _ in range(args.epochs):
            order = torch.randperm(len(actions), generator=self.generator).to(self.ranks.device)
            for rows in order.split(args.minibatch // self.ranks.world):
                logits, values = self.network(observations[rows])
                q = q_values(logits, values, masks[rows])
                chosen = q.gather(1, actions[rows][:, None]).squeeze(1)
                loss = (chosen - targets[rows]).square().mean()
                statistics = {"q_loss": loss, "q": chosen.mean(), "gradient_norm": self.descent.step(loss)}
        return {name: float(value.detach()) for name, value in statistics.items()}


def greedy_actions(network: Network, games: SelfPlayEnvs | FictitiousGames, device: torch.device) -> Tensor:
    """Return the greedy actions of the players to move, (games,) int64."""
    return masked(network(games.observations.to(device))[0], games.masks.to(device)).argmax(1).cpu()


def exploring(greedy: Tensor, masks: Tensor, explore: float, generator: torch.Generator) -> Tensor:
    """Return the greedy actions (rows,), each replaced by a random legal one with probability ``explore``."""
    noise = torch.rand(2, len(greedy), generator=generator)
    return torch.where(noise[0] < explore, choose(masks.float(), noise[1]), greedy)


def one_of(hands: np.ndarray, logs: Tensor, generator: torch.Generator) -> np.ndarray:
    """Draw one of ``hands`` (games, K, slots) per game, uint8 (games, slots), by their log weights (games, K)."""
    chosen = choose(logs.softmax(1).float().cpu(), torch.rand(len(logs), generator=generator))
    return hands[np.arange(len(hands)), chosen.numpy()]


def new_stream(generator: torch.Generator) -> int:
    """Return the number of a random stream for `FictitiousGames`."""
    return int(torch.randint(2**62, (1,), generator=generator))


# --- Level 2: the belief from the actions of the level below ----------------------------------------------------------


class Reading:
    """A learned belief: which hands the actions of the level below make likely."""

    def __init__(self, args: Args, envs: SelfPlayEnvs, ranks: Ranks) -> None:
        assert args.level_below is not None
        self.args, self.envs, self.ranks = args, envs, ranks
        self.below = load_policy(Path(args.level_below), envs.config)
        self.below.network.to(ranks.device)
        self._games = SimpleNamespace(game=envs.game, specialize=envs.frozen is not None, tables=envs.tables)
        self._sees = sight(self.below, self._games)
        self.scores = Scores(envs).to(ranks.device)
        self.descent = Descent(self.scores, ranks, READING_RATE, READING_RATE, args.max_grad_norm)

    def scores_of(self, hands: np.ndarray) -> Tensor:
        """Return the log likelihood ratios (games, K) of ``hands``, uint8 (games, K, slots), against equal chances."""
        device, (_, counts) = self.ranks.device, hands_of(self.envs)
        return self.scores(self.envs.observations.to(device), torch.from_numpy(hands).to(device), counts.to(device))

    def learn(self, fictions: FictitiousGames, generator: torch.Generator) -> dict[str, float]:
        """Play a rollout of the level below, learn to tell true hands from dealt ones, and return a row for the log."""
        args, envs, losses = self.args, self.envs, []
        for _ in range(args.horizon):
            dealt = fictions.candidates(new_stream(generator), args.candidates)
            loss = -self.scores_of(np.concatenate([hands_of(envs)[0][:, None], dealt], 1)).log_softmax(1)[:, 0].mean()
            self.descent.step(loss)
            losses.append(float(loss.detach()))
            self._games.observation = envs.observations.numpy().view(np.uint64)
            seen, noise = self._sees(np.arange(envs.games)), np.zeros(envs.games)
            greedy = torch.from_numpy(self.below.act(seen, envs.masks.numpy(), noise))
            envs.step(exploring(greedy, envs.masks, args.explore_end, generator))
        return {"belief_loss": float(np.mean(losses)), "loss_of_guessing": float(np.log1p(args.candidates))}


class Scores(nn.Module):
    """A network that scores every card in every slot; a hand's score is the sum over its slots."""

    def __init__(self, envs: SelfPlayEnvs, width: int = 128) -> None:
        super().__init__()
        rules = envs.game.rules
        self.cards = rules.suits * rules.ranks
        self.register_buffer("opening", envs.opening_bits())
        first, second = RoundedLinear(64 * len(self.opening), width), RoundedLinear(width, width)
        last = nn.Linear(width, rules.hand_size * self.cards)
        self.layers = nn.Sequential(first, nn.ReLU(), second, nn.ReLU(), last)

    def forward(self, words: Tensor, hands: Tensor, counts: Tensor) -> Tensor:
        """Return the scores (rows, K) of ``hands``, uint8 (rows, K, slots), whose first ``counts`` (rows,) slots count.

        ``words`` are packed observations, (rows, words) int64.
        """
        scores = self.layers(to_numbers(words ^ self.opening, torch.float32))
        slots = torch.arange(hands.shape[2], device=hands.device)
        places = slots * self.cards + hands.clamp(max=self.cards - 1).long()
        found = scores.gather(1, places.flatten(1)).view(hands.shape)
        return (found * (slots < counts[:, None])[:, None]).sum(2)


def hands_of(envs: SelfPlayEnvs) -> tuple[np.ndarray, Tensor]:
    """Return the true hands of the players to move, uint8 (games, slots), and their sizes, int64 (games,)."""
    states, rows, players = envs.tables["state"], np.arange(envs.games), envs.players.numpy()
    counts = states["hand_count"][rows, players].astype(np.int64)
    return states["hands"][rows, players, : envs.game.rules.hand_size], torch.from_numpy(counts)
