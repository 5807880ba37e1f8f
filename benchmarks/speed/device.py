"""Games on a GPU: are they equal to those of the CPU, and how fast are they? It takes about two minutes.

    python -m benchmarks.speed.device                     # benchmarks/speed/results/device.json

1. Equality: random play of standard Hanabi on GPU and CPU; observations, masks, rewards and ends must not differ.
2. Speed: random legal moves with packed observations in one kernel, by number of tables, beside the bound that the
   memory's bandwidth sets if each step reads and writes its table and writes its observation once.
3. Learning: PPO with games, rollout and updates on the GPU, in decisions per second.

The JSON is written after each part. A difference ends the program with status 1.
"""

import json
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from benchmarks.speed.learner import updates
from benchmarks.speed.products import wait_for
from benchmarks.speed.timing import Output, significant
from hanabako.agents.learning import ppo
from hanabako.agents.learning.common.ranks import joined_ranks, processor_settings
from hanabako.compiler.cuda import IS_SIMULATED
from hanabako.engine.sections import words_for
from hanabako.envs.device_vector import PLACE, DeviceArray, DeviceVectorEnv
from hanabako.program import run_program
from hanabako.timing import steps_per_second
from hanabako.words.ranges import Positive, Size
from hanabi_env import HanabiVectorEnv

GIB = 2**30
CALLS = 4
"""Kernels that are started before the clock waits for them."""


@dataclass(frozen=True)
class Args:
    """Check and measure games on a GPU."""

    compared: Size = 65_536
    """Tables that are compared with the CPU."""
    compared_steps: Size = 200
    """Steps of the comparison."""
    tables: tuple[int, ...] = (1024, 4096, 16_384, 65_536, 262_144, 1_048_576)
    """Numbers of tables whose speed is measured."""
    steps: Size = 64
    """Steps per table in one call of the kernel."""
    games: tuple[int, ...] = (4096, 16_384, 65_536)
    """Numbers of games from which the learner learns."""
    horizon: Size = 32
    """Decisions per game in one rollout of the learner."""
    seconds: Positive = 2.0
    """Seconds of each measurement."""
    out: Path | None = None
    """The JSON file; by default the committed results, or for a trial .cache/benchmarks."""


def main(args: Args) -> None:
    """Check, measure, print and write."""
    output = Output("device", args, () if IS_SIMULATED else ("numba-cuda",))
    rows: list[dict[str, Any]] = []
    for row in measured(args):
        rows.append({"fields": list(row)[:1], **row, "device": device_name()})
        output.write(rows)
        print(json.dumps(row))
    print(f"written: {output.path}")
    if rows[0]["equal"] != "equal":
        sys.exit(1)


def measured(args: Args) -> Iterator[dict[str, Any]]:
    """Yield the rows: the comparison with the CPU, then speeds, then learning."""
    yield {"compared": args.compared, "steps": args.compared_steps, "equal": difference(args) or "equal"}
    gib_per_second = bandwidth(args.seconds)
    for count in args.tables:
        yield speed(args, count, gib_per_second)
    for count in args.games:
        yield learning(args, count)


def device_name() -> str:
    """Return the name of the GPU, or of what simulates it."""
    return "Numba's simulator" if IS_SIMULATED else torch.cuda.get_device_name()


# --- Equality ---------------------------------------------------------------------------------------------------------


def difference(args: Args) -> str:
    """Return what differs first between games on the GPU and on the CPU; "" if nothing does."""
    there: Any = HanabiVectorEnv(args.compared, seed=7, observation="packed", device="cuda")
    here = HanabiVectorEnv(args.compared, seed=7, observation="packed")
    torch.manual_seed(7)
    (seen_there, infos_there), (seen_here, infos_here) = there.reset(), here.reset()
    for step in range(args.compared_steps):
        pairs = {
            **{name: (seen_there[name], seen_here[name]) for name in seen_here},
            **{name: (infos_there[name], infos_here[name]) for name in infos_here if name != "final_obs"},
        }
        for name, (found, expected) in pairs.items():
            if not np.array_equal(found.cpu().numpy(), expected):
                return f"{name} differs before step {step}"
        actions = random_actions(seen_there["action_mask"])
        seen_there, reward_there, *_, infos_there = there.step(actions)
        seen_here, reward_here, *_, infos_here = here.step(actions.cpu().numpy())
        if not np.array_equal(reward_there.cpu().numpy(), reward_here):
            return f"rewards differ in step {step}"
    return ""


def random_actions(masks: torch.Tensor) -> torch.Tensor:
    """Return a random legal action per row of the masks; in a few rows any action, which may be illegal."""
    noise = torch.rand(masks.shape, device=masks.device)
    any_action = torch.rand(len(masks), 1, device=masks.device) < 0.001
    return (noise * (masks | any_action)).argmax(1)


# --- Speed ------------------------------------------------------------------------------------------------------------


def bandwidth(seconds: float) -> float:
    """Return the GiB that a copy within the GPU's memory reads and writes per second."""
    source = torch.zeros(GIB if PLACE.type == "cuda" else 2**20, dtype=torch.uint8, device=PLACE)
    target = torch.empty_like(source)

    def copy() -> int:
        for _ in range(CALLS):
            target.copy_(source)
        wait_for(PLACE)
        return CALLS * 2 * len(source)

    return significant(rate(copy, seconds) / GIB)


def speed(args: Args, count: int, gib_per_second: float) -> dict[str, Any]:
    """Return the steps per second of random play at ``count`` tables, with the bound of the bandwidth."""
    env = DeviceVectorEnv(HanabiVectorEnv(1).game, count, seed=1, observation="packed", copy=False)
    env.reset()
    words = words_for(env.game.observation_bits)
    seen = DeviceArray((count, 1, words), np.dtype(np.uint64))
    first = iter(range(0, 2**62, args.steps))

    def play() -> int:
        for _ in range(CALLS):
            env.run(env.kernels.rollout, env.records, seen, np.uint64(1), next(first), args.steps)
        wait_for(PLACE)
        return CALLS * count * args.steps

    octets = 2 * env.records.kind.itemsize + 8 * words
    bound = significant(gib_per_second * GIB / octets)
    return {
        "tables": count,
        "steps_per_second": significant(rate(play, args.seconds)),
        "bytes_per_step": octets,
        "bound": bound,
        "gib_per_second": gib_per_second,
    }


def rate(play: Callable[[], int], seconds: float) -> float:
    """Return what ``play`` counts per second of the wall clock, after a call to compile and warm up."""
    play()
    return steps_per_second(play, seconds, time.perf_counter)


# --- Learning ---------------------------------------------------------------------------------------------------------


def learning(args: Args, games: int) -> dict[str, Any]:
    """Return the decisions per second of PPO with ``games`` games on the GPU."""
    minibatch = max(games * args.horizon // 8, 1)
    settings = ppo.Args(games=games, horizon=args.horizon, minibatch=minibatch, simulator="cuda", steps=10**9)
    with joined_ranks(PLACE.type) as ranks, processor_settings():
        decisions = significant(rate(updates(settings, ranks), args.seconds))
    return {"games": games, "minibatch": minibatch, "decisions_per_second": decisions}


if __name__ == "__main__":
    run_program(main, Args, __spec__.name, __doc__)
