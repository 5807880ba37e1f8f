"""Checkpoints, from which a run is resumed. If the last one is damaged, the one before is used.

    checkpoint/00000012/games-0.npz, learner-0.pt    after 12 updates: two files per rank
    checkpoint/latest                                the name of the last one: 00000012

``latest`` is written when every rank has written its files. Only then are older checkpoints removed, except the one
before. So a run may be killed, or run out of disk space, at any time. A second checkpoint after the same update, whose
evaluation was interrupted, has one more 0 in front of its name.

Both kinds of files are zip archives, whose checksums detect accidental damage but not forgery. So the loaders check
what they read: nothing is unpickled, and no number in a table is trusted. They catch every `Exception`, because a
damaged or forged file makes ``zipfile``, NumPy and torch raise errors of many classes (``IndexError``, ``LZMAError``,
``MemoryError``, ``TokenError`` ...), and whichever it is, the checkpoint before must be tried.
"""

import io
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import numpy as np
import torch

from hanabako.files import check_readable, read_bytes, write_bytes, write_text
from hanabako.program import sentence
from hanabako.words.notation import counted

from .ranks import Ranks

MOST_FILE = 2**40
"""The largest file that is read, in bytes: recorded games of some algorithms fill most of the memory."""
DIRECTORY = 0x10
"""The attribute bit by which torch takes an archive's part for a directory."""


def holds_checkpoint(directory: Path) -> bool:
    """Whether a run can be resumed from ``directory``: a single checkpoint without ``latest`` is incomplete."""
    return (directory / "latest").exists() or len(checkpoints_in(directory)) > 1


def checkpoints_in(directory: Path) -> list[Path]:
    """Return the folders of checkpoints, complete or not."""
    return [folder for folder in directory.glob("[0-9]*") if folder.name.isdecimal()]


class Checkpoints:
    """The checkpoints of a run, in a directory that all ranks see; each rank writes and reads its own files."""

    def __init__(self, directory: Path, ranks: Ranks) -> None:
        self.directory, self.ranks = directory, ranks
        self.last: Path | None = None
        """The checkpoint that was saved or loaded last; it is kept until two more have been saved."""

    def save(self, updates: int, state: dict[str, Any], games: dict[str, np.ndarray]) -> None:
        """Write a checkpoint, from which `load` continues identically to the last bit, and keep the one before.

        ``state`` is this rank's learner: tensors, numbers, strings, and dicts and lists of them. If it cannot be
        written, ``OSError`` is raised, the incomplete checkpoint is removed, and the one before remains.
        """
        folder = self.directory / f"{updates:08d}"
        if self.last is not None and int(self.last.name) == updates:  # interrupted in its evaluation
            folder = self.last.with_name(f"0{self.last.name}")  # a failure must not cost the checkpoint that is there
        if self.ranks.rank == 0:
            shutil.rmtree(folder, ignore_errors=True)  # left by a killed run, or damaged
        self.ranks.wait()
        with self._writing(folder):
            arrays, learner = io.BytesIO(), io.BytesIO()  # in memory: on a full disk the writers raise other errors
            np.savez(arrays, allow_pickle=False, **games)
            write_bytes(folder / f"games-{self.ranks.rank}.npz", arrays.getbuffer())
            torch.save({"world": self.ranks.world, **state}, learner)
            write_bytes(folder / f"learner-{self.ranks.rank}.pt", learner.getbuffer())
        self.ranks.wait()
        if self.ranks.rank == 0:
            with self._writing(folder):
                write_text(self.directory / "latest", folder.name)
            for old in self.directory.iterdir():
                if old.is_dir() and old not in (folder, self.last):
                    shutil.rmtree(old)
        self.ranks.wait()
        self.last = folder

    @contextmanager
    def _writing(self, folder: Path) -> Iterator[None]:
        """On a disk error, remove what was written and name the checkpoint that remains."""
        try:
            yield
        except OSError as error:
            shutil.rmtree(folder, ignore_errors=True)
            stands = f"the checkpoint {self.last.name} is kept" if self.last else "there is no checkpoint before it"
            raise OSError(error.errno, f"{error.strerror}; {stands}") from error

    def load(self, restore: Callable[[dict[str, Any], dict[str, np.ndarray]], None]) -> None:
        """Call ``restore`` with the ``state`` and ``games`` of the last complete checkpoint.

        Raise ``ValueError`` if there is none, or it belongs to another network or number of ranks.
        """
        name, why_none = self.ranks.broadcast(self._last_complete() if self.ranks.rank == 0 else ("", ""))
        try:
            if why_none:
                raise ValueError(why_none)
            state = read_learner(self.directory / name / f"learner-{self.ranks.rank}.pt", self.ranks.device)
            restore(state, read_games(self.directory / name / f"games-{self.ranks.rank}.npz"))
        except Exception as error:  # see the module's docstring
            raise ValueError(f"{self.directory} holds no checkpoint to continue from: {sentence(error)}") from error
        self.last = self.directory / name

    def _last_complete(self) -> tuple[str, str]:
        """Return the name of the last complete checkpoint, or why there is none; warn if ``latest`` names another."""
        made_by = {folder.name: ranks_of(folder) for folder in checkpoints_in(self.directory)}
        complete = [name for name, ranks in made_by.items() if ranks == self.ranks.world]
        if not holds_checkpoint(self.directory):
            return "", "there is none"
        if not complete:
            others = max(made_by.values(), default=0)
            wrong = f"they were made by {counted(others, 'rank')}, and now there are {self.ranks.world}"
            return "", wrong if others else "all are damaged or lack parts"
        last = max(complete, key=lambda name: (int(name), len(name)))
        try:
            latest = read_bytes(self.directory / "latest").decode("ascii")
        except (OSError, ValueError):
            latest = None
        if latest not in complete:
            wrong = "latest is damaged" if latest is None else f"the checkpoint {latest!r} is damaged"
            earlier = f"an earlier checkpoint, that of update {int(last)}"
            print(f"{self.directory}: {wrong}; going on from {earlier}", flush=True)
        return last, ""


def ranks_of(folder: Path) -> int:
    """Return the number of ranks that wrote a checkpoint; 0 if a file is missing or damaged."""
    ranks = len(list(folder.glob("learner-*.pt")))
    names = {name for rank in range(ranks) for name in (f"learner-{rank}.pt", f"games-{rank}.npz")}
    there = {path.name for path in folder.glob("*.*") if path.suffix in (".npz", ".pt")}
    return ranks if names == there and all(is_complete(folder / name, ranks) for name in names) else 0


def is_complete(path: Path, ranks: int) -> bool:
    """Whether a file is readable and undamaged, and comes from a run on this number of ranks."""
    try:
        check_archive(path)
        with ZipFile(path) as archive:
            parts = archive.infolist()
            if archive.testzip() is not None or any(part.comment or part.external_attr & DIRECTORY for part in parts):
                return False  # undamaged parts have no comment and are no directories
        if path.suffix == ".npz":
            read_games(path)
            return True
        return read_learner(path, torch.device("cpu"))["world"] == ranks
    except Exception:  # see the module's docstring
        return False


def check_archive(path: Path) -> None:
    """Raise an error if a file is not a regular one, or not an archive of uncompressed parts, as we write them."""
    size = check_readable(path, MOST_FILE)
    with ZipFile(path) as archive:
        if sum(part.file_size for part in archive.infolist()) > size:
            raise ValueError(f"{path} is damaged: its parts are larger than the file")


def read_learner(path: Path, device: torch.device) -> dict[str, Any]:
    """Read a rank's learner."""
    check_archive(path)
    return torch.load(path, device, weights_only=True)


def read_games(path: Path) -> dict[str, np.ndarray]:
    """Read a rank's games."""
    check_archive(path)
    with path.open("rb") as file, np.load(file) as arrays:
        return dict(arrays)
