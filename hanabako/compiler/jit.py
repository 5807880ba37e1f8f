"""Every compile option of the project, in one place.

Two decorators cover all compiled code:

* ``rule`` marks a function of the rules. It stays a plain Python function (so it can be read, debugged and covered
  without a compiler) and Numba inlines it into whatever compiled loop calls it; ``subroutine`` is a large one that
  keeps machine code of its own.
* ``kernel`` compiles a loop over games, ``parallel_kernel`` one for several threads. Kernels are made by a function
  that closes over numbers and rules only, because a closure over a *compiled* function misses Numba's disk cache in
  every new process. Each kernel also closes over the digest of what it is made of, see `keyed`.
"""

from collections.abc import Callable
from functools import cache, wraps
from typing import Any, TypeVar

import numba
import numpy as np
from numba.extending import register_jitable

try:
    from hanabako.compiler.numba_hooks.inlining import RuleCompiler
except ImportError:  # another Numba: rules compile more slowly, to the same loops
    RULE_OPTIONS: dict[str, Any] = {}
else:
    RULE_OPTIONS = {"pipeline_class": RuleCompiler}

try:
    from hanabako.compiler.numba_hooks.loading import LoopCache
except ImportError:  # another Numba: loops load more slowly, and a damaged cache is an error
    LoopCache = None

try:
    from numba.core import event

    from hanabako.compiler.numba_hooks.said_aloud import SaidAloud
except ImportError:  # another Numba: it compiles without a word
    pass
else:
    event.register("numba:compile", SaidAloud())

Function = TypeVar("Function", bound=Callable[..., Any])

IS_INTERPRETED = bool(getattr(numba.config, "DISABLE_JIT"))  # noqa: B009 - set at import, unknown to type checkers

__all__ = ["interned", "kernel", "keyed", "parallel_kernel", "rule", "subroutine"]


def rule(function: Function) -> Function:
    """Mark ``function`` as part of the rules: plain Python here, inlined machine code inside a kernel."""
    return register_jitable(forceinline=True, no_cfunc_wrapper=True, **RULE_OPTIONS)(function)


def subroutine(function: Function) -> Function:
    """A `rule` that keeps its own machine code, for large functions that programs call from many places.

    Inlined everywhere, a bot of some hundred lines takes minutes to compile. (Were ``forceinline`` not given, Numba
    would take it from the caller.)
    """
    return register_jitable(forceinline=False, no_cfunc_wrapper=True, **RULE_OPTIONS)(function)


def kernel(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a loop over games for one thread. It releases the GIL, so several Python threads may run kernels."""
    return interpreted(function) if IS_INTERPRETED else compiled(function)


def parallel_kernel(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a ``prange`` loop over games for several threads (Numba's threading layer)."""
    return interpreted(function) if IS_INTERPRETED else compiled(function, parallel=True)


def compiled(function: Callable[..., Any], parallel: bool = False) -> Callable[..., Any]:
    """A loop as machine code, which the disk cache keeps if there is a place: see `numba_hooks.loading`."""
    options: dict[str, Any] = {"nogil": True, "parallel": parallel, "error_model": "numpy"}
    try:
        loop: Any = numba.njit(cache=True, **options)(function)
    except RuntimeError:  # no folder that can be written to
        return numba.njit(**options)(function)
    if LoopCache is not None:
        loop._cache = LoopCache(function)
    return loop


def interpreted(function: Callable[..., Any]) -> Callable[..., Any]:
    """A loop as plain Python, for ``NUMBA_DISABLE_JIT=1``: arrays of records offer their fields as attributes."""

    @wraps(function)
    def loop(*arguments: Any) -> Any:
        with np.errstate(over="ignore"):  # random numbers are made modulo 2^64
            return function(*(as_records(argument) for argument in arguments))

    return loop


def as_records(value: Any) -> Any:
    """An array of records with attributes; anything else as it is."""
    is_records = isinstance(value, np.ndarray) and value.dtype.names is not None
    return value.view(np.recarray) if is_records else value


@cache
def interned(dtype: np.dtype) -> np.dtype:
    """One object for all equal dtypes.

    Numba knows a record type by its object; an equal one it compares field by field on every call of a kernel, which
    costs 2 microseconds.
    """
    return dtype


@rule
def keyed(value, digest):  # noqa: ARG001
    """``value``. The ``digest`` (see `hanabako.compiler.digest`) does nothing but join what a loop closes over.

    Numba's disk cache tells loops apart by what they close over, and does not notice an edit in another file: a loop
    without the digest would run last week's rules without a word.
    """
    return value
