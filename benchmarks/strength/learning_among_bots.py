"""Does training with bots help with held-out partners? A small-scale study.

    hanabako study list learning_among_bots
    hanabako study run learning_among_bots                          # trains and plays what is missing
    hanabako study run learning_among_bots --where kind=self-play   # trains only these

Networks trained in self-play score badly with rule lists that they did not meet in training. Networks trained with rule
lists score badly in self-play, and mostly also with other rule lists (Canaan et al. 2020, "Evaluating the Rainbow DQN
Agent in Hanabi with Unseen Partners" and "Behavioral Evaluation of Hanabi Rainbow DQN Agents and Rule-Based Agents").
Here a network that ships is trained further, from the same weights and for the same number of decisions, in self-play
and with some bots. Then both networks play with these bots and with held-out partners, which neither met in training.
The runs are kept in ``runs/learning_among_bots``: an interrupted run is resumed, and a finished one is not repeated.
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
from benchmarks.recipes import EARLIER
from hanabako.games import config_to_dict, make_config

RUNS = Path("runs") / "learning_among_bots"
START, PRESET, DECISIONS, GAMES = "hanabi-mini-2p", "mini", 500_000, 1000
SEEDS = (1, 2, 3)
MET = ("cautious", "outer", "iggi")
"""The partners of one of the two learners."""
HELD_OUT = ("internal", "piers", "vdb")
"""The bots that neither learner has as partners."""
KINDS: dict[str, tuple[str, ...]] = {"self-play": (), "among bots": ("--partners", ",".join(MET))}
"""The kinds of training by name: the settings for the other seat."""
EVALUATION = ("--evaluations", "1", "--evaluation-games", "500", "--final-games", "500")
ITSELF = "itself"


@dataclass(frozen=True)
class Run(Row):
    """A training run of `agents.ppo`."""

    kind: str
    """One of `KINDS`."""
    seed: int
    start: str = START
    """The network that is trained further."""
    preset: str = PRESET
    """The preset that it plays."""
    decisions: int = DECISIONS
    """The number of decisions to train for."""

    @property
    def agents(self) -> tuple[str, ...]:
        """The network that is trained further."""
        return (self.start,)

    @property
    def name(self) -> str:
        """The name of its network in pairs."""
        return f"{self.kind} {self.seed}"

    @property
    def folder(self) -> Path:
        """The run's directory."""
        return RUNS / f"{self.start}-{self.decisions}-{self.name.replace(' ', '-')}"

    @property
    def policy(self) -> Path:
        """The file of the run's network."""
        return self.folder / "policy.safetensors"

    @property
    def settings(self) -> list[str]:
        """The learner's settings. Only those for the other seat differ between the kinds."""
        usual = ["--preset", self.preset, "--start", self.start, "--steps", str(self.decisions), *EVALUATION]
        return [*EARLIER, *usual, *KINDS[self.kind], "--seed", str(self.seed)]


@dataclass(frozen=True)
class Pair(Row):
    """A network or bot and a partner, which play the same deals in both seatings."""

    network: str
    """A run's `Run.name`, ``start`` for the initial network, or a bot."""
    partner: str
    """A bot, or ``itself``."""
    start: str = START
    preset: str = PRESET
    decisions: int = DECISIONS

    @property
    def run(self) -> Run | None:
        """The run that trained the network, or None."""
        kind, _, seed = self.network.rpartition(" ")
        return Run(kind, int(seed), self.start, self.preset, self.decisions) if kind in KINDS else None

    @property
    def needs(self) -> Sequence[Row]:
        """The run that must come first, if any."""
        return () if self.run is None else (self.run,)

    @property
    def agents(self) -> tuple[str, ...]:
        """Both players by name or file; only one if it plays with itself."""
        started = self.start if self.network == "start" else self.network
        one = started if self.run is None else str(self.run.policy)
        return (one,) if self.partner == ITSELF else (one, self.partner)


def rows(seeds: Sequence[int], met: Sequence[str], held_out: Sequence[str], games: int, **others: Any) -> list[Row]:
    """Return the runs, the pairs of every network with every bot and with itself, and of bots with themselves.

    Args:
        seeds: the seeds of the runs of each kind.
        met: the bots that one kind of learner has as partners.
        held_out: the bots that no learner has as partners.
        games: the number of games per pair, in each seating.
        **others: ``start``, ``preset`` and ``decisions`` of `Run`, if they are not the defaults.
    """
    runs = [Run(kind, seed, **others) for seed in seeds for kind in KINDS]
    bots = [*met, *held_out]
    pairs = [(network, partner) for network in ("start", *(run.name for run in runs)) for partner in (*bots, ITSELF)]
    pairs += [(bot, ITSELF) for bot in bots]
    return [*runs, *(Pair(network, partner, wanted=games, **others) for network, partner in pairs)]


def measure(row: Run | Pair, _before: Result | None) -> dict[str, Any]:
    """Train or resume a run, or play a pair's games; return the measurement.

    Raises:
        ValueError: training failed, or the file of a run's network is missing.
        SystemExit: training was interrupted.
    """
    return train(row) if isinstance(row, Run) else play_pair(row)


def train(run: Run) -> dict[str, Any]:
    """Train; return the settings, the cost, and the config."""
    last = train_to_the_end(1, run.folder, run.settings, f"hanabako study run {STUDY.name}")
    cost = {name: last[name] for name in ("steps", "core_seconds")}
    return {
        "done": 1,
        "settings": " ".join(run.settings),
        **cost,
        "config": config_to_dict(make_config("hanabi", run.preset)),
    }


def play_pair(pair: Pair) -> dict[str, Any]:
    """Play; return the mean score over both seatings."""
    if pair.run is not None and not pair.run.policy.exists():
        again = f'hanabako study run {STUDY.name} --again --where kind="{pair.run.kind}" seed={pair.run.seed}'
        raise ValueError(f"its policy {pair.run.policy} is gone: {again} trains it again")
    config = make_config("hanabi", pair.preset)
    players = [load(name, config) for name in pair.agents]
    orders = [players * 2] if len(players) == 1 else [players, players[::-1]]
    means = [play(config, order, pair.wanted, seed=1).score.mean() for order in orders]
    return {"done": pair.wanted, "score": round(float(sum(means) / len(means)), 4)}


STUDY = Study("learning_among_bots", rows(SEEDS, MET, HELD_OUT, GAMES), measure, unit="game")
