"""Decisions per second of one learner on several machines, simulated by several torchruns on loopback.

    python -m benchmarks.speed.machines                   # benchmarks/speed/results/machines.json
    python -m benchmarks.speed.machines --network dense --out dense.json

PPO learns standard Hanabi for two players with the `derived` observation. The same number of ranks runs on one machine,
where gradients are summed through shared memory, and on two, which exchange a message per minibatch. The sum is also
timed separately. The delay of a real network is not included.
"""

import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from subprocess import Popen
from typing import Any

import torch

from agents.learning import ppo
from agents.learning.common.launch import Machines, usable_cores
from agents.learning.common.network_settings import NetworkKind
from agents.learning.common.ranks import joined_ranks, processor_settings
from agents.learning.common.selfplay import SelfPlayEnvs
from benchmarks.speed.timing import Case, place, report, result, significant
from hanabako import machine
from hanabako.files import check_writable, write_json
from hanabako.program import run_program
from hanabako.progress import ProgressBar
from hanabako.words.ranges import Positive, Size

PORT = 29_417
"""The port on which the simulated machines connect."""
SUMS = 200
"""Number of sums of gradients that are timed separately."""


@dataclass(frozen=True)
class Args:
    """Measure how fast one learner is on several machines."""

    network: NetworkKind = "symmetric"
    """The kind of network."""
    games: Size = 1024
    """Games played in parallel, all ranks together."""
    minibatch: Size = 2048
    """Decisions per gradient step, all ranks together."""
    seconds: Positive = 10.0
    """Seconds per repeat."""
    repeats: Size = 5
    """Repeats per row."""
    out: Path | None = None
    """The JSON file; by default the committed results, or for a trial .cache/benchmarks."""
    rank: Path | None = None
    """Used by the ranks that this command starts: the file for their measurements."""


def main(args: Args) -> None:
    """Measure, print and write; or run as one of the ranks."""
    if args.rank is not None:
        write_part(args, args.rank)
        return
    check_writable(path := place(args, "machines.json"))
    described, shapes = machine.describe(), list(shapes_for(usable_cores()))
    parts = [[measured(args, *shape) for shape in shapes] for _ in ProgressBar(range(args.repeats), desc="machines")]
    rows = [row_of(*shape, [part[k] for part in parts]) for k, shape in enumerate(shapes)]
    write_json(path, report("machines", args, described, rows))
    print(f"written: {path}")
    for row in rows:
        shape = f"{row['machines']} x {row['ranks']:<2}"
        print(f"{shape} {row['steps_per_second']:>10,} decisions/s, {row['sum_ms']:>6} ms for a sum of gradients")


def shapes_for(cores: int) -> Iterator[tuple[int, int]]:
    """Yield numbers of machines and of ranks on each, for 1, 2, 4 ... ranks up to the number of cores."""
    ranks = 1
    while ranks <= cores:
        yield 1, ranks
        if ranks > 1:
            yield 2, ranks // 2
        ranks *= 2


def measured(args: Args, machines: int, ranks: int) -> dict[str, float]:
    """Measure on ``machines`` simulated machines with ``ranks`` ranks on each.

    Raises:
        ValueError: a rank failed.
    """
    with tempfile.TemporaryDirectory(prefix="hanabako-") as folder:
        path = Path(folder) / "part.json"
        told = {"network": args.network, "games": args.games, "minibatch": args.minibatch, "seconds": args.seconds}
        words = [word for name, value in (told | {"rank": path}).items() for word in (f"--{name}", str(value))]
        started = [
            Popen(
                [
                    *(sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", str(ranks)),
                    *Machines(machines, this, "127.0.0.1", PORT).words(),
                    *("-m", __spec__.name, *words),
                ],
                env=os.environ | {"OMP_NUM_THREADS": "1"},
            )
            for this in range(machines)
        ]
        if {process.wait() for process in started} != {0}:
            raise ValueError(f"a measurement on {machines} machines with {ranks} ranks failed")
        return json.loads(path.read_text(encoding="utf-8"))


def write_part(args: Args, path: Path) -> None:
    """Learn for a while as one of the ranks, and write the speed."""
    with joined_ranks("cpu") as ranks, processor_settings():
        settings = ppo.Args(network=args.network, games=args.games, minibatch=args.minibatch, steps=10**9, device="cpu")
        settings.check(ranks.world)
        envs = settings.make_envs(settings.learned(settings.make_config()), ranks, SelfPlayEnvs)
        learner = ppo.PPO(settings, envs, ranks)
        learner.learn(0.5)
        seconds = [timed(lambda: learner.learn(0.5))]
        while ranks.broadcast(sum(seconds) < args.seconds):
            seconds.append(timed(lambda: learner.learn(0.5)))
        gradient = torch.zeros(sum(weight.numel() for weight in learner.network.parameters()))
        ranks.wait()
        sums = [timed(lambda: ranks.sum_of_gradients(gradient)) for _ in range(SUMS if ranks.world > 1 else 1)]
        if ranks.rank == 0:
            part = {"steps_per_second": len(seconds) * args.games * settings.horizon / sum(seconds)}
            write_json(path, part | {"sum_ms": 1e3 * statistics.median(sums), "sum_bytes": 4 * gradient.numel()})


def timed(work: Callable[[], object]) -> float:
    """Return the seconds that ``work`` takes."""
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def row_of(machines: int, ranks: int, parts: list[dict[str, float]]) -> dict[str, Any]:
    """Return the JSON row of a case from its repeats."""
    sums = significant(statistics.median(part["sum_ms"] for part in parts)) if machines * ranks > 1 else 0
    case = Case({"machines": machines, "ranks": ranks}, lambda: 0, "wall")
    speeds = [part["steps_per_second"] for part in parts]
    return result(case, speeds) | {"sum_bytes": parts[0]["sum_bytes"], "sum_ms": sums}


if __name__ == "__main__":
    run_program(main, Args, __spec__.name, __doc__)
