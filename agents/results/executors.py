"""Executors that play the rows of a study: this process, or several on this machine."""

import os
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from contextlib import ExitStack
from multiprocessing import active_children, get_context, resource_tracker
from multiprocessing.process import BaseProcess
from types import TracebackType
from typing import Any, Self

from hanabako.interrupts import follow_parent, patient, undisturbed
from hanabako.progress import ProgressBar

__all__ = ["Here", "executor_of"]

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

    The signal is sent repeatedly: a worker that has finished saving would otherwise wait for its next row, perhaps
    forever, if one that was ended while it waited held the lock of the queue.
    """
    while alive := [worker for worker in workers if worker.is_alive()]:
        for worker in alive:
            worker.terminate()
        time.sleep(TICK)


def begin_worker() -> None:
    """Make this process one of `Cores`; a bar's default lock is shared, and would stay locked after its end."""
    ProgressBar.set_lock(threading.RLock())
    follow_parent()


def executor_of(cores: int) -> Executor:
    """Return an executor of ``cores`` processes whose networks use one core each; for one core, this process."""
    if cores < 1:
        raise ValueError(f"cores must be at least 1, got {cores}")
    if cores == 1:
        return Here()
    os.environ[THREADS] = "1"  # read by the processes that start now
    return Cores(cores)
