"""A training run's directory, log, learning curve, and handling of interruptions.

A run directory holds ``config.json``, ``metrics.jsonl``, ``curve.png``, ``checkpoint/`` and ``policy.safetensors``.
The file ``checkpoint/lock`` is locked while a process trains there.
"""

import json
import shlex
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from itertools import count
from pathlib import Path
from typing import Any, TypeVar

from filelock import FileLock, Timeout

from hanabako.drawing import charts
from hanabako.files import MOST_ARRAYS, parse_json, read_bytes, read_json, write_text
from hanabako.games import game_in_words, game_of, returns_in_words
from hanabako.interrupts import handling
from hanabako.progress import ProgressBar

from .published_scores import reference_lines
from .ranks import ALONE, Ranks

T = TypeVar("T")

# --- The run's directory ----------------------------------------------------------------------------------------------


def usual_run_dir(name: str) -> Path:
    """Return the directory for a new run ``name``: one that does not exist yet."""
    now = int(time.time())
    times = (time.strftime("%Y%m%d-%H%M%S", time.localtime(second)) for second in count(now))
    return next(path for moment in times if not (path := Path("runs") / f"{name}-{moment}").exists())


@contextmanager
def locked(run_dir: Path, ranks: Ranks = ALONE) -> Iterator[None]:
    """Lock a run's directory against other processes while the block runs; make the directory if there is none.

    Rank 0 has the lock. It belongs to the operating system, so a killed process leaves none. Raise ``ValueError`` if
    another process trains there, ``OSError`` if the directory cannot be made or written to.
    """
    lock, is_taken = FileLock(run_dir / "checkpoint" / "lock"), False
    if ranks.rank == 0:
        (run_dir / "checkpoint").mkdir(parents=True, exist_ok=True)
        try:
            lock.acquire(timeout=0)
        except Timeout:
            is_taken = True
    try:
        if ranks.any(is_taken):
            raise ValueError(f"{run_dir} is locked: another process trains there")
        yield
    finally:
        lock.release()


def read_about(run_dir: Path) -> dict[str, Any]:
    """Return a run's ``config.json``: algorithm, settings, game, ranks, machine; ``ValueError`` if there is no run."""
    try:
        about = read_json(run_dir / "config.json")
        if not isinstance(about, dict) or not isinstance(about.get("args"), dict):
            raise ValueError("its config.json has no settings")  # noqa: TRY004 - of the file
    except (OSError, ValueError) as error:
        raise ValueError(f"{run_dir} holds no run to resume: {error}") from error
    return about


def what_next(run_dir: Path, game: str, others: Sequence[str]) -> str:
    """Return the commands that evaluate a run's policy, in a competitive game among ``others``, and show it."""
    among = ["--mode", "tournament"] if others else []
    words = ["hanabako", "evaluate", game, *among, "--agents", ",".join([str(run_dir), *others])]
    return f"{shlex.join(words)}\n{shlex.join(['hanabako', 'watch', str(run_dir), '--open'])}"


# --- The curve --------------------------------------------------------------------------------------------------------


def shown_of(config: Any, others: Sequence[str]) -> dict[str, str]:
    """Return the numbers that show a run's progress: names in the log's rows, with labels.

    In a competitive game that is the return against ``others``, the agents that the network is evaluated among: in
    self-play all returns add up to a constant, and the winner's score says little.
    """
    if game_of(config).cooperative:
        return {"score": "score", "greedy_score": "greedy score", "fireworks_score": "fireworks"}
    return {"greedy_score": f"{returns_in_words(config)} against {', '.join(others)}"}


SEEN = 0.005
"""Smaller differences between two scores are not visible in a progress bar."""


class Log:
    """The run's log: ``metrics.jsonl``, the progress bar, and optional `LOGGERS`. Only rank 0 has it.

    The run continues after ``updates``; later rows are dropped. The progress bar shows the numbers ``shown``, see
    `shown_of`.
    """

    def __init__(self, run_dir: Path, updates: int, shown: Mapping[str, str], loggers: Sequence[str] = ()) -> None:
        self.path = run_dir / "metrics.jsonl"
        kept = [row for row in read_metrics(run_dir) if row["update"] <= updates]  # later updates will be repeated
        write_text(self.path, "".join(json.dumps(row) + "\n" for row in kept))
        form = "{percentage:3.0f}%|{bar:24}| {elapsed}{postfix}"
        self.bar = ProgressBar(total=100, initial=100 * spent(run_dir), unit="%", bar_format=form)
        self.loggers = [LOGGERS[name](run_dir) for name in loggers]
        self.labels = shown
        self.shown: dict[str, str] = {}

    def write(self, row: dict[str, float]) -> None:
        """Write a row to all loggers and the progress bar."""
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")
        for logger in self.loggers:
            logger.log(row, step=int(row["steps"]))
        self.shown["steps/s"] = f"{row['steps_per_second']:,.0f}"
        for name, label in self.labels.items():
            if name in row and not (name == "fireworks_score" and abs(row[name] - row["score"]) < SEEN):
                self.shown[label] = f"{row[name]:.2f}"
        self.bar.set_postfix(self.shown, refresh=False)
        self.bar.update(100 * row["fraction"] - self.bar.n)

    def close(self) -> None:
        """Close the progress bar, leaving it on the screen, and the loggers."""
        self.bar.close()
        for logger in self.loggers:
            logger.finish()


class TensorBoard:
    """TensorBoard's event files, in ``tensorboard/`` of the run's directory."""

    def __init__(self, run_dir: Path) -> None:
        with needed("tensorboard"):
            from torch.utils.tensorboard import SummaryWriter
        self.writer = SummaryWriter(run_dir / "tensorboard")
        self.finish = self.writer.close

    def log(self, row: dict[str, float], *, step: int) -> None:
        """Write a row."""
        for name, value in row.items():
            self.writer.add_scalar(name, value, step)


def weights_and_biases(run_dir: Path) -> Any:
    """Start a run of Weights & Biases, with files in ``wandb/``; its environment variables configure it."""
    with needed("wandb"):
        wandb = import_module("wandb")
    about, name = read_about(run_dir), run_dir.name
    return wandb.init(project="hanabako", name=name, dir=run_dir, config=about, resume="allow", id=name)


LOGGERS: dict[str, Callable[[Path], Any]] = {"tensorboard": TensorBoard, "wandb": weights_and_biases}
"""Additional loggers; each has the methods ``log(row, step=)`` and ``finish()`` of a run of Weights & Biases."""


@contextmanager
def needed(package: str) -> Iterator[None]:
    """Turn an import error into a ``ValueError`` that names the optional package."""
    try:
        yield
    except ImportError as error:
        raise ValueError(f"{package} is not installed: pip install {package}") from error


def read_metrics(run_dir: Path) -> list[dict[str, float]]:
    """Return the rows of the run's ``metrics.jsonl``, without broken lines such as a truncated last one."""
    return [row for row in map(row_of, lines_of(run_dir)) if row]


def last_row(run_dir: Path) -> dict[str, float]:
    """Return the last row of the run's ``metrics.jsonl``; an empty one before the first update."""
    return next(filter(None, map(row_of, reversed(lines_of(run_dir)))), {})


def greedy_curve(run_dir: Path) -> list[list[float]]:
    """Return decisions and greedy score, rounded to four digits, at each evaluation of a run."""
    evaluated = [row for row in read_metrics(run_dir) if "greedy_score" in row]
    return [[int(row["steps"]), round(row["greedy_score"], 4)] for row in evaluated]


def spent(run_dir: Path) -> float:
    """Return the fraction of its budget that a run has spent, 0 to 1."""
    return last_row(run_dir).get("fraction", 0.0)


def finished(run_dir: Path) -> dict[str, Any] | None:
    """Return the last row of a run's log if the run has spent its budget, otherwise None."""
    row = last_row(run_dir)
    return row if row.get("fraction", 0.0) >= 1 else None


def lines_of(run_dir: Path) -> list[bytes]:
    """Return the lines of the run's ``metrics.jsonl``; none if there is no such file."""
    path = run_dir / "metrics.jsonl"
    return read_bytes(path, MOST_ARRAYS).split(b"\n") if path.exists() else []


def row_of(line: bytes) -> dict[str, float]:
    """Return a log line's numbers by name; none if the line is broken."""
    try:
        row = parse_json(line, "a line")
    except ValueError:
        return {}
    is_row = isinstance(row, dict) and all(type(value) in (int, float) for value in row.values())
    return row if is_row and {"update", "steps"} <= row.keys() else {}


CURVES = (
    ("score", "while learning", "-"),
    ("greedy_score", "greedy", "o-"),
    ("fireworks_score", "fireworks while learning", "--"),
)
"""The curves in `draw_curve`: names in the log's rows, labels, line styles."""


def draw_curve(run_dir: Path, config: Any, others: Sequence[str], seen: str) -> Path:
    """Draw a run's learning curve to ``curve.png``: sampled and greedy score against decisions.

    For a competitive game it shows the return against ``others``, the agents that the network is evaluated among.
    ``seen`` are the words for the observation.
    """
    rows, shown = read_metrics(run_dir), shown_of(config, others)
    title = f"{run_dir.name}: {game_in_words(config)}\n{seen}"
    figure, axes = charts.chart(title, "decisions (millions)", shown["greedy_score"])
    if game_of(config).cooperative:
        partners = f" with {', '.join(others)}" if others else ""
        lowest = min([0, *(row.get("score", 0) for row in rows)])
        axes.set(ylabel=f"score{partners}", ylim=(lowest, config.max_score))
    losing = any(row.get("score", 0) < 0 for row in rows)  # then the score stays flat until games are no longer lost
    for name, label, style in CURVES:
        if name not in shown or (name == "fireworks_score" and not losing):
            continue
        some = [row for row in rows if name in row]
        axes.plot([row["steps"] / 1e6 for row in some], [row[name] for row in some], style, label=label)
    for one in reference_lines(config) if not others else ():
        charts.reference(axes, one.score, f"{one.name}, {one.effort}")
    charts.legend(axes)
    return charts.save(run_dir / "curve.png", figure)


# --- Interruptions ----------------------------------------------------------------------------------------------------


class Interruption:
    """Set by Ctrl-C or SIGTERM, so that a run ends after its update and can be resumed."""

    def __init__(self) -> None:
        self.happened = False
        self._cuts = False

    @contextmanager
    def watched(self) -> Iterator["Interruption"]:
        """Handle Ctrl-C and SIGTERM while the block runs."""
        with handling(self._note):
            yield self

    def cuts_short(self, work: Callable[[], T]) -> T | None:
        """Return the result of ``work``, or None if an interruption came before it or cut it short."""
        self._cuts = True
        try:
            return None if self.happened else work()
        except KeyboardInterrupt:
            if not self.happened:
                raise
            return None
        finally:
            self._cuts = False

    def _note(self, number: int, frame: Any) -> None:
        self.happened, cuts, self._cuts = True, self._cuts, False
        if cuts:
            raise KeyboardInterrupt
