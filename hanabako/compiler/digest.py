"""A digest of everything that a compiled loop is built from, found by following the names that functions use.

Numba's disk cache does not notice an edit in another file: a cached loop would silently run an old rule. A loop
therefore closes over the digest of the functions it is built from (see `hanabako.compiler.jit.keyed`), so that a new
digest is a cache miss. The digest follows the functions and constants that a function names or closes over, and theirs
in turn, as far as they are our code. So no list of modules has to be kept.
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
"""Top-level modules that change only by a new release, which Numba's cache notices."""


@cache
def digest_of(*functions: Any) -> int:
    """Return a 63-bit digest of plain Python functions and of everything that they use.

    Args:
        functions: the functions that a loop is built from, and the function that builds it. Tuples are allowed.
    """
    digest, seen = hashlib.sha256(), {}
    for path in sorted(ROOM.rglob("*.py")):  # the compile options, to which no name leads
        digest.update(path.read_bytes())
    for part in _described(functions, seen):
        digest.update(f"{part!r}\n".encode())  # parts are apart: 1 and 10 are not 11 and 0
    return int.from_bytes(digest.digest()[:8], "little") >> 1


def _described(value: Any, seen: dict[int, tuple[int, Any]]) -> Iterator[str]:
    """Yield texts that change whenever a value, or an object reachable from it, does. Each object comes once."""
    value = getattr(value, "py_func", getattr(value, "__wrapped__", value))  # unwrap compiled and cached functions
    if isinstance(value, (np.ndarray, np.generic, np.dtype)):
        yield f"{type(value).__name__} {_bytes_of(value)}"
    elif isinstance(value, (str, bytes, int, float, complex, type(None), type(Ellipsis))):
        yield repr(value)
    elif id(value) in seen:
        yield f"again {seen[id(value)][0]}"
    else:
        seen[id(value)] = len(seen), value  # kept, so that no other object gets its id
        yield from _described_once(value, seen)


def _described_once(value: Any, seen: dict[int, tuple[int, Any]]) -> Iterator[str]:
    """Yield the texts of an object that may refer to others."""
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
    else:  # a library's function, or a class (compiled code sees only a named tuple's fields)
        name = getattr(value, "__qualname__", getattr(value, "__name__", type(value)))
        yield f"{getattr(value, '__module__', '')}.{name}"
        yield repr(getattr(value, "_fields", ""))


def _may_change(module: str) -> bool:
    return module.partition(".")[0] not in CANNOT_CHANGE and module.partition(".")[0] not in sys.stdlib_module_names


def _described_code(code: CodeType, seen: dict[int, tuple[int, Any]]) -> Iterator[str]:
    """Yield the instructions, names and constants of code and of inner functions, without line numbers and paths."""
    yield repr((code.co_code, code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars, code.co_argcount))
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _described_code(constant, seen)
        else:
            yield from _described(constant, seen)


def _used_by(function: FunctionType) -> Iterator[Any]:
    """Yield the objects that a function uses: those that it names, those that it closes over, and its defaults."""
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
