"""The disk cache of compiled loops: read without the compiler, and no worse than absent if it is damaged.

Before it reads a loop from its cache, Numba makes ready to compile: it loads its types and implementations of all that
Python and NumPy can do (and, only to see whether it is there, SciPy's linear algebra, with half of SciPy). The loop is
machine code. All that it can lack are the addresses that Numba gives to LLVM as it gets ready, those of its runtime and
of the seeds of Python's hashes. Whatever is compiled later finds the compiler ready, because each compilation sees to
that itself. An environment's first step comes 0.2 s sooner.

A file of the cache that is cut short or overwritten is a miss: the loop is compiled again. A loop that cannot be kept
(a full disk, a read-only folder) is compiled in every process, with a warning.
"""

import warnings
from typing import Any

import numba
from numba.core.caching import FunctionCache
from numba.core.runtime.nrt import rtsys

__all__ = ["KNOWN", "LoopCache", "is_known"]

KNOWN = ((0, 61), (0, 68))
"""The oldest and the newest Numba that this was tried with. Others load the same loops more slowly."""


def is_known() -> bool:
    """This Numba was tried, and has what `LoopCache` calls to load quickly."""
    oldest, newest = KNOWN
    has_methods = hasattr(FunctionCache, "_load_overload") and hasattr(rtsys, "initialize")
    return has_methods and oldest <= numba.version_info.short <= newest


IS_KNOWN = is_known()


class LoopCache(FunctionCache):
    """Numba's disk cache of one loop, which readies what machine code calls and not the compiler."""

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """What is cached for a signature, ready to be called, or ``None``."""
        try:
            if not IS_KNOWN:
                return super().load_overload(sig, target_context)
            rtsys.initialize(target_context)
            import numba.cpython.hashing  # noqa: F401 - gives LLVM the seeds

            with self._guard_against_spurious_io_errors():
                return self._load_overload(sig, target_context)
        except Exception:
            self._forget()
            return None

    def _forget(self) -> None:
        """Empty the index, so that what cannot be read is written again."""
        try:
            self.flush()
        except OSError:
            self.disable()

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep a compiled loop, if it can be kept (a ``RuntimeError``: an interruption has lost its machine code)."""
        try:
            super().save_overload(sig, data)
        except (OSError, RuntimeError) as error:
            self.disable()
            warnings.warn(f"a compiled loop could not be kept in {self.cache_path}: {error}", stacklevel=2)
