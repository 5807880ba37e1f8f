"""Which settings of PPO learn best in equal time, each trained once.

    hanabako study list ppo_settings
    hanabako study run ppo_settings                   # trains what is missing
    hanabako study run ppo_settings --where ranks=2

All learn standard Hanabi for two players with `derived` observed, each with its whole schedule; the score is that of
greedy play on deals that were never trained on. The kinds of network are compared twice, after as many minutes of a
core's work and after as many decisions. The runs lie in ``runs/ppo_settings``: one that was interrupted goes on where
it was, and one that has ended is read again, not trained again.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agents.learning.common.launch import train_to_the_end
from agents.networks.policy_file import read_metadata
from agents.studies import Row, Study
from agents.studies.study import Result, Results, key_of

RUNS = Path("runs") / "ppo_settings"
NUMBERS = ("steps", "seconds", "core_seconds", "greedy_score", "greedy_score_error", "greedy_games", "greedy_lost")


@dataclass(frozen=True)
class Run(Row):
    """A training run."""

    ranks: int
    minutes: float
    """0 where the settings name ``--steps``."""
    settings: str
    """Settings of `agents.ppo`."""

    @property
    def cores(self) -> int:
        """One for each rank."""
        return self.ranks

    @property
    def folder(self) -> Path:
        """Where it is kept."""
        return RUNS / "_".join([f"{self.ranks}x{self.minutes:g}", *self.settings.replace("--", "").split()])


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
MINUTES, STEPS = 4, 2_500_000
NETWORKS = {
    name: (Run(1, MINUTES, f"--network {name} --clock core"), Run(1, 0, f"--network {name} --steps {STEPS}"))
    for name in ("symmetric", "dense", "recurrent")
}
"""By name: the runs of equal minutes and of equal decisions."""
ROWS = [
    *(Run(1, 4, settings) for settings in ALONE),
    *(Run(2, 4.5, settings) for settings in TOGETHER),
    *(Run(1, 4.5, f"{settings} --seed {seed}") for settings in ENTROPIES for seed in (1, 2)),
    *(run for runs in NETWORKS.values() for run in runs),
]


def train(run: Run, _before: Result | None) -> dict[str, Any]:
    """Train a run to its end, or go on with it; returns what it cost and reached.

    Raises:
        ValueError: it failed.
        SystemExit: it was interrupted.
    """
    minutes = ["--minutes", str(run.minutes)] if run.minutes else []
    settings = [*minutes, *run.settings.split()]
    last = train_to_the_end(run.ranks, run.folder, settings, f"hanabako study run {STUDY.name}")
    about = read_metadata(run.folder / "policy.safetensors")["about"]
    return {"done": 1, **{name: last[name] for name in NUMBERS}, "processor": about["processor"]}


def networks_board(results: Results) -> str:
    """The kinds of network in Markdown, in equal time and after as many decisions."""
    found = {key_of(result): result for result in results}
    head = f"| network | decisions in {MINUTES} core-minutes | score | core-minutes for {STEPS / 1e6} M | score |"
    lines = [head, "|---|---|---|---|---|"]
    for name, runs in NETWORKS.items():
        if all(run.key in found for run in runs):
            in_time, after = (found[run.key] for run in runs)
            decisions, spent = f"{in_time['steps'] / 1e6:.1f} M", f"{after['core_seconds'] / 60:.1f}"
            lines.append(f"| {name} | {decisions} | {score_of(in_time)} | {spent} | {score_of(after)} |")
    return "\n".join(lines)


def settings_board(results: Results) -> str:
    """The other runs in Markdown, best first among those of equal time."""
    lines = ["| ranks | minutes | settings | decisions | score | lost |", "|---|---|---|---|---|---|"]
    apart = {run.key for runs in NETWORKS.values() for run in runs}
    compared = [result for result in results if key_of(result) not in apart]
    for result in sorted(compared, key=lambda result: (result["ranks"], -result["greedy_score"])):
        cells = [result["ranks"], f"{result['minutes']:g}", f"`{result['settings']}`", f"{result['steps'] / 1e6:.1f} M"]
        lines.append(f"| {' | '.join(map(str, cells))} | {score_of(result)} | {result['greedy_lost']:.1%} |")
    return "\n".join(lines)


def score_of(result: Result) -> str:
    """A run's score, with its standard error."""
    return f"{result['greedy_score']:.2f} ± {result['greedy_score_error']:.2f}"


STUDY = Study("ppo_settings", ROWS, train, {"sweep": settings_board, "networks": networks_board}, unit="run")
