"""A training run as its directory keeps it, shows it, and goes on after an interruption.

A run directory holds ``config.json``, ``metrics.jsonl``, ``curve.png``, ``checkpoint/`` and ``policy.safetensors``.
"""

import json
import os
import platform
import shutil
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from pickle import UnpicklingError
from typing import Any
from zipfile import BadZipFile

import numpy as np
import torch
from tqdm import tqdm

from hanabako.files import write_text
from hanabako.games import config_from_dict, config_to_dict, game_of

from .ranks import Ranks

# --- The run's directory ----------------------------------------------------------------------------------------------


def new_run_dir(wanted: Path | None, name: str, settings: dict[str, Any], config: Any, ranks: Ranks) -> Path:
    """Make the directory of a new run and describe the run in ``config.json``; every rank learns where it is.

    Args:
        wanted: the directory; None is ``runs/`` and the run's name with the time.
        name: what is run.
        settings: of the run.
        config: what is played.
        ranks: rank 0 makes the directory.

    Raises:
        ValueError: the directory holds a run already.
    """
    now = ranks.sum(torch.tensor(int(time.time()) if ranks.rank == 0 else 0))
    stamp = time.strftime("%Y%m%d-%H%M%S", time.localtime(int(now)))
    run_dir = wanted or Path("runs") / f"{name}-{stamp}"
    if (run_dir / "checkpoint").exists():
        raise ValueError(f"{run_dir} holds a run already: --resume it, or choose another --run-dir")
    if ranks.rank == 0:
        run_dir.mkdir(parents=True, exist_ok=True)
        about = {
            "args": {key: str(value) if isinstance(value, Path) else value for key, value in settings.items()},
            "config": config_to_dict(config),
            "observation": config.observation_name,
            "observation_bits": config.observation_bits,
            "ranks": ranks.world,
            "device": str(ranks.device),
            "machine": machine(),
        }
        write_text(run_dir / "config.json", json.dumps(about, indent=2) + "\n")
    ranks.wait()
    return run_dir


def machine() -> dict[str, Any]:
    """Where and with what a run was made."""
    return {
        "processor": platform.processor() or platform.machine(),
        "cores": os.cpu_count(),
        "system": platform.system(),
        "python": platform.python_version(),
        "torch": torch.__version__,
        "numpy": np.__version__,
    }


# --- The curve --------------------------------------------------------------------------------------------------------


class Log:
    """The run's record: ``metrics.jsonl``, the progress bar, and TensorBoard if wanted. Rank 0 keeps it."""

    def __init__(self, run_dir: Path, updates: int, tensorboard: bool) -> None:
        self.path = run_dir / "metrics.jsonl"
        rows = read_metrics(run_dir) if self.path.exists() else []
        kept = [row for row in rows if row["update"] <= updates]  # later ones are about to be played again
        write_text(self.path, "".join(json.dumps(row) + "\n" for row in kept))
        self.bar = tqdm(total=100, unit="%", bar_format="{percentage:3.0f}%|{bar:24}| {elapsed}{postfix}")
        self.writer = tensorboard_writer(run_dir) if tensorboard else None
        self.shown: dict[str, str] = {}

    def write(self, row: dict[str, float]) -> None:
        """Add a row."""
        with self.path.open("a") as file:
            file.write(json.dumps(row) + "\n")
        if self.writer:
            for name, value in row.items():
                self.writer.add_scalar(name, value, row["steps"])
        self.shown["steps/s"] = f"{row['steps_per_second']:,.0f}"
        for name in ("score", "greedy_score"):
            if name in row:
                self.shown[name.replace("_", " ")] = f"{row[name]:.2f}"
        self.bar.set_postfix(self.shown, refresh=False)
        self.bar.update(100 * row["fraction"] - self.bar.n)

    def close(self) -> None:
        """Leave the bar as it stands."""
        self.bar.close()
        if self.writer:
            self.writer.close()


def tensorboard_writer(run_dir: Path) -> Any:
    """A writer of TensorBoard's event files."""
    from torch.utils.tensorboard import SummaryWriter  # only if wanted: tensorboard is an optional dependency

    return SummaryWriter(run_dir / "tensorboard")


def read_metrics(run_dir: Path) -> list[dict[str, float]]:
    """The rows of the run's ``metrics.jsonl``; a last line that was cut short is left out."""
    text = (run_dir / "metrics.jsonl").read_text()
    return [json.loads(line) for line in text[: text.rfind("\n") + 1].splitlines()]


def draw_curve(run_dir: Path) -> Path:
    """Draw the learning curve of a run to its ``curve.png``: score against decisions, sampled and greedy.

    For a competitive game it shows the return against the run's opponent.
    """
    from matplotlib.figure import Figure  # half a second to import, needed once per run

    rows, about = read_metrics(run_dir), json.loads((run_dir / "config.json").read_text())
    config = config_from_dict(about["config"])
    figure = Figure(figsize=(7, 4), dpi=150, layout="constrained")
    axes = figure.subplots()
    lines = [("score", "while learning", "-"), ("greedy_score", "greedy, unseen deals", "o-")]
    if game_of(config).cooperative:
        axes.set(ylabel="score", ylim=(0, config.max_score))
    else:
        axes.set(ylabel=f"return against {about['args']['opponent']}")
        del lines[0]
    for name, label, style in lines:
        some = [row for row in rows if name in row]
        axes.plot([row["steps"] / 1e6 for row in some], [row[name] for row in some], style, label=label)
    axes.set(xlabel="decisions (millions)")
    axes.set_title(f"{run_dir.name}\nobservation: {about['observation']}")
    axes.grid(alpha=0.3)
    axes.legend(loc="lower right")
    path = run_dir / "curve.png"
    unfinished = run_dir / "curve.part.png"
    figure.savefig(unfinished)
    os.replace(unfinished, path)
    return path


# --- Checkpoints ------------------------------------------------------------------------------------------------------
# Each checkpoint is a directory of its own; ``latest`` names the last whole one, so that a run which is killed while it
# saves goes on from the one before.


def save_checkpoint(
    directory: Path, updates: int, ranks: Ranks, state: dict[str, Any], games: dict[str, np.ndarray]
) -> None:
    """Write what `load_checkpoint` continues to the last bit.

    Args:
        directory: of the run's checkpoints; only the one of this update stays.
        updates: so far.
        ranks: each writes its own part.
        state: this rank's learner: tensors, numbers, strings, and dicts and lists of them.
        games: this rank's games, as arrays.
    """
    place = directory / f"{updates:08d}"
    place.mkdir(parents=True, exist_ok=True)
    np.savez(place / f"games-{ranks.rank}.npz", allow_pickle=False, **games)
    torch.save({"world": ranks.world, **state}, place / f"learner-{ranks.rank}.pt")
    ranks.wait()
    if ranks.rank == 0:
        write_text(directory / "latest", place.name)
        for old in directory.iterdir():
            if old.is_dir() and old != place:
                shutil.rmtree(old)
    ranks.wait()


def load_checkpoint(
    directory: Path, ranks: Ranks, restore: Callable[[dict[str, Any], dict[str, np.ndarray]], None]
) -> None:
    """Continue from the last checkpoint of a run of the same settings.

    Args:
        directory: of the run's checkpoints.
        ranks: each reads its own part.
        restore: is given ``state`` and ``games`` of `save_checkpoint`.

    Raises:
        ValueError: there is none, it is cut short, or it belongs to another network or number of ranks.
    """
    try:
        place = directory / (directory / "latest").read_text()
        state = torch.load(place / f"learner-{ranks.rank}.pt", ranks.device, weights_only=True)
        with (place / f"games-{ranks.rank}.npz").open("rb") as file, np.load(file) as arrays:
            games = dict(arrays)
        if state["world"] != ranks.world:
            raise ValueError(f"it was made by {state['world']} ranks, and these are {ranks.world}")
        restore(state, games)
    except (OSError, ValueError, RuntimeError, KeyError, TypeError, EOFError, UnpicklingError, BadZipFile) as error:
        raise ValueError(f"{directory} holds no checkpoint to continue from: {error}") from error


# --- Interruptions ----------------------------------------------------------------------------------------------------


class Interruption:
    """Set by Ctrl-C or SIGTERM, so that a run ends after its update and can be resumed."""

    def __init__(self) -> None:
        self.happened = False

    @contextmanager
    def watched(self) -> Iterator["Interruption"]:
        """Listen while the block runs (only a process's main thread can)."""
        if threading.current_thread() is not threading.main_thread():
            yield self
            return
        before = {number: signal.signal(number, self._note) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield self
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def _note(self, number: int, frame: Any) -> None:
        self.happened = True
