"""Calling a compiled loop without Numba's type check of every argument, which saves 0.45 us per step of `raw_env`.

At each call Numba looks up which compiled version of a loop fits the arguments. A caller whose arguments always have
the same types can keep that version.
"""

from collections.abc import Callable
from typing import Any

import numba

__all__ = ["direct"]


def direct(loop: Callable[..., Any], *arguments: Any) -> Callable[..., Any]:
    """Return the compiled version of ``loop`` for these arguments, or the loop itself if there is none.

    Arguments of later calls are not checked: they must have exactly the same types, dtypes and memory layouts.
    """
    try:
        return loop.overloads[tuple(map(numba.typeof, arguments))].entry_point  # type: ignore[attr-defined]
    except (AttributeError, KeyError, ValueError):  # plain Python, or another Numba
        return loop
