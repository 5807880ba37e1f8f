"""The networks that ship: each is trained if its file is missing, and measured.

    hanabako study list shipped_networks
    hanabako study run shipped_networks                                   # what is missing, one after the other
    hanabako study run shipped_networks --where network=hanabi-mini-2p    # one network
    hanabako study run shipped_networks --again                           # measure all of them again

A network without a file in ``agents/pretrained`` is first trained on all cores by its recipe (`benchmarks.recipes`).
Its runs are kept in ``runs/pretrained``; the same command resumes an interrupted one. To train a network again, delete
its file and its runs. Then the network plays 10,000 games of seed 1: self-play in Hanabi, or a tournament with all bots
in the competitive games. The table of scores also shows `make train` (`make_train`) and random play (`hanabi_bots`).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agents import ppo
from agents.evaluation.matches import ELO
from agents.evaluation.report import Args, evaluate
from agents.learning.common.launch import ranks_for, train_to_the_end
from agents.learning.common.runs import greedy_curve
from agents.networks.policy_file import read_metadata, read_network, save_policy
from agents.registry import PRETRAINED, names
from agents.studies import Row, Study
from agents.studies.pages import origin_line
from agents.studies.store import is_stale, read_results
from agents.studies.study import Result, Results
from benchmarks.recipes import RECIPES, Recipe
from hanabako.drawing import charts
from hanabako.games import config_from_dict
from hanabako.generated import table

from . import hanabi_bots, make_train
from .tables.ceilings import Ceilings, ceiling_text, read_ceilings
from .tables.markdown import agent_name, features_of, seen, training_in_words, with_error
from .tables.tournaments import ratings_of, tournaments

__all__ = ["RESULTS", "STUDY", "Shipped", "scores"]

RESULTS = Path(__file__).resolve().parent / "results" / "shipped_networks.json"
RUNS = Path("runs") / "pretrained"
GAMES, SEED = 10_000, 1
COSTS = ("steps", "seconds", "core_seconds")
"""The entries of a network's file that are summed over all its training runs."""


@dataclass(frozen=True)
class Shipped(Row):
    """One network: its training, and its score or its tournament."""

    network: str

    @property
    def agents(self) -> tuple[str, ...]:
        """The network."""
        return (self.network,)

    @property
    def cores(self) -> int:
        """The number of ranks that train it."""
        return ranks_for(ppo.Args())


def play(row: Shipped, _before: Result | None) -> dict[str, Any]:
    """Train a network if its file is missing, and measure it.

    ``evaluation`` is the result of `evaluate`. ``curve``, if its last training run is known, is that run's
    `greedy_curve`.

    Raises:
        SystemExit: training was interrupted.
        ValueError: training failed.
    """
    recipe = RECIPES[row.network]
    if not (PRETRAINED / f"{row.network}.safetensors").exists():
        train(row.network, recipe, row.cores)
    curve = curve_of(row.network)
    return {"done": 1, "evaluation": measured(row.network, recipe)} | ({"curve": curve} if curve else {})


def curve_of(name: str) -> list[list[float]] | None:
    """Return the curve of the run that trained a network, or else the one in the results; None if neither is there."""
    if (RUNS / name).exists():
        return greedy_curve(RUNS / name)
    kept = (row for row in read_results(RESULTS) if row["network"] == name and not is_stale(row))
    return next((row["curve"] for row in kept if "curve" in row), None)


# --- Training ---------------------------------------------------------------------------------------------------------


def train(name: str, recipe: Recipe, ranks: int) -> None:
    """Train one network, or resume its training, and add its file to those that ship.

    Raises:
        SystemExit: training was interrupted.
        ValueError: training failed.
    """
    began = {"began": f"as a clone of {recipe.teacher}"} if recipe.teacher else {}
    ship(name, trained(name, recipe, ranks), costs_of(name, recipe) | began)


def ship(name: str, policy: Path, about: Mapping[str, Any]) -> None:
    """Add the file of a run's policy to those that ship, with the metadata of the run and of ``about``."""
    metadata = read_metadata(policy)
    config = config_from_dict(metadata["config"])
    PRETRAINED.mkdir(exist_ok=True)
    path = PRETRAINED / f"{name}.safetensors"
    save_policy(path, read_network(policy, metadata["network"], config), config, metadata["about"] | about)


def costs_of(name: str, recipe: Recipe) -> dict[str, Any]:
    """Return the costs, by `COSTS`, of the run ``name`` and of the runs from which it started."""
    about = read_metadata(RUNS / name / "policy.safetensors")["about"]
    before = dict.fromkeys(COSTS, 0) if recipe.first is None else costs_of(f"{name}-first", recipe.first)
    return {cost: about[cost] + before[cost] for cost in COSTS}


def trained(name: str, recipe: Recipe, ranks: int) -> Path:
    """Start or resume the run ``name`` unless it has ended, and return the file of its policy."""
    settings = [*recipe.arguments(), "--steps", str(recipe.steps)]
    if recipe.first is not None:
        settings += ["--start", str(trained(f"{name}-first", recipe.first, ranks))]
    command = f"hanabako study run {STUDY.name} --where network={name.replace('-first', '')}"
    train_to_the_end(ranks, RUNS / name, settings, command, recipe.learner)
    return RUNS / name / "policy.safetensors"


def measured(name: str, recipe: Recipe) -> dict[str, Any]:
    """Return the scores of a network; in a competitive game, its tournament with all bots."""
    bots = [] if recipe.opponent is None else sorted(names(recipe.game))
    return evaluate(
        Args(
            game=recipe.game,
            preset=recipe.preset,
            players=recipe.changed_players(),
            config=recipe.measured,
            agents=",".join([*bots, name]),
            games=GAMES,
            seed=SEED,
            mode="self-play" if recipe.opponent is None else "tournament",
        )
    )


# --- Tables -----------------------------------------------------------------------------------------------------------

HEAD = (
    *("game", "players", "agent", "observation", "score", "ceiling", "fireworks count", "perfect", "lost", "games"),
    "training",
)


def scoreboard(results: Results) -> str:
    """Return the scores of networks for cooperative games, `make train` and random play, with the origin of these."""
    runs = read_results(make_train.RESULTS)
    floor = [row for row in read_results(hanabi_bots.RESULTS) if (row["agent"], row["preset"]) == ("random", "mini")]
    evaluations = [*evaluations_of(results), *evaluations_of(runs), *floor]
    text = scores([result for result in evaluations if "score" in result], read_ceilings())
    return f"{text}\n\nFor the rows PPO and random: {origin_line([*runs, *floor])} For all other rows:"


SUMMARY = ("standard-2p-wide", "standard-2p-canonical", "standard-3p", "standard-4p", "standard-5p", "mini-2p")
"""The Hanabi networks in the README's table, which also has a row for `make train`."""


def summary(results: Results) -> str:
    """Return the README's table: some Hanabi networks, and the `make train` run with the median score."""
    found = {result["agents"][0]: result for result in evaluations_of(results)}
    runs = evaluations_of(read_results(make_train.RESULTS))
    runs = sorted((run for run in runs if run["preset"] == "standard"), key=lambda run: run["score"])
    first, *others = [(f"`hanabi-{name}`", found[f"hanabi-{name}"]) for name in SUMMARY]
    rows = [first, ("`make train`", runs[len(runs) // 2]), *others]
    ceilings = read_ceilings()
    return table(("game", "agent", "features", "score", "training"), [summary_cells(*row, ceilings) for row in rows])


def summary_cells(name: str, result: Mapping[str, Any], ceilings: Ceilings) -> list[str]:
    """Return one line of `summary`."""
    preset, players = result["preset"], result["config"]["players"]
    best = ceiling_text(ceilings, preset, players).split()[0]
    score = f"{with_error(result['score'], result['score_error'])} (ceiling {best})"
    training = "; ".join(dict.fromkeys(training_in_words(about) for about in result["training"] if about))
    return [f"{preset}, {players} players", name, features_of(result) or "none", score, training]


def evaluations_of(results: Results) -> list[Mapping[str, Any]]:
    """Return the result of `evaluate` of each row."""
    return [result["evaluation"] for result in results]


def scores(evaluations: Results, ceilings: Ceilings) -> str:
    """Return a table with a line per result of `evaluate`, best first in each game."""
    order = sorted(evaluations, key=lambda result: (result["preset"], result["config"]["players"], -result["score"]))
    return table(HEAD, [score_cells(result, ceilings) for result in order])


def score_cells(result: Mapping[str, Any], ceilings: Ceilings) -> list[Any]:
    """Return one line of `scores`."""
    players = result["config"]["players"]
    return [
        f"{result['config']['game']} {result['preset']}",
        players,
        " with ".join(dict.fromkeys(map(agent_name, result["agents"]))),
        seen(result),
        with_error(result["score"], result["score_error"]),
        ceiling_text(ceilings, result["preset"], players),
        with_error(result["fireworks_score"], result["fireworks_score_error"]),
        f"{result['perfect_rate']:.1%}",
        f"{result['lost_rate']:.2%}",
        f"{result['games']:,}",
        "; ".join(dict.fromkeys(training_in_words(about) for about in result["training"] if about)) or "none",
    ]


def contests(results: Results) -> str:
    """Return the tournaments that are rated by games won; those by points are among `koikoi_rounds`."""
    found = [result for result in evaluations_of(results) if "tournament" in result]
    return tournaments([result for result in found if ratings_of(result)[0] == ELO])


def curves(results: Results, path: Path) -> None:
    """Draw the greedy score during the last training run of each network in standard Hanabi, where it is known."""
    figure, axes = charts.chart("The last run of each network", "decisions (millions)", "greedy score, unseen deals")
    for row in results:
        if "curve" in row and row["evaluation"]["preset"] == "standard":
            steps, values = zip(*row["curve"], strict=True)
            axes.plot([step / 1e6 for step in steps], values, marker="o", markersize=3, label=row["network"])
    charts.from_zero(axes)
    charts.legend(axes)
    charts.save(path, figure)


STUDY = Study(
    "shipped_networks",
    [Shipped(name) for name in RECIPES],
    play,
    tables={"summary": summary, "scoreboard": scoreboard, "contests": contests},
    figures={"shipped_networks-curves.png": curves},
    unit="network",
)
