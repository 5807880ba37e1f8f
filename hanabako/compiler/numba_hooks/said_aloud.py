"""A message on standard error when compiling takes longer than two seconds, to explain a slow first step.

It uses `numba.core.event`, by which Numba reports compilations, but not loops that it loads from its cache.
"""

import sys
import threading
import time
from typing import Any

from numba.core import event

__all__ = ["SECONDS", "SaidAloud"]

SECONDS = 2.0


def words_of(event: event.Event) -> str:
    """Return the message about a compilation: the loop's name, and that each loop is compiled once."""
    loop = getattr((event.data or {}).get("dispatcher"), "py_func", None)  # none: a part of a function
    name = f"{loop.__module__}.{loop.__name__}" if loop else "a loop"
    return f"Compiling {name}; later starts take each loop from Numba's cache ..."


class SaidAloud(event.Listener):
    """Listener that prints `words_of` once per process, when loops have been compiled for `SECONDS` in total."""

    def __init__(self) -> None:
        self.said = False
        self._spent = self._began = 0.0
        self._depth = 0
        self._timer: threading.Timer | None = None

    def on_start(self, event: event.Event) -> None:
        """Note that a compilation has begun, possibly inside another one."""
        self._depth += 1
        if self._depth == 1 and not self.said:
            self._began = time.perf_counter()
            self._timer = threading.Timer(max(SECONDS - self._spent, 0), self._say, [event])
            self._timer.daemon = True
            self._timer.start()

    def on_end(self, event: event.Event) -> None:
        """Note that a compilation has ended, successfully or not."""
        self._depth -= 1
        if self._depth == 0 and self._timer is not None:
            self._timer.cancel()
            self._timer = None
            self._spent += time.perf_counter() - self._began

    def _say(self, event: event.Event) -> None:
        if self.said:
            return
        self.said = True
        bar: Any = getattr(sys.modules.get("tqdm"), "tqdm", None)
        if getattr(bar, "_instances", None):
            bar.write(words_of(event), file=sys.stderr)  # above the progress bars
        else:
            print(words_of(event), file=sys.stderr, flush=True)
