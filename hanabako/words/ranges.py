"""Ranges of numbers in the annotations of settings: ``games: Size = 1024``, ``gamma: Part = 0.99``."""

import math
from dataclasses import dataclass, fields
from typing import Annotated, Any, TypeAlias, get_args, get_type_hints

from .checks import shown

__all__ = ["Part", "Positive", "Seed", "Size", "Within", "check_ranges"]


@dataclass(frozen=True)
class Within:
    """The range of a setting, both ends included. ``above`` excludes the lower end."""

    least: float
    most: float
    above: bool = False

    def holds(self, value: float) -> bool:
        """Whether a value is in the range. NaN is not."""
        return self.least <= value <= self.most and not (self.above and value == self.least)

    def bound(self, value: float) -> str:
        """Return the limit that a value outside the range violates, for a message."""
        if value > self.most:
            return f"at most {self.most:,}"
        if value <= self.least:
            return f"{'above' if self.above else 'at least'} {self.least:,}"
        return f"a number from {self.least:,} to {self.most:,}"


Seed: TypeAlias = Annotated[int, Within(0, 2**64 - 1)]
"""A seed of random numbers."""
Size: TypeAlias = Annotated[int, Within(1, 2**31 - 1)]
"""A positive count."""
Part: TypeAlias = Annotated[float, Within(0, 1)]
"""A fraction, a probability, a discount."""
Positive: TypeAlias = Annotated[float, Within(0, 10**6, above=True)]
"""A rate, a norm, a factor."""


def check_ranges(settings: Any) -> None:
    """Raise ``ValueError`` if a dataclass's number, also in a list, is not finite or not in its annotation's range."""
    hints = get_type_hints(type(settings), include_extras=True)
    for own in fields(settings):
        setting, within = getattr(settings, own.name), range_of(hints[own.name])
        for value in setting if isinstance(setting, list | tuple) else (setting,):
            if isinstance(value, bool) or not isinstance(value, int | float):
                continue
            if within is not None and not within.holds(value):
                raise ValueError(f"{own.name} must be {within.bound(value)}, got {shown(value)}")
            if isinstance(value, float) and not math.isfinite(value):
                raise ValueError(f"{own.name} must be a finite number, got {value}")


def range_of(hint: Any) -> Within | None:
    """Return the range in an annotation, also inside a union; None if there is none."""
    own = [part for part in getattr(hint, "__metadata__", ()) if isinstance(part, Within)]
    return own[0] if own else next((found for part in get_args(hint) if (found := range_of(part))), None)
