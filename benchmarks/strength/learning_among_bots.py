"""Learning among partners, at small scale: does it help with held-out ones?

    hanabako study list learning_among_bots
    hanabako study run learning_among_bots                          # trains and plays what is missing
    hanabako study run learning_among_bots --where kind=self-play   # trains only these

Networks that learned Hanabi by self-play do badly with rule lists that they have not met in training, those that
learned among rule lists with themselves and mostly with other rule lists (Canaan et al. 2020, "Evaluating the Rainbow
DQN Agent in Hanabi with Unseen Partners" and "Behavioral Evaluation of Hanabi Rainbow DQN Agents and Rule-Based
Agents"). Here a network that ships learns on from the same weights for as many decisions, by self-play and among some
bots; then both play with these bots and with held-out partners, which neither has met. The runs lie in
``runs/learning_among_bots``: one that was interrupted goes on where it was, and one that has ended is read again.
`notebooks/09_reproduction.ipynb` shows the results.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agents.learning.common.launch import train_to_the_end
from agents.playing.play import play
from agents.registry import load
from agents.studies import Row, Study
from agents.studies.study import Result
from hanabako.games import config_to_dict, game_named, make_config

RUNS = Path("runs") / "learning_among_bots"
START, PRESET, DECISIONS, GAMES = "hanabi-mini-2p", "mini", 500_000, 1000
SEEDS = (1, 2, 3)
MET = ("cautious", "outer", "iggi")
"""The bots that one of two learners has as partners."""
HELD_OUT = ("internal", "piers", "vdb")
"""Bots that neither has."""
KINDS: dict[str, tuple[str, ...]] = {"self-play": (), "among bots": ("--partners", ",".join(MET))}
"""By name: the settings that say who has the other seat."""
EVALUATION = ("--evaluations", "1", "--evaluation-games", "500", "--final-games", "500")
ITSELF = "itself"


@dataclass(frozen=True)
class Run(Row):
    """A training run of `agents.ppo`."""

    kind: str
    """One of `KINDS`."""
    seed: int
    start: str = START
    """The network that learns on."""
    preset: str = PRESET
    """What it plays."""
    decisions: int = DECISIONS
    """The least that it takes."""

    @property
    def agents(self) -> tuple[str, ...]:
        """The network that learns on."""
        return (self.start,)

    @property
    def name(self) -> str:
        """What pairs call its network."""
        return f"{self.kind} {self.seed}"

    @property
    def folder(self) -> Path:
        """Where it is kept."""
        return RUNS / f"{self.start}-{self.decisions}-{self.name.replace(' ', '-')}"

    @property
    def policy(self) -> Path:
        """The file of its network."""
        return self.folder / "policy.safetensors"

    @property
    def settings(self) -> list[str]:
        """What the learner is told. Only who has the other seat differs between the kinds."""
        usual = ["--preset", self.preset, "--start", self.start, "--steps", str(self.decisions), *EVALUATION]
        return [*usual, *KINDS[self.kind], "--seed", str(self.seed)]


@dataclass(frozen=True)
class Pair(Row):
    """A network or bot and a partner, which play the same deals in both orders of seats."""

    network: str
    """A run's `Run.name`, ``start`` for the network that all began with, or a bot."""
    partner: str
    """A bot, or ``itself``."""
    start: str = START
    preset: str = PRESET
    decisions: int = DECISIONS

    @property
    def run(self) -> Run | None:
        """The run that trained the network, if one did."""
        kind, _, seed = self.network.rpartition(" ")
        return Run(kind, int(seed), self.start, self.preset, self.decisions) if kind in KINDS else None

    @property
    def needs(self) -> Sequence[Row]:
        """The run."""
        return () if self.run is None else (self.run,)

    @property
    def agents(self) -> tuple[str, ...]:
        """Both that play, by name or file; one that plays with itself."""
        started = self.start if self.network == "start" else self.network
        one = started if self.run is None else str(self.run.policy)
        return (one,) if self.partner == ITSELF else (one, self.partner)


def rows(seeds: Sequence[int], met: Sequence[str], held_out: Sequence[str], games: int, **others: Any) -> list[Row]:
    """Runs of some seeds; pairs of every network with every bot and with itself, and of bots with themselves.

    Args:
        seeds: of the runs of each kind.
        met: bots that one kind of learner has met.
        held_out: bots that no learner has met.
        games: of each pair, in each order of seats.
        **others: ``start``, ``preset`` and ``decisions`` of `Run`, if they are not the usual.
    """
    runs = [Run(kind, seed, **others) for seed in seeds for kind in KINDS]
    bots = [*met, *held_out]
    pairs = [(network, partner) for network in ("start", *(run.name for run in runs)) for partner in (*bots, ITSELF)]
    pairs += [(bot, ITSELF) for bot in bots]
    return [*runs, *(Pair(network, partner, wanted=games, **others) for network, partner in pairs)]


def measure(row: Run | Pair, _before: Result | None) -> dict[str, Any]:
    """Train a run to its end, or go on with it, or play a pair's games; returns what was measured.

    Raises:
        ValueError: training failed, or the file of a run's network is gone.
        SystemExit: training was interrupted.
    """
    return train(row) if isinstance(row, Run) else play_pair(row)


def train(run: Run) -> dict[str, Any]:
    """Train; returns the settings, what it cost, and the config that it played."""
    last = train_to_the_end(1, run.folder, run.settings, f"hanabako study run {STUDY.name}")
    cost = {name: last[name] for name in ("steps", "core_seconds")}
    return {"done": 1, "settings": " ".join(run.settings), **cost, "config": config_to_dict(config_of(run.preset))}


def play_pair(pair: Pair) -> dict[str, Any]:
    """Play; returns the mean score over both orders of seats."""
    if pair.run is not None and not pair.run.policy.exists():
        again = f'hanabako study run {STUDY.name} --again --where kind="{pair.run.kind}" seed={pair.run.seed}'
        raise ValueError(f"its policy {pair.run.policy} is gone: {again} trains it again")
    config = config_of(pair.preset)
    players = [load(name, config) for name in pair.agents]
    orders = [players * 2] if len(players) == 1 else [players, players[::-1]]
    means = [play(config, order, pair.wanted, seed=1).score.mean() for order in orders]
    return {"done": pair.wanted, "score": round(float(sum(means) / len(means)), 4)}


def config_of(preset: str) -> Any:
    """What is trained and played: a preset as learners observe it."""
    return make_config("hanabi", preset, settings=game_named("hanabi").training_settings)


STUDY = Study("learning_among_bots", rows(SEEDS, MET, HELD_OUT, GAMES), measure, unit="game")
