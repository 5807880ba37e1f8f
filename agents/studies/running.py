"""Play what is missing of a study's rows, part by part, on whatever executes them.

The results are written whenever a part has ended, so that an interrupted study keeps what is finished and goes on with
the rest.
"""

import os
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ProcessPoolExecutor, wait
from contextlib import ExitStack
from multiprocessing import active_children, get_context, resource_tracker
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from hanabako.files import check_writable
from hanabako.interrupts import follow_parent, patient, undisturbed
from hanabako.progress import ProgressBar

from ..registry import fingerprints
from .store import Origin, add_rows, is_stale, read_results
from .study import Result, Row, Study, key_of

__all__ = ["Here", "executor_of", "run"]

THREADS = "OMP_NUM_THREADS"


class Here(Executor):
    """Does at once, in this process, what it is given."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """See `concurrent.futures.Executor.submit`."""
        future: Future[Any] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:
            future.set_exception(error)
        return future


class Cores(ProcessPoolExecutor):
    """Processes of this machine. If the study ends early, they end at once, and what they play is dropped.

    One that waits for a training run is waited for: the run is saved.
    """

    def __init__(self, cores: int) -> None:
        super().__init__(cores, get_context("spawn"), begin_worker)
        self._signals = ExitStack()
        resource_tracker.ensure_running()  # it would end `held_back` when it starts with the first worker

    def __enter__(self) -> Self:
        """Take the signals."""
        self._signals.enter_context(patient())
        return self

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """See `concurrent.futures.Executor.submit`; a worker may start."""
        with undisturbed():
            return super().submit(fn, *args, **kwargs)

    def __exit__(
        self, exc_type: type[BaseException] | None, exc_val: BaseException | None, exc_tb: TracebackType | None
    ) -> None:
        """Wait until all have ended."""
        with self._signals:
            for process in active_children() if exc_type is not None else ():
                process.terminate()
            self.shutdown(cancel_futures=True)


def begin_worker() -> None:
    """Make this process one of `Cores`."""
    ProgressBar.set_lock(
        threading.RLock()
    )  # its usual lock is of the system, which would miss it when this process is ended
    follow_parent()


def executor_of(cores: int) -> Executor:
    """Processes, whose networks keep to a core each; or this process, for one.

    Raises:
        ValueError: there are no cores.
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
    """Play what is missing, least complete rows first.

    Args:
        study: what is measured.
        path: of its results.
        origin: what is noted of the rows that are played.
        rows: only these, and those that they need.
        executor: what plays the parts: this process, its cores, a cluster. It must import the study's module.
        cores: how many the executor has: parts are submitted as long as there are free ones.
        minutes: no part begins after that.
        again: play rows from their first game on, also those that are complete.

    Returns:
        Why rows could not be played, by their words; what they need more than that is left out.

    Raises:
        OSError: the results cannot be read or written.
        ValueError: the file holds something else.
    """
    check_writable(path)
    wanted = with_needs(study.rows if rows is None else rows)
    results = {key_of(result): result for result in read_results(path)}
    instead = {row.key for row in wanted if again or (row.key in results and is_stale(results[row.key]))}
    for key in instead:
        results.pop(key, None)
    refused: dict[str, str] = {}
    end = time.monotonic() + 60 * minutes
    with executor or Here() as pool, ProgressBar(total=sum(row.wanted for row in wanted), unit=study.unit) as bar:
        running: dict[Future[Mapping[str, Any]], Row] = {}
        while True:
            bar.update(sum(min(done(row, results), row.wanted) for row in wanted) - bar.n)
            free = cores - sum(row.cores for row in running.values())
            for row in ready(wanted, results, {row.key for row in running.values()}, refused):
                if time.monotonic() >= end or (free < row.cores and running):
                    break
                running[pool.submit(study.play, row, results.get(row.key))] = row
                free -= row.cores
            if not running:
                return refused
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                row = running.pop(future)
                try:
                    result = result_of(row, future.result())
                except ValueError as error:
                    refused[row.words] = str(error)
                    continue
                held = add_rows(path, study.name, origin, [result], instead & {row.key})
                instead.discard(row.key)
                results |= {key: held for held in held if (key := key_of(held)) not in instead}


def with_needs(rows: Sequence[Row]) -> list[Row]:
    """Rows, and before each those that it needs."""
    found: dict[str, Row] = {}
    for row in rows:
        for own in (*with_needs(row.needs), row):
            found.setdefault(own.key, own)
    return list(found.values())


def ready(rows: Sequence[Row], results: Mapping[str, Result], busy: set[str], refused: Mapping[str, str]) -> list[Row]:
    """The rows that can go on now, least complete first."""

    def is_done(row: Row) -> bool:
        return done(row, results) >= row.wanted

    waiting = [row for row in rows if row.key not in busy and row.words not in refused and not is_done(row)]
    waiting = [row for row in waiting if all(map(is_done, row.needs))]
    return sorted(waiting, key=lambda row: done(row, results) / row.wanted)


def done(row: Row, results: Mapping[str, Result]) -> int:
    """How much of a row there is."""
    return results[row.key]["done"] if row.key in results else 0


def result_of(row: Row, measured: Mapping[str, Any]) -> dict[str, Any]:
    """What is kept of a row: its fields, how much of it there is, the networks it rests on, and what was measured."""
    networks = fingerprints(*row.agents)
    return {
        "fields": list(row.values()),
        **row.values(),
        "done": measured["done"],
        "wanted": row.wanted,
        **({"networks": networks} if networks else {}),
        **{name: value for name, value in measured.items() if name != "done"},
    }
