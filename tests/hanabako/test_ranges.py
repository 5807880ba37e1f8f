"""Ranges of numbers in the annotations of settings."""

from dataclasses import dataclass
from typing import Any

import pytest

from hanabako.words.ranges import Part, Positive, Size, check_ranges


@dataclass(frozen=True)
class Settings:
    games: Size = 4
    width: Size | None = None
    discount: Part = 1.0
    rate: Positive = 0.1
    free: float = 3.0
    flag: bool = True
    sizes: tuple[Size, ...] = (1, 64)
    whole: int = 1


@pytest.mark.parametrize(
    "change",
    [
        {},
        {"width": 1},
        {"discount": 0},
        {"discount": 1},
        {"rate": 1e-12},
        {"free": -1e300},
        {"flag": False},
        {"sizes": ()},
        {"whole": 10**400},
    ],
)
def test_what_is_in_its_range_is_allowed(change: dict[str, Any]):
    check_ranges(Settings(**change))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"games": 0}, "games must be at least 1, got 0"),
        ({"games": 10**30}, "games must be at most 2,147,483,647, got 10"),
        ({"width": -1}, "width must be at least 1, got -1"),
        ({"discount": 1.5}, "discount must be at most 1, got 1.5"),
        ({"discount": float("nan")}, "discount must be a number from 0 to 1, got nan"),
        ({"rate": 0}, "rate must be above 0, got 0"),
        ({"rate": float("inf")}, "rate must be at most 1,000,000, got inf"),
        ({"sizes": (8, 0)}, "sizes must be at least 1, got 0"),
        ({"free": float("nan")}, "free must be a finite number, got nan"),
    ],
)
def test_what_is_outside_its_range_is_refused_with_what_is_allowed(change: dict[str, Any], words: str):
    with pytest.raises(ValueError, match=words):
        check_ranges(Settings(**change))
