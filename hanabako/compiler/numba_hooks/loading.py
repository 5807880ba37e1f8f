"""The disk cache of compiled loops. It is read without preparing the compiler, and damaged files are cache misses.

Before Numba reads a loop from its cache, it prepares to compile: it loads its types and its implementations of Python
and NumPy functions (and half of SciPy, only to see whether SciPy's linear algebra is there). But a cached loop is
already machine code. It only needs a few addresses that Numba gives to LLVM during that preparation: those of its
runtime and of the seeds of Python's hashes. If something is compiled later, that compilation prepares the compiler
itself. An environment's first step comes 0.2 s sooner.

The cache lies in the user's cache folder, unless ``NUMBA_CACHE_DIR`` names another one. Numba would put it beside the
modules, where `pip uninstall` leaves it, and Python imports such a folder as an empty package.

If a file of the cache is truncated or overwritten, the loop is compiled again. If a loop cannot be stored (a full disk,
a read-only folder), every process compiles it, with a warning.
"""

import warnings
from typing import Any

import numba
from numba.core.caching import CompileResultCacheImpl, FunctionCache
from numba.core.runtime.nrt import rtsys

__all__ = ["KNOWN", "LoopCache", "is_known"]

KNOWN = ((0, 61), (0, 68))
"""The oldest and the newest Numba with which this was tested. Other versions load the same loops more slowly."""


def is_known() -> bool:
    """Whether this Numba was tested, and has the methods that `LoopCache` calls to load quickly."""
    oldest, newest = KNOWN
    has_methods = hasattr(FunctionCache, "_load_overload") and hasattr(rtsys, "initialize")
    return has_methods and oldest <= numba.version_info.short <= newest


IS_KNOWN = is_known()


class LoopFiles(CompileResultCacheImpl):
    """The files of a loop's cache. They lie beside its module only if no other folder is writable."""

    _locator_classes = sorted(CompileResultCacheImpl._locator_classes, key=lambda kind: "InTree" in kind.__name__)


class LoopCache(FunctionCache):
    """Numba's disk cache of one loop, which prepares only the addresses that machine code needs."""

    _impl_class = LoopFiles

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the cached loop for a signature, ready to be called, or ``None``."""
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
        """Empty the index, so that unreadable files are written again."""
        try:
            self.flush()
        except OSError:
            self.disable()

    def save_overload(self, sig: Any, data: Any) -> None:
        """Store a compiled loop; warn if that fails (``RuntimeError`` if an interrupt has lost the machine code)."""
        try:
            super().save_overload(sig, data)
        except (OSError, RuntimeError) as error:
            self.disable()
            warnings.warn(f"a compiled loop could not be stored in {self.cache_path}: {error}", stacklevel=2)
