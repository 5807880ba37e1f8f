"""A check for continuous integration: fail if the games have become slow compared with their peers.

    python -m benchmarks.speed.ratios

Unlike a rate, the ratio to a peer measured in the same run depends little on the machine. The check fails if a ratio
falls below half of the committed one; different machines differ by less.
"""

from dataclasses import dataclass
from typing import Any

from benchmarks.speed import peers
from benchmarks.speed.timing import RESULTS
from hanabako.files import read_json
from hanabako.program import run_program
from hanabako.words.ranges import Positive, Size

PART = 0.5
"""The check fails below this fraction of the committed ratio."""


@dataclass(frozen=True)
class Args:
    """Measure the ratios to all installed peers, briefly."""

    seconds: Positive = 0.3
    """CPU seconds per repeat."""
    repeats: Size = 3
    """Repeats per row; the median is used."""


def run(args: Args) -> None:
    """Measure and compare.

    Raises:
        SystemExit: a ratio has fallen, or no peer is installed.
    """
    committed = ratios(read_json(RESULTS / "peers.json")["results"])
    found = ratios(peers.run(peers.Args(players=[2], seconds=args.seconds, repeats=args.repeats))["results"])
    pairs = {key: (ratio, committed[key]) for key, ratio in found.items() if key in committed}
    if not pairs:
        raise SystemExit("no peer is installed: nothing can be compared")
    fallen = 0
    for (peer, content), (now, before) in pairs.items():
        is_slow = now < PART * before
        fallen += is_slow
        print(
            f"{content:<12}{peer:<40}{now:>8.1f} times as fast, committed {before:.1f}{'  FALLEN' if is_slow else ''}"
        )
    if fallen:
        raise SystemExit(f"{fallen} of {len(pairs)} ratios have fallen below {PART} of the committed ones")


def ratios(rows: list[dict[str, Any]]) -> dict[tuple[str, str], float]:
    """Return how many times as fast we are as each peer with 2 players, by peer and content of a step."""
    name = "slower_than_hanabako"
    return {(row["peer"], row["content"]): row[name] for row in rows if row["players"] == 2 and name in row}


if __name__ == "__main__":
    run_program(run, Args, __spec__.name, __doc__)
