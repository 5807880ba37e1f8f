"""Running a study: play the missing parts of its rows on an executor.

The results are written whenever a part has ended, so that an interrupted study keeps what is finished and can continue.
"""

import time
from collections.abc import Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from itertools import count
from pathlib import Path
from typing import Any

from hanabako.files import check_writable
from hanabako.results_file import Origin

from .executors import Here
from .progress import Progress, done
from .store import add_rows, is_stale, read_results
from .study import Result, Results, Row, Study, key_of, result_of

__all__ = ["playable", "run"]


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
    """Play the missing parts of a study, least complete rows first.

    Args:
        study: the study.
        path: the file of its results.
        origin: the origin to record with the results.
        rows: play only these rows, and those that they need.
        executor: plays the parts: this process, its cores, or a cluster. It must be able to import the study's module.
        cores: the number of cores of the executor; parts are submitted as long as some are free.
        minutes: begin no part after this time.
        again: play these rows from the beginning, even those that are complete.

    Returns:
        The reasons why rows could not be played, by their words; rows that need those are left out.

    Raises:
        OSError: the results cannot be read or written.
        ValueError: the file holds something else, or results of another study.
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
    """The rows of a study that are being played.

    Args:
        study: the study.
        path: the file of its results.
        origin: the origin to record with the results.
        asked: the rows to play; those that they need are added.
        again: play the rows that are asked for from the beginning.
    """

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
    """Rename the folder of a training run and its log, so that another run can begin there.

    Return "", or why that is not possible: another process trains there.
    """
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
    found: dict[str, Row] = {}
    for row in rows:
        for own in (*with_needs(row.needs), row):
            found.setdefault(own.key, own)
    return list(found.values())


def playable(study: Study, rows: Sequence[Row], held: Sequence[Result]) -> list[Row]:
    """Return those of ``rows`` that no row of the study needs, and whose own needs are complete in ``held``."""
    results = {key_of(result): result for result in held}
    needed = {need.key for row in study.rows for need in row.needs}
    free = [row for row in rows if row.key not in needed]
    return [row for row in free if all(done(need, results) >= need.wanted for need in row.needs)]
