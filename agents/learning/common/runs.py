"""A training run as its directory keeps it, shows it, and goes on after an interruption.

A run directory holds ``config.json``, ``metrics.jsonl``, ``curve.png``, ``checkpoint/`` and ``policy.safetensors``.
The file ``checkpoint/lock`` is locked while a process trains there. Where several machines train, each disk has a
directory, with ``config.json`` and ``checkpoint/`` of the ranks that see it; rank 0's has the rest.
"""

import io
import json
import secrets
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from itertools import count
from pathlib import Path
from typing import Any, Protocol, TypeVar

from filelock import FileLock, Timeout

from hanabako.files import parse_json, read_json, write_bytes, write_json, write_text
from hanabako.games import config_to_dict, game_of
from hanabako.interrupts import handling
from hanabako.machine import describe
from hanabako.progress import ProgressBar

from .ranks import Ranks

T = TypeVar("T")

# --- The run's directory ----------------------------------------------------------------------------------------------


def usual_run_dir(name: str, ranks: Ranks) -> Path:
    """Where a run of this name that begins now is kept: the same on every rank, and not where another is."""

    def place(second: int) -> Path:
        return Path("runs") / f"{name}-{time.strftime('%Y%m%d-%H%M%S', time.localtime(second))}"

    now = int(time.time())
    return ranks.broadcast(next(path for path in map(place, count(now)) if not path.exists()))


def begin_run(run_dir: Path, algorithm: str, settings: dict[str, Any], config: Any, ranks: Ranks, keeps: bool) -> None:
    """Describe a new run in the ``config.json`` of its directory.

    Args:
        run_dir: the directory; what is there is written over.
        algorithm: its name.
        settings: of the run, as JSON types.
        config: what is played.
        ranks: that train.
        keeps: whether this rank keeps the directory, see `locked`.

    Raises:
        OSError: the directory cannot be written to.
    """
    if keeps:
        about = {
            "algorithm": algorithm,
            "args": settings,
            "config": config_to_dict(config),
            "observation": config.observation_name,
            "observation_bits": config.observation_bits,
            "ranks": ranks.world,
            "machines": len(ranks.firsts),
            "device": str(ranks.device),
            "machine": describe(),
        }
        write_json(run_dir / "config.json", about)
    ranks.wait()


@contextmanager
def locked(run_dir: Path, ranks: Ranks) -> Iterator[bool]:
    """Keep other processes from training in a run's directory while the block runs; it is made if there is none.

    One rank keeps the directory on each disk: the first rank of the first machine that sees it there. The machines look
    for a file of a name that only this run knows, one after the other. The keeper holds the lock, which is the
    operating system's, so that a process which is killed leaves none.

    Yields:
        Whether this rank keeps the directory, and does what is done once on a disk.

    Raises:
        ValueError: another process trains there.
        OSError: the directory cannot be made or written to.
    """
    folder = run_dir / "checkpoint"
    token = folder / ranks.broadcast(f"disk-{secrets.token_hex(8)}")
    lock, keeps, taken = FileLock(folder / "lock"), False, False
    for first in ranks.firsts:
        if ranks.rank == first and not sees(token):
            keeps = True
            write_text(token, "")
            try:
                lock.acquire(timeout=0)
            except Timeout:
                taken = True
        ranks.wait()
    if keeps:
        token.unlink()
    try:
        if ranks.any(taken):
            raise ValueError(f"{run_dir} is locked: another process trains there")
        yield keeps
    finally:
        lock.release()


def sees(path: Path) -> bool:
    """Whether a file is there. On a network's disk, what was missing may be remembered until its folder is listed."""
    for folder in reversed(path.parents[:3]):
        with suppress(OSError):
            list(folder.iterdir())
    return path.exists()


def read_about(run_dir: Path) -> dict[str, Any]:
    """What the ``config.json`` of a run says of it: see `begin_run`.

    Raises:
        ValueError: the directory holds no run.
    """
    try:
        about = read_json(run_dir / "config.json")
        if not isinstance(about, dict) or not isinstance(about.get("args"), dict):
            raise ValueError("its config.json has no settings")  # noqa: TRY004 - of the file
    except (OSError, ValueError) as error:
        raise ValueError(f"{run_dir} holds no run to resume: {error}") from error
    return about


# --- The curve --------------------------------------------------------------------------------------------------------


def shown_of(config: Any, others: Sequence[str]) -> dict[str, str]:
    """What is shown of a run's progress, from the names of a row's numbers to words: what training makes higher.

    In a competitive game that is the return against the ``others`` that the network is evaluated among; in self-play
    alone everybody's returns add up to a constant, and the winner's score says little.
    """
    if game_of(config).cooperative:
        return {"score": "score", "greedy_score": "greedy score", "fireworks_score": "fireworks"}
    return {"greedy_score": f"return against {', '.join(others)}"}


SEEN = 0.005
"""Less difference between two scores is not seen in a progress bar."""


class Log:
    """The run's record: ``metrics.jsonl``, the progress bar, and other loggers if wanted. Rank 0 keeps it.

    Args:
        run_dir: of the run.
        updates: that the run goes on from.
        shown: what the progress bar shows of a row, see `shown_of`.
        loggers: names in `LOGGERS`.

    Raises:
        ValueError: a logger is not installed.
    """

    def __init__(self, run_dir: Path, updates: int, shown: Mapping[str, str], loggers: Sequence[str] = ()) -> None:
        self.path = run_dir / "metrics.jsonl"
        rows, unreadable = parsed_metrics(self.path) if self.path.exists() else ([], [])
        if unreadable:
            set_aside(run_dir / "metrics.unreadable", unreadable)
        kept = [row for row in rows if row["update"] <= updates]  # later ones are about to be played again
        write_text(self.path, "".join(json.dumps(row) + "\n" for row in kept))
        self.bar = ProgressBar(total=100, unit="%", bar_format="{percentage:3.0f}%|{bar:24}| {elapsed}{postfix}")
        self.loggers = [LOGGERS[name](run_dir) for name in loggers]
        self.labels = shown
        self.shown: dict[str, str] = {}

    def write(self, row: dict[str, float]) -> None:
        """Add a row."""
        with self.path.open("a") as file:
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
        """Leave the bar as it stands."""
        self.bar.close()
        for logger in self.loggers:
            logger.finish()


class Logger(Protocol):
    """Where rows go beside ``metrics.jsonl``: what a run of Weights & Biases does."""

    def log(self, row: dict[str, float], /, *, step: int) -> Any: ...  # noqa: D102

    def finish(self) -> Any: ...  # noqa: D102


class TensorBoard:
    """TensorBoard's event files, in ``tensorboard/`` of the run's directory."""

    def __init__(self, run_dir: Path) -> None:
        with needed("tensorboard"):
            from torch.utils.tensorboard import SummaryWriter
        self.writer = SummaryWriter(run_dir / "tensorboard")
        self.finish = self.writer.close

    def log(self, row: dict[str, float], *, step: int) -> None:
        """Add a row."""
        for name, value in row.items():
            self.writer.add_scalar(name, value, step)


def weights_and_biases(run_dir: Path) -> Logger:
    """A run of Weights & Biases, in its directory ``wandb/``; its own environment variables say where it goes."""
    with needed("wandb"):
        wandb = import_module("wandb")
    about, name = read_about(run_dir), run_dir.name
    return wandb.init(project="hanabako", name=name, dir=run_dir, config=about, resume="allow", id=name)


LOGGERS: dict[str, Callable[[Path], Logger]] = {"tensorboard": TensorBoard, "wandb": weights_and_biases}


@contextmanager
def needed(package: str) -> Iterator[None]:
    """Name an optional package that is not there.

    Raises:
        ValueError: it is not installed.
    """
    try:
        yield
    except ImportError as error:
        raise ValueError(f"{package} is not installed: pip install {package}") from error


def read_metrics(run_dir: Path) -> list[dict[str, float]]:
    """The rows of the run's ``metrics.jsonl``; lines that are none, such as a last one cut short, are left out."""
    return parsed_metrics(run_dir / "metrics.jsonl")[0]


def finished(run_dir: Path) -> dict[str, Any] | None:
    """The last row of the log of a run that has spent its budget; None if it has not, or has not begun."""
    rows = read_metrics(run_dir) if (run_dir / "metrics.jsonl").exists() else []
    return rows[-1] if rows and rows[-1]["fraction"] >= 1 else None


def parsed_metrics(path: Path) -> tuple[list[dict[str, float]], list[bytes]]:
    """The rows of a log, and the lines that are none."""
    lines = [line for line in path.read_bytes().split(b"\n") if line.strip()]
    rows = {line: row_of(line) for line in lines}
    return [row for line in lines if (row := rows[line])], [line for line in lines if rows[line] is None]


def row_of(line: bytes) -> dict[str, float] | None:
    """The numbers that a line of a log holds by name; None if it is broken."""
    try:
        row = parse_json(line, "a line")
    except ValueError:
        return None
    is_row = isinstance(row, dict) and all(type(value) in (int, float) for value in row.values())
    return row if is_row and {"update", "steps"} <= row.keys() else None


def set_aside(path: Path, lines: list[bytes]) -> None:
    """Add lines of a log that cannot be read to a file beside it, and say so."""
    with path.open("ab") as file:
        file.writelines(line + b"\n" for line in lines)
    print(f"{len(lines)} lines of metrics.jsonl cannot be read and were moved to {path}", flush=True)


CURVES = (
    ("score", "while learning", "-"),
    ("fireworks_score", "fireworks while learning, in lost games too", "--"),
    ("greedy_score", "greedy, unseen deals", "o-"),
)
"""What `draw_curve` draws: names of a row's numbers, words, styles."""


def draw_curve(run_dir: Path, config: Any, others: Sequence[str]) -> Path:
    """Draw the learning curve of a run to its ``curve.png``: score against decisions, sampled and greedy.

    For a competitive game it shows the return against the ``others`` that the network is evaluated among.
    """
    from matplotlib.figure import Figure  # half a second to import, needed once per run

    rows = read_metrics(run_dir)
    figure = Figure(figsize=(7, 4), dpi=150, layout="constrained")
    axes = figure.subplots()
    shown = shown_of(config, others)
    if game_of(config).cooperative:
        partners = f" with {', '.join(others)}" if others else ""
        axes.set(ylabel=f"score{partners}", ylim=(min([0, *(row.get("score", 0) for row in rows)]), config.max_score))
    else:
        axes.set(ylabel=shown["greedy_score"])
    losing = any(row.get("score", 0) < 0 for row in rows)  # the score is flat then, until games are no longer lost
    for name, label, style in CURVES:
        if name not in shown or (name == "fireworks_score" and not losing):
            continue
        some = [row for row in rows if name in row]
        axes.plot([row["steps"] / 1e6 for row in some], [row[name] for row in some], style, label=label)
    axes.set(xlabel="decisions (millions)")
    axes.set_title(f"{run_dir.name}\nobservation: {config.observation_name}")
    axes.grid(alpha=0.3)
    axes.legend(loc="lower right")
    picture = io.BytesIO()
    figure.savefig(picture, format="png")
    return write_bytes(run_dir / "curve.png", picture.getbuffer())


# --- Interruptions ----------------------------------------------------------------------------------------------------


class Interruption:
    """Set by Ctrl-C or SIGTERM, so that a run ends after its update and can be resumed."""

    def __init__(self) -> None:
        self.happened = False
        self._cuts = False

    @contextmanager
    def watched(self) -> Iterator["Interruption"]:
        """Listen while the block runs."""
        with handling(self._note):
            yield self

    def cuts_short(self, work: Callable[[], T]) -> T | None:
        """What the work returns, or None: it does not begin after an interruption, and ends at once at one."""
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
