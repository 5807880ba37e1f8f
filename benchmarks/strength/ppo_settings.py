"""Which settings of PPO score highest in equal time, each trained once.

    hanabako study list ppo_settings
    hanabako study run ppo_settings                   # trains what is missing
    hanabako study run ppo_settings --where ranks=2

All runs learn standard Hanabi for two players with the `derived` observation, each with its whole schedule. The score
is that of greedy play on deals that are never used in training. The kinds of network are compared twice, after equal
core-minutes and after equal numbers of decisions. The runs are kept in ``runs/ppo_settings``: an interrupted run is
resumed, and a finished one is not repeated.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agents.learning.common.launch import train_to_the_end
from agents.networks.policy_file import read_metadata
from agents.studies import Row, Study
from agents.studies.study import Result, Results, key_of
from benchmarks.recipes import EARLIER

RUNS = Path("runs") / "ppo_settings"
NUMBERS = ("steps", "seconds", "core_seconds", "greedy_score", "greedy_score_error", "greedy_games", "greedy_lost")


@dataclass(frozen=True)
class Run(Row):
    """A training run."""

    ranks: int
    minutes: float
    """The budget in minutes; 0 if the settings have ``--steps``."""
    settings: str
    """Settings of `agents.ppo`."""

    @property
    def cores(self) -> int:
        """The number of cores, one per rank."""
        return self.ranks

    @property
    def folder(self) -> Path:
        """The run's directory."""
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
"""By kind of network: the run with equal minutes, and the one with equal decisions."""
ROWS = [
    *(Run(1, 4, settings) for settings in ALONE),
    *(Run(2, 4.5, settings) for settings in TOGETHER),
    *(Run(1, 4.5, f"{settings} --seed {seed}") for settings in ENTROPIES for seed in (1, 2)),
    *(run for runs in NETWORKS.values() for run in runs),
]


def train(run: Run, _before: Result | None) -> dict[str, Any]:
    """Train or resume a run; return its cost and score.

    Raises:
        ValueError: training failed.
        SystemExit: training was interrupted.
    """
    minutes = ["--minutes", str(run.minutes)] if run.minutes else []
    settings = [*minutes, *EARLIER, *run.settings.split()]
    last = train_to_the_end(run.ranks, run.folder, settings, f"hanabako study run {STUDY.name}")
    about = read_metadata(run.folder / "policy.safetensors")["about"]
    return {"done": 1, **{name: last[name] for name in NUMBERS}, "processor": about["processor"]}


def networks_board(results: Results) -> str:
    """Return a Markdown table of the kinds of network, after equal time and after equal numbers of decisions."""
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
    """Return a Markdown table of the other runs, best first within each number of ranks."""
    lines = ["| ranks | minutes | settings | decisions | score | lost |", "|---|---|---|---|---|---|"]
    apart = {run.key for runs in NETWORKS.values() for run in runs}
    compared = [result for result in results if key_of(result) not in apart]
    for result in sorted(compared, key=lambda result: (result["ranks"], -result["greedy_score"])):
        cells = [result["ranks"], f"{result['minutes']:g}", f"`{result['settings']}`", f"{result['steps'] / 1e6:.1f} M"]
        lines.append(f"| {' | '.join(map(str, cells))} | {score_of(result)} | {result['greedy_lost']:.1%} |")
    return "\n".join(lines)


def score_of(result: Result) -> str:
    """Format a run's score with its standard error."""
    return f"{result['greedy_score']:.2f} ± {result['greedy_score_error']:.2f}"


STUDY = Study("ppo_settings", ROWS, train, {"sweep": settings_board, "networks": networks_board}, unit="run")
