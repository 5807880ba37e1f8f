"""The timing of all benchmarks: a warm-up, then repeats of fixed duration, interleaved over the compared cases.

One core is measured in steps per second of CPU time, which other programs disturb least; several cores by the wall
clock. Compared cases take turns (first repeat of each, second repeat of each, ...), so that a slow minute of the
machine affects all of them and ratios stay fair. The median is reported, with the range as its spread.
"""

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Literal

from hanabako import timing
from hanabako.agents.results.study import options_of
from hanabako.files import check_writable
from hanabako.machine import load_average
from hanabako.progress import ProgressBar
from hanabako.results_file import origin_of, write_results

CLOCKS = {"cpu": time.process_time, "wall": time.perf_counter}


@dataclass(frozen=True)
class Case:
    """A case to measure."""

    row: dict[str, str | int]
    """The columns that describe the case in its result."""
    play: Callable[[], int]
    """A function that plays for some milliseconds and returns the number of steps (moves of one player) played."""
    clock: Literal["cpu", "wall"] = "cpu"


def steps_per_second(case: Case, seconds: float) -> float:
    """Return the steps per second of ``case.clock``, measured over at least ``seconds``."""
    return timing.steps_per_second(case.play, seconds, CLOCKS[case.clock])


def measure(cases: Sequence[Case], seconds: float, repeats: int, title: str) -> list[dict]:
    """Return one result per case: its row, the clock, median, lowest and highest steps per second, and all repeats."""
    for case in ProgressBar(cases, desc=f"{title}: warm-up", leave=False):
        steps_per_second(case, seconds / 5)
    speeds: list[list[float]] = [[] for _ in cases]
    for _ in ProgressBar(range(repeats), desc=title, leave=False):
        for case, found in zip(cases, speeds, strict=True):
            found.append(steps_per_second(case, seconds))
    return [result(case, found) for case, found in zip(cases, speeds, strict=True)]


def result(case: Case, speeds: list[float]) -> dict:
    """Return the row of a measured case, as JSON types."""
    return {
        "fields": list(case.row),
        **case.row,
        "clock": case.clock,
        "steps_per_second": significant(statistics.median(speeds)),
        "lowest": significant(min(speeds)),
        "highest": significant(max(speeds)),
        "repeats": [significant(speed) for speed in speeds],
    }


def significant(value: float, digits: int = 4) -> float:
    """Return ``value`` rounded to ``digits`` significant digits; more would be noise."""
    rounded = float(f"{value:.{digits}g}")
    return int(rounded) if rounded.is_integer() else rounded


# --- Where the results go ---------------------------------------------------------------------------------------------

ROOT = Path(__file__).resolve().parents[2]
RESULTS = Path(__file__).parent / "results"
TRIALS = ROOT / ".cache" / "benchmarks"
EFFORT = ("seconds", "repeats", "cold_repeats")
"""Settings for which more is better; all others select what is measured."""


class Output:
    """The results file of a benchmark. The machine is described when this is made: before anything is measured.

    Args:
        benchmark: the module in `benchmarks.speed`.
        args: its settings, a dataclass with ``out``.
        packages: more packages whose versions count.
        selects: a setting that selects rows; rows that it does not select are kept.
    """

    def __init__(self, benchmark: str, args: Any, packages: tuple[str, ...] = (), selects: str = "") -> None:
        self.benchmark, self.path = benchmark, place(args, f"{benchmark}.json", selects)
        check_writable(self.path)
        self.origin = origin_of(options_of(args), ("python", "-m", f"benchmarks.speed.{benchmark}"), packages)

    def write(self, rows: Sequence[dict[str, Any]], kept: Sequence[dict[str, Any]] = ()) -> None:
        """Write the rows of a benchmark, after rows of earlier runs that are ``kept``."""
        own = {"done": 1, "wanted": 1, "load_average_after": load_average()}
        write_results(self.path, self.benchmark, self.origin, [*kept, *(self.origin | row | own for row in rows)])


def place(args: Any, name: str, selects: str = "") -> Path:
    """Return the file for results: among the committed ones only if the run is as thorough as they are.

    Args:
        args: the benchmark's settings, a dataclass. ``out``, if given, is the result. A run is a trial if it takes less
            time than by default, or measures something else.
        name: the file's name.
        selects: see `Output`.
    """
    if args.out is not None:
        return args.out
    usual = type(args)()
    for field in fields(args):
        value, default = getattr(args, field.name), getattr(usual, field.name)
        if field.name != selects and (value < default if field.name in EFFORT else value != default):
            return TRIALS / name
    return RESULTS / name
