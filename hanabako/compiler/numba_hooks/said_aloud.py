"""A message on standard error when compiling takes longer than two seconds, to explain a slow first step.

It uses `numba.core.event`, by which Numba reports compilations, but not loops that it loads from its cache.
"""

import sys
import threading
import time
from typing import Any

from numba.core import event

__all__ = ["SECONDS", "WORDS", "SaidAloud"]

SECONDS = 2.0
WORDS = "Compiling, once on this machine; later starts take it from Numba's cache ..."


class SaidAloud(event.Listener):
    """Listener that prints `WORDS` once per process, when loops have been compiled for `SECONDS` in total."""

    def __init__(self) -> None:
        self.said = False
        self._spent = self._began = 0.0
        self._depth = 0
        self._timer: threading.Timer | None = None

    def on_start(self, event: Any) -> None:
        """Note that a compilation has begun, possibly inside another one."""
        self._depth += 1
        if self._depth == 1 and not self.said:
            self._began = time.perf_counter()
            self._timer = threading.Timer(max(SECONDS - self._spent, 0), self._say)
            self._timer.daemon = True
            self._timer.start()

    def on_end(self, event: Any) -> None:
        """Note that a compilation has ended, successfully or not."""
        self._depth -= 1
        if self._depth == 0 and self._timer is not None:
            self._timer.cancel()
            self._timer = None
            self._spent += time.perf_counter() - self._began

    def _say(self) -> None:
        if not self.said:
            self.said = True
            over = "\r" if sys.stderr.isatty() else ""  # overwrites the beginning of a progress bar
            print(f"{over}{WORDS}", file=sys.stderr, flush=True)
