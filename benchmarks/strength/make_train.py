"""The scores of `make train`, by preset and kind of processor.

    hanabako study run make_train --where preset=standard    # five minutes, on all cores
    hanabako study run make_train --where preset=mini        # one minute
    hanabako study page shipped_networks                     # the table that shows the results

A row is one run of `benchmarks.demo` from scratch, kept in ``runs/make_train``, and 10,000 games of its policy. Scores
for a fixed time depend on the processor, mainly on whether it has bf16 instructions. So each row names a kind of
processor, and is refused on others. The oldest rows did not record theirs: they ran on two cores, and the one of the
standard game used an earlier recipe.
"""

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from agents import ppo
from agents.evaluation.report import Args, evaluate
from agents.learning.common.launch import ranks_for
from agents.learning.common.ranks import best_device
from agents.networks.network import kind_of_processor
from agents.studies import Row, Study
from agents.studies.store import NOT_RECORDED
from agents.studies.study import Result
from benchmarks import demo

__all__ = ["RESULTS", "STUDY", "MakeTrain"]

RUNS = Path("runs") / "make_train"
RESULTS = Path(__file__).resolve().parent / "results" / "make_train.json"
GAMES, SEED = 10_000, 1
MINUTES = {"standard": demo.Args.minutes, "mini": 1.0}
"""The minutes of `make train` and `make train MINUTES=1`."""
KINDS = (
    "cores without bf16 instructions",
    "cores with bf16 instructions",
    "a GPU with bf16 instructions",
    "a GPU without bf16 instructions",
)
"""The kinds of processors; see `kind_of_processor`."""


@dataclass(frozen=True)
class MakeTrain(Row):
    """One run of `make train`, and the score of its policy."""

    preset: str
    processor: str
    """One of `KINDS`, or "not recorded"."""

    @property
    def cores(self) -> int:
        """The ranks that `make train` starts."""
        return ranks_for(ppo.Args())


def play(row: MakeTrain, _before: Result | None) -> dict[str, Any]:
    """Run `make train` and measure its policy; ``evaluation`` is the result of `evaluate`.

    Raises:
        ValueError: the row is for a different kind of processor from this machine's.
        SystemExit: training failed, or was interrupted.
    """
    here = kind_of_processor(torch.device(best_device()))
    if row.processor != here:
        raise ValueError(f"processor must be that of this machine, {here}, got {row.processor}")
    run_dir = RUNS / f"{row.preset}-{time.strftime('%Y%m%d-%H%M%S')}"
    demo.run(demo.Args(minutes=MINUTES[row.preset], run_dir=run_dir))
    policy = str(run_dir / "policy.safetensors")
    evaluation = evaluate(Args("hanabi", preset=row.preset, agents=policy, games=GAMES, seed=SEED))
    return {"done": 1, "evaluation": evaluation}


STUDY = Study(
    "make_train",
    [MakeTrain(preset, processor) for preset in MINUTES for processor in (NOT_RECORDED, *KINDS)],
    play,
    unit="run",
)
