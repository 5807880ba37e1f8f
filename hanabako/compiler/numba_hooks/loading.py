"""Load compiled loops from the disk cache without the compiler: an environment's first step comes 0.2 s sooner.

Before it reads a loop from its cache, Numba makes ready to compile: it loads its types and implementations of all that
Python and NumPy can do (and, only to see whether it is there, SciPy's linear algebra, with half of SciPy). The loop is
machine code. All that it can lack are the addresses that Numba gives to LLVM as it gets ready, those of its runtime and
of the seeds of Python's hashes. Whatever is compiled later finds the compiler ready, because each compilation sees to
that itself.
"""

from typing import Any

import numba
from numba.core.caching import FunctionCache
from numba.core.runtime.nrt import rtsys

__all__ = ["KNOWN", "LoopCache", "is_known"]

KNOWN = ((0, 61), (0, 68))
"""The oldest and the newest Numba that this was tried with. Others load the same loops more slowly."""


def is_known() -> bool:
    """This Numba was tried, and has what `LoopCache` calls."""
    oldest, newest = KNOWN
    has_methods = hasattr(FunctionCache, "_load_overload") and hasattr(rtsys, "initialize")
    return has_methods and oldest <= numba.version_info.short <= newest


class LoopCache(FunctionCache):
    """Numba's disk cache of one loop, which readies what machine code calls and not the compiler."""

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """What is cached for a signature, ready to be called, or ``None``."""
        rtsys.initialize(target_context)
        import numba.cpython.hashing  # noqa: F401 - gives LLVM the seeds

        with self._guard_against_spurious_io_errors():
            return self._load_overload(sig, target_context)
