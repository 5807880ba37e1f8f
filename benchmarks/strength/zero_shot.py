"""Zero-shot coordination: algorithms side by side, in self-play and cross-play.

    hanabako study list zero_shot
    hanabako study run zero_shot --cores 2                  # trains and plays what is missing
    hanabako study run zero_shot --where preset=mini        # only these
    hanabako study run zero_shot --where preset=mini algorithm=sad seed=1

Every algorithm is trained with several seeds on one core each, for as many minutes of that core's work (``--clock
core``), so that a busy machine compares as fairly as an idle one; `ippo-half` has half of them, and so about as many
decisions as the slowest. Then each agent plays with each, in both orders of seats and on the same deals, and with some
bots. The runs lie in ``runs/zero_shot``: one that was interrupted goes on where it was, and one that has ended is read
again, not trained again. A run that is to play but whose policy is gone is trained again with ``--again``; the pairs
that the lost one played are stale from then on.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.evaluation.crossplay import heat_map, over_disjoint_pairs, round_robin, save_heat_map
from agents.learning.common.launch import train_to_the_end
from agents.playing.play import play, standard_error
from agents.registry import load
from agents.studies import Row, Study
from agents.studies.study import Result, Results
from hanabako.games import game_named, make_config

RUNS = Path("runs") / "zero_shot"
GAMES, SEED = 500, 1
BOTS = ("cautious", "smart", "piers")
LEARNED = "cautious"
"""An algorithm that scores less in self-play than this bot has not learned the game yet."""

ALGORITHMS = {
    "ippo": ("ppo", ""),
    "ippo-half": ("ppo", ""),
    "ippo-dense": ("ppo", "--network dense"),
    "mappo": ("mappo", ""),
    "other-play": ("other_play", ""),
    "vdn": ("vdn", ""),
    "sad": ("sad", ""),
    "obl-1": ("off_belief", ""),
    "obl-2": ("off_belief", "--level-below {obl-1}"),
}
"""By name: the module of `agents` that learns, and its settings beside the usual ones; a name in braces is that
algorithm's policy of the same seed."""
SHARES = {"ippo-half": 0.5}
"""Of a lot's minutes, if not all: in half of them IPPO takes about as many decisions as slower algorithms do in all."""


class Lot(NamedTuple):
    """Algorithms that are compared with each other."""

    minutes: float
    seeds: int
    algorithms: tuple[str, ...]


LOTS = {
    "mini": Lot(5, 5, tuple(ALGORITHMS)),
    "small": Lot(5, 5, tuple(ALGORITHMS)),
    "standard": Lot(30, 3, ("ippo", "ippo-dense", "other-play")),
}
"""By preset."""


@dataclass(frozen=True)
class Run(Row):
    """A training run."""

    preset: str
    algorithm: str
    seed: int
    minutes: float

    @property
    def name(self) -> str:
        """What pairs call its agent."""
        return f"{self.algorithm}-{self.seed}"

    @property
    def folder(self) -> Path:
        """Where it is kept."""
        return RUNS / f"{self.preset}-{self.name}"

    @property
    def policy(self) -> Path:
        """The file of its policy."""
        return self.folder / "policy.safetensors"

    @property
    def needs(self) -> "Sequence[Run]":
        """The runs whose policies its settings name."""
        settings = ALGORITHMS[self.algorithm][1]
        return [run_of(self.preset, name, self.seed) for name in ALGORITHMS if f"{{{name}}}" in settings]

    @property
    def agents(self) -> list[str]:
        """The files of these policies."""
        return [str(run.policy) for run in self.needs]

    @property
    def settings(self) -> list[str]:
        """What the learner is told."""
        policies = {run.algorithm: run.policy for run in self.needs}
        own = ALGORITHMS[self.algorithm][1].format(**policies).split()
        budget = ["--minutes", str(self.minutes), "--clock", "core", "--seed", str(self.seed)]
        return ["--preset", self.preset, *own, *budget]


@dataclass(frozen=True)
class Pair(Row):
    """Two agents that play together, on the same deals as all others of the preset."""

    preset: str
    one: str
    """At player 0: a run's `Run.name` or a bot."""
    other: str
    """At all other seats."""

    @property
    def needs(self) -> Sequence[Run]:
        """The runs in it."""
        return [run_named(self.preset, name) for name in dict.fromkeys((self.one, self.other)) if name not in BOTS]

    @property
    def agents(self) -> list[str]:
        """Both, by name or file."""
        files = {run.name: str(run.policy) for run in self.needs}
        return [files.get(name, name) for name in (self.one, self.other)]


def run_of(preset: str, algorithm: str, seed: int) -> Run:
    """An algorithm's run, for its share of the lot's minutes."""
    return Run(preset, algorithm, seed, LOTS[preset].minutes * SHARES.get(algorithm, 1))


def run_named(preset: str, name: str) -> Run:
    """The run that a pair calls by a name."""
    algorithm, _, seed = name.rpartition("-")
    return run_of(preset, algorithm, int(seed))


def rows_of(preset: str) -> list[Row]:
    """The runs of a lot, one seed of all algorithms after the other, and all their pairs, with bots too."""
    lot = LOTS[preset]
    runs = [run_of(preset, name, seed) for seed in range(1, lot.seeds + 1) for name in lot.algorithms]
    names = [*BOTS, *(run.name for run in runs)]
    return [*runs, *(Pair(preset, one, other, wanted=GAMES) for one in names for other in names)]


# --- Training and playing ---------------------------------------------------------------------------------------------


def measure(row: Run | Pair, _before: Result | None) -> dict[str, Any]:
    """Train a run to its end, or go on with it, or play a pair's games; returns what was measured.

    Raises:
        ValueError: training failed, or the file of a run's policy is gone.
        SystemExit: training was interrupted.
    """
    return train(row) if isinstance(row, Run) else play_pair(row)


def train(run: Run) -> dict[str, Any]:
    """Train; returns what it cost and reached."""
    learner = ALGORITHMS[run.algorithm][0]
    last = train_to_the_end(1, run.folder, run.settings, f"hanabako study run {STUDY.name}", learner)
    numbers = ("steps", "core_seconds", "greedy_score", "greedy_score_error", "greedy_games", "greedy_lost")
    return {"done": 1, **{name: last[name] for name in numbers}}


def play_pair(pair: Pair) -> dict[str, Any]:
    """Play; returns the mean score."""
    for run in pair.needs:
        if not run.policy.exists():
            chosen = f"preset={run.preset} algorithm={run.algorithm} seed={run.seed}"
            again = f"hanabako study run {STUDY.name} --again --where {chosen}"
            raise ValueError(f"its policy {run.policy} is gone: {again} trains it again")
    config = make_config("hanabi", pair.preset, settings=game_named("hanabi").training_settings)
    agents = {name: load(name, config) for name in pair.agents}
    one, other = (agents[name] for name in pair.agents)
    scores = play(config, [one, *[other] * (config.players - 1)], pair.wanted, SEED).score
    return {"done": pair.wanted, "score": round(float(scores.mean()), 4)}


# --- Tables and pictures ----------------------------------------------------------------------------------------------


def cells_of(results: Results) -> dict[str, dict[str, float]]:
    """The mean scores of all pairs of `all_met`, as ``"one other"``, by preset; without those that lack a bot."""
    found: dict[str, dict[str, float]] = {}
    for result in results:
        if "one" in result["fields"]:
            found.setdefault(result["preset"], {})[f"{result['one']} {result['other']}"] = result["score"]
    names = {preset: all_met(cells) for preset, cells in found.items()}
    return {
        preset: {f"{one} {other}": cells[f"{one} {other}"] for one in names[preset] for other in names[preset]}
        for preset, cells in found.items()
        if set(BOTS) <= set(names[preset])
    }


def all_met(cells: Mapping[str, float]) -> list[str]:
    """Bots and agents that each have played with themselves and all before them, in both orders of seats."""
    met: list[str] = []
    for name in dict.fromkeys([*BOTS, *(pair.split()[0] for pair in cells)]):
        if all(f"{name} {other}" in cells and f"{other} {name}" in cells for other in (*met, name)):
            met.append(name)
    return met


class Standing(NamedTuple):
    """An algorithm's mean scores and their standard errors, None where there are too few seeds."""

    self_play: tuple[float, float | None]
    cross_play: tuple[float, float | None]
    with_bots: tuple[float, float]
    """At the first seat, and at the second."""


def meeting(cells: Mapping[str, float], some: Sequence[str], others: Sequence[str]) -> tuple[float, float | None]:
    """The mean score of two algorithms' agents, in both orders of seats; of one algorithm's with each other.

    The standard error is over disjoint pairs, see `agents.evaluation.crossplay.over_disjoint_pairs`.
    """
    if some == others:
        rounds = [[(some[i], some[j]) for i, j in pairs] for pairs in round_robin(len(some))]
    else:
        rounds = [list(zip(some, [*others[k:], *others[:k]], strict=False)) for k in range(len(others))]
    both = [np.array([(cells[f"{a} {b}"] + cells[f"{b} {a}"]) / 2 for a, b in pairs]) for pairs in rounds if pairs]
    return over_disjoint_pairs(both) if both else (float("nan"), None)


def agents_of(cells: Mapping[str, float]) -> dict[str, list[str]]:
    """The names of the agents in some cells, by algorithm or bot."""
    found: dict[str, list[str]] = {}
    for name in dict.fromkeys(pair.split()[0] for pair in cells):
        found.setdefault(name if name in BOTS else name.rpartition("-")[0], []).append(name)
    return found


def standing(cells: Mapping[str, float], own: Sequence[str]) -> Standing:
    """How an algorithm's agents play."""
    alone = np.array([cells[f"{name} {name}"] for name in own])
    first = np.mean([cells[f"{name} {bot}"] for name in own for bot in BOTS])
    second = np.mean([cells[f"{bot} {name}"] for name in own for bot in BOTS])
    self_play = float(alone.mean()), standard_error(alone)
    return Standing(self_play, meeting(cells, own, own), (float(first), float(second)))


def board(results: Results) -> str:
    """One part per preset in Markdown, best in cross-play first."""
    runs = [result for result in results if "algorithm" in result["fields"]]
    parts = ["\n".join(lines_of(preset, cells, runs)) for preset, cells in cells_of(results).items()]
    return "\n\n".join(parts) or "The bots have not played all their pairs yet."


def lines_of(preset: str, cells: Mapping[str, float], runs: Results) -> Iterator[str]:
    """The lines of one preset."""
    level, agents = cells[f"{LEARNED} {LEARNED}"], agents_of(cells)
    standings = {name: standing(cells, own) for name, own in agents.items() if name not in BOTS}
    yield f"**{preset}**, 2 players, {GAMES:,} deals a pair; `{LEARNED}` alone scores {level:.2f}."
    yield ""
    yield "| algorithm | seeds | decisions a seed | core-minutes | self-play | cross-play | with bots, seats 1, 2 |"
    yield "|---|---|---|---|---|---|---|"
    for name in sorted(standings, key=lambda name: -np.nan_to_num(standings[name].cross_play[0])):
        own = [run for run in runs if run["preset"] == preset and f"{run['algorithm']}-{run['seed']}" in agents[name]]
        found = standings[name]
        note = " (not yet learned)" if found.self_play[0] < level else ""
        cost = f"{mean(own, 'steps') / 1e6:.1f} M | {mean(own, 'core_seconds') / 60:.1f}"
        scores = f"{with_error(*found.self_play)} | {with_error(*found.cross_play)}"
        bots = f"{found.with_bots[0]:.2f}, {found.with_bots[1]:.2f}"
        yield f"| {name}{note} | {len(own)} | {cost} | {scores} | {bots} |"


def mean(runs: Results, name: str) -> float:
    """The mean of one number of some runs."""
    return float(np.mean([run[name] for run in runs]))


def with_error(score: float, error: float | None) -> str:
    """A score and its standard error."""
    return f"{score:.2f}" if error is None else f"{score:.2f} ± {error:.2f}"


def matrix_of(cells: Mapping[str, float]) -> tuple[NDArray[np.float64], list[str]]:
    """Mean scores of all pairs of algorithms and bots (n, n), and their names.

    The diagonal is cross-play of an algorithm's seeds, and of a bot with itself.
    """
    agents = agents_of(cells)
    scores = np.full((len(agents), len(agents)), np.nan)
    for i, some in enumerate(agents.values()):
        for j, others in enumerate(agents.values()):
            alone = i == j and len(some) == 1
            scores[i, j] = cells[f"{some[0]} {some[0]}"] if alone else meeting(cells, some, others)[0]
    return scores, list(agents)


def draw(preset: str, results: Results, path: Path) -> None:
    """Write the matrix of one preset as a picture, if there is one."""
    cells = cells_of(results).get(preset)
    if cells is not None:
        matrix, names = matrix_of(cells)
        best = make_config("hanabi", preset).max_score
        title = f"{preset}: partners that never met"
        save_heat_map(path, heat_map(matrix, names, best, title, "one", "the other"))


STUDY = Study(
    "zero_shot",
    [row for preset in LOTS for row in rows_of(preset)],
    measure,
    tables={"zero-shot": board},
    figures={f"zero_shot-{preset}.png": partial(draw, preset) for preset in LOTS},
)
