"""The networks that ship: each is trained if its file is missing, and measured.

    hanabako study list shipped_networks
    hanabako study run shipped_networks                                    # what is missing, one after the other
    hanabako study run shipped_networks --where line_up=hanabi-mini-2p     # one network

It is Python because it trains by recipes that build on each other (`benchmarks.recipes`), and ships what they make. A
network without a file in ``agents/pretrained`` is first trained on all cores. Its runs are kept in
``runs/pretrained``; the same command resumes an interrupted one. To train a network again, delete its file and its
runs. Then it plays 10,000 games of seed 1: in Hanabi alone, in the competitive games against its teacher.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch
import tyro

from benchmarks.recipes import PARTNERS, RECIPES, Recipe
from hanabako.agents.learning import ppo
from hanabako.agents.learning.common.algorithms import named
from hanabako.agents.learning.common.launch import ranks_for, train_apart
from hanabako.agents.learning.common.runs import greedy_curve
from hanabako.agents.networks.policy_file import read_metadata, read_network, save_policy
from hanabako.agents.registry import PRETRAINED
from hanabako.agents.results import Study
from hanabako.agents.results.meeting import Meeting, play_meeting
from hanabako.agents.results.store import is_stale, read_results
from hanabako.agents.results.study import Result, Results
from hanabako.agents.results.tables import game_text, with_error
from hanabako.drawing import charts
from hanabako.games import config_from_dict, make_config
from hanabako.generated import table

from .tables.ceilings import ceiling_text, read_ceilings

__all__ = ["RESULTS", "STUDY", "Shipped"]

RESULTS = Path(__file__).resolve().parent / "results" / "shipped_networks.json"
RUNS = Path("runs") / "pretrained"
DEALS, SEED = 10_000, 1
COSTS = ("steps", "seconds", "core_seconds")
"""The entries of a network's file that are summed over all its training runs."""


@dataclass(frozen=True)
class Shipped(Meeting):
    """The games of one network."""

    @property
    def network(self) -> str:
        """The network's name."""
        return self.line_up[0]

    @property
    def cores(self) -> int:
        """The number of ranks that train it."""
        return ranks_for(ppo.Args())


def rows() -> list[Shipped]:
    """Return a row per network."""
    found = []
    for name, recipe in RECIPES.items():
        config = make_config(recipe.game, recipe.preset, recipe.changed_players(), recipe.measured)
        others = [] if recipe.opponent is None else [recipe.opponent]
        found.append(Shipped.of(config, [name, *others], "exchanged" if others else "given", DEALS, seed=SEED))
    return found


def play(row: Shipped, _before: Result | None) -> dict[str, Any]:
    """Train a network if its file is missing, and measure it.

    ``trained`` is what the network's file says of its training; ``curve``, if its last training run is known, is that
    run's `greedy_curve`.

    Raises:
        SystemExit: training was interrupted.
        ValueError: training failed.
    """
    name, recipe = row.network, RECIPES[row.network]
    if not (PRETRAINED / f"{name}.safetensors").exists():
        began = {"began": f"as a clone of {recipe.teacher}"} if recipe.teacher else {}
        ship(name, trained(name, recipe, row.cores), costs_of(name, recipe) | began)
    curve = curve_of(name)
    return play_meeting(row) | ({"curve": curve} if curve else {})


def curve_of(name: str) -> list[list[float]] | None:
    """Return the curve of the run that trained a network, or else the one in the results; None if neither is there."""
    if (RUNS / name).exists():
        return greedy_curve(RUNS / name)
    kept = (row for row in read_results(RESULTS) if row["line_up"][0] == name and not is_stale(row))
    return next((row["curve"] for row in kept if "curve" in row), None)


# --- Training ---------------------------------------------------------------------------------------------------------


def ship(name: str, policy: Path, about: Mapping[str, Any]) -> None:
    """Add the file of a run's policy to those that ship, with the metadata of the run and of ``about``.

    Partners in challenges are stored as bfloat16.
    """
    metadata = read_metadata(policy)
    config = config_from_dict(metadata["config"])
    PRETRAINED.mkdir(exist_ok=True)
    path = PRETRAINED / f"{name}.safetensors"
    dtype = torch.bfloat16 if name in PARTNERS else torch.float32
    save_policy(path, read_network(policy, metadata["network"], config), config, metadata["about"] | about, dtype)


def costs_of(name: str, recipe: Recipe) -> dict[str, Any]:
    """Return the costs, by `COSTS`, of the run ``name`` and of the runs from which it started."""
    about = read_metadata(RUNS / name / "policy.safetensors")["about"]
    before = dict.fromkeys(COSTS, 0) if recipe.first is None else costs_of(f"{name}-first", recipe.first)
    return {cost: about[cost] + before[cost] for cost in COSTS}


def trained(name: str, recipe: Recipe, ranks: int) -> Path:
    """Start or resume the run ``name`` unless it has ended, and return the file of its policy."""
    learner = named(recipe.learner)
    settings: Any = tyro.cli(learner.settings, args=recipe.arguments())
    settings = replace(settings, steps=recipe.steps, run_dir=RUNS / name)
    if recipe.first is not None:
        settings = replace(settings, start=str(trained(f"{name}-first", recipe.first, ranks)))
    command = f"hanabako study run {STUDY.name}"
    train_apart(learner, settings, ranks, command)
    return RUNS / name / "policy.safetensors"


# --- Tables -----------------------------------------------------------------------------------------------------------

HEAD = ("game", "network", "score", "ceiling", "perfect", "lost")


def scoreboard(results: Results) -> str:
    """Return the scores of Hanabi's networks, the best first in each game."""
    own = [row for row in results if "score" in row and "lead" not in row]
    return table(HEAD, map(cells, sorted(own, key=lambda row: (row["preset"], row["players"], -row["score"]))))


def cells(row: Result) -> list[Any]:
    """Return one line of `scoreboard`."""
    return [
        game_text(row),
        row["line_up"][0],
        with_error(row["score"], row["score_error"]),
        ceiling_text(read_ceilings(), row["preset"], row["players"]),
        f"{row['perfect_rate']:.1%}",
        f"{row['lost_rate']:.2%}",
    ]


def curves(results: Results, path: Path) -> None:
    """Draw the greedy score during the last training run of each network in standard Hanabi, where it is known."""
    figure, axes = charts.chart("The last run of each network", "decisions (millions)", "greedy score, unseen deals")
    for row in results:
        if "curve" in row and (row["game"], row["preset"]) == ("hanabi", "standard"):
            steps, values = zip(*row["curve"], strict=True)
            axes.plot([step / 1e6 for step in steps], values, marker="o", markersize=3, label=row["line_up"][0])
    charts.from_zero(axes)
    charts.legend(axes)
    charts.save(path, figure)


STUDY = Study(
    "shipped_networks",
    rows(),
    play,
    tables={"shipped_networks": scoreboard},
    figures={"shipped_networks-curves.png": curves},
    unit="deal",
)
