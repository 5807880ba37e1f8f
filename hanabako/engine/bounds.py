"""Checks of the fields of records that come from outside.

The compiled loops check no bounds: a player, card or count that points beyond its array would read or write other
memory. So each game gives the range of every field that its rules read (`Bounds`), and checks that its cards are
complete (`hanabako.engine.game.Game.is_whole`).
"""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

__all__ = ["Bounds", "check_bounds"]

Bounds = Mapping[str, tuple[int, ...]]
"""The bounds of a record's fields: the least and the greatest number, and optionally another allowed number (no card).

A field of an inner record is written ``"event.player"``. Fields without bounds may hold anything."""


def check_bounds(records: np.ndarray, bounds: Bounds) -> None:
    """Raise ``ValueError`` if a number of records (N,) is out of bounds, with the field, number and record's index."""
    for name, values in _numbers(records):
        least, most, *others = bounds.get(name, (None, None))
        if least is None:
            continue
        is_outside = (values < least) | (values > most)
        for other in others:
            is_outside &= values != other
        if is_outside.any():
            place = tuple(np.argwhere(is_outside)[0])
            also = "".join(f" or {other}" for other in others)
            raise ValueError(f"{name} must be from {least} to {most}{also}, got {values[place]} in table {place[0]}")


def _numbers(records: np.ndarray, prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the name and the values (N, ...) of every field, including the fields of inner records."""
    for name in records.dtype.names or ():
        values = records[name]
        if values.dtype.names:
            yield from _numbers(values, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", values
