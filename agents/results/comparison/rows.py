"""A declared comparison and its rows: a training run per algorithm and seed, and every ordered pair of agents."""

import json
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any, Literal

from hanabako.games import game_named, make_config
from hanabako.words.ranges import Positive, Size, Within

from ...networks.features import usual_features
from ...registry import AgentName, names, pretrained
from ..study import Row, as_words, words_of

KEPT = ("policy.safetensors", "metrics.jsonl", "config.json")
"""The files of a finished run that other rows need."""
BESIDE, RUNS = "beside", "runs"
"""Folders for a row's files on another machine: files from beside the comparison's file, and runs."""


@dataclass(frozen=True)
class Algorithm:
    """A table ``[algorithms.NAME]``."""

    module: str
    """A name of ``hanabako train --algorithm``; else a module beside the file, or importable, or ``FILE.py``."""
    ranks: Annotated[int, Within(1, 4096)] = 1
    """The number of processes that train together: ``ranks`` of its settings."""
    share: Annotated[float, Within(0, 1, above=True)] = 1.0
    """The algorithm's share of the budget."""
    seeds: tuple[int, ...] | None = None
    """The seeds of its runs, a subset of the comparison's; by default all of them."""
    settings: dict[str, Any] = field(default_factory=dict)
    """The settings by the names of the algorithm's ``Args``."""
    config: tuple[str, ...] = ()
    """Fields of the game's config, as ``name=value``, in which its observation differs from the comparison's."""


@dataclass(frozen=True)
class Comparison:
    """A declared comparison, and the folder of its runs."""

    game: str
    seeds: tuple[int, ...]
    preset: str | None = None
    players: Size | None = None
    steps: Annotated[int, Within(1, 10**15)] | None = None
    core_minutes: Positive | None = None
    deals: Size = 2000
    partners: tuple[str, ...] = ()
    references: tuple[str, ...] = ()
    """Agents that play with themselves only, for their score beside those of the runs."""
    pairs: Literal["all", "same seed"] = "all"
    """``same seed``: runs of different algorithms play together only if they have the same seed. Runs of one algorithm
    always all play together."""
    against: str | None = None
    """The algorithm with which the table compares the cross-play of all others."""
    reproduction: bool = True
    """False if none of its rows reproduces the paper of its algorithm; tables and figures then say so."""
    reason: str = ""
    """Why its rows are not reproductions."""
    core_hours: Positive | None = None
    """An estimate for all training runs together, if the comparison is declared for a cluster and was not run."""
    config: tuple[str, ...] = ()
    """The fields of the game's config that differ from the preset's, as ``name=value``."""
    features: str = "auto"
    """The features of algorithms whose own settings name none."""
    algorithms: dict[str, Algorithm] = field(default_factory=dict)
    folder: Path = Path()
    """The folder of the file."""
    runs: Path = Path()

    @property
    def guests(self) -> tuple[str, ...]:
        """The agents that are no runs."""
        return (*self.partners, *self.references)

    @property
    def cooperative(self) -> bool:
        """Whether the players of the game score together."""
        return game_named(self.game).cooperative

    def played(self, config: Sequence[str] = ()) -> dict[str, Any]:
        """Return the game and its config with the fields ``config``, by the names of training settings."""
        given: dict[str, Any] = {"game": self.game, "preset": self.preset, "players": self.players}
        given["config"] = overridden(self.config, config) or None
        return {name: value for name, value in given.items() if value is not None}

    def features_of(self, name: str | None = None) -> str:
        """Return the features of an algorithm's networks; without a name, those of algorithms that name none."""
        features = self.features if name is None else self.algorithms[name].settings.get("features", "auto")
        return usual_features(self.make_config()) if features == "auto" else str(features)

    def key(self, features: str, settings: Mapping[str, Any]) -> str:
        """Return settings as words that identify a row: in Hanabi, features stand as a field of the config."""
        if self.game == "hanabi":
            flags = f"derived={json.dumps(features == 'derived')}"
            config = overridden([flags], settings.get("config", []))
            settings = self.played() | {"config": config} | {**settings, "config": config}
        kept = {name: value for name, value in settings.items() if name != "features" or value == "v0"}
        return shlex.join(as_words(kept))

    def make_config(self) -> Any:
        """Return the config of the game; errors as in `hanabako.games.make_config`."""
        return make_config(self.game, self.preset, self.players, self.config)

    def settings_of(self, name: str) -> dict[str, Any]:
        """Return the settings of an algorithm's runs by name, except the seed."""
        own = self.algorithms[name]
        played = self.played(own.config)
        if self.steps is not None:
            return played | own.settings | {"steps": max(round(self.steps * own.share), 1)}
        minutes = float(self.core_minutes or 0) * own.share / own.ranks
        return played | own.settings | {"minutes": minutes, "clock": "core"}

    def run(self, name: str, seed: int) -> "Run":
        """Return the run of an algorithm with a seed."""
        own, settings = self.algorithms[name], self.settings_of(name)
        return Run(self, name, seed, own.module, self.key(self.features_of(name), settings), own.ranks)

    def run_named(self, name: str) -> "Run":
        """Return the run that a pair names."""
        algorithm, _, seed = name.rpartition("-")
        return self.run(algorithm, int(seed))

    def seeds_of(self, name: str) -> tuple[int, ...]:
        """Return the seeds of an algorithm's runs."""
        own = self.algorithms[name].seeds
        return self.seeds if own is None else own

    def all_runs(self) -> "list[Run]":
        """Return all runs, by seed and then by algorithm."""
        return [self.run(name, seed) for seed in self.seeds for name in self.algorithms if seed in self.seeds_of(name)]

    def rows(self) -> "list[Run | Pair]":
        """Return all runs, and all pairs of agents that play together."""
        runs = self.all_runs()
        agents = {**dict.fromkeys(self.partners), **{run.name: run for run in runs}}
        played = self.key(self.features_of(), self.played())
        together = [(one, other) for one in agents for other in agents if self.meet(agents[one], agents[other])]
        together += [(name, name) for name in self.references]
        return [*runs, *(Pair(self, one, other, played, wanted=self.deals) for one, other in together)]

    def meet(self, one: "Run | None", other: "Run | None") -> bool:
        """Whether two agents play together; None is a partner."""
        if self.pairs == "all" or one is None or other is None:
            return True
        return one.algorithm == other.algorithm or one.seed == other.seed

    def where(self, name: str) -> str:
        """Return what to load for an agent of a pair: a run's policy, or a partner with its path made complete."""
        if name not in self.guests:
            return str(self.run_named(name).policy)
        base, source = (parts := AgentName.parse(name)).base, parts.source
        if base.partition(":")[0] in (*names(self.game), *pretrained(self.game)):
            return name
        beside = self.folder / (source.place if source else base)
        is_there = beside.is_file() if source else AgentName.parse(beside).network is not None
        return name.removesuffix(base) + str(self.folder / base) if is_there else name


@dataclass(frozen=True)
class OfComparison(Row):
    """A row of the comparison ``of``."""

    of: Comparison

    @property
    def files(self) -> dict[str, Path]:
        """See `Row.files`: the modules and partners beside the file, and the policies of the row's runs."""
        folder = self.of.folder
        beside = [*folder.glob("*.py"), *(folder / name for name in self.of.guests if ".." not in Path(name).parts)]
        modules = {f"{BESIDE}/{path.relative_to(folder)}": path for path in beside if path.is_relative_to(folder)}
        runs: Sequence[Run] = self.needs  # type: ignore[assignment]
        return modules | {f"{RUNS}/{run.name}/{KEPT[0]}": run.policy for run in runs}

    def at(self, folder: Path) -> "OfComparison":
        """See `Row.at`."""
        return replace(self, of=replace(self.of, folder=folder / BESIDE, runs=folder / RUNS))

    def values(self) -> dict[str, Any]:
        """See `Row.values`: fields of the whole comparison are left out."""
        return {own.name: getattr(self, own.name) for own in fields(self) if own.name not in ("wanted", "of")}

    @property
    def words(self) -> str:
        """See `Row.words`: the fields that distinguish it from other rows of the file."""
        values = self.values()
        return words_of(values | {"fields": list(values)[:2]})


@dataclass(frozen=True)
class Run(OfComparison):
    """A training run."""

    algorithm: str
    seed: int
    module: str
    settings: str
    """The settings as words of a command line, without the seed."""
    ranks: int

    @property
    def leaves(self) -> dict[str, Path]:
        """See `Row.leaves`."""
        return {f"{RUNS}/{self.name}/{name}": self.folder / name for name in KEPT}

    @property
    def name(self) -> str:
        """The name of the run's agent in pairs."""
        return f"{self.algorithm}-{self.seed}"

    @property
    def folder(self) -> Path:
        """The folder of the run."""
        return self.of.runs / self.name

    @property
    def policy(self) -> Path:
        """The file of its policy."""
        return self.folder / KEPT[0]

    @property
    def needs(self) -> "Sequence[Run]":
        """The runs whose policies its settings name."""
        return [self.of.run(name, self.seed) for name in self.of.algorithms if f"{{{name}}}" in self.settings]

    @property
    def agents(self) -> list[str]:
        """The files of the policies that its settings name."""
        return [str(run.policy) for run in self.needs]

    @property
    def cores(self) -> int:
        """See `Row.cores`."""
        return self.ranks

    @property
    def stream(self) -> int:
        """The learner's seed, derived from algorithm and seed, so that equal seeds of two algorithms share nothing."""
        digest = sha256(f"{self.algorithm} {self.seed}".encode()).digest()
        return int.from_bytes(digest[:8], "big") % 2**40

    @property
    def learner_settings(self) -> dict[str, Any]:
        """All settings of the learner by name."""
        settings = self.of.settings_of(self.algorithm) | {"seed": self.stream}
        text = json.dumps(settings, default=str)  # dates of TOML are no JSON, and no settings
        for run in self.needs:
            text = text.replace(f"{{{run.algorithm}}}", json.dumps(str(run.policy))[1:-1])
        return json.loads(text)


@dataclass(frozen=True)
class Pair(OfComparison):
    """Two agents that play together, on the same deals as all other pairs."""

    one: str
    """The agent at player 0: a run's `Run.name` or a partner."""
    other: str
    """The agent at all other seats."""
    settings: str
    """The game and its config as words of a command line."""

    @cached_property
    def needs(self) -> Sequence[Run]:
        """The runs among the two agents."""
        names = dict.fromkeys((self.one, self.other))
        return [self.of.run_named(name) for name in names if name not in self.of.guests]

    @property
    def is_between_seeds(self) -> bool:
        """Whether the two agents are different runs of one algorithm."""
        return len(self.needs) == 2 and self.needs[0].algorithm == self.needs[1].algorithm

    @property
    def is_first_alone(self) -> bool:
        """Whether the two agents are the first run of an algorithm."""
        return self.one == self.other and any(run.seed == self.of.seeds_of(run.algorithm)[0] for run in self.needs)

    @property
    def agents(self) -> list[str]:
        """The agents' names or files."""
        return [self.of.where(name) for name in (self.one, self.other)]


def overridden(config: Sequence[str], own: Sequence[str]) -> list[str]:
    """Return the fields of a config, each ``name=value``, with those of ``own`` in place of fields of the same name."""
    return list({text.partition("=")[0]: text for text in (*config, *own)}.values())
