"""Behaviour cloning (Pomerleau 1991): a network learns to imitate the decisions of a given agent.

    hanabako train --algorithm cloning --agent smart --minutes 5
    hanabako train --algorithm cloning --dataset games.npz --minutes 5   # by `hanabako record`, or people's games
    hanabako train --start runs/NAME/policy.safetensors   # continue from the clone by reinforcement learning

The network reads a player's observation and fits the agent's action by cross-entropy. The agent plays every seat of
live games; each rollout is used for ``epochs`` passes, and nothing is stored. If the agent is slow, such as a search,
record its games and learn from the file several times (``dataset``). A bot may remember more than an observation shows;
a network without memory cannot learn what depends on that. The training games are the agent's own, so the clone is not
corrected in positions that only its own errors reach (Bard et al. 2020).

``agreement`` in the log is the share of decisions, before learning from them, at which the network's most probable
action is the agent's. Evaluations play the clone at every seat, or in a competitive game against the agent.
"""

from dataclasses import asdict, dataclass, replace
from math import ceil
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional as F
from typing_extensions import override

from hanabako.games import game_named, game_of
from hanabako.words.checks import parse_setting
from hanabako.words.ranges import Size

from ..datasets import Dataset
from ..networks.network import masked
from ..playing.fitting import observed
from ..playing.open_games import check_members
from ..playing.policy import Policy, set_of
from ..registry import load
from .common.network_learner import NetworkLearner
from .common.network_settings import NetworkSettings
from .common.partners import PartnersEnvs, Seats
from .common.ranks import Ranks
from .common.selfplay import SelfPlayEnvs

# --- Settings ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Args(NetworkSettings):
    """Train a network to imitate an agent."""

    agent: str | None = None
    """The agent to imitate: a name, a file or FILE.py:NAME, whose code is imported and run. It plays every seat, unless
    there is a ``dataset``."""
    dataset: str | None = None
    """Imitate all players of the games in this file instead (see `agents.datasets`). Without ``preset``, the file's
    rules are used."""
    horizon: Size = 32
    """Decisions per game in one rollout."""
    minibatch: Size = 2048
    """Largest number of decisions per gradient step, all ranks together; a rollout is divided into equal parts."""
    epochs: Size = 1
    """Passes over each rollout; use more if playing takes longer than learning."""

    @override
    def make_config(self) -> Any:
        entry = game_named(self.game)  # without ``preset``, the rules are those of the dataset
        played = None if self.dataset is None or self.preset is not None else Dataset(self.dataset).config
        if played is None or game_of(played).name != entry.name:
            return super().make_config()
        said = dict(map(parse_setting, self.config or ())) | ({} if self.players is None else {"players": self.players})
        return entry.make_config(config={**asdict(played), **observed(entry.config_class()), **said})

    @override
    def learned(self, config: Any) -> Any:
        return NetworkSettings.learned(self if self.dataset is None else replace(self, training=()), config)

    @override
    def usual_name(self, config: Any) -> str:
        if self.dataset is None or self.preset is not None:
            return super().usual_name(config)
        return f"{self.game}-{Path(self.dataset).stem}-{config.players}p"

    @override
    def check(self, world: int) -> None:
        super().check(world)
        self.check_shared(world, "minibatch")

    @override
    def others(self) -> tuple[str, ...]:
        return () if game_named(self.game).cooperative else (self.opponent or self.agent or "random",)

    @override
    def check_agents(self, config: Any) -> None:
        super().check_agents(config)
        if self.dataset is not None:
            if not any(len(some.actions) for some in Dataset(self.dataset).decisions(config)):
                raise ValueError(f"dataset must hold a decision, and all games of {self.dataset} are empty")
        elif self.agent is not None:
            check_members([load(self.agent, config)])
        else:
            raise ValueError("agent must name an agent to clone, or dataset a file of games, got None")

    @override
    def make_envs(self, config: Any, ranks: Ranks) -> "Lessons | RecordedEnvs":
        if self.dataset is not None:
            return RecordedEnvs(config, self.games, self.seed, ranks, self.dataset)
        assert self.agent is not None
        return Lessons(config, self.games, self.seed, ranks, load(self.agent, config))


# --- The lessons ------------------------------------------------------------------------------------------------------


class Lessons(PartnersEnvs):
    """Games in which one agent decides at every seat, and the learner takes these decisions."""

    def __init__(self, config: Any, games: int, seed: int, ranks: Ranks, agent: Policy) -> None:
        super().__init__(config, games, seed, ranks, [agent], every_seat)

    def advice(self) -> Tensor:
        """Return the agent's actions now, (games,) int64. Call it once per step."""
        self._seated[0].act()
        return torch.from_numpy(self.block.actions.copy())


def every_seat(streams: NDArray[np.uint64], players: int, members: int) -> tuple[Seats, Seats]:
    """Give every seat to the learner, who moves, and to each member; see `agents.learning.common.partners.Plan`."""
    everybody = set_of(range(players), len(streams))
    return everybody, np.tile(everybody, (members, 1))


class RecordedEnvs(SelfPlayEnvs):
    """This rank's games, read in parallel from a dataset; each is followed by another when it ends.

    Every pass shows all games of the file once, in a new random order per rank. The games are held in memory: a
    decision of standard Hanabi takes about 150 bytes. Errors are those of `agents.datasets.Dataset`.
    """

    def __init__(self, config: Any, games: int, seed: int, ranks: Ranks, dataset: str | PathLike[str]) -> None:
        parts = list(Dataset(dataset).decisions(config))
        self._decisions = type(parts[0])(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))
        self._starts = np.flatnonzero(self._decisions.turns == 0)
        self._ends = np.append(self._starts[1:], len(self._decisions.turns))
        """The decisions of game g are those from ``_starts[g]`` up to ``_ends[g]``."""
        super().__init__(config, games, seed, ranks)
        self._sums = {"score": 0, "length": 0}

    @override
    def _reset(self, seed: int, threads: int) -> None:
        self._seed, self._begun, self._time = seed, 0, -1
        self._game, self._at = np.zeros(self.games, np.int64), np.zeros(self.games, np.int64)
        self._begin_next(np.ones(self.games, np.bool_))
        self._show()

    def advice(self) -> Tensor:
        """Return the recorded actions at the current decisions, (games,) int64."""
        return torch.from_numpy(self._decisions.actions[self._at])

    @override
    def step(self, actions: Tensor) -> tuple[Tensor, Tensor]:
        rewards = torch.from_numpy(self._decisions.rewards[self._at])
        self._at += 1
        dones = self._at == self._ends[self._game]
        if dones.any():
            own = self._starts[self._game[dones]]
            scores, lengths = self._decisions.returns[own], self._at[dones] - own
            self._count(len(own), {"score": scores.sum(), "length": lengths.sum()})
            self._begin_next(dones)
        self._show()
        self.decisions += self.games
        return rewards, torch.from_numpy(dones)

    def _begin_next(self, games: np.ndarray) -> None:
        """Begin the next games where ``games``, bool (games,), is set; each pass has an order of its own."""
        for index in np.flatnonzero(games):
            time, number = divmod(self._begun, len(self._starts))
            if time != self._time:
                self._time, self._order = time, np.random.default_rng([self._seed, time]).permutation(len(self._starts))
            self._game[index] = self._order[number]
            self._begun += 1
        self._at[games] = self._starts[self._game[games]]

    @override
    def _show(self) -> None:
        decisions, at = self._decisions, self._at
        self.observations = torch.from_numpy(decisions.observations[at].view(np.int64))
        self.masks, self.players = torch.from_numpy(decisions.masks[at]), torch.from_numpy(decisions.players[at])

    @override
    def opening_bits(self) -> Tensor:
        common = np.bitwise_and.reduce(self._decisions.observations[self._starts], axis=0)
        return torch.from_numpy(common.view(np.int64))

    @override
    def state(self) -> dict[str, np.ndarray]:
        return {"game": self._game.copy(), "at": self._at.copy(), "begun": np.array(self._begun)}

    @override
    def restore(self, state: dict[str, np.ndarray]) -> None:
        self._game, self._at, self._begun = state["game"].copy(), state["at"].copy(), int(state["begun"])
        self._show()


# --- The algorithm ----------------------------------------------------------------------------------------------------


class Cloning(NetworkLearner):
    """The training state on one rank: an `agents.learning.common.trainer.Algorithm`."""

    def __init__(self, args: Args, envs: Lessons | RecordedEnvs, ranks: Ranks) -> None:
        super().__init__(args, envs, ranks)
        self.decisions = self.empty_rollout()

    def learn(self, fraction: float) -> dict[str, float]:
        """Let the agent play one rollout, learn from it and return a row for the log."""
        learning_rate = self.descent.set_rate(fraction)
        self.collect()
        rows = [self.one_pass() for _ in range(self.args.epochs)]
        right, count, loss = self.ranks.sum(torch.tensor(rows[0], dtype=torch.float64)).tolist()
        return {"agreement": right / count, "cross_entropy": loss / count, "learning_rate": learning_rate}

    @torch.no_grad()
    def collect(self) -> None:
        """Let the agent play ``horizon`` decisions of every game; the network's memories follow."""
        envs, memories, decisions = self.envs, self.memories, self.decisions
        network = self.network.rounded()
        memories.begin_rollout()
        for t in range(self.args.horizon):
            actions = envs.advice()
            decisions["observations"][t].copy_(envs.observations)
            decisions["masks"][t].copy_(envs.masks)
            decisions["players"][t].copy_(envs.players)
            decisions["actions"][t].copy_(actions)
            if memories.now is not None:
                after = network.step(decisions["observations"][t], memories.of(envs.players)).memory
                memories.keep(envs.players, after)
            _, dones = envs.step(actions)
            decisions["dones"][t].copy_(dones)
            memories.forget(dones)

    def one_pass(self) -> tuple[float, float, float]:
        """Learn from each decision once; return how many agreed before, how many there are, and their cross-entropy."""
        args, right, total = self.args, 0.0, 0.0
        parts = ceil(args.horizon * args.games / args.minibatch)
        for batch, outputs in self.memories.minibatches(self.network, self.decisions, parts, self.generator):
            logits = masked(outputs.logits, batch["masks"])
            loss = F.cross_entropy(logits, batch["actions"])
            self.descent.step(loss)
            right += float((logits.argmax(1) == batch["actions"]).sum())
            total += float(loss.detach()) * len(logits)
        return right, float(args.horizon * self.envs.games), total
