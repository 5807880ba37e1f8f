"""Decisions per second in training, including play, observations, action choice and updates, per kind of network.

    python -m benchmarks.speed.learner                    # benchmarks/speed/results/learner.json
    python -m benchmarks.speed.learner --device cuda --games 16384 --minibatch 65536 --threads 16 --out learner.json

One process plays standard Hanabi for two players with the `derived` observation. Processors without bf16 instructions
use float32; on other hardware both number types are measured.

The same process then times the matrix products of one update, each alone at its best. The learner's share of this peak
is the part of its time that they would take.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from benchmarks.speed.products import RecordedProducts, best_seconds, wait_for
from benchmarks.speed.timing import CLOCKS, Case, Output, measure, significant
from hanabako.agents.learning import ppo
from hanabako.agents.learning.common.ranks import Ranks, joined_ranks, processor_settings
from hanabako.agents.networks.kinds import BASIC_NETWORKS, NETWORKS
from hanabako.agents.networks.network import fast_dtype, kind_of_processor
from hanabako.program import run_program
from hanabako.words.ranges import Positive, Size


@dataclass(frozen=True)
class Args:
    """Measure how fast networks learn."""

    device: str = "auto"
    """The device, as in PPO."""
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
    output = Output("learner", args)
    with joined_ranks(args.device) as ranks, processor_settings():
        trunks = ["float32"] if fast_dtype(ranks.device) == torch.float32 else ["bfloat16", "float32"]
        cases = [learning(args, network.kind, trunk, ranks) for network in BASIC_NETWORKS for trunk in trunks]
        rows = measure(cases, args.seconds, args.repeats, "learning")
        peaks = [peak(case, row["steps_per_second"], args.seconds / 400) for case, row in zip(cases, rows, strict=True)]
    shared = {"device": kind_of_processor(ranks.device), "games": args.games, "minibatch": args.minibatch}
    rows = [row | found | shared for row, found in zip(rows, peaks, strict=True)]
    output.write(rows)
    print(f"written: {output.path}")
    for row in rows:
        print(in_words(row))


def in_words(row: dict[str, Any]) -> str:
    """Return the line of a measured row."""
    speed = f"{row['network']:<10} {row['trunk']:<9} width {row['width']:>3} {row['steps_per_second']:>10,} decisions/s"
    return f"{speed}, {row['share_of_peak']:.0%} of the peak of its matrix products"


def learning(args: Args, kind: Any, trunk: Any, ranks: Ranks) -> Case:
    """Return the case of one update of a learner with this kind of network and number type."""
    settings = ppo.Args(
        network=kind, trunk=trunk, games=args.games, minibatch=args.minibatch, threads=args.threads, steps=10**9
    )
    row = {"network": kind, "trunk": trunk, "width": NETWORKS[kind].usual_width}
    clock = "cpu" if ranks.device.type == "cpu" and args.threads == 1 else "wall"
    return Case(row, updates(settings, ranks), clock)


def updates(settings: ppo.Args, ranks: Ranks) -> Callable[[], int]:
    """Return a function that makes one update of a new learner and returns the number of its decisions."""
    envs = settings.make_envs(settings.learned(settings.make_config()), ranks)
    learner = ppo.PPO(settings, envs, ranks)

    def play() -> int:
        learner.learn(0.5)
        wait_for(ranks.device)
        return settings.games * settings.horizon

    return play


def peak(case: Case, steps_per_second: float, seconds: float) -> dict[str, float]:
    """Return the peak of a learner's matrix products, and its share of it.

    Args:
        case: an update of the learner.
        steps_per_second: its measured decisions per second.
        seconds: seconds per repeat of a product.

    Returns:
        ``kflop``, thousands of floating-point operations of matrix products per decision; ``peak_gflops``, billions of
        them per second if each product ran alone at its best; ``share_of_peak``, the rate of the learner divided by
        this one.
    """
    with RecordedProducts() as recorded:
        decisions = case.play()
    counted, clock = recorded.times.items(), CLOCKS[case.clock]
    flops = sum(product.flops * times for product, times in counted)
    shortest = sum(best_seconds(product, seconds, clock) * times for product, times in counted)
    return {
        "kflop": significant(flops / decisions / 1e3),
        "peak_gflops": significant(flops / shortest / 1e9),
        "share_of_peak": significant(shortest / decisions * steps_per_second, 3),
    }


if __name__ == "__main__":
    run_program(main, Args, __spec__.name, __doc__)
