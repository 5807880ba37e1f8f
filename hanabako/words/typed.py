"""Reading dataclasses from JSON, with every value checked against its annotation."""

from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from types import UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from .checks import shown

__all__ = ["from_json"]

T = TypeVar("T")


def from_json(kind: type[T], kept: Mapping[str, Any]) -> T:
    """Return a dataclass from JSON with all of its fields; lists become tuples, strings become paths if annotated.

    Raise ``ValueError`` if a field is missing, unknown, or of the wrong type.
    """
    hints, names = get_type_hints(kind), {own.name for own in fields(kind)}  # pyrefly: ignore[bad-argument-type]
    if kept.keys() != names:
        raise ValueError(f"missing or unknown settings: {', '.join(map(shown, sorted(kept.keys() ^ names)))}")
    values = {name: read_as(hints[name], value) for name, value in kept.items()}
    for name, value in values.items():
        if not is_of(value, hints[name]):
            raise ValueError(f"{name} must be {allowed_by(hints[name])}, got {shown(value)}")
    return kind(**values)


def read_as(hint: Any, value: Any) -> Any:
    """Convert a JSON value to its annotated type, for types that JSON lacks (tuples and paths)."""
    if isinstance(value, list):
        return tuple(value)
    return Path(value) if isinstance(value, str) and Path in get_args(hint) else value


def is_of(value: Any, hint: Any) -> bool:
    """Whether a value has the annotated type: a class, a union, a literal, a tuple or a dict."""
    kind = get_origin(hint)
    if kind is Literal:
        return value in get_args(hint)
    if kind in (Union, UnionType):  # Union is the origin of annotated unions
        return any(is_of(value, part) for part in get_args(hint))
    if kind is tuple:
        return isinstance(value, tuple) and all(is_of(element, get_args(hint)[0]) for element in value)
    if hint is Path or kind is dict:
        return isinstance(value, kind or hint)
    return type(value) is hint or (hint is float and type(value) is int)


def allowed_by(hint: Any) -> str:
    """Return the text of an annotation for a message."""
    if get_origin(hint) is Literal:
        return f"one of {', '.join(map(shown, get_args(hint)))}"
    return hint.__name__ if isinstance(hint, type) else str(hint).removeprefix("typing.")
