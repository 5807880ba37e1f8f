"""What compiled code was made of, as one number: found by following the names that a function uses.

Numba's disk cache does not notice an edit in another file: a cached loop would silently run an old rule. A loop
therefore closes over the digest of the functions it is built from (see `hanabako.compiler.jit.keyed`); a new digest is
a cache miss. From a function the digest goes on to the functions and constants whose names it uses, and to what it
closes over, until nothing of ours is left. So no list of modules is kept anywhere.
"""

import hashlib
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

__all__ = ["digest_of"]

ROOM = Path(__file__).resolve().parent

CANNOT_CHANGE = frozenset(("builtins", "math", "numba", "numpy"))
"""Top-level modules that a new release changes, which Numba's cache notices, and no edit."""


@cache
def digest_of(*functions: Any) -> int:
    """A 63-bit digest of plain Python functions and of all that they use.

    Args:
        functions: what a loop is made of, the function that makes it included; tuples of functions are fine.
    """
    digest, seen = hashlib.sha256(), {}
    for path in sorted(ROOM.rglob("*.py")):  # how things are compiled, which no name leads to
        digest.update(path.read_bytes())
    for part in _described(functions, seen):
        digest.update(part.encode())
    return int.from_bytes(digest.digest()[:8], "little") >> 1


def _described(value: Any, seen: dict[int, Any]) -> Iterator[str]:
    """A value in words that change whenever it does, and those of all that it leads to; each object once."""
    value = getattr(value, "py_func", getattr(value, "__wrapped__", value))  # compiled already, or cached
    if isinstance(value, (np.ndarray, np.generic, np.dtype)):
        yield f"{type(value).__name__} {_bytes_of(value)}"
    elif isinstance(value, (str, bytes, int, float, complex, type(None), type(Ellipsis))):
        yield repr(value)
    elif id(value) in seen:
        yield f"again {getattr(value, '__qualname__', '')}"
    else:
        seen[id(value)] = value  # kept, so that no other object gets its id
        yield from _described_once(value, seen)


def _described_once(value: Any, seen: dict[int, Any]) -> Iterator[str]:
    """An object that may lead to others."""
    if isinstance(value, (tuple, list)):
        yield f"{type(value).__name__} {getattr(value, '_fields', len(value))}"
        for element in value:
            yield from _described(element, seen)
    elif isinstance(value, (set, frozenset, dict)):
        yield f"{type(value).__name__} {len(value)}"
        for element in sorted(value.items() if isinstance(value, dict) else value, key=repr):
            yield from _described(element, seen)
    elif isinstance(value, FunctionType) and _may_change(value.__module__):
        yield f"def {value.__qualname__}"
        yield from _described_code(value.__code__, seen)
        for used in _used_by(value):
            yield from _described(used, seen)
    elif isinstance(value, ModuleType) and _may_change(value.__name__):
        yield Path(value.__file__).read_text(encoding="utf-8") if value.__file__ else value.__name__
    else:  # a library's function, a class (a named tuple's fields are all of it that compiled code sees)
        name = getattr(value, "__qualname__", getattr(value, "__name__", type(value)))
        yield f"{getattr(value, '__module__', '')}.{name}"
        yield repr(getattr(value, "_fields", ""))


def _may_change(module: str) -> bool:
    return module.partition(".")[0] not in CANNOT_CHANGE and module.partition(".")[0] not in sys.stdlib_module_names


def _described_code(code: CodeType, seen: dict[int, Any]) -> Iterator[str]:
    """Instructions, names and constants, those of the functions inside included; line numbers and paths are not."""
    yield repr((code.co_code, code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars, code.co_argcount))
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _described_code(constant, seen)
        else:
            yield from _described(constant, seen)


def _used_by(function: FunctionType) -> Iterator[Any]:
    """What a function's names mean: its module's names, what it closes over, and its defaults."""
    names = function.__globals__
    yield from (names[name] for name in sorted(_names_in(function.__code__)) if name in names)
    for cell in function.__closure__ or ():
        try:
            yield cell.cell_contents
        except ValueError:  # not bound yet: a function that calls itself
            continue
    yield function.__defaults__


def _names_in(code: CodeType) -> set[str]:
    inner = (constant for constant in code.co_consts if isinstance(constant, CodeType))
    return set(code.co_names).union(*map(_names_in, inner))


def _bytes_of(value: Any) -> str:
    if isinstance(value, np.dtype):
        return f"{value.descr} {value.itemsize}"
    return f"{_bytes_of(value.dtype)} {value.shape} {value.tobytes().hex()}"
