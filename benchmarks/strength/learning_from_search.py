"""Does a network learn more from search than from its own games?

    hanabako study run learning_from_search --cores 2     # about three core-hours
    hanabako study list learning_from_search

Search improves the decisions of a network or bot, its blueprint, at decision time. Here one player searches and the
other plays the blueprint, in 6,144 games; the searching players make some 200,000 decisions. A network that plays like
the blueprint fits the searches' action values and the blueprint's actions, and PPO continues from there (*searched*).
Beside it stands PPO alone, from the same network and for the same core-minutes, those of the searches included
(*alone*). Imitation and fitting train no values of positions, so PPO first has to learn these. The blueprint is a
network that ships. The bot `questions` was to be the second one, but the network that imitates it (*copy*) does not
play like it, so nothing is searched. There is one training run of each kind; errors are over games.

The recorded games and the runs are kept in ``runs/learning_from_search``. An interrupted run continues; an interrupted
recording begins its 1,024 games again.
"""

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import sqrt
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from agents.datasets import Dataset, record
from agents.learning.common.launch import train_to_the_end
from agents.playing.play import standard_error
from agents.registry import load
from agents.studies import Row, Study
from agents.studies.running import with_needs
from agents.studies.study import Result, Results, key_of
from hanabako.games import game_named, make_config
from hanabako.games_file import GAMES_A_BLOCK, writing
from hanabako.generated import table

RUNS = Path("runs") / "learning_from_search"
PRESET, SEED, PARTS, GAMES = "standard", 2026, 6, GAMES_A_BLOCK
TEMPERATURE = 0.25
"""Points; about the error of a value from 30 roll-outs."""


class Plan(NamedTuple):
    """What is done with a blueprint, and for how long."""

    rollouts: int = 0
    """Roll-outs per decision of the search; 0 if there is none, and a network only imitates the blueprint."""
    searching: int = 0
    """Core-minutes of all searches, as measured before."""
    copying: int = 0
    """Core-minutes in which a network imitates the blueprint; 0 if it is a network."""
    fitting: int = 10
    """Core-minutes in which a network fits the values."""
    training: int = 30
    """Core-minutes of PPO after that."""


BLUEPRINTS: Mapping[str, Plan] = {
    "hanabi-standard-2p": Plan(30, 36, fitting=8, training=24),
    "questions": Plan(copying=15),
}
STAGES = {
    "copy": "a network imitates it",
    "fit": "a network fits the search's values",
    "searched": "PPO goes on from there",
    "alone": "PPO without search, from the same network",
}
"""The training runs of a blueprint, with their titles in the table."""
LEARNING_RATE = ("--learning-rate", "0.0005")
"""Low, so that training does not at once unlearn what the initial network knows."""
EVALUATION = ("--evaluations", "4")


@dataclass(frozen=True)
class OfPlan(Row):
    """A row of a plan."""

    blueprint: str
    """One of `BLUEPRINTS`."""

    @property
    def agents(self) -> tuple[str, ...]:
        """See `Row.agents`."""
        return (self.blueprint,)


@dataclass(frozen=True)
class Recorded(OfPlan):
    """Games in which one player searches, on one set of deals."""

    part: int
    """From 0 on; the searching player has seat 0 in even parts."""
    rollouts: int
    """Roll-outs per decision of the search."""

    @property
    def path(self) -> Path:
        """The file of the games."""
        return RUNS / f"{self.blueprint}-{self.rollouts}-{self.part}.npz"


@dataclass(frozen=True)
class Run(OfPlan):
    """A training run."""

    stage: str
    """One of `STAGES`."""
    minutes: int
    """Core-minutes of training."""

    @property
    def needs(self) -> Sequence[Row]:
        """See `Row.needs`."""
        played = recordings(self.blueprint) if self.stage == "fit" else []
        return [*played, *([self.before] if self.before else [])]

    @property
    def before(self) -> "Run | None":
        """The run from whose network it starts; None if the network ships, or weights are random."""
        if self.stage == "searched":
            return run_of(self.blueprint, "fit")
        is_copied = self.stage != "copy" and BLUEPRINTS[self.blueprint].copying
        return run_of(self.blueprint, "copy") if is_copied else None

    @property
    def folder(self) -> Path:
        """The run's directory."""
        return RUNS / f"{self.blueprint}-{self.stage}-{self.minutes}"

    @property
    def dataset(self) -> Path:
        """The file of all recorded games."""
        return RUNS / f"{self.blueprint}.npz"

    @property
    def settings(self) -> list[str]:
        """The learner's settings."""
        start = self.before.folder / "policy.safetensors" if self.before else self.blueprint
        words = ["--preset", PRESET, "--seed", "1", "--minutes", str(self.minutes), "--clock", "core", *EVALUATION]
        match self.stage:
            case "copy":
                return [*words, "--agent", self.blueprint]
            case "fit":
                values = ["--dataset", str(self.dataset), "--temperature", str(TEMPERATURE)]
                return [*words, "--start", str(start), *values, *LEARNING_RATE]
        return [*words, "--start", str(start), *LEARNING_RATE]


def recordings(blueprint: str) -> list[Recorded]:
    """Return the parts of a blueprint's recorded games."""
    rollouts = BLUEPRINTS[blueprint].rollouts
    return [Recorded(blueprint, part, rollouts) for part in range(PARTS if rollouts else 0)]


def stages_of(blueprint: str) -> list[str]:
    """Return the stages of a blueprint's plan."""
    own = BLUEPRINTS[blueprint]
    return [stage for stage in STAGES if (own.copying if stage == "copy" else own.rollouts)]


def run_of(blueprint: str, stage: str) -> Run:
    """Return a blueprint's training run."""
    own = BLUEPRINTS[blueprint]
    alone = own.searching + own.fitting + own.training
    minutes = {"copy": own.copying, "fit": own.fitting, "searched": own.training, "alone": alone}
    return Run(blueprint, stage, minutes[stage])


def measure(row: Recorded | Run, _before: Result | None) -> dict[str, Any]:
    """Record games, or train a network; return the measurement.

    Raises:
        SystemExit: training was interrupted.
        ValueError: training failed.
    """
    return record_part(row) if isinstance(row, Recorded) else train(row)


def record_part(row: Recorded) -> dict[str, Any]:
    """Record a part, and measure what it costs and how it scores."""
    config = make_config("hanabi", PRESET, settings=game_named("hanabi").training_settings)
    search = {"rollouts": row.rollouts}
    players = [load(f"search:{row.blueprint}", config, **search), load(row.blueprint, config)]
    row.path.parent.mkdir(parents=True, exist_ok=True)
    began = time.process_time()
    seats = players if row.part % 2 == 0 else players[::-1]
    record(row.path, config, seats, GAMES, SEED, row.part * GAMES, search=search, values=True)
    seconds = time.process_time() - began
    scores = Dataset(row.path).results().score
    measured = {"score": round(float(scores.mean()), 4), "score_error": round(standard_error(scores) or 0, 4)}
    return {"done": 1, **measured, "games": GAMES, "core_seconds": round(seconds)}


def train(run: Run) -> dict[str, Any]:
    """Train; return the settings, the cost, the score, and after imitation the share of equal actions."""
    if run.stage == "fit":
        join([part.path for part in recordings(run.blueprint)], run.dataset)
    learner = "cloning" if run.stage in ("copy", "fit") else "ppo"
    last = train_to_the_end(1, run.folder, run.settings, f"hanabako study run {STUDY.name}", learner)
    measured = {"score": last["greedy_score"], "score_error": last["greedy_score_error"], "games": last["greedy_games"]}
    others = {name: last[name] for name in ("steps", "core_seconds", "agreement") if name in last}
    return {"done": 1, "settings": " ".join(run.settings), **measured, **others}


def join(paths: Sequence[Path], whole: Path) -> None:
    """Write the games of several files to one."""
    parts = [Dataset(path) for path in paths]
    with writing(whole, parts[0].config, parts[0].search, parts[0].values) as writer:
        for part in parts:
            places = np.array(writer.places(part.names), np.uint16)
            for _, block in part.file.blocks(range(part.file.count)):
                writer.add(replace(block, players=places[block.players]))


def board(results: Results) -> str:
    """Return the table in Markdown."""
    found = {key_of(row): row for row in results}
    lines = []
    for name, own in BLUEPRINTS.items():
        if parts := [found[row.key] for row in recordings(name) if row.key in found]:
            score = sum(row["score"] for row in parts) / len(parts)
            error = sqrt(sum(row["score_error"] ** 2 for row in parts)) / len(parts)
            minutes, games = minutes_of(parts), sum(row["games"] for row in parts)
            lines.append((name, f"search, {own.rollouts} roll-outs", minutes, minutes, *cells_of(score, error, games)))
        for stage in stages_of(name):
            if (row := found.get((run := run_of(name, stage)).key)) is not None:
                whole = minutes_of(found[one.key] for one in with_needs([run]) if one.key in found)
                cells = cells_of(row["score"], row["score_error"], row["games"])
                lines.append((name, STAGES[stage], minutes_of([row]), whole, *cells))
    header = ("blueprint", "stage", "core-minutes", "with those before", "score", "games")
    return table(header, lines)


def minutes_of(results: Iterable[Result]) -> str:
    """Return the core-minutes of some results together."""
    return f"{sum(row['core_seconds'] for row in results) / 60:.0f}"


def cells_of(score: float, error: float, games: int) -> tuple[str, str]:
    """Return the cells of a score and its number of games."""
    return f"{score:.2f} ± {error:.2f}", f"{games:,}"


ROWS = [
    *(row for name in BLUEPRINTS for row in recordings(name)),
    *(run_of(name, stage) for name in BLUEPRINTS for stage in stages_of(name)),
]
STUDY = Study("learning_from_search", ROWS, measure, {"learning_from_search": board}, unit="part")
