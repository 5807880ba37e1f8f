"""Who can play with strangers: algorithms side by side, in self-play, in cross-play and with bots.

    python -m benchmarks.strength.zero_shot --cores 2                # train and play what is not in the results yet
    python -m benchmarks.strength.zero_shot --preset mini --seeds 3  # only these
    python -m benchmarks.strength.zero_shot --list                   # what there is to train
    python -m benchmarks.strength.scoreboard                         # the tables in benchmarks/strength/SCORES.md

Every algorithm is trained with several seeds on one core each, for as many minutes of that core's work (``--clock
core``), so that a busy machine compares as fairly as an idle one; `ippo-half` has half of them, and so about as many
decisions as the slowest. Then everybody plays with everybody, in both orders of seats and on the same deals, and with
some bots. The runs lie in ``runs/zero_shot``; what was interrupted goes on where it was, and
`benchmarks/strength/results/zero_shot.json` grows run by run and pair by pair. A run that is to meet new ones but whose
policy is gone is trained again.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import tyro
from numpy.typing import NDArray
from tqdm import tqdm

from agents.evaluation.crossplay import heat_map, over_disjoint_pairs, round_robin, save_heat_map
from agents.learning.common.launch import words_for
from agents.learning.common.runs import finished
from agents.playing.play import play, standard_error
from agents.registry import load
from hanabako.files import read_json, write_text
from hanabako.games import game_named, make_config

HERE = Path(__file__).resolve().parent
RUNS = Path("runs") / "zero_shot"
RESULTS = HERE / "results" / "zero_shot.json"
GAMES, SEED = 500, 1
BOTS = ("cautious", "smart", "piers")
LEARNED = "cautious"
"""Who scores less in self-play than this bot has not learned the game yet."""

ALGORITHMS = {
    "ippo": ("agents.ppo", ""),
    "ippo-half": ("agents.ppo", ""),
    "ippo-dense": ("agents.ppo", "--network dense"),
    "mappo": ("agents.learning.mappo", ""),
    "other-play": ("agents.learning.other_play", ""),
    "vdn": ("agents.learning.vdn", ""),
    "sad": ("agents.learning.sad", ""),
    "obl-1": ("agents.learning.off_belief", ""),
    "obl-2": ("agents.learning.off_belief", "--level-below {obl-1}"),
}
"""By name: the module that learns, and its settings beside the usual ones; a name in braces is that algorithm's policy
of the same seed."""
SHARES = {"ippo-half": 0.5}
"""Of a lot's minutes, if not all: in half of them IPPO takes about as many decisions as slower algorithms do in all."""


class Lot(NamedTuple):
    """Algorithms that are compared with each other."""

    preset: str
    minutes: float
    seeds: int
    algorithms: tuple[str, ...]


LOTS = (
    Lot("mini", 5, 5, tuple(ALGORITHMS)),
    Lot("small", 5, 5, tuple(ALGORITHMS)),
    Lot("standard", 30, 3, ("ippo", "ippo-dense", "other-play")),
)


class Run(NamedTuple):
    """One training run."""

    preset: str
    algorithm: str
    seed: int
    minutes: float

    @property
    def name(self) -> str:
        """Of its directory."""
        return f"{self.preset}-{self.agent}"

    @property
    def agent(self) -> str:
        """What it is called in the cells of the results."""
        return f"{self.algorithm}-{self.seed}"

    @property
    def policy(self) -> Path:
        """The file of its policy."""
        return RUNS / self.name / "policy.safetensors"

    @property
    def command(self) -> list[str]:
        """What begins it, or goes on with it."""
        module, settings = ALGORITHMS[self.algorithm]
        budget = ["--minutes", str(self.minutes), "--clock", "core", "--seed", str(self.seed)]
        others = {name: self._replace(algorithm=name).policy for name in ALGORITHMS}
        own = ["--preset", self.preset, *settings.format(**others).split(), *budget]
        return [sys.executable, "-m", module, *words_for(RUNS / self.name, own)]


@dataclass(frozen=True)
class Args:
    """Compare algorithms by how well they play with strangers."""

    preset: str | None = None
    """Only what is trained on this one."""
    cores: int = 1
    """Runs at the same time."""
    seeds: int | None = None
    """At most so many of every algorithm."""
    list: bool = False
    """Only list the runs."""


def runs_of(lot: Lot) -> list[Run]:
    """One seed of all algorithms after the other; those that need another's policy a seed later than that."""
    minutes = {name: lot.minutes * SHARES.get(name, 1) for name in lot.algorithms}
    runs = [Run(lot.preset, name, seed, minutes[name]) for seed in range(1, lot.seeds + 1) for name in lot.algorithms]
    needs = {name: "{" in settings for name, (_, settings) in ALGORITHMS.items()}
    return sorted(runs, key=lambda run: (run.seed + needs[run.algorithm], needs[run.algorithm]))


# --- Training ---------------------------------------------------------------------------------------------------------


def trained(run: Run) -> dict[str, Any]:
    """Train as a run says, or go on with it; what it reached, as JSON types.

    Raises:
        SystemExit: it was interrupted, or failed.
    """
    run_dir = RUNS / run.name
    if not finished(run_dir):
        RUNS.mkdir(parents=True, exist_ok=True)
        with (RUNS / f"{run.name}.log").open("a") as log:
            environment = os.environ | {"OMP_NUM_THREADS": "1"}
            subprocess.run(run.command, stdout=log, stderr=log, env=environment, check=False)
    last = finished(run_dir)
    if last is None:
        raise SystemExit(f"{run.name} did not end; {RUNS / run.name}.log says why. python -m {__spec__.name} goes on")
    about = read_json(run_dir / "config.json")
    numbers = ("steps", "core_seconds", "greedy_score", "greedy_score_error", "greedy_games", "greedy_lost")
    return {**run._asdict(), **{name: last[name] for name in numbers}, "machine": about["machine"]}


def train_all(wanted: Sequence[Run], cores: int, results: dict[str, Any]) -> None:
    """Train what is not in the results, ``cores`` at a time, and note each as it ends."""
    there = runs_in(results)
    missing = [run for run in wanted if run not in there]
    with ThreadPoolExecutor(cores) as threads, tqdm(total=len(missing), unit="run") as bar:
        try:
            for row in threads.map(trained, missing):
                results["runs"].append(row)
                keep(results)
                bar.update()
        except BaseException:
            threads.shutdown(cancel_futures=True)  # those that run end first
            raise


def forget_lost(wanted: Sequence[Run], results: dict[str, Any]) -> None:
    """Take those runs out of the results that have pairs left to play but no policy to play with."""
    cells = results["cells"].get(wanted[0].preset, {})
    to_meet = {name for pair in pairs_left([*BOTS, *(run.agent for run in wanted)], cells) for name in pair}
    lost = {run for run in runs_in(results) & set(wanted) if run.agent in to_meet and not run.policy.exists()}
    results["runs"] = [row for row in results["runs"] if run_of(row) not in lost]
    gone = {run.agent for run in lost}
    for pair in [pair for pair in cells if gone & set(pair.split())]:
        del cells[pair]


# --- Playing ----------------------------------------------------------------------------------------------------------


def pairs_left(names: Sequence[str], cells: Mapping[str, float]) -> list[tuple[str, str]]:
    """The ordered pairs that have no cell."""
    return [(one, other) for one in names for other in names if f"{one} {other}" not in cells]


def play_all(preset: str, results: dict[str, Any]) -> None:
    """Play every ordered pair that is not in the results, and note the mean score of each."""
    config = make_config("hanabi", preset, settings=game_named("hanabi").training_settings)
    files = {run.agent: run.policy for run in map(run_of, results["runs"]) if run.preset == preset}
    cells = results["cells"].setdefault(preset, {})
    pairs = pairs_left([*BOTS, *files], cells)
    agents = {name: load(files.get(name, name), config) for name in {name for pair in pairs for name in pair}}
    for k, (one, other) in enumerate(tqdm(pairs, unit="pair", desc=preset)):
        line_up = [agents[one], *[agents[other]] * (config.players - 1)]
        cells[f"{one} {other}"] = round(float(play(config, line_up, GAMES, SEED).score.mean()), 4)
        if k % 50 == 49:
            keep(results)
    keep(results)


def keep(results: Mapping[str, Any]) -> None:
    """Write the results."""
    write_text(RESULTS, json.dumps(results, indent=0) + "\n")


def run_of(row: Mapping[str, Any]) -> Run:
    """What a row of the results is of."""
    return Run(*(row[name] for name in Run._fields))


def runs_in(results: Mapping[str, Any]) -> set[Run]:
    """The runs that have ended."""
    return {run_of(row) for row in results["runs"]}


def read_results() -> dict[str, Any]:
    """What has been trained and played so far."""
    return read_json(RESULTS) if RESULTS.exists() else {"games": GAMES, "seed": SEED, "runs": [], "cells": {}}


# --- What it says -----------------------------------------------------------------------------------------------------


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


def table(results: Mapping[str, Any]) -> str:
    """One part per preset in Markdown, best in cross-play first."""
    return "\n\n".join("\n".join(lines_of(preset, results)) for preset in results["cells"])


def lines_of(preset: str, results: Mapping[str, Any]) -> Iterator[str]:
    """The lines of one preset."""
    cells = results["cells"][preset]
    agents = agents_of(cells)
    level = cells[f"{LEARNED} {LEARNED}"]
    standings = {name: standing(cells, own) for name, own in agents.items() if name not in BOTS}
    yield f"**{preset}**, 2 players, {results['games']:,} deals a pair; `{LEARNED}` alone scores {level:.2f}."
    yield ""
    yield "| algorithm | seeds | decisions a seed | core-minutes | self-play | cross-play | with bots, seats 1, 2 |"
    yield "|---|---|---|---|---|---|---|"
    for name in sorted(standings, key=lambda name: -np.nan_to_num(standings[name].cross_play[0])):
        rows = [row for row in results["runs"] if (row["preset"], row["algorithm"]) == (preset, name)]
        found = standings[name]
        note = " (not yet learned)" if found.self_play[0] < level else ""
        cost = f"{mean(rows, 'steps') / 1e6:.1f} M | {mean(rows, 'core_seconds') / 60:.1f}"
        scores = f"{with_error(*found.self_play)} | {with_error(*found.cross_play)}"
        bots = f"{found.with_bots[0]:.2f}, {found.with_bots[1]:.2f}"
        yield f"| {name}{note} | {len(rows)} | {cost} | {scores} | {bots} |"


def mean(rows: Sequence[Mapping[str, Any]], name: str) -> float:
    """Of one number of some runs."""
    return float(np.mean([row[name] for row in rows]))


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


def draw(preset: str, results: Mapping[str, Any], path: Path) -> None:
    """The matrix of one preset as a picture."""
    matrix, names = matrix_of(results["cells"][preset])
    best = make_config("hanabi", preset).max_score
    title = f"{preset}: partners that never met"
    save_heat_map(path, heat_map(matrix, names, best, title, "one", "the other"))


def main(argv: Sequence[str] | None = None) -> None:
    """The command line."""
    args = tyro.cli(Args, args=argv, description=__doc__, prog=f"python -m {__spec__.name}")
    lots = [
        lot._replace(seeds=min(lot.seeds, args.seeds or lot.seeds)) for lot in LOTS if args.preset in (None, lot.preset)
    ]
    if not lots:
        raise SystemExit(f"preset must be one of {', '.join(lot.preset for lot in LOTS)}, got {args.preset!r}")
    results = read_results()
    if args.list:
        there = runs_in(results)
        for run in (run for lot in lots for run in runs_of(lot)):
            print(f"{'done' if run in there else 'to do':<6}{run.minutes:g} minutes  {run.name}")
        return
    for lot in lots:
        wanted = runs_of(lot)
        forget_lost(wanted, results)
        train_all(wanted, args.cores, results)
        play_all(lot.preset, results)
        draw(lot.preset, results, RESULTS.with_name(f"zero_shot-{lot.preset}.png"))


if __name__ == "__main__":
    main()
