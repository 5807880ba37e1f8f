"""Checkpoints, from which a run is resumed. If the last one is damaged, the one before is used.

    checkpoint/00000012/games-0.npz, learner-0.pt    after 12 updates: two files per rank
    checkpoint/latest                                the name of the last one: 00000012

``latest`` is written when every rank has written its files. Only then are older checkpoints removed, except the one
before. So a run may be killed, or run out of disk space, at any time. A second checkpoint after the same update, whose
evaluation was interrupted, has one more 0 in front of its name. Machines without a shared disk each have a
directory with the files of their ranks; a checkpoint is complete if every rank finds its files.

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
from torch import Tensor

from hanabako.files import check_readable, read_bytes, write_bytes, write_text
from hanabako.program import sentence
from hanabako.words.notation import counted

from .ranks import Ranks

__all__ = ["Checkpoints", "checkpoints_in", "holds_checkpoint", "ranks_of"]

MOST_FILE = 2**40
"""The largest file that is read, in bytes: recorded games of some algorithms fill most of the memory."""
DIRECTORY = 0x10
"""The attribute bit by which torch takes an archive's part for a directory."""


def holds_checkpoint(directory: Path) -> bool:
    """Whether a run can be resumed from ``directory``: a single checkpoint without ``latest`` is incomplete."""
    return (directory / "latest").exists() or len(checkpoints_in(directory)) > 1


def checkpoints_in(directory: Path) -> list[Path]:
    """Return the folders of checkpoints, complete or not."""
    return [place for place in directory.glob("[0-9]*") if place.name.isdecimal()]


class Checkpoints:
    """The checkpoints of a run.

    Args:
        directory: the directory of the checkpoints.
        ranks: the ranks, each of which writes and reads its own files.
    """

    def __init__(self, directory: Path, ranks: Ranks) -> None:
        self.directory, self.ranks = directory, ranks
        self.keeps = True
        """Whether this rank does what must be done once per disk."""
        self.last: Path | None = None
        """The checkpoint that was saved or loaded last; it is kept until two more have been saved."""

    def save(self, updates: int, state: dict[str, Any], games: dict[str, np.ndarray]) -> None:
        """Write a checkpoint, from which `load` continues identically to the last bit, and keep the one before.

        Args:
            updates: number of updates so far.
            state: this rank's learner: tensors, numbers, strings, and dicts and lists of them.
            games: this rank's games, as arrays.

        Raises:
            OSError: it cannot be written; the incomplete checkpoint is removed, and the one before remains.
        """
        place = self.directory / f"{updates:08d}"
        if self.last is not None and int(self.last.name) == updates:  # interrupted in its evaluation
            place = self.last.with_name(f"0{self.last.name}")  # a failure must not cost the checkpoint that is there
        if self.keeps:
            shutil.rmtree(place, ignore_errors=True)  # left by a killed run, or damaged
        self.ranks.wait()
        with self._writing(place):
            arrays, learner = io.BytesIO(), io.BytesIO()  # in memory: on a full disk the writers raise other errors
            np.savez(arrays, allow_pickle=False, **games)
            write_bytes(place / f"games-{self.ranks.rank}.npz", arrays.getbuffer())
            torch.save({"world": self.ranks.world, **state}, learner)
            write_bytes(place / f"learner-{self.ranks.rank}.pt", learner.getbuffer())
        self.ranks.wait()
        if self.keeps:
            with self._writing(place):
                write_text(self.directory / "latest", place.name)
            for old in self.directory.iterdir():
                if old.is_dir() and old not in (place, self.last):
                    shutil.rmtree(old)
        self.ranks.wait()
        self.last = place

    @contextmanager
    def _writing(self, place: Path) -> Iterator[None]:
        """On a disk error, remove what was written and name the checkpoint that remains."""
        try:
            yield
        except OSError as error:
            shutil.rmtree(place, ignore_errors=True)
            stands = f"the checkpoint {self.last.name} is kept" if self.last else "there is no checkpoint before it"
            raise OSError(error.errno, f"{error.strerror}; {stands}") from error

    def load(self, restore: Callable[[dict[str, Any], dict[str, np.ndarray]], None]) -> None:
        """Continue from the last complete checkpoint of a run with the same settings.

        Args:
            restore: called with the ``state`` and ``games`` given to `save`.

        Raises:
            ValueError: there is no checkpoint, all are damaged, or it belongs to another network or number of ranks.
        """
        name = self._last_whole()
        place = self.directory / name
        try:
            state = read_learner(place / f"learner-{self.ranks.rank}.pt", self.ranks.device)
            restore(state, read_games(place / f"games-{self.ranks.rank}.npz"))
        except Exception as error:  # see the module's docstring
            raise ValueError(f"{self.directory} holds no checkpoint to continue from: {sentence(error)}") from error
        self.last = place

    def _last_whole(self) -> str:
        """Return the name of the last complete checkpoint; print a warning if ``latest`` names another.

        Raises:
            ValueError: there is none.
        """
        there = [place.name for place in checkpoints_in(self.directory)]
        names = self.ranks.broadcast(sorted(there, key=lambda name: (int(name), len(name))))
        mine = torch.zeros(self.ranks.world, len(names), dtype=torch.float64)
        mine[self.ranks.rank] = torch.tensor([self._has_part(self.directory / name) for name in names])
        parts = self.ranks.sum(mine) > 0  # (ranks, checkpoints)
        whole = [name for name, by_all in zip(names, parts.all(0).tolist(), strict=True) if by_all]
        if not whole:
            why = self.ranks.broadcast(self._why_none_is_whole(parts.any(1)))
            raise ValueError(f"{self.directory} holds no checkpoint to continue from: {why}")
        try:
            named = read_bytes(self.directory / "latest").decode("ascii")
        except (OSError, ValueError):
            named = None
        if self.ranks.rank == 0 and named not in whole:
            wrong = "latest is damaged" if named is None else f"the checkpoint {named!r} is damaged"
            earlier = f"an earlier checkpoint, that of update {int(whole[-1])}"
            print(f"{self.directory}: {wrong}; going on from {earlier}", flush=True)
        return whole[-1]

    def _has_part(self, place: Path) -> bool:
        """Whether this rank's files of a checkpoint are undamaged, and written by the same number of ranks."""
        learner = place / f"learner-{self.ranks.rank}.pt"
        games = place / f"games-{self.ranks.rank}.npz"
        return is_whole(learner) and is_whole(games) and world_of(learner) == self.ranks.world

    def _why_none_is_whole(self, have_part: Tensor) -> str:
        """Return what is wrong with the checkpoints, as this rank sees them.

        Args:
            have_part: (ranks,) bool, whether the rank has its files of any checkpoint.
        """
        if not holds_checkpoint(self.directory):
            return "there is none"
        worlds = {world_of(place / f"learner-{self.ranks.rank}.pt") for place in checkpoints_in(self.directory)}
        if others := worlds - {0, self.ranks.world}:
            return f"they were made by {counted(max(others), 'rank')}, and now there are {self.ranks.world}"
        if have_part.any() and not have_part.all():
            lacking = ", ".join(str(rank) for rank, has in enumerate(have_part.tolist()) if not has)
            return f"on their disk these ranks have no whole part of one: {lacking}"
        return "all are damaged or lack parts"


def ranks_of(place: Path) -> int:
    """Return the number of ranks whose files a checkpoint holds; 0 if a file is missing or damaged."""
    ranks = len(list(place.glob("learner-*.pt")))
    names = {name for rank in range(ranks) for name in (f"learner-{rank}.pt", f"games-{rank}.npz")}
    there = {path.name for path in place.glob("*.*") if path.suffix in (".npz", ".pt")}
    return ranks if names == there and all(is_whole(place / name) for name in names) else 0


def is_whole(path: Path) -> bool:
    """Whether a file can be read and its checksums are right."""
    try:
        check_archive(path)
        with ZipFile(path) as archive:
            parts = archive.infolist()
            if archive.testzip() is not None or any(part.comment or part.external_attr & DIRECTORY for part in parts):
                return False  # undamaged parts have no comment and are no directories
        read_games(path) if path.suffix == ".npz" else read_learner(path, torch.device("cpu"))
    except Exception:  # see the module's docstring
        return False
    return True


def check_archive(path: Path) -> None:
    """Raise an error if a file is not a regular one, or not an archive of uncompressed parts, as we write them."""
    size = check_readable(path, MOST_FILE)
    with ZipFile(path) as archive:
        if sum(part.file_size for part in archive.infolist()) > size:
            raise ValueError(f"{path} is damaged: its parts are larger than the file")


def world_of(path: Path) -> int:
    """Return the number of ranks of the run that wrote this learner file; 0 if it cannot be read."""
    try:
        return int(read_learner(path, torch.device("cpu"))["world"])
    except Exception:  # see the module's docstring
        return 0


def read_learner(path: Path, device: torch.device) -> dict[str, Any]:
    """Read a rank's learner."""
    check_archive(path)
    return torch.load(path, device, weights_only=True)


def read_games(path: Path) -> dict[str, np.ndarray]:
    """Read a rank's games."""
    check_archive(path)
    with path.open("rb") as file, np.load(file) as arrays:
        return dict(arrays)
