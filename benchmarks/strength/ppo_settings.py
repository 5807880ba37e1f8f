"""Which settings learn best in equal time: trains each once, and writes `results/sweep.json` and its table.

    python -m benchmarks.strength.ppo_settings         # those that are not in the results yet, one after the other
    python -m benchmarks.strength.ppo_settings --list  # what there is to train
    python -m benchmarks.strength.scoreboard           # the table in benchmarks/strength/SCORES.md

The runs lie in ``runs/sweep``; what was interrupted goes on where it was. All learn standard Hanabi for two players
with `derived` observed, each with its whole schedule; the score is that of greedy play on deals never trained on.
The networks are compared twice, after as many minutes of a core's work and after as many decisions.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import tyro

from agents.learning.common.launch import train_to_the_end
from agents.networks.policy_file import read_metadata
from hanabako.files import read_json, write_text

RUNS = Path("runs") / "sweep"
RESULTS = Path(__file__).resolve().parent / "results" / "sweep.json"


class Row(NamedTuple):
    """One training run."""

    ranks: int
    minutes: float
    """0 where the settings name ``--steps``."""
    settings: str

    @property
    def name(self) -> str:
        """Of its directory."""
        return "_".join([f"{self.ranks}x{self.minutes:g}", *self.settings.replace("--", "").split()])


EARLY = "--entropy-end 0.003"
ALONE = (
    f"--network dense --width 256 --learning-rate 1e-3 {EARLY}",
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
MINUTES, STEPS = 4, 2_500_000
NETWORKS = {
    name: (Row(1, MINUTES, f"--network {name} --clock core"), Row(1, 0, f"--network {name} --steps {STEPS}"))
    for name in ("symmetric", "dense", "recurrent")
}
"""By name: the rows of equal minutes and of equal decisions."""
ROWS += [row for rows in NETWORKS.values() for row in rows]


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
    minutes = ["--minutes", str(row.minutes)] if row.minutes else []
    run_dir, settings = RUNS / row.name, [*minutes, *row.settings.split()]
    last = train_to_the_end(row.ranks, run_dir, settings, f"python -m {__spec__.name}")
    about = read_metadata(run_dir / "policy.safetensors")["about"] | read_json(run_dir / "config.json")
    numbers = ("steps", "seconds", "core_seconds", "greedy_score", "greedy_score_error", "greedy_games", "greedy_lost")
    result = {**row._asdict(), **{name: last[name] for name in numbers}}
    return result | {name: about[name] for name in ("processor", "machine")}


def row_of(result: Mapping[str, Any]) -> Row:
    """What a result is of."""
    return Row(*(result[name] for name in Row._fields))


def networks_board(results: Sequence[Mapping[str, Any]]) -> str:
    """The networks in Markdown, in equal time and after as many decisions."""
    found = {row_of(result): result for result in results}
    equal = {name: [found[row] for row in rows] for name, rows in NETWORKS.items() if all(row in found for row in rows)}
    head = f"| network | decisions in {MINUTES} core-minutes | score | core-minutes for {STEPS / 1e6} M | score |"
    lines = [head, "|---|---|---|---|---|"]
    for name, (in_time, after) in equal.items():
        decisions, spent = f"{in_time['steps'] / 1e6:.1f} M", f"{after['core_seconds'] / 60:.1f}"
        lines.append(f"| {name} | {decisions} | {score_of(in_time)} | {spent} | {score_of(after)} |")
    kinds = dict.fromkeys(result["processor"] for pair in equal.values() for result in pair)
    return "\n".join([*lines, "", f"Measured on {' and '.join(kinds)}."])


def score_of(result: Mapping[str, Any]) -> str:
    """In words."""
    return f"{result['greedy_score']:.2f} ± {result['greedy_score_error']:.2f}"


def table(results: Sequence[Mapping[str, Any]]) -> str:
    """The other results in Markdown, best first among those of equal time."""
    lines = ["| ranks | minutes | settings | decisions | score | lost |", "|---|---|---|---|---|---|"]
    apart = {row for rows in NETWORKS.values() for row in rows}
    compared = [result for result in results if row_of(result) not in apart]
    for result in sorted(compared, key=lambda result: (result["ranks"], -result["greedy_score"])):
        cells = [result["ranks"], f"{result['minutes']:g}", f"`{result['settings']}`", f"{result['steps'] / 1e6:.1f} M"]
        lines.append(f"| {' | '.join(map(str, cells))} | {score_of(result)} | {result['greedy_lost']:.1%} |")
    return "\n".join(lines)


def main(argv: Sequence[str] | None = None) -> None:
    """The command line."""
    args = tyro.cli(Args, args=argv, description=__doc__, prog=f"python -m {__spec__.name}")
    results = read_json(RESULTS) if RESULTS.exists() else []
    done = {row_of(result) for result in results}
    for row in ROWS:
        if args.list:
            minutes = f" x {row.minutes:g} minutes" if row.minutes else ""
            print(f"{'done' if row in done else 'to do':<6}{row.ranks}{minutes}  {row.settings}")
        elif row not in done:
            results.append(result_of(row))
            write_text(RESULTS, json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
