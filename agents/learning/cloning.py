"""Behaviour cloning (Pomerleau 1991): a network learns to take the decisions that a given agent takes.

    hanabako train --algorithm cloning --agent smart --minutes 5
    hanabako train --algorithm cloning --agent smart --network recurrent --minutes 5
    hanabako train --algorithm cloning --dataset games.npz --minutes 5   # of `hanabako record`, or people's games
    hanabako train --algorithm cloning --dataset searched.npz --temperature 0.25 --minutes 5   # of `record --values`
    hanabako train --start runs/NAME/policy.safetensors   # go on from the clone by reinforcement

The agent plays every seat of live games, so that each decision is learned from only in the ``epochs`` of its own
rollout; nothing is stored. Record an agent that is slow to decide, such as a search, and learn from the file several
times (``dataset``). ``hanabako record --values`` also stores a search's value of each action: with a ``temperature``
the network fits the softmax of these values, which says more about a decision than the best action alone (policy
distillation, Rusu et al. 2016). The network sees what a player observes at the decision and fits the agent's action by
cross-entropy. A bot remembers more than an observation shows: what depends on that, a network without memory cannot
learn. Clones of Hanabi's bots by supervised learning are discussed by Bard et al. 2020; like theirs, this one learns
from games that the agent plays by itself, and is not corrected in positions that only its own errors lead to.

The log's ``agreement`` is the part of the decisions at which the likeliest action is the agent's, before they are
learned from; evaluations play the clone at every seat, in a competitive game against the agent.
"""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional as F

from hanabako.games import game_named, game_of, make_config
from hanabako.words.checks import parse_setting
from hanabako.words.ranges import Positive, Size

from ..datasets import Dataset
from ..networks.network import masked
from ..playing.open_games import check_members
from ..registry import load
from .common.algorithms import command_line
from .common.network_learner import NetworkLearner
from .common.network_settings import NetworkSettings
from .common.partners import PartnersEnvs
from .common.ranks import Ranks
from .common.recorded import RecordedEnvs
from .common.selfplay import SelfPlayEnvs

# --- Settings ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Args(NetworkSettings):
    """Train a network to play as a given agent does."""

    agent: str | None = None
    """Whom to clone: an agent's name, file or FILE.py:NAME, whose code is imported and run. It plays every seat, unless
    there is a ``dataset``."""
    dataset: str | None = None
    """Clone instead the players of the games in this file (see `agents.datasets`), at every seat. Without a
    ``preset`` the rules are those of its games."""
    temperature: Positive | None = None
    """Fit what a search expects of every action, as the ``dataset`` tells, instead of what was done: an action that
    promises this many points more is e times as likely."""
    horizon: Size = 32
    """Decisions per game in one rollout."""
    minibatch: Size = 2048
    """Decisions per gradient step, all ranks together."""
    epochs: Size = 1
    """Passes over each rollout: more where games take longer than gradients."""

    def make_config(self) -> Any:
        """See `agents.learning.common.settings.Settings.make_config`; without ``preset`` by the ``dataset``'s rules."""
        entry = game_named(self.game)
        played = None if self.dataset is None or self.preset is not None else Dataset(self.dataset).config
        if played is None or game_of(played).name != entry.name:
            return super().make_config()
        usual = make_config(self.game, settings=entry.training_settings)
        observed = {field: getattr(usual, field) for field in entry.observation_fields}
        said = dict(map(parse_setting, self.config or ())) | ({} if self.players is None else {"players": self.players})
        return entry.make_config(config={**asdict(played), **observed, **said})

    def usual_name(self, config: Any) -> str:
        """See `agents.learning.common.settings.Settings.usual_name`; without ``preset`` by the ``dataset``'s name."""
        if self.dataset is None or self.preset is not None:
            return super().usual_name(config)
        return f"{self.game}-{Path(self.dataset).stem}-{config.players}p"

    def check(self, world: int) -> None:
        """See `agents.learning.common.settings.Settings.check`."""
        super().check(world)
        self.check_shared(world, "minibatch")
        if self.temperature and not (self.dataset and Dataset(self.dataset).values):
            raise ValueError(f"temperature is for a dataset of `hanabako record --values`, got {self.dataset}")

    def others(self) -> tuple[str, ...]:
        """See `agents.learning.common.settings.Settings.others`: in a competitive game by default the agent itself."""
        return () if game_named(self.game).cooperative else (self.opponent or self.agent or "random",)

    def check_agents(self, config: Any, kind: type[SelfPlayEnvs]) -> None:
        """See `agents.learning.common.settings.Settings.check_agents`."""
        super().check_agents(config, kind)
        if self.dataset is not None:
            next(Dataset(self.dataset).decisions(config))
        elif self.agent is not None:
            check_members([load(self.agent, config)])
        else:
            raise ValueError("agent must name whom to clone, or dataset the file of somebody's games, got None")

    def make_envs(self, config: Any, ranks: Ranks, kind: type[SelfPlayEnvs]) -> "Lessons | RecordedEnvs":
        """See `agents.learning.common.settings.Settings.make_envs`."""
        del kind
        if self.dataset is not None:
            return RecordedEnvs(config, self.games, self.seed, ranks, self.dataset)
        assert self.agent is not None
        return Lessons(config, self.games, self.seed, ranks, [load(self.agent, config)])


# --- The algorithm ----------------------------------------------------------------------------------------------------


class Lessons(PartnersEnvs):
    """Games in which one agent has every seat and is asked for its decisions, which the learner then takes."""

    def draw(self, rows: NDArray[np.int64], streams: NDArray[np.uint64]) -> None:
        """See `PartnersEnvs.draw`: learner and agent both have every seat, and the learner moves."""
        self._seated[0].seats[rows] = self.learners[rows]

    def advice(self) -> Tensor:
        """What the agent would do now, (games,) int64. To be asked for once a step."""
        self._seated[0].act()
        return torch.from_numpy(self.block.actions.copy())


class Decisions(NamedTuple):
    """What is learned from; each array begins with (horizon, games), in a minibatch with their number."""

    observations: Tensor
    masks: Tensor
    actions: Tensor
    targets: Tensor
    """The probability of each action that is fitted; no column if what was done is."""


class Cloning(NetworkLearner):
    """Everything that changes while training, on one rank: an `agents.learning.common.trainer.Algorithm`."""

    def __init__(self, args: Args, envs: SelfPlayEnvs, ranks: Ranks) -> None:
        assert isinstance(envs, Lessons | RecordedEnvs)
        super().__init__(args, envs, ranks)
        self.lessons = envs

        def room(*more: int, dtype: torch.dtype = torch.int64) -> Tensor:
            return torch.zeros(args.horizon, envs.games, *more, dtype=dtype, device=ranks.device)

        self.players, self.dones = room(), room(dtype=torch.bool)
        words = envs.observations.shape[1]
        targets = room(envs.actions if args.temperature else 0, dtype=torch.float32)
        self.decisions = Decisions(room(words), room(envs.actions, dtype=torch.int8), room(), targets)

    def learn(self, fraction: float) -> dict[str, float]:
        """One rollout of the agent's and what is learned from it; returns a row for the log."""
        learning_rate = self.descent.set_rate(fraction)
        self.collect()
        rows = [self.one_pass() for _ in range(self.args.epochs)]
        right, count, loss = self.ranks.sum(torch.tensor(rows[0], dtype=torch.float64)).tolist()
        return {"agreement": right / count, "cross_entropy": loss / count, "learning_rate": learning_rate}

    @torch.no_grad()
    def collect(self) -> None:
        """Let the agent play ``horizon`` decisions of every game; the network's memories follow."""
        envs, network, memories = self.envs, self.network.rounded(), self.memories
        memories.begin_rollout()
        for t in range(self.args.horizon):
            actions = self.lessons.advice()
            now = envs.observations, envs.masks, actions, self.targets()
            for room, part in zip(self.decisions, now, strict=True):
                room[t].copy_(part)
            self.players[t].copy_(envs.players)
            if memories.now is not None:
                _, _, after = network.step(self.decisions.observations[t], memories.of(envs.players))
                memories.keep(envs.players, after)
            _, dones = envs.step(actions)
            self.dones[t].copy_(dones)
            memories.forget(dones)

    def targets(self) -> Tensor:
        """What is fitted of a search's values now, (games, actions); without a column if what was done is."""
        if self.args.temperature is None:
            return torch.zeros(self.envs.games, 0)
        assert isinstance(self.lessons, RecordedEnvs)
        return self.lessons.targets(self.args.temperature)

    def one_pass(self) -> tuple[float, float, float]:
        """Learn from each decision once: how many were right before, of how many, and their summed cross-entropy."""
        args, horizon = self.args, self.args.horizon
        count = self.envs.games if self.memories.now is not None else horizon * self.envs.games
        order = torch.randperm(count, generator=self.generator).to(self.ranks.device)
        right, total = 0.0, 0.0
        size = args.minibatch // self.ranks.world
        for batch, (outputs, _) in self.memories.minibatches(self.network, self, self.decisions, order, size):
            logits = masked(outputs, batch.masks)
            loss = cross_entropy(logits, batch)
            self.descent.step(loss)
            right += float((logits.argmax(1) == batch.actions).sum())
            total += float(loss.detach()) * len(batch.actions)
        return right, float(horizon * self.envs.games), total


def cross_entropy(logits: Tensor, batch: Decisions) -> Tensor:
    """The mean over decisions, of what was done or of the targets."""
    if not batch.targets.shape[1]:
        return F.cross_entropy(logits, batch.actions)
    likely = torch.where(batch.masks.bool(), logits.log_softmax(1), 0.0)
    return -(batch.targets * likely).sum(1).mean()


if __name__ == "__main__":
    command_line(__spec__.name)
