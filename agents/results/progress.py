"""The progress of a study that runs: how many parts of its rows are done, and how far its training runs are."""

import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from hanabako.progress import ProgressBar

from .study import Result, Row

__all__ = ["Progress", "done"]

SECONDS = 5.0
"""Seconds between two checks of the training runs."""
NAMED = 3
"""The largest number of training runs that are named."""


def done(row: Row, results: Mapping[str, Result]) -> int:
    """Return how many parts of a row are done."""
    return results[row.key]["done"] if row.key in results else 0


class Progress(ProgressBar):
    """A progress bar that counts parts of rows. If some rows have several parts, rows with one part are counted apart.

    A row that trains has one part, which takes minutes or hours, so the bar also shows the progress of its training.
    """

    def __init__(self, rows: Sequence[Row], unit: str) -> None:
        parts = [row for row in rows if row.wanted > 1]
        self.counted = parts or rows
        self.runs = [row for row in rows if row.wanted == 1] if parts else []
        self.training: dict[str, Path] = {}
        self.ended = threading.Event()
        super().__init__(total=sum(row.wanted for row in self.counted), unit=unit)
        if any(row.folder for row in rows):
            threading.Thread(target=self.look, daemon=True).start()

    def show(self, results: Mapping[str, Result]) -> None:
        """Show how much of the rows is done."""
        before = self.desc
        if self.runs:
            ended = sum(done(row, results) for row in self.runs)
            self.set_description(f"{ended} of {len(self.runs)} runs", refresh=False)
        self.update(sum(min(done(row, results), row.wanted) for row in self.counted) - self.n)
        if self.desc != before:
            self.refresh()

    def begin(self, row: Row) -> None:
        """Show how far a row is from now on, if it trains."""
        if row.folder is not None:
            self.training[row.key] = row.folder

    def end(self, row: Row) -> None:
        """Show this row's training no longer."""
        if self.training.pop(row.key, None) and not self.training:
            self.set_postfix_str("", refresh=False)

    def look(self) -> None:
        """Show how far the training runs are, until the bar is closed."""
        from ..learning.common.runs import spent  # imports torch, which other rows do not need

        while not self.ended.wait(max(SECONDS, self.mininterval)):
            with suppress(OSError):  # such as that the folder has just been renamed
                self.set_postfix_str(told({folder.name: spent(folder) for folder in list(self.training.values())}))

    def close(self) -> None:
        """See `tqdm.tqdm.close`."""
        self.ended.set()
        super().close()


def told(spent: Mapping[str, float]) -> str:
    """Say how far training runs are: ``ippo-1 at 20 %, ippo-2 at 31 %``, or ``8 runs at 20 to 31 %``."""
    if len(spent) <= NAMED:
        return ", ".join(f"{name} at {100 * part:.0f} %" for name, part in spent.items())
    return f"{len(spent)} runs at {100 * min(spent.values()):.0f} to {100 * max(spent.values()):.0f} %"
