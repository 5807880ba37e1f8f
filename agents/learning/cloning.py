"""Behaviour cloning (Pomerleau 1991): a network learns to imitate the decisions of a given agent.

    hanabako train --algorithm cloning --agent smart --minutes 5
    hanabako train --algorithm cloning --agent smart --network recurrent --minutes 5
    hanabako train --algorithm cloning --dataset games.npz --minutes 5   # by `hanabako record`, or people's games
    hanabako train --algorithm cloning --dataset searched.npz --temperature 0.25 --minutes 5   # by `record --values`
    hanabako train --start runs/NAME/policy.safetensors   # continue from the clone by reinforcement learning

The network reads a player's observation and fits the agent's action by cross-entropy. The agent plays every seat of
live games; each rollout is used for ``epochs`` passes, and nothing is stored. If the agent is slow, such as a search,
record its games and learn from the file several times (``dataset``). ``hanabako record --values`` also stores a
search's value of each action: with a ``temperature`` the network fits the softmax of these values, which carries more
information than the best action alone (policy distillation, Rusu et al. 2016). A bot may remember more than an
observation shows; a network without memory cannot learn what depends on that. Bard et al. 2020 discuss clones of
Hanabi bots by supervised learning. As there, the training games are the agent's own, so the clone is not corrected in
positions that only its own errors reach.

``agreement`` in the log is the share of decisions, before learning from them, at which the network's most probable
action is the agent's. Evaluations play the clone at every seat, or in a competitive game against the agent.
"""

from dataclasses import asdict, dataclass, replace
from math import ceil
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional as F

from hanabako.games import game_named, game_of
from hanabako.words.checks import parse_setting
from hanabako.words.ranges import Positive, Size

from ..datasets import Dataset
from ..networks.network import masked
from ..playing.fitting import observed
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
    """Train a network to imitate an agent."""

    agent: str | None = None
    """The agent to imitate: a name, a file or FILE.py:NAME, whose code is imported and run. It plays every seat, unless
    there is a ``dataset``."""
    dataset: str | None = None
    """Imitate all players of the games in this file instead (see `agents.datasets`). Without ``preset``, the file's
    rules are used."""
    temperature: Positive | None = None
    """Fit the softmax of a search's action values in the ``dataset`` instead of the recorded actions: an action worth
    this much more is e times as likely. The unit is that of the values: points, or probabilities of winning Ikebana."""
    horizon: Size = 32
    """Decisions per game in one rollout."""
    minibatch: Size = 2048
    """Largest number of decisions per gradient step, all ranks together; a rollout is divided into equal parts."""
    epochs: Size = 1
    """Passes over each rollout; use more if playing takes longer than learning."""

    def make_config(self) -> Any:
        """See `agents.learning.common.settings.Settings.make_config`; without ``preset``, the ``dataset``'s rules."""
        entry = game_named(self.game)
        played = None if self.dataset is None or self.preset is not None else Dataset(self.dataset).config
        if played is None or game_of(played).name != entry.name:
            return super().make_config()
        said = dict(map(parse_setting, self.config or ())) | ({} if self.players is None else {"players": self.players})
        return entry.make_config(config={**asdict(played), **observed(entry.config_class()), **said})

    def learned(self, config: Any) -> Any:
        """See `agents.learning.common.settings.Settings.learned`; a ``dataset`` stays as it was played."""
        return NetworkSettings.learned(self if self.dataset is None else replace(self, training=()), config)

    def usual_name(self, config: Any) -> str:
        """See `agents.learning.common.settings.Settings.usual_name`; without ``preset``, the ``dataset``'s name."""
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
        """See `agents.learning.common.settings.Settings.others`; in a competitive game, by default the agent itself."""
        return () if game_named(self.game).cooperative else (self.opponent or self.agent or "random",)

    def check_agents(self, config: Any, kind: type[SelfPlayEnvs]) -> None:
        """See `agents.learning.common.settings.Settings.check_agents`."""
        super().check_agents(config, kind)
        if self.dataset is not None:
            if not any(len(some.actions) for some in Dataset(self.dataset).decisions(config)):
                raise ValueError(f"dataset must hold a decision, and all games of {self.dataset} are empty")
        elif self.agent is not None:
            check_members([load(self.agent, config)])
        else:
            raise ValueError("agent must name an agent to clone, or dataset a file of games, got None")

    def make_envs(self, config: Any, ranks: Ranks, kind: type[SelfPlayEnvs]) -> "Lessons | RecordedEnvs":
        """See `agents.learning.common.settings.Settings.make_envs`."""
        del kind
        if self.dataset is not None:
            return RecordedEnvs(config, self.games, self.seed, ranks, self.dataset)
        assert self.agent is not None
        return Lessons(config, self.games, self.seed, ranks, [load(self.agent, config)])


# --- The algorithm ----------------------------------------------------------------------------------------------------


class Lessons(PartnersEnvs):
    """Games in which one agent decides at every seat, and the learner takes these decisions."""

    def draw(self, rows: NDArray[np.int64], streams: NDArray[np.uint64]) -> None:
        """See `PartnersEnvs.draw`; here learner and agent both have every seat, and the learner moves."""
        self._seated[0].seats[rows] = self.learners[rows]

    def advice(self) -> Tensor:
        """Return the agent's actions now, (games,) int64. Call it once per step."""
        self._seated[0].act()
        return torch.from_numpy(self.block.actions.copy())


class Decisions(NamedTuple):
    """Training examples; the first axes are (horizon, games), in a minibatch one axis of decisions."""

    observations: Tensor
    masks: Tensor
    actions: Tensor
    targets: Tensor
    """The target probability of each action; no columns if the recorded actions are fitted."""


class Cloning(NetworkLearner):
    """The training state on one rank: an `agents.learning.common.trainer.Algorithm`."""

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
        """Let the agent play one rollout, learn from it and return a row for the log."""
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
        """Return the target probabilities now, (games, actions); no columns if the recorded actions are fitted."""
        if self.args.temperature is None:
            return torch.zeros(self.envs.games, 0)
        assert isinstance(self.lessons, RecordedEnvs)
        return self.lessons.targets(self.args.temperature)

    def one_pass(self) -> tuple[float, float, float]:
        """Learn from each decision once.

        Returns:
            How many decisions agreed with the agent before the update, how many there are, and their summed
            cross-entropy.
        """
        args, horizon = self.args, self.args.horizon
        count = self.envs.games if self.memories.now is not None else horizon * self.envs.games
        order = torch.randperm(count, generator=self.generator).to(self.ranks.device)
        right, total = 0.0, 0.0
        parts = ceil(horizon * args.games / args.minibatch)
        for batch, (outputs, _) in self.memories.minibatches(self.network, self, self.decisions, order, parts):
            logits = masked(outputs, batch.masks)
            loss = cross_entropy(logits, batch)
            self.descent.step(loss)
            right += float((logits.argmax(1) == batch.actions).sum())
            total += float(loss.detach()) * len(batch.actions)
        return right, float(horizon * self.envs.games), total


def cross_entropy(logits: Tensor, batch: Decisions) -> Tensor:
    """Return the mean cross-entropy to the targets, or to the recorded actions if there are none."""
    if not batch.targets.shape[1]:
        return F.cross_entropy(logits, batch.actions)
    likely = torch.where(batch.masks.bool(), logits.log_softmax(1), 0.0)
    return -(batch.targets * likely).sum(1).mean()


if __name__ == "__main__":
    command_line(__spec__.name)
