"""The program behind ``make train``: learn Hanabi from scratch on all cores, evaluate, and show the results.

    python -m benchmarks.demo                # standard Hanabi for two players, five minutes on two cores
    python -m benchmarks.demo --minutes 1    # the small game `mini` (three colors, three ranks)

It trains as `hanabako train` does, one rank per core.
"""

import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch
import tyro

from benchmarks.recipes import RECIPES
from hanabako.agents.commands import watch
from hanabako.agents.learning import ppo
from hanabako.agents.learning.common.algorithms import named
from hanabako.agents.learning.common.launch import ranks_for, saved_ranks, start_ranks
from hanabako.agents.learning.common.published_scores import PUBLISHED
from hanabako.agents.learning.common.runs import finished, read_about, what_next
from hanabako.agents.networks.network import kind_of_processor
from hanabako.files import check_writable
from hanabako.games import config_from_dict, game_of
from hanabako.interrupts import Interrupted
from hanabako.program import run_program
from hanabako.words.ranges import Size

SHORT = 3.0  # minutes; with less, the standard game is not learned well, and the small one is solved
ENDING = 0.3  # minutes reserved for starting the ranks, the last evaluation and the replay

SETTINGS = {"standard": (), "mini": RECIPES["hanabi-mini-2p"].settings}
"""The settings of PPO by preset that are not the defaults."""
EXPECTED = {
    5: "21.5 to 22.5 of 25 on two cores",
    1: "7.8 (on a busy machine) to 8.8 of 9",
}
"""The scores that these budgets, in minutes, have reached so far."""

SHOWN = (
    ("the learning curve", "curve.png"),
    ("a game to click through in a browser", "replay.html"),
    ("the weights, with their config inside", "policy.safetensors"),
)

BESIDE = [one for one in PUBLISHED if one.players == 2 and one.lost == "zero"]
"""The published scores that are printed beside the run's."""

CAVEAT = """\
All agents see the Learning Environment's observation. This network works out flags from it (features `derived`:
playable, dead, surely playable, surely dead, all copies seen), and treats colors alike. Both decide how fast it
learns: compare steps only with learners that have them too."""


@dataclass(frozen=True)
class Args:
    """Train, evaluate and show an agent for Hanabi."""

    minutes: float = 5.0
    """Approximate total time in minutes; below three minutes the game is `mini`."""
    seed: int = 1
    """Seed of all random numbers."""
    ranks: Size | None = None
    """Number of processes to train with; by default one per core."""
    run_dir: Path | None = None
    """The run's directory; by default one under ``runs/`` whose name has the time."""
    resume: Path | None = None
    """Resume the interrupted run in this directory."""


def run(args: Args) -> None:
    """Train, evaluate and print the results.

    Raises:
        Interrupted: training was interrupted.
        SystemExit: training failed.
    """
    started = time.perf_counter()
    if args.resume:
        run_dir, ranks = args.resume, saved_ranks(args.resume)
        settings = ppo.Args(resume=run_dir)
    else:
        preset = "mini" if args.minutes < SHORT else "standard"
        run_dir = args.run_dir or Path("runs") / f"hanabi-{preset}-2p-{time.strftime('%Y%m%d-%H%M%S')}"
        known = tyro.cli(ppo.Args, args=["--preset", preset, *SETTINGS[preset]])
        settings = replace(known, minutes=args.minutes, seed=args.seed, run_dir=run_dir)
        ranks = args.ranks or ranks_for(settings)
        settings.check(ranks)
        check_writable(run_dir / "config.json")
        print(f"Hanabi ({preset}, 2 players) from scratch on {ranks} cores. Compiling the game ...", flush=True)
        compile_game(preset)
        spent = (time.perf_counter() - started) / 60
        minutes = max(args.minutes - spent - ENDING, args.minutes / 2)
        print(plan(args.minutes, spent, minutes), flush=True)
        settings = replace(settings, minutes=minutes)
    start_ranks(ranks, named("ppo"), settings)
    last = finished(run_dir)
    if last is None:
        raise Interrupted(f"\nInterrupted. To continue: python -m {__spec__.name} --resume {run_dir}")
    watch.page_of(watch.Args(str(run_dir)))
    print(describe(run_dir, last))


def plan(budget: float, spent: float, training: float) -> str:
    """Describe how the budget is spent, given in minutes, and which score to expect."""
    parts = [
        f"Compiling took {60 * spent:.0f} s (the next time, none).",
        f"Now {60 * training:.0f} s of self-play, then {60 * ENDING:.0f} s for the last evaluation and the replay.",
    ]
    if budget in EXPECTED:
        parts.append(f"Such runs have scored {EXPECTED[int(budget)]}.")
    return "\n".join(parts) + "\n"


def compile_game(preset: str) -> None:
    """Compile the game for training."""
    args = ppo.Args(preset=preset)
    config = args.learned(args.make_config())
    game_of(config).compile(config, args.games)


def describe(run_dir: Path, row: dict[str, Any]) -> str:
    """Return the result next to published figures, and the paths of the files."""
    about = read_about(run_dir)
    best = config_from_dict(about["config"]).max_score
    kind = kind_of_processor(torch.device(about["device"]))
    cost = f"{row['steps'] / 1e6:.0f} M steps, {row['seconds'] / 60:.1f} minutes on {about['ranks']} {kind}"
    seen = f"observation {about['observation']}, features {about['features']}"
    lines = [
        "",
        f"Greedy, {row['greedy_games']:,} unseen deals, {seen}:",
        "",
        f"  {'this run':<46}{row['greedy_score']:6.2f} ± {row['greedy_score_error']:.2f} of {best}   {cost}",
        f"  {'':<46}perfect games {row['greedy_perfect']:.1%}, lost games {row['greedy_lost']:.2%}",
    ]
    if about["args"]["preset"] == "standard":
        lines += ["", "Published (a lost game scores 0, as here):", ""]
        lines += [f"  {one.name:<46}{one.score:6.2f}                {one.effort}" for one in BESIDE]
        lines += ["", CAVEAT]
    lines += ["", *(f"  {words:<46}{run_dir / name}" for words, name in SHOWN)]
    lines += ["", what_next(run_dir, "hanabi", ())]
    return "\n".join(lines)


def main(argv: list[str] | None = None) -> None:
    """Run the command line.

    Raises:
        SystemExit: an error occurred; the message is one line.
    """
    run_program(run, Args, "benchmarks.demo", __doc__, argv)


if __name__ == "__main__":
    main()
