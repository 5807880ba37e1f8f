"""Ranges of numbers, kept in the annotations of settings: ``games: Size = 1024``, ``gamma: Part = 0.99``."""

import math
from dataclasses import dataclass, fields
from typing import Annotated, Any, TypeAlias, get_args, get_type_hints

from .checks import shown

__all__ = ["Part", "Positive", "Seed", "Size", "Within", "check_ranges"]


@dataclass(frozen=True)
class Within:
    """The numbers that a setting may have, both ends included unless ``above`` leaves out the least."""

    least: float
    most: float
    above: bool = False

    def holds(self, value: float) -> bool:
        """Whether it is one of them; NaN is none."""
        return self.least <= value <= self.most and not (self.above and value == self.least)

    def bound(self, value: float) -> str:
        """The end that a value which is none of them lies beyond, in words."""
        if value > self.most:
            return f"at most {self.most:,}"
        if value <= self.least:
            return f"{'above' if self.above else 'at least'} {self.least:,}"
        return f"a number from {self.least:,} to {self.most:,}"


Seed: TypeAlias = Annotated[int, Within(0, 2**64 - 1)]
"""A number that everything random follows from."""
Size: TypeAlias = Annotated[int, Within(1, 2**31 - 1)]
"""How many there are of something."""
Part: TypeAlias = Annotated[float, Within(0, 1)]
"""A fraction, a probability, a discount."""
Positive: TypeAlias = Annotated[float, Within(0, 10**6, above=True)]
"""A rate, a norm, a factor."""


def check_ranges(settings: Any) -> None:
    """Check the numbers of a dataclass, in lists too, against its annotations' ranges; every float must be finite.

    Raises:
        ValueError: one is outside its range; says which numbers are allowed.
    """
    hints = get_type_hints(type(settings), include_extras=True)
    for own in fields(settings):
        found, within = getattr(settings, own.name), range_of(hints[own.name])
        for value in found if isinstance(found, list | tuple) else (found,):
            if isinstance(value, bool) or not isinstance(value, int | float):
                continue
            if within is not None and not within.holds(value):
                raise ValueError(f"{own.name} must be {within.bound(value)}, got {shown(value)}")
            if not math.isfinite(value):
                raise ValueError(f"{own.name} must be a finite number, got {value}")


def range_of(hint: Any) -> Within | None:
    """The range that an annotation names, also inside a union."""
    own = [part for part in getattr(hint, "__metadata__", ()) if isinstance(part, Within)]
    return own[0] if own else next((found for part in get_args(hint) if (found := range_of(part))), None)
