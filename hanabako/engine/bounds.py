"""What the fields of a record may hold: checked before records from outside are believed.

The compiled loops check no bounds: a player, a card or a count that points beyond its array would read or write foreign
memory. So each game tells the range of every field that its rules read (`Bounds`), and what its cards must add up to
(`hanabako.engine.game.Game.is_whole`).
"""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

__all__ = ["Bounds", "check_bounds"]

Bounds = Mapping[str, tuple[int, ...]]
"""Bounds of a record's fields, ``"event.player"`` for one inside another: least and greatest number, and one allowed
beside them (no card). Fields without bounds may hold anything."""


def check_bounds(records: np.ndarray, bounds: Bounds) -> None:
    """Check all fields of records (N,).

    Raises:
        ValueError: a number lies outside; names the field, the record and the number.
    """
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
    """Names and values (N, ...) of all fields, those of records in records too."""
    for name in records.dtype.names or ():
        values = records[name]
        if values.dtype.names:
            yield from _numbers(values, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", values
