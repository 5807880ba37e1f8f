"""Running a study: play the missing parts of its rows on an executor.

The results are written whenever a part has ended, so that an interrupted study keeps what is finished and can continue.
"""

import os
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ProcessPoolExecutor, wait
from contextlib import ExitStack
from itertools import count
from multiprocessing import active_children, get_context, resource_tracker
from multiprocessing.process import BaseProcess
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from hanabako.files import check_writable
from hanabako.interrupts import follow_parent, patient, undisturbed
from hanabako.progress import ProgressBar

from ..registry import fingerprints
from .progress import Progress, done
from .store import Origin, add_rows, is_stale, read_results
from .study import Result, Results, Row, Study, key_of

__all__ = ["Here", "executor_of", "playable", "run", "with_needs"]

THREADS = "OMP_NUM_THREADS"
TICK = 0.1
"""Seconds between two looks at processes that are ending."""


class Here(Executor):
    """An executor that runs everything at once, in this process."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """See `concurrent.futures.Executor.submit`."""
        future: Future[Any] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:
            future.set_exception(error)
        return future


class Cores(ProcessPoolExecutor):
    """An executor with processes on this machine. If the study ends early, they end, and unfinished parts are dropped.

    A process that waits for a training run may finish, so that the run is saved.
    """

    def __init__(self, cores: int) -> None:
        super().__init__(cores, get_context("spawn"), begin_worker)
        self._signals = ExitStack()
        resource_tracker.ensure_running()  # starting it with the first worker would end `held_back`

    def __enter__(self) -> Self:
        """Take over the signals."""
        self._signals.enter_context(patient())
        return self

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """See `concurrent.futures.Executor.submit`; this may start a worker."""
        with undisturbed():
            return super().submit(fn, *args, **kwargs)

    def __exit__(
        self, exc_type: type[BaseException] | None, exc_val: BaseException | None, exc_tb: TracebackType | None
    ) -> None:
        """Wait until all processes have ended."""
        with self._signals:
            if exc_type is not None:
                end_all(active_children())
            self.shutdown(cancel_futures=True)


def end_all(workers: Sequence[BaseProcess]) -> None:
    """End these processes, and wait for those that save something first.

    They are told more than once: a worker that has saved would wait for its next row, and may wait forever, as the lock
    of the queue is lost with a worker that ended while it waited.
    """
    while alive := [worker for worker in workers if worker.is_alive()]:
        for worker in alive:
            worker.terminate()
        time.sleep(TICK)


def begin_worker() -> None:
    """Make this process one of `Cores`."""
    ProgressBar.set_lock(
        threading.RLock()
    )  # the default lock is shared between processes, and would stay locked if this process were ended
    follow_parent()


def executor_of(cores: int) -> Executor:
    """Return an executor of ``cores`` processes whose networks use one core each; for one core, this process.

    Raises:
        ValueError: ``cores`` is below 1.
    """
    if cores < 1:
        raise ValueError(f"cores must be at least 1, got {cores}")
    if cores == 1:
        return Here()
    os.environ[THREADS] = "1"  # read by the processes that start now
    return Cores(cores)


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
        ValueError: the file holds something else.
    """
    check_writable(path)
    asked = study.rows if rows is None else rows
    wanted = with_needs(asked)
    results: dict[str, Result] = {key_of(result): result for result in read_results(path)}
    instead: dict[str, Result | None]
    instead = {key: results[key] for row in wanted if (key := row.key) in results and is_stale(results[key])}
    instead |= {row.key: results.get(row.key) for row in asked} if again else {}
    for key in instead:
        results.pop(key, None)
    refused: dict[str, str] = {}
    failures: list[Exception] = []
    end = time.monotonic() + 60 * minutes
    with executor or Here() as pool, Progress(wanted, study.unit) as bar:
        running: dict[Future[Mapping[str, Any]], Row] = {}
        while True:
            bar.show(results)
            free = cores - sum(row.cores for row in running.values())
            for row in ready(wanted, results, {row.key for row in running.values()}, refused):
                if failures or time.monotonic() >= end or (free < row.cores and running):
                    break
                if row.key in instead and row.folder is not None:
                    if reason := put_aside(row.folder):
                        refused[row.words] = reason
                        continue
                    old = {row.key: instead.pop(row.key)}
                    add_rows(path, study.name, origin, [], old)  # an interrupted run then simply continues
                bar.begin(row)
                running[pool.submit(study.play, row, results.get(row.key))] = row
                free -= row.cores
            if not running:
                break
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                bar.end(row := running.pop(future))
                result = played(future, row, refused, failures)
                if result is None:
                    continue
                old = {row.key: instead.pop(row.key, None)}
                take_in(add_rows(path, study.name, origin, [result], old), results, instead)
    if failures:
        raise failures[0]
    return refused


def take_in(held: Results, results: dict[str, Result], instead: dict[str, Result | None]) -> None:
    """Add what a file holds to ``results``, but for those of ``instead`` that no other process has replaced."""
    for row in held:
        if instead.get(key := key_of(row)) != row:
            instead.pop(key, None)
            results[key] = row


def played(
    future: Future[Mapping[str, Any]], row: Row, refused: dict[str, str], failures: list[Exception]
) -> Result | None:
    """Return the result of a part that has ended, or note why there is none and return None.

    A failure is raised only when all parts that were begun have ended, so that their results are kept.
    """
    try:
        return result_of(row, future.result())
    except ValueError as error:
        refused[row.words] = str(error)
    except Exception as error:
        failures.append(error)
    return None


def put_aside(folder: Path) -> str:
    """Rename the folder of a training run and its log, so that another run can begin there.

    Returns:
        "", or why that is not possible: another process trains there.
    """
    from ..learning.common.launch import log_of  # imports torch, which other rows do not need
    from ..learning.common.runs import held

    aside = (folder.with_name(f"{folder.name}.{number}") for number in count(1))
    free = next(place for place in aside if not place.exists() and not log_of(place).exists())
    try:
        with held(folder):
            if folder.exists():
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


def ready(rows: Sequence[Row], results: Mapping[str, Result], busy: set[str], refused: Mapping[str, str]) -> list[Row]:
    """Return the rows that can be played now, least complete first."""

    def is_done(row: Row) -> bool:
        return done(row, results) >= row.wanted

    waiting = [row for row in rows if row.key not in busy and row.words not in refused and not is_done(row)]
    waiting = [row for row in waiting if all(map(is_done, row.needs))]
    return sorted(waiting, key=lambda row: done(row, results) / row.wanted)


def result_of(row: Row, measured: Mapping[str, Any]) -> dict[str, Any]:
    """Return the result of a row: its fields, its progress, the networks that it depends on, and the measurements."""
    networks = fingerprints(*row.agents)
    return {
        "fields": list(row.values()),
        **row.values(),
        "done": measured["done"],
        "wanted": row.wanted,
        **({"networks": networks} if networks else {}),
        **{name: value for name, value in measured.items() if name != "done"},
    }
