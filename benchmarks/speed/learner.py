"""Decisions per second in training, including play, observations, action choice and updates, per kind of network.

    python -m benchmarks.speed.learner                    # benchmarks/speed/results/learner.json
    python -m benchmarks.speed.learner --device cuda --games 16384 --minibatch 65536 --threads 16 --out learner.json

One process plays standard Hanabi for two players with the `derived` observation. Processors without bf16 instructions
use float32; on other hardware both number types are measured.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from agents.learning import ppo
from agents.learning.common.ranks import Ranks, joined_ranks, processor_settings
from agents.learning.common.selfplay import SelfPlayEnvs
from agents.networks.kinds import BASIC_NETWORKS, NETWORKS
from agents.networks.network import fast_dtype, kind_of_processor
from benchmarks.speed.timing import Case, measure, place, report
from hanabako import machine
from hanabako.files import check_writable, write_json
from hanabako.program import run_program
from hanabako.words.ranges import Positive, Size


@dataclass(frozen=True)
class Args:
    """Measure how fast networks learn."""

    device: str = "auto"
    """The device, as in `agents.ppo`."""
    games: Size = 1024
    """Games played in parallel."""
    minibatch: Size = 2048
    """Decisions per gradient step."""
    threads: Size = 1
    """Threads of the simulator."""
    seconds: Positive = 4.0
    """Seconds per repeat."""
    repeats: Size = 5
    """Repeats per row."""
    out: Path | None = None
    """The JSON file; by default the committed results, or for a trial .cache/benchmarks."""


def main(args: Args) -> None:
    """Measure, print and write."""
    check_writable(path := place(args, "learner.json"))
    described = machine.describe()
    with joined_ranks(args.device) as ranks, processor_settings():
        trunks = ["float32"] if fast_dtype(ranks.device) == torch.float32 else ["bfloat16", "float32"]
        cases = [learning(args, network.kind, trunk, ranks) for network in BASIC_NETWORKS for trunk in trunks]
        rows = measure(cases, args.seconds, args.repeats, "learning")
    device = kind_of_processor(ranks.device)
    write_json(path, report("learner", args, described, rows, device=device))
    print(f"written: {path}")
    for row in rows:
        print(
            f"{row['network']:<10} {row['trunk']:<9} width {row['width']:>3} {row['steps_per_second']:>10,} decisions/s"
        )


def learning(args: Args, kind: Any, trunk: Any, ranks: Ranks) -> Case:
    """Return the case of one update of a learner with this kind of network and number type."""
    settings = ppo.Args(
        network=kind, trunk=trunk, games=args.games, minibatch=args.minibatch, threads=args.threads, steps=10**9
    )
    envs = SelfPlayEnvs(settings.make_config(), args.games, settings.seed, ranks, args.threads)
    learner = ppo.PPO(settings, envs, ranks)

    def play() -> int:
        learner.learn(0.5)
        if ranks.device.type == "cuda":
            torch.cuda.synchronize()
        return args.games * settings.horizon

    row = {"network": kind, "trunk": trunk, "width": NETWORKS[kind].usual_width}
    return Case(row, play, "cpu" if ranks.device.type == "cpu" and args.threads == 1 else "wall")


if __name__ == "__main__":
    run_program(main, Args, __spec__.name, __doc__)
