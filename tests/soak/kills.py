"""Training runs that are killed at random times and resumed end equal to an uninterrupted run.

Every process is a fork of a server that has imported the learner, so that a start costs one second instead of ten.
SIGKILL ends the run, or one of its two ranks, at a time drawn uniformly over the duration of the whole run.
"""

import atexit
import multiprocessing
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from multiprocessing.process import BaseProcess
from multiprocessing.synchronize import Event
from pathlib import Path
from typing import Any

import numpy as np

from tests.processes import free_port

PROMISE = (
    "a run with `--steps` that is killed (of two ranks, one or both) and resumed has the same policy and metrics, but "
    "for times, as an uninterrupted run"
)
UNIT = "kills"
UPDATES, GAMES, HORIZON = 12, 32, 8
TINY = {
    "--games": GAMES,
    "--horizon": HORIZON,
    "--minibatch": 64,
    "--width": 16,
    "--steps": UPDATES * GAMES * HORIZON,
    "--evaluations": UPDATES,
    "--evaluation-games": 4,
    "--final-games": 20,
    "--device": "cpu",
}
HANABI = ("--preset", "very_small")
RUNS: dict[str, tuple[str, ...]] = {
    "ppo": HANABI,
    "ppo, 2 ranks": HANABI,
    **dict.fromkeys(("iql", "sad", "vdn", "qmix"), (*HANABI, "--rollouts", "2")),
    "fcp": (*HANABI, "--population", "2"),
    **dict.fromkeys(("e3t", "mappo", "off_belief"), HANABI),
    "other_play": ("--preset", "mini"),
    "cloning": ("--preset", "mini", "--agent", "smart"),
    "league": ("--preset", "document"),
}
"""The settings of an algorithm."""
ROWS = {name: 5 if name.startswith("ppo") else 1 for name in RUNS}
MOST_KILLS = 10
"""The most kills of one run; after them it may end, however busy the machine is."""
PATIENCE = 600
"""Seconds after which a process that does not end is a failure."""


@cache
def uninterrupted(name: str) -> tuple[Path, float]:
    """Return folder and duration of an uninterrupted run: the second of two, because the first one may compile."""
    folder = Path(tempfile.mkdtemp(prefix="soak-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    for attempt in range(2):
        run_dir, begin = folder / str(attempt), time.monotonic()
        life = begun(name, run_dir)
        ended(life, PATIENCE)
        if life[0].process.exitcode != 0:
            raise RuntimeError(f"{name} does not run: exit status {life[0].process.exitcode}")
    return run_dir, time.monotonic() - begin


def play(name: str, part: int) -> tuple[int, list[str]]:
    """Kill and resume a run until it ends."""
    complete, duration = uninterrupted(name)
    rng, kills, failures = np.random.default_rng([16, part]), 0, []
    with tempfile.TemporaryDirectory() as folder:
        run_dir = Path(folder) / "run"
        while True:
            life = begun(name, run_dir)
            ended(life, rng.uniform(0, duration) if kills < MOST_KILLS else PATIENCE)
            alive = [rank for rank in life if rank.process.is_alive()]
            if not alive:
                break
            if kills == MOST_KILLS:
                kill(alive)
                return kills, [*failures, f"it does not end in {PATIENCE} s"]
            victims = alive if rng.random() < 0.5 else alive[:1]
            kill(victims)
            kills += 1
            left = [rank for rank in alive if rank not in victims]
            if not all(rank.has_met.is_set() for rank in left):
                kill(left)  # it waits for a rank that never comes; torchrun would end it
            elif not ended(left, PATIENCE):
                failures.append("a rank went on that had lost another")
                kill(left)
        failures += differences(run_dir, complete, [rank.process.exitcode for rank in life])
    return kills, failures


def differences(run_dir: Path, complete: Path, codes: Sequence[int | None]) -> list[str]:
    from hanabako.agents.learning.common.runs import read_metrics
    from tests.agents.tiny_runs import weights, without_clock

    if any(codes):
        return [f"a resumed run ended with {codes}"]
    rows, others = (without_clock(read_metrics(d)) for d in (run_dir, complete))
    if rows != others:
        return ["other metrics"]
    some, expected = weights(run_dir), weights(complete)
    if some.keys() != expected.keys():
        return ["another network"]
    return [f"other weights: {key}" for key, tensor in some.items() if not tensor.equal(expected[key])]


@dataclass(frozen=True)
class Rank:
    process: BaseProcess
    has_met: Event
    """Set once it has met all other ranks; from then on it notices if one is gone."""


def begun(name: str, run_dir: Path) -> list[Rank]:
    """Start a process per rank, which begins or resumes the run."""
    from hanabako.agents.learning.common.checkpoints import holds_checkpoint

    algorithm, ranks = name.partition(",")[0], 2 if name.endswith("2 ranks") else 1
    options = [*RUNS[name], *(str(word) for pair in TINY.items() for word in pair), "--run-dir", str(run_dir)]
    options = ["--resume", str(run_dir)] if holds_checkpoint(run_dir / "checkpoint") else options
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(
        ["hanabako.agents.learning.ppo", "hanabako.agents.learning.league", "numba", "hanabi_env.vector"]
    )
    port = free_port()
    life = []
    for rank in range(ranks):
        has_met = context.Event()
        process = context.Process(target=live, args=(algorithm, options, rank, ranks, port, has_met))
        process.start()
        life.append(Rank(process, has_met))
    return life


def live(algorithm: str, options: list[str], rank: int, ranks: int, port: int, has_met: Event) -> None:
    """Run the learner's command without output; runs in the child process."""
    with Path(os.devnull).open("w", encoding="utf-8") as nowhere:
        os.dup2(nowhere.fileno(), 1)
        os.dup2(nowhere.fileno(), 2)
    if ranks > 1:  # as torchrun sets it
        world = {"WORLD_SIZE": ranks, "LOCAL_WORLD_SIZE": ranks, "RANK": rank, "LOCAL_RANK": rank}
        world |= {"TORCHELASTIC_RUN_ID": "1", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port}
        os.environ.update({key: str(value) for key, value in world.items()})
        tell_when_met(has_met)
    os.environ["OMP_NUM_THREADS"] = "1"
    from hanabako.agents.learning.common.algorithms import command_line

    command_line(f"hanabako.agents.learning.{algorithm}", options)
    sys.stdout.flush()


def tell_when_met(has_met: Event) -> None:
    """Set the event when this rank's group is initialized."""
    import torch.distributed as dist

    join = dist.init_process_group

    def join_and_tell(*args: Any, **kwargs: Any) -> None:
        join(*args, **kwargs)
        has_met.set()

    dist.init_process_group = join_and_tell


def ended(life: Sequence[Rank], seconds: float) -> bool:
    """Return whether all processes ended within that time."""
    end = time.monotonic() + seconds
    for rank in life:
        rank.process.join(max(0.0, end - time.monotonic()))
    return not any(rank.process.is_alive() for rank in life)


def kill(life: Sequence[Rank]) -> None:
    for rank in life:
        rank.process.kill()
    for rank in life:
        rank.process.join()
