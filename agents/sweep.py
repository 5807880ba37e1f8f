"""Which settings learn best in equal time: trains each once, and writes `agents/results/sweep.json` and its table.

    python -m agents.sweep            # those that are not in the results yet, one after the other
    python -m agents.sweep --list     # what there is to train
    python -m agents.scoreboard       # the table in agents/SCORES.md

The runs lie in ``runs/sweep``; what was interrupted goes on where it was. All learn standard Hanabi for two players
with `derived` observed, each with its whole schedule; the score is that of greedy play on deals never trained on.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import tyro

from hanabako.files import read_json, write_text

from .learning.launch import train_to_the_end

RUNS = Path("runs") / "sweep"
RESULTS = Path(__file__).resolve().parent / "results" / "sweep.json"


class Row(NamedTuple):
    """One training run."""

    ranks: int
    minutes: float
    settings: str

    @property
    def name(self) -> str:
        """Of its directory."""
        return "_".join([f"{self.ranks}x{self.minutes:g}", *self.settings.replace("--", "").split()])


EARLY = "--entropy-end 0.003"
ALONE = (
    f"--network dense --width 256 --learning-rate 1e-3 {EARLY}",
    f"--network dense --width 256 --learning-rate 2e-3 {EARLY}",
    f"--width 128 --learning-rate 1e-3 {EARLY}",
    f"--width 96 --learning-rate 1e-3 {EARLY}",
    f"--width 64 --learning-rate 1e-3 {EARLY}",
    f"--width 64 --learning-rate 1e-3 --seed 2 {EARLY}",
    f"--width 64 --learning-rate 1e-3 --layers 3 {EARLY}",
    f"--width 64 --learning-rate 1e-3 --entropy 0.1 {EARLY}",
    f"--width 64 --learning-rate 1e-3 --gae-lambda 0.9 {EARLY}",
    f"--width 64 --learning-rate 2e-3 {EARLY}",
    f"--width 64 --learning-rate 4e-3 {EARLY}",
    f"--width 48 --learning-rate 1e-3 {EARLY}",
    f"--width 48 --learning-rate 2e-3 {EARLY}",
)
TOGETHER = (f"--width 64 --learning-rate 2e-3 {EARLY}", f"--width 64 --learning-rate 2e-3 --entropy 0.1 {EARLY}")
ENTROPIES = ("--entropy 0.1 --entropy-end 0.03", "--entropy 0.05 --entropy-end 0.05", "--entropy 0.1 --entropy-end 0.1")
ROWS = [Row(1, 4, settings) for settings in ALONE] + [Row(2, 4.5, settings) for settings in TOGETHER]
ROWS += [Row(1, 4.5, f"{settings} --seed {seed}") for settings in ENTROPIES for seed in (1, 2)]


@dataclass(frozen=True)
class Args:
    """Compare settings of `agents.ppo`."""

    list: bool = False
    """Only list them."""


def result_of(row: Row) -> dict[str, Any]:
    """Train as a row says, or go on with it; what it reached, as JSON types.

    Raises:
        SystemExit: it was interrupted, or failed.
    """
    run_dir, settings = RUNS / row.name, ["--minutes", str(row.minutes), *row.settings.split()]
    last = train_to_the_end(row.ranks, run_dir, settings, f"python -m {__spec__.name}")
    about = read_json(run_dir / "config.json")
    numbers = ("steps", "seconds", "greedy_score", "greedy_score_error", "greedy_games", "greedy_lost")
    return {**row._asdict(), **{name: last[name] for name in numbers}, "machine": about["machine"]}


def table(results: Sequence[dict[str, Any]]) -> str:
    """The results in Markdown, best first among those of equal time."""
    lines = ["| ranks | minutes | settings | decisions | score | lost |", "|---|---|---|---|---|---|"]
    for result in sorted(results, key=lambda result: (result["ranks"], -result["greedy_score"])):
        score = f"{result['greedy_score']:.2f} ± {result['greedy_score_error']:.2f}"
        cells = [result["ranks"], f"{result['minutes']:g}", f"`{result['settings']}`", f"{result['steps'] / 1e6:.1f} M"]
        lines.append(f"| {' | '.join(map(str, cells))} | {score} | {result['greedy_lost']:.1%} |")
    return "\n".join(lines)


def main(argv: Sequence[str] | None = None) -> None:
    """The command line."""
    args = tyro.cli(Args, args=argv, description=__doc__, prog=f"python -m {__spec__.name}")
    results = read_json(RESULTS) if RESULTS.exists() else []
    done = {Row(result["ranks"], result["minutes"], result["settings"]) for result in results}
    for row in ROWS:
        if args.list:
            print(f"{'done' if row in done else 'to do':<6}{row.ranks} x {row.minutes:g} minutes  {row.settings}")
        elif row not in done:
            results.append(result_of(row))
            write_text(RESULTS, json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
