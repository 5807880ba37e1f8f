"""Checks of what a caller wrote, and the words they fail in: the field, the value, what is allowed."""

import json
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from types import UnionType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

import numpy as np

__all__ = [
    "as_each",
    "as_index",
    "as_list",
    "as_seed",
    "build_config",
    "check_choice",
    "check_derived",
    "check_field_types",
    "check_keys",
    "check_seat",
    "fresh_seed",
    "parse_setting",
]

T = TypeVar("T")


def check_field_types(config: Any) -> None:
    """Check every field of a dataclass against its annotation (``int``, ``bool``, ``str``, unions, a ``tuple[...]``).

    NumPy integers are accepted as ints and stored as Python's, lists (JSON has no others) as tuples; what is in a tuple
    is not checked. A ``bool`` is not an ``int`` here.

    Raises:
        ValueError: a field has another type.
    """
    hints = get_type_hints(type(config))
    for field in fields(config):
        value = getattr(config, field.name)
        allowed = _classes(hints[field.name])
        if isinstance(value, np.generic):
            value = value.item()
            object.__setattr__(config, field.name, value)
        if isinstance(value, list) and tuple in allowed:
            value = tuple(value)
            object.__setattr__(config, field.name, value)
        if type(value) not in allowed:
            names = " or ".join("None" if t is type(None) else t.__name__ for t in allowed)
            raise ValueError(f"{field.name} must be {names}, got {value!r}")


def _classes(hint: Any) -> tuple[type, ...]:
    """The classes that an annotation allows."""
    if isinstance(hint, UnionType):
        return get_args(hint)
    return (get_origin(hint) or hint,)


def check_choice(config: Any, name: str, allowed: Iterable[Any]) -> None:
    """Raise ``ValueError`` if field ``name`` is none of the ``allowed`` values."""
    value = getattr(config, name)
    if value in allowed:
        return
    if isinstance(allowed, range):
        words = f"from {allowed.start} to {allowed.stop - 1}"
    else:
        words = "one of " + ", ".join(repr(v) for v in allowed)
    raise ValueError(f"{name} must be {words}, got {value!r}")


def build_config(presets: Mapping[str, Any], config: Any, preset: str | None, options: Mapping[str, Any]) -> Any:
    """The configuration that a factory's keywords mean: a whole ``config``, or a ``preset`` with fields changed.

    Args:
        presets: the game's presets by name; the first is meant by no keywords at all, and its class is the game's.
        config: a whole configuration, or ``None``.
        preset: a name out of ``presets``, or ``None``.
        options: fields by name.

    Raises:
        ValueError: unknown preset or field, a ``config`` of another class, or both ``config`` and something else.
    """
    default = next(iter(presets.values()))
    kind = type(default)
    if config is not None:
        if preset is not None or options:
            raise ValueError("give either config, or preset and fields by name, not both")
        if not isinstance(config, kind):
            raise ValueError(f"config must be a {kind.__name__}, got {config!r}")
        return config
    if preset is not None and preset not in presets:
        raise ValueError(f"preset must be one of {', '.join(map(repr, presets))}, got {preset!r}")
    start = default if preset is None else presets[preset]
    if not is_dataclass(start):
        raise TypeError(f"{start!r} is no configuration")
    known = {field.name: getattr(start, field.name) for field in fields(start)}
    for name in options:
        if name not in known:
            raise ValueError(f"{name!r} is no field of {kind.__name__}; fields are {', '.join(known)}")
    return kind(**{**known, **options})


def parse_setting(text: str) -> tuple[str, Any]:
    """``"derived=true"`` as ``("derived", True)``; what is no JSON stays a word.

    Raises:
        ValueError: it has no equals sign.
    """
    name, separator, value = text.partition("=")
    if not separator:
        raise ValueError(f"a setting must be written name=value, got {text!r}")
    try:
        return name, json.loads(value)
    except json.JSONDecodeError:
        return name, value


def as_index(name: str, value: Any, most: int) -> int:
    """``value`` as an int from 0 to ``most``.

    Raises:
        ValueError: it is no integer, or out of range.
    """
    try:
        index = operator.index(value)
    except TypeError:
        index = -1
    if isinstance(value, (bool, np.bool_)) or not 0 <= index <= most:
        raise ValueError(f"{name} must be an int from 0 to {most}, got {value!r}")
    return index


def as_list(name: str, value: Any, length: int | None = None) -> Sequence[Any]:
    """``value`` as the list or tuple that it must be.

    Raises:
        ValueError: it is neither, or has another ``length`` than the one that is wanted.
    """
    if not isinstance(value, (list, tuple)) or length not in (None, len(value)):
        wanted = "a list" if length is None else f"a list of {length}"
        raise ValueError(f"{name} must be {wanted}, got {value!r}")
    return value


def as_each(name: str, value: Any, read: Callable[[Any], T]) -> list[T]:
    """Every element of a list as ``read`` gives it.

    Raises:
        ValueError: it is no list, or ``read`` refuses an element; names its place.
    """
    found = []
    for k, element in enumerate(as_list(name, value)):
        try:
            found.append(read(element))
        except ValueError as error:
            raise ValueError(f"{name}[{k}]: {error}") from None
    return found


def check_keys(position: Any, required: Iterable[str]) -> None:
    """Raise ``ValueError`` if a position is no dict or lacks keys."""
    if not isinstance(position, Mapping):
        # Whatever is wrong with a position is a ValueError.
        raise ValueError(f"a position must be a dict as to_dict() gives it, got {position!r}")  # noqa: TRY004
    missing = [key for key in required if key not in position]
    if missing:
        raise ValueError(f"the position lacks {', '.join(missing)}")


def check_derived(position: Mapping[str, Any], name: str, expected: Any) -> None:
    """Raise ``ValueError`` if a position contradicts itself: ``name`` follows from the rest, and is something else."""
    if name in position and (isinstance(position[name], bool) or position[name] != expected):
        raise ValueError(f"{name} must be {expected!r}, got {position[name]!r}")


def check_seat(seat: int | None, players: int) -> None:
    """Raise ``ValueError`` if ``seat`` is neither None nor a player."""
    if seat is not None and seat not in range(players):
        raise ValueError(f"seat must be None or from 0 to {players - 1}, got {seat!r}")


def as_seed(value: Any) -> int:
    """A seed as an int below 2^64.

    Raises:
        ValueError: it is no such int.
    """
    return as_index("seed", value, 2**64 - 1)


def fresh_seed() -> int:
    """A seed from the operating system's entropy, for callers who gave none."""
    return int(np.random.SeedSequence().generate_state(1, np.uint64)[0])
