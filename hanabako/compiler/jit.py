"""Every compile option of the project, in one place.

Two decorators cover all compiled code:

* ``rule`` marks a function of the rules. It stays a plain Python function, which can be debugged and covered without a
  compiler, and Numba inlines it into every compiled loop that calls it. ``subroutine`` marks a large rule, which keeps
  its own machine code; ``summing_rule`` marks one whose sums may be reordered.
* ``kernel`` compiles a loop over games; ``parallel_kernel`` compiles one for several threads. Kernels are made by
  functions that close over numbers and rules only, because a closure over a *compiled* function misses Numba's disk
  cache in every new process. Each kernel also closes over a digest of the code it is built from, see `keyed`.
"""

import threading
from collections.abc import Callable
from contextlib import nullcontext, suppress
from functools import cache, wraps
from typing import Any, TypeVar

import numba
import numpy as np
from numba.extending import register_jitable

try:
    from hanabako.compiler.numba_hooks.inlining import RuleCompiler
except ImportError:  # another Numba: rules compile more slowly, into the same loops
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
except ImportError:  # another Numba: it compiles without a message
    pass
else:
    event.register("numba:compile", SaidAloud())

Function = TypeVar("Function", bound=Callable[..., Any])

IS_INTERPRETED = bool(getattr(numba.config, "DISABLE_JIT"))  # noqa: B009 - set at import, unknown to type checkers

__all__ = ["interned", "kernel", "keyed", "parallel_kernel", "rule", "subroutine", "summing_rule"]


def rule(function: Function) -> Function:
    """Mark ``function`` as part of the rules: plain Python here, inlined machine code inside a kernel."""
    return marked(function, forceinline=True)


def subroutine(function: Function) -> Function:
    """Mark ``function`` as a `rule` that keeps its own machine code, for large functions with many callers.

    If it were inlined everywhere, a bot of some hundred lines would take minutes to compile. (Without an explicit
    ``forceinline=False`` Numba takes the caller's.)
    """
    return marked(function, forceinline=False)


def summing_rule(function: Function) -> Function:
    """Mark ``function`` as a `rule` whose floats may be added in any order, several at once.

    Scalar products of 64 numbers take an eighth of the time.
    """
    return marked(function, forceinline=True, fastmath={"reassoc"})


def marked(function: Any, **options: Any) -> Any:
    """Let Numba compile calls of ``function``, with the same pickle in every process.

    Numba's disk cache compares pickles of the functions that a loop closes over. A pickle tells one string from two
    equal ones: the path in the code is the module's if it was compiled here, and a copy if it came from a ``.pyc``.
    So each loop was compiled in the first process, and again in the second.
    """
    path = function.__globals__.get("__file__", function.__code__.co_filename)
    function.__code__ = function.__code__.replace(co_filename=path)
    return register_jitable(no_cfunc_wrapper=True, **options, **RULE_OPTIONS)(function)


def kernel(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a loop over games for one thread. It releases the GIL, so several Python threads may run kernels."""
    return interpreted(function) if IS_INTERPRETED else compiled(function)


def parallel_kernel(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a ``prange`` loop over games for several threads (Numba's threading layer).

    Under the layer ``workqueue`` (macOS, systems without OpenMP), which would end a process that enters it twice at the
    same time, Python threads run these loops one after another.
    """
    if IS_INTERPRETED:
        return interpreted(function)
    loop: Any = compiled(function, parallel=True)

    @wraps(function)
    def in_turn(*arguments: Any) -> Any:
        with TURN if needs_turns() else nullcontext():
            return loop(*arguments)

    in_turn.py_func = function  # type: ignore[attr-defined]
    return in_turn


TURN = threading.Lock()
"""Held by the Python thread whose parallel loop runs, where `needs_turns`."""


def needs_turns() -> bool:
    """Whether Numba's threading layer serves one Python thread at a time, or is not known before the first loop."""
    try:
        return numba.threading_layer() == "workqueue"
    except ValueError:
        return True


def compiled(function: Callable[..., Any], parallel: bool = False) -> Callable[..., Any]:
    """Compile a loop, with a disk cache if there is a writable folder: see `numba_hooks.loading`."""
    loop: Any = numba.njit(nogil=True, parallel=parallel, error_model="numpy")(function)
    with suppress(RuntimeError, UnicodeError):  # no writable folder, or its name cannot be read in this locale
        if LoopCache is None:
            loop.enable_caching()
        else:
            loop._cache = LoopCache(function)
    return loop


def interpreted(function: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a loop as plain Python, for ``NUMBA_DISABLE_JIT=1``: it gets arrays of records with fields as attributes."""

    @wraps(function)
    def loop(*arguments: Any) -> Any:
        with np.errstate(over="ignore"):  # random numbers are made modulo 2^64
            return function(*(as_records(argument) for argument in arguments))

    return loop


def as_records(value: Any) -> Any:
    """Return a structured array as a recarray, and any other value unchanged."""
    is_records = isinstance(value, np.ndarray) and value.dtype.names is not None
    return value.view(np.recarray) if is_records else value


@cache
def interned(dtype: np.dtype) -> np.dtype:
    """Return the same object for all equal dtypes.

    Numba recognizes a record type by its object. If the object differs, Numba compares all fields on every call of a
    kernel, which costs 2 microseconds.
    """
    return dtype


@rule
def keyed(value, digest):  # noqa: ARG001
    """Return ``value``. Passing the ``digest`` (see `hanabako.compiler.digest`) makes a loop close over it.

    Numba's disk cache distinguishes loops by the values they close over, and does not notice an edit in another file.
    Without the digest, a loop could silently run outdated rules.
    """
    return value
