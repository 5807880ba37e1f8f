"""Running a study: play the missing parts of its rows on an executor, and write the results after every part."""

import threading
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any

from hanabako.files import check_writable
from hanabako.progress import ProgressBar
from hanabako.results_file import Origin

from .executors import Here
from .store import add_rows, is_stale, read_results
from .study import Result, Results, Row, Study, key_of, result_of

__all__ = ["playable", "run"]

SECONDS = 5.0
"""Seconds between two checks of the training runs."""
NAMED = 3
"""The largest number of training runs that are named."""


def done(row: Row, results: Mapping[str, Result]) -> int:
    """Return how many parts of a row are done."""
    return results[row.key]["done"] if row.key in results else 0


def parts_done(rows: Sequence[Row], results: Mapping[str, Result]) -> int:
    """Return how many parts of rows are done, without what results hold beyond them."""
    return sum(min(done(row, results), row.wanted) for row in rows)


class Progress(ProgressBar):
    """A progress bar that counts the training runs among rows, with how far each is, and then parts of the others."""

    def __init__(self, rows: Sequence[Row], unit: str) -> None:
        runs = [row for row in rows if row.folder]
        self.later = [row for row in rows if runs and not row.folder]
        self.counted, self.unit_later = runs or rows, unit
        self.training: dict[str, Path] = {}
        self.ended = threading.Event()
        super().__init__(total=sum(row.wanted for row in self.counted), unit="run" if runs else unit)
        if runs:
            threading.Thread(target=self.look, daemon=True).start()

    def show(self, results: Mapping[str, Result]) -> None:
        """Show how much of the rows is done."""
        if self.later and parts_done(self.counted, results) == self.total:
            self.counted, self.later, self.unit = self.later, [], self.unit_later
            self.reset(sum(row.wanted for row in self.counted))
        self.update(parts_done(self.counted, results) - self.n)

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
                self.set_postfix_str(in_words({folder.name: spent(folder) for folder in list(self.training.values())}))

    def close(self) -> None:
        """See `tqdm.tqdm.close`."""
        self.ended.set()
        super().close()


def in_words(spent: Mapping[str, float]) -> str:
    """Say how far training runs are: ``ippo-1 at 20 %, ippo-2 at 31 %``, or ``8 runs at 20 to 31 %``."""
    if len(spent) <= NAMED:
        return ", ".join(f"{name} at {100 * part:.0f} %" for name, part in spent.items())
    return f"{len(spent)} runs at {100 * min(spent.values()):.0f} to {100 * max(spent.values()):.0f} %"


def run(
    study: Study,
    path: Path,
    origin: Origin,
    rows: Sequence[Row] | None = None,
    executor: Executor | None = None,
    cores: int = 1,
    minutes: float = float("inf"),
    again: bool = False,
) -> dict[str, str]:
    """Play the missing parts of a study, least complete rows first, with its results in the file ``path``.

    Args:
        study: the study.
        path: its results; errors are those of `agents.results.store.add_rows`.
        origin: the origin to record with the results.
        rows: play only these rows, and those that they need.
        executor: plays the parts: this process, its cores, or a cluster. It must be able to import the study's module.
        cores: the number of cores of the executor; parts are submitted as long as some are free.
        minutes: begin no part after this time.
        again: play these rows from the beginning, even those that are complete.

    Returns:
        The reasons why rows could not be played, by their words; rows that need those are left out.
    """
    check_writable(path)
    work = Work(study, path, origin, study.rows if rows is None else rows, again)
    end = time.monotonic() + 60 * minutes
    with executor or Here() as pool, Progress(work.rows, study.unit) as bar:
        while True:
            bar.show(work.results)
            if not work.failures and time.monotonic() < end:
                work.begin(pool, cores, bar)
            if not work.running:
                break
            for future in wait(work.running, return_when=FIRST_COMPLETED).done:
                bar.end(work.finish(future))
    if work.failures:
        raise work.failures[0]
    return work.refused


class Work:
    """The rows of a study that are being played: those ``asked`` for, and those that they need. See `run`."""

    def __init__(self, study: Study, path: Path, origin: Origin, asked: Sequence[Row], again: bool) -> None:
        self.study, self.path, self.origin = study, path, origin
        self.rows = with_needs(asked)
        self.users: dict[str, list[Row]] = {}
        """The rows that need another one, by its key."""
        for row in self.rows:
            for need in row.needs:
                self.users.setdefault(need.key, []).append(row)
        stored: dict[str, Result] = {key_of(result): result for result in read_results(path, study.name)}
        stale = [row.key for row in self.rows if row.key in stored and is_stale(stored[row.key])]
        self.discarded = {key: stored.get(key) for key in [*stale, *(row.key for row in asked if again)]}
        """The rows that are played from the beginning, with their old results, which stay in the file until then."""
        self.results: dict[str, Result] = {key: result for key, result in stored.items() if key not in self.discarded}
        self.running: dict[Future[Mapping[str, Any]], Row] = {}
        self.refused: dict[str, str] = {}
        """The reasons why rows could not be played, by their words."""
        self.failures: list[Exception] = []
        """These are raised only when all parts that were begun have ended, so that their results are kept."""

    def begin(self, pool: Executor, cores: int, bar: Progress) -> None:
        """Begin the next parts, as long as some of the ``cores`` are free."""
        free = cores - sum(row.cores for row in self.running.values())
        for row in self.ready():
            if free < row.cores and self.running:
                return
            if self.prepare(row):
                bar.begin(row)
                self.running[pool.submit(self.study.play, row, self.results.get(row.key))] = row
                free -= row.cores

    def ready(self) -> list[Row]:
        """Return the rows that can be played now, least complete first."""
        busy = {row.key for row in self.running.values()}
        waiting = [row for row in self.rows if row.key not in busy and row.words not in self.refused]
        waiting = [row for row in waiting if not self.is_done(row) and all(map(self.is_done, row.needs))]
        return sorted(waiting, key=lambda row: done(row, self.results) / row.wanted)

    def is_done(self, row: Row) -> bool:
        """Whether all parts of a row are done."""
        return done(row, self.results) >= row.wanted

    def prepare(self, row: Row) -> bool:
        """Put aside the folder of a row that is played from the beginning; return False if that is refused."""
        if row.key not in self.discarded or row.folder is None:
            return True
        if reason := put_aside(row.folder):
            self.refused[row.words] = reason
            return False
        self.keep([], row)  # an interrupted run then simply continues
        return True

    def finish(self, future: Future[Mapping[str, Any]]) -> Row:
        """Keep the result of a part that has ended, or note why there is none; return its row."""
        row = self.running.pop(future)
        try:
            result = result_of(row, future.result())
        except ValueError as error:
            self.refused[row.words] = str(error)
        except Exception as error:
            self.failures.append(error)
        else:
            self.take_in(self.keep([result], row))
            self.play_again_after(row)
        return row

    def play_again_after(self, row: Row) -> None:
        """Play rows that need this one again, if they were played with a network that it has now replaced."""
        for own in self.users.get(row.key, ()):
            held = self.results.get(own.key)
            if held is not None and is_stale(held):
                self.discarded[own.key] = self.results.pop(own.key)

    def keep(self, results: Results, row: Row) -> Results:
        """Write results to the file, in place of the row's old one if there is one; return what the file then holds."""
        old = {row.key: self.discarded.pop(row.key, None)}
        return add_rows(self.path, self.study.name, self.origin, results, old)

    def take_in(self, held: Results) -> None:
        """Add the file's results to ``results``, except those of ``discarded`` that no other process has replaced."""
        for result in held:
            if self.discarded.get(key := key_of(result)) != result:
                self.discarded.pop(key, None)
                self.results[key] = result


def put_aside(folder: Path) -> str:
    """Rename the folder of a training run and its log; return "", or why another run cannot begin there yet."""
    from ..learning.common.launch import log_of  # imports torch, which other rows do not need
    from ..learning.common.runs import locked

    aside = (folder.with_name(f"{folder.name}.{number}") for number in count(1))
    free = next(place for place in aside if not place.exists() and not log_of(place).exists())
    try:
        if folder.exists():
            with locked(folder):
                folder.rename(free)
    except ValueError as error:
        return str(error)
    if log_of(folder).exists():
        log_of(folder).rename(log_of(free))
    return ""


def with_needs(rows: Sequence[Row]) -> list[Row]:
    """Return the rows, each after the rows that it needs."""
    return list({own.key: own for row in rows for own in (*with_needs(row.needs), row)}.values())


def playable(study: Study, rows: Sequence[Row], held: Sequence[Result]) -> list[Row]:
    """Return those of ``rows`` that no row of the study needs, and whose own needs are complete in ``held``."""
    results = {key_of(result): result for result in held}
    needed = {need.key for row in study.rows for need in row.needs}
    free = [row for row in rows if row.key not in needed]
    return [row for row in free if all(done(need, results) >= need.wanted for need in row.needs)]
