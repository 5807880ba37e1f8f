"""The clock of a run's budget, which stands still while Numba compiles."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from numba.core import event

__all__ = ["Clock", "running_clock"]


class Clock(event.Listener):
    """Counts the time since it was made, except that of compiling and of loading what was compiled before."""

    def __init__(self) -> None:
        self._depth = 0
        self._began = self._still = now()

    @property
    def seconds(self) -> float:
        """Elapsed time."""
        return now()[0] - self._began[0]

    @property
    def core_seconds(self) -> float:
        """CPU time of this process."""
        return now()[1] - self._began[1]

    def on_start(self, event: event.Event) -> None:
        """See ``numba.core.event.Listener``: compiling begins, perhaps that of a function which another one calls."""
        if self._depth == 0:
            self._still = now()
        self._depth += 1

    def on_end(self, event: event.Event) -> None:
        """See ``numba.core.event.Listener``."""
        self._depth -= 1
        if self._depth == 0:
            (elapsed, spent), (began, began_core), (still, still_core) = now(), self._began, self._still
            self._began = began + elapsed - still, began_core + spent - still_core


def now() -> tuple[float, float]:
    """Return the elapsed time and this process's CPU time, in seconds."""
    return time.perf_counter(), time.process_time()


@contextmanager
def running_clock() -> Iterator[Clock]:
    """Yield a clock that runs from now on; it stands still for compiling until the block ends."""
    with event.install_listener("numba:compiler_lock", Clock()) as clock:
        yield clock
