"""Training runs killed at random moments and resumed, until they end: equal to one that nothing happened to.

Every process is a fork of a server that has imported the learner, so that a life costs a second and not ten. SIGKILL
takes it, or one of its two ranks, at a moment that is uniform over the time that the whole run takes.
"""

import multiprocessing
import os
import socket
import sys
import tempfile
import time
from collections.abc import Sequence
from importlib import import_module
from multiprocessing.process import BaseProcess
from pathlib import Path

import numpy as np

from tests.proof.records import Record, work

PROMISE = "A run with `--steps` that is killed and resumed ends equal to one that was not, to the last bit"
TESTED = (
    "SIGKILL at random moments of tiny runs with a checkpoint after every update; of two ranks both or one is killed; "
    "at the end metrics (but for times) and policy are compared"
)
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
RUNS: dict[str, tuple[str, int, tuple[str, ...], int]] = {
    "ppo, 1 rank": ("agents.ppo", 1, HANABI, 50),
    "ppo, 2 ranks": ("agents.ppo", 2, HANABI, 50),
    "vdn": ("agents.learning.vdn", 1, (*HANABI, "--rollouts", "2"), 4),
    "sad": ("agents.learning.sad", 1, (*HANABI, "--rollouts", "2"), 4),
    "mappo": ("agents.learning.mappo", 1, HANABI, 4),
    "other_play": ("agents.learning.other_play", 1, ("--preset", "mini"), 4),
    "off_belief": ("agents.learning.off_belief", 1, HANABI, 4),
    "cloning": ("agents.learning.cloning", 1, ("--preset", "mini", "--agent", "smart"), 4),
    "league": ("agents.learning.league", 1, ("--preset", "document"), 4),
}
"""Module, ranks, settings and kills wanted."""
MOST_KILLS = 10
"""Of one run: then it may come to its end, however busy the machine is."""
PATIENCE = 600
"""Seconds after which a life or an end that does not come is a failure."""
GRACE = 60
"""Seconds that a rank has to see that another is gone; then it is ended, as torchrun does at once."""


def run(record: Record, seconds: float, most: int = 10**6) -> None:
    """Kill on until every run has been killed as often as wanted, or ``most`` times if that is less."""
    goals = {}
    for name, (*_, wanted) in RUNS.items():
        record.row(name)
        goals[name] = min(wanted, most)
    record.keep_only(RUNS)
    with tempfile.TemporaryDirectory() as folder:
        whole: dict[str, tuple[Path, float]] = {}

        def kill(name: str) -> None:
            if name not in whole:
                whole[name] = uninterrupted(name, Path(folder))
            kill_one_run(record, name, *whole[name])

        work(record, goals, kill, seconds, "kills", " kills")


def uninterrupted(name: str, folder: Path) -> tuple[Path, float]:
    """A run that nothing happens to, and how long it took; the second of two, for the first one may compile."""
    for attempt in range(2):
        run_dir, begin = folder / f"{name}-{attempt}", time.monotonic()
        life = begun(name, run_dir)
        ended(life, PATIENCE)
        if life[0].exitcode != 0:
            raise RuntimeError(f"{name} does not run: exit status {life[0].exitcode}")
    return run_dir, time.monotonic() - begin


def kill_one_run(record: Record, name: str, whole: Path, duration: float) -> None:
    """A run that is killed again and again until it comes to its end."""
    rng = np.random.default_rng([16, record.rows[name]["amount"]])
    begin, kills, failures = time.perf_counter(), 0, []
    with tempfile.TemporaryDirectory() as folder:
        run_dir = Path(folder) / "run"
        while True:
            life = begun(name, run_dir)
            ended(life, rng.uniform(0, duration) if kills < MOST_KILLS else PATIENCE)
            alive = [rank for rank in life if rank.is_alive()]
            if not alive:
                break
            victims = alive if rng.random() < 0.5 else alive[:1]
            for rank in victims:
                rank.kill()
            kills += 1
            if not ended(life, GRACE):  # it may wait for one that never came
                for rank in life:
                    rank.kill()
                ended(life, PATIENCE)
        failures += differences(run_dir, whole, [rank.exitcode for rank in life])
    record.add(name, max(kills, 1), time.perf_counter() - begin, failures)


def differences(run_dir: Path, whole: Path, codes: Sequence[int | None]) -> list[str]:
    """What tells a run from the one that nothing happened to."""
    from agents.learning.runs import read_metrics
    from tests.agents.tiny_runs import weights, without_clock

    if any(codes):
        return [f"a resumed run ended with {codes}"]
    rows, others = (without_clock(read_metrics(d)) for d in (run_dir, whole))
    if rows != others:
        return ["other metrics"]
    some, expected = weights(run_dir), weights(whole)
    if some.keys() != expected.keys():
        return ["another network"]
    return [f"other weights: {key}" for key, tensor in some.items() if not tensor.equal(expected[key])]


# --- Lives of a run ---------------------------------------------------------------------------------------------------


def begun(name: str, run_dir: Path) -> list[BaseProcess]:
    """A process for every rank, which begin the run or go on with it."""
    from agents.learning.launch import words_for

    module, ranks, settings, _ = RUNS[name]
    options = words_for(run_dir, [*settings, *(str(word) for pair in TINY.items() for word in pair)])
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["agents.ppo", "agents.learning.league", "numba", "hanabi_env.vector"])
    port = free_port()
    life: list[BaseProcess] = [
        context.Process(target=live, args=(module, options, rank, ranks, port)) for rank in range(ranks)
    ]
    for process in life:
        process.start()
    return life


def live(module: str, options: list[str], rank: int, ranks: int, port: int) -> None:
    """What a process does: the command of the learner, silently."""
    with Path(os.devnull).open("w") as nowhere:
        os.dup2(nowhere.fileno(), 1)
        os.dup2(nowhere.fileno(), 2)
    if ranks > 1:
        world = {"WORLD_SIZE": ranks, "RANK": rank, "LOCAL_RANK": rank, "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port}
        os.environ.update({key: str(value) for key, value in world.items()})
    os.environ["OMP_NUM_THREADS"] = "1"
    import_module(module).main(options)
    sys.stdout.flush()


def ended(life: Sequence[BaseProcess], seconds: float) -> bool:
    """Whether all processes ended within that time."""
    end = time.monotonic() + seconds
    for process in life:
        process.join(max(0.0, end - time.monotonic()))
    return not any(process.is_alive() for process in life)


def free_port() -> int:
    """A port that nobody uses now."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def how_much(record: Record) -> str:
    """The amounts for the page."""
    return f"{record.amount} kills: " + ", ".join(
        f"{row['amount']} of `{name}`" for name, row in sorted(record.rows.items(), key=lambda item: -item[1]["amount"])
    )
