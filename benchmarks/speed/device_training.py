"""Eight minutes of PPO on standard Hanabi for two, with games and network on one GPU.

    HANABAKO_UNTRIED=1 python -m benchmarks.speed.device_training

It writes ``benchmarks/speed/results/device_training.json``: the settings, the learning curve and the score of 10,000
unseen games. The run is in ``runs/device_training``; an interrupted one continues at the next start.
"""

from dataclasses import dataclass
from pathlib import Path

from agents import ppo
from agents.learning.common.checkpoints import holds_checkpoint
from agents.learning.common.runs import finished, read_about, read_metrics
from benchmarks.speed.device import device_name
from hanabako import machine
from hanabako.compiler.cuda import IS_SIMULATED
from hanabako.files import check_writable, write_json
from hanabako.program import run_program
from hanabako.words.ranges import Positive, Size

RESULTS = Path(__file__).resolve().parent / "results" / "device_training.json"
SHOWN = ("steps", "seconds", "score", "greedy_score")
"""The numbers of the log that the JSON keeps, where a row has them."""


@dataclass(frozen=True)
class Args:
    """Train on one GPU."""

    preset: str = "standard"
    """The preset of Hanabi."""
    minutes: Positive = 8.0
    """The budget, with evaluations, without compilation."""
    games: Size = 16_384
    """Games played in parallel."""
    horizon: Size = 32
    """Decisions per game in one rollout."""
    minibatch: Size = 65_536
    """Decisions per gradient step."""
    run_dir: Path = Path("runs") / "device_training"
    """The run's directory."""
    out: Path = RESULTS
    """The JSON file."""


def main(args: Args) -> None:
    """Train, or continue, and write the JSON."""
    check_writable(args.out)
    settings = ppo.Args(
        preset=args.preset,
        minutes=args.minutes,
        games=args.games,
        horizon=args.horizon,
        minibatch=args.minibatch,
        device="cpu" if IS_SIMULATED else "cuda",
        simulator="cuda",
        run_dir=args.run_dir,
    )
    if holds_checkpoint(args.run_dir / "checkpoint"):
        settings = ppo.Args(resume=args.run_dir)
    run_dir = ppo.train(settings)
    last = finished(run_dir)
    curve = [{name: row[name] for name in SHOWN if name in row} for row in read_metrics(run_dir)]
    found = {"machine": machine.describe(), "device": device_name(), "settings": read_about(run_dir)["args"]}
    write_json(args.out, {**found, "finished": last is not None, "last": last, "curve": curve})
    print(f"written: {args.out}")


if __name__ == "__main__":
    run_program(main, Args, __spec__.name, __doc__)
