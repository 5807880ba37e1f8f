"""How long the first step takes, with everything to compile and with a warm cache.

    python -m benchmarks.speed.compile_time               # benchmarks/speed/results/compile_time.json

Every start is a new process, measured from the start of the interpreter to the end of one step. *Cold* starts have an
empty directory for Numba's disk cache, *warm* ones that of the last cold start. Python's own bytecode cache is used in
both. Both run on one thread and are measured in CPU time, which is the time on an idle machine with warm files.
"""

import os
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from benchmarks.speed.timing import Output, significant
from hanabako.program import run_program
from hanabako.progress import ProgressBar
from hanabako.words.ranges import Size

ROOT = Path(__file__).resolve().parents[2]

AEC = """
    from hanabi_env import hanabi_v0
    environment = hanabi_v0.raw_env({keywords})
    environment.reset(seed=1)
    environment.step(environment.observe("player_0")["action_mask"].argmax())
"""
VECTOR = """
    from hanabi_env import HanabiConfig, HanabiVectorEnv
    environment = HanabiVectorEnv({games}, config=HanabiConfig({keywords}), observation="packed")
    observation, _ = environment.reset(seed=1)
    environment.step(observation["action_mask"].argmax(axis=1))
"""

PROGRAMS = {
    "raw_env": AEC.format(keywords=""),
    "vector environment, 64 games": VECTOR.format(games=64, keywords=""),
    "vector environment, 1024 games": VECTOR.format(games=1024, keywords=""),
    "the environment that make train trains in": VECTOR.format(games=1024, keywords="derived=True"),
}
"""The measured programs by name; each ends after one step."""

CLOCKED = """
import time
def program():
{program}
program()
print(time.process_time())
"""


@dataclass
class Args:
    """Measure cold and warm starts."""

    repeats: Size = 5
    """Number of warm starts; the median is reported."""
    cold_repeats: Size = 3
    """Number of cold starts; the median is reported."""
    only: str = ""
    """Measure only programs whose name contains this."""
    out: Path | None = None
    """The JSON file; by default the committed results, or for a trial .cache/benchmarks."""


def start(program: str, cache: str) -> float:
    """Return the CPU seconds of a new process that runs ``program`` with this cache directory."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": cache, "PYTHONDONTWRITEBYTECODE": ""}
    command = [sys.executable, "-c", CLOCKED.format(program=program)]
    answer = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, encoding="utf-8", errors="replace", check=True
    )
    return float(answer.stdout.splitlines()[-1])


def measure(name: str, args: Args) -> dict:
    """Measure one program and return its row."""
    cold, warm = [], []
    for _ in ProgressBar(range(args.cold_repeats), desc=f"{name}: cold", leave=False):
        with tempfile.TemporaryDirectory() as cache:
            cold.append(start(PROGRAMS[name], cache))
            if len(cold) == args.cold_repeats:
                warm = [start(PROGRAMS[name], cache) for _ in range(args.repeats)]
    return {
        "fields": ["program"],
        "program": name,
        "cold_seconds": significant(statistics.median(cold), 3),
        "warm_seconds": significant(statistics.median(warm), 3),
        "cold_repeats": [significant(seconds, 3) for seconds in cold],
        "warm_repeats": [significant(seconds, 3) for seconds in warm],
    }


def main(args: Args) -> None:
    """Measure, print and write."""
    output = Output("compile_time", args)
    results = [measure(name, args) for name in PROGRAMS if args.only in name]
    for row in results:
        print(f"{row['program']:<36} cold {row['cold_seconds']:>6.2f} s   warm {row['warm_seconds']:>6.3f} s")
    output.write(results)
    print(f"written: {output.path}")


if __name__ == "__main__":
    run_program(main, Args, __spec__.name, __doc__)
