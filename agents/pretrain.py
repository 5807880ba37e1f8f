"""Train the networks that ship, and measure them: `agents/pretrained/NAME.safetensors` and `agents/results/NAME.json`.

    python -m agents.pretrain                    # those that are not there yet, one after the other
    python -m agents.pretrain hanabi-mini-2p     # only this one, anew
    python -m agents.pretrain --list             # what each takes

What was interrupted goes on where it was: the runs lie in ``runs/pretrained``. The settings are those of
`agents.learning.recipes`.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from shutil import copyfile
from typing import Annotated

import tyro

from hanabako.files import write_text
from hanabako.words.checks import shown

from . import ppo
from .evaluate import Args as Evaluation
from .evaluate import evaluate
from .learning.launch import train_to_the_end, usual_ranks
from .learning.recipes import RECIPES, Recipe
from .registry import PRETRAINED

RUNS = Path("runs") / "pretrained"
RESULTS = Path(__file__).resolve().parent / "results"
GAMES, SEED = 10_000, 1


@dataclass(frozen=True)
class Args:
    """Train the networks that ship."""

    names: Annotated[tuple[str, ...], tyro.conf.Positional] = ()
    """Which; by default those that are not there yet."""
    list: bool = False
    """Only list them."""
    ranks: int | None = None
    """Processes to train with; by default one per core."""


def pretrain(name: str, recipe: Recipe, ranks: int) -> Path:
    """Train one network, or go on with it, and put it in its place; returns its file.

    Raises:
        SystemExit: it was interrupted, or failed.
    """
    run_dir = RUNS / name
    settings = [*recipe.arguments(), "--steps", str(recipe.steps)]
    train_to_the_end(ranks, run_dir, settings, f"python -m {__spec__.name} {name}")
    file = PRETRAINED / f"{name}.safetensors"
    PRETRAINED.mkdir(exist_ok=True)
    copyfile(run_dir / "policy.safetensors", file)
    return file


def measure(name: str, recipe: Recipe) -> None:
    """Write what a network scores; in a competitive game, how often it beats the opponent of its recipe."""
    names = name if recipe.opponent is None else f"{recipe.opponent},{name}"
    play = Evaluation(
        game=recipe.game,
        preset=recipe.preset,
        players=recipe.changed_players(),
        config=recipe.measured,
        agents=names,
        games=GAMES,
        seed=SEED,
        tournament=recipe.opponent is not None,
    )
    write_text(RESULTS / f"{name}.json", json.dumps(evaluate(play), indent=2) + "\n")


def listed() -> str:
    """One line per network: what it takes, and whether it is there."""
    lines = []
    for name, recipe in RECIPES.items():
        there = "there" if (PRETRAINED / f"{name}.safetensors").exists() else "to be trained"
        lines.append(f"{name:<28}{recipe.steps / 1e6:4.0f} M decisions, {there}")
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
        print(f"{name}: {RECIPES[name].steps / 1e6:.0f} M decisions", flush=True)
        pretrain(name, RECIPES[name], args.ranks or usual_ranks(ppo.Args.games, ppo.Args.minibatch))
        measure(name, RECIPES[name])


if __name__ == "__main__":
    main()
