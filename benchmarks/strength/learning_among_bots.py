"""Learning among partners, at small scale: does it help with partners that were never met?

    python -m benchmarks.strength.learning_among_bots            # train and play what is missing, write the results
    python -m benchmarks.strength.learning_among_bots --list     # the commands

Networks that learned Hanabi by self-play do badly with rule lists that they never met, those that learned among rule
lists with themselves and mostly with other rule lists (Canaan et al. 2020, "Evaluating the Rainbow DQN Agent in Hanabi
with Unseen Partners" and "Behavioral Evaluation of Hanabi Rainbow DQN Agents and Rule-Based Agents"). Here a network
that ships learns on from the same weights for as many decisions, by self-play and among some bots; then both play with
these bots and with others that neither has met. The runs lie in ``runs/strangers``;
`notebooks/09_reproduction.ipynb` shows the results.
"""

import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import tyro

from agents.learning.common.launch import words_for
from agents.learning.common.runs import finished
from agents.playing.play import play
from agents.registry import load
from hanabako.files import read_json, write_text
from hanabako.games import config_to_dict, game_named, make_config

RESULTS = Path(__file__).resolve().parent / "results" / "strangers.json"


@dataclass(frozen=True)
class Args:
    """What is trained and played."""

    start: str = "hanabi-mini-2p"
    """The network that learns on."""
    preset: str = "mini"
    """What it plays."""
    met: tuple[str, ...] = ("cautious", "outer", "iggi")
    """The bots that one of two learners has as partners."""
    unmet: tuple[str, ...] = ("internal", "piers", "vdb")
    """Bots that neither has."""
    seeds: int = 3
    """Runs of each kind."""
    steps: int = 500_000
    """Decisions of each run."""
    games: int = 1000
    """Deals that every pair plays, in both orders of seats."""
    runs: Path = Path("runs") / "strangers"
    """Where the runs are kept."""
    out: Path = RESULTS
    """The results."""
    list: bool = False
    """Only list the commands of the runs."""


def commands(args: Args) -> dict[str, list[str]]:
    """The settings of `agents.ppo` for every run, by the run's name."""
    usual = ["--preset", args.preset, "--start", args.start, "--steps", str(args.steps)]
    usual += ["--evaluations", "1", "--evaluation-games", "500", "--final-games", "500"]
    kinds = {"self-play": [], "among bots": ["--partners", ",".join(args.met)]}
    return {
        f"{kind} {seed}": [*usual, *own, "--seed", str(seed)]
        for seed in range(1, args.seeds + 1)
        for kind, own in kinds.items()
    }


def trained(args: Args, name: str, settings: Sequence[str]) -> dict[str, Any]:
    """Train one run, or go on with it, unless it has ended; what it took, as JSON types.

    Raises:
        subprocess.CalledProcessError: training failed.
    """
    run_dir = args.runs / name.replace(" ", "-")
    if not finished(run_dir):
        command = [sys.executable, "-m", "agents.ppo", *words_for(run_dir, settings)]
        subprocess.run(command, check=True)
    last = finished(run_dir)
    assert last is not None, "it has ended"
    about = read_json(run_dir / "config.json")
    numbers = {name: last[name] for name in ("steps", "core_seconds")}
    return {"name": name, "settings": " ".join(settings), **numbers, "machine": about["machine"]}


def measured(args: Args, names: Sequence[str]) -> dict[str, dict[str, float]]:
    """Mean scores: of every network with every bot and with itself, and of every bot with itself."""
    config = make_config("hanabi", args.preset, settings=game_named("hanabi").training_settings)
    bots = {name: load(name, config) for name in (*args.met, *args.unmet)}
    files = {name: args.runs / name.replace(" ", "-") / "policy.safetensors" for name in names}
    networks = {"start": load(args.start, config), **{name: load(file, config) for name, file in files.items()}}

    def score(one: Any, other: Any) -> float:
        orders = ([one, other], [other, one]) if one is not other else ([one, other],)
        means = [play(config, list(order), args.games, seed=1).score.mean() for order in orders]
        return round(float(sum(means) / len(means)), 4)

    scores = {name: {bot: score(network, bots[bot]) for bot in bots} for name, network in networks.items()}
    for name, network in networks.items():
        scores[name]["itself"] = score(network, network)
    return scores | {name: {"itself": score(bot, bot)} for name, bot in bots.items()}


def main(argv: Sequence[str] | None = None) -> None:
    """The command line."""
    args = tyro.cli(Args, args=argv, description=__doc__, prog=f"python -m {__spec__.name}")
    wanted = commands(args)
    if args.list:
        print("\n".join(f"python -m agents.ppo {' '.join(settings)}" for settings in wanted.values()))
        return
    rows = [trained(args, name, settings) for name, settings in wanted.items()]
    config = make_config("hanabi", args.preset, settings=game_named("hanabi").training_settings)
    about = {
        field.name: getattr(args, field.name) for field in fields(args) if field.name not in ("runs", "out", "list")
    }
    results = {"config": config_to_dict(config), **about, "trained": rows, "scores": measured(args, list(wanted))}
    write_text(args.out, json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
