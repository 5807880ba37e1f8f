"""Train the networks that ship, and measure them: `agents/pretrained/NAME.safetensors` and `results/NAME.json`.

    python -m benchmarks.strength.shipped_networks                 # those that are not there yet, one after the other
    python -m benchmarks.strength.shipped_networks hanabi-mini-2p  # only this one, anew
    python -m benchmarks.strength.shipped_networks --list          # what each takes

What was interrupted goes on where it was: the runs lie in ``runs/pretrained``. The settings are those of
`agents.learning.recipes`.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import tyro

from agents import ppo
from agents.evaluation.report import Args as Evaluation
from agents.evaluation.report import evaluate
from agents.learning.common.launch import train_to_the_end, usual_ranks
from agents.learning.recipes import RECIPES, Recipe
from agents.networks.neural_policy import load_network, save_policy
from agents.networks.policy_file import read_metadata
from agents.registry import PRETRAINED, names
from hanabako.files import write_text
from hanabako.games import config_from_dict
from hanabako.words.checks import shown

RUNS = Path("runs") / "pretrained"
RESULTS = Path(__file__).resolve().parent / "results"
GAMES, SEED = 10_000, 1
COSTS = ("steps", "seconds", "core_seconds")
"""What a network's file tells of all of its runs, if it went on from another's."""


@dataclass(frozen=True)
class Args:
    """Train the networks that ship."""

    names: Annotated[tuple[str, ...], tyro.conf.Positional] = ()
    """Which; by default those that are not there yet."""
    list: bool = False
    """Only list them."""
    ranks: int | None = None
    """Processes to train with; by default one per core."""


def pretrain(name: str, recipe: Recipe, ranks: int) -> None:
    """Train one network, or go on with it, and put it in its place.

    Raises:
        SystemExit: it was interrupted, or failed.
    """
    policy = trained(name, recipe, ranks)
    metadata = read_metadata(policy)
    about = metadata["about"] | costs_of(name, recipe)
    if recipe.teacher:
        about["began"] = f"as a clone of {recipe.teacher}"
    PRETRAINED.mkdir(exist_ok=True)
    config = config_from_dict(metadata["config"])
    save_policy(PRETRAINED / f"{name}.safetensors", load_network(policy, config), config, about)


def costs_of(name: str, recipe: Recipe) -> dict[str, Any]:
    """What the run ``name`` and those that it went on from have cost together, by `COSTS`."""
    about = read_metadata(RUNS / name / "policy.safetensors")["about"]
    before = dict.fromkeys(COSTS, 0) if recipe.first is None else costs_of(f"{name}-first", recipe.first)
    return {cost: about[cost] + before[cost] for cost in COSTS}


def trained(name: str, recipe: Recipe, ranks: int) -> Path:
    """The policy's file of the run ``name``, which is made, or gone on with, if it has not ended."""
    settings = [*recipe.arguments(), "--steps", str(recipe.steps)]
    if recipe.first is not None:
        settings += ["--start", str(trained(f"{name}-first", recipe.first, ranks))]
    command = f"python -m {__spec__.name} {name.replace('-first', '')}"
    train_to_the_end(ranks, RUNS / name, settings, command, recipe.learner)
    return RUNS / name / "policy.safetensors"


def measure(name: str, recipe: Recipe) -> None:
    """Write what a network scores; in a competitive game, how often all bots and it beat each other."""
    bots = [] if recipe.opponent is None else sorted(names(recipe.game))
    play = Evaluation(
        game=recipe.game,
        preset=recipe.preset,
        players=recipe.changed_players(),
        config=recipe.measured,
        agents=",".join([*bots, name]),
        games=GAMES,
        seed=SEED,
        mode="self-play" if recipe.opponent is None else "tournament",
    )
    write_text(RESULTS / f"{name}.json", json.dumps(evaluate(play), indent=2) + "\n")


def millions(recipe: Recipe) -> float:
    """Decisions of all its runs."""
    return recipe.steps / 1e6 + (0.0 if recipe.first is None else millions(recipe.first))


def listed() -> str:
    """One line per network: what it takes, and whether it is there."""
    lines = []
    for name, recipe in RECIPES.items():
        there = "there" if (PRETRAINED / f"{name}.safetensors").exists() else "to be trained"
        lines.append(f"{name:<28}{millions(recipe):4.0f} M decisions, {there}")
    return "\n".join(lines)


def main(argv: Sequence[str] | None = None) -> None:
    """The command line."""
    args = tyro.cli(Args, args=argv, description=__doc__, prog=f"python -m {__spec__.name}")
    if args.list:
        print(listed())
        return
    unknown = [name for name in args.names if name not in RECIPES]
    if unknown:
        raise SystemExit(f"pretrain: a network must be one of {', '.join(RECIPES)}, got {shown(unknown[0])}")
    missing = [name for name in RECIPES if not (PRETRAINED / f"{name}.safetensors").exists()]
    for name in args.names or missing:
        print(f"{name}: {millions(RECIPES[name]):.0f} M decisions", flush=True)
        pretrain(name, RECIPES[name], args.ranks or usual_ranks(ppo.Args.games, ppo.Args.minibatch))
        measure(name, RECIPES[name])


if __name__ == "__main__":
    main()
