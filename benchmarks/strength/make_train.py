"""The scores of `make train`, by preset and kind of processor.

    hanabako study run make_train --where preset=standard    # five minutes, on all cores
    hanabako study run make_train --where preset=mini        # one minute

A row is one run of `benchmarks.demo` from scratch, kept in ``runs/make_train``, and 10,000 games of its policy. Scores
for a fixed time depend on the processor, mainly on whether it has bf16 instructions. So each row names a kind of
processor, and is refused on others. It is Python because it runs the program behind `make train`.
"""

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from benchmarks import demo
from hanabako.agents.learning import ppo
from hanabako.agents.learning.common.launch import ranks_for
from hanabako.agents.learning.common.ranks import best_device
from hanabako.agents.networks.network import kind_of_processor
from hanabako.agents.results import Row, Study
from hanabako.agents.results.evaluation import Args, evaluate
from hanabako.agents.results.store import read_results
from hanabako.agents.results.study import Result, Results
from hanabako.agents.results.tables import training_in_words, with_error
from hanabako.generated import table

__all__ = ["RESULTS", "STUDY", "MakeTrain", "runs"]

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
    """One of `KINDS`."""

    @property
    def cores(self) -> int:
        """The ranks that `make train` starts."""
        return ranks_for(ppo.Args())


def play(row: MakeTrain, _before: Result | None) -> dict[str, Any]:
    """Run `make train` and measure its policy; ``trained`` is what its file says of the training.

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
    (found,) = evaluate(Args("hanabi", preset=row.preset, agents=policy, games=GAMES, seed=SEED)).rows
    about = found["trained"][policy]
    numbers = {name: value for name, value in found.items() if name not in ("fields", "trained", "preset", "wanted")}
    return {**numbers, "done": 1, "trained": about}


def runs(preset: str) -> list[dict[str, Any]]:
    """Return the results of a preset."""
    return [row for row in read_results(RESULTS) if row["preset"] == preset]


def scores(results: Results) -> str:
    """Return a table with a line per run."""
    lines = [
        [
            row["preset"],
            row["processor"],
            with_error(row["score"], row["score_error"]),
            training_in_words(row["trained"]),
        ]
        for row in results
    ]
    return table(["game", "processor", "score", "training"], lines)


STUDY = Study(
    "make_train",
    [MakeTrain(preset, processor) for preset in MINUTES for processor in KINDS],
    play,
    tables={"make_train": scores},
    unit="run",
)
