"""Where on a picture a player may choose: for pages on which a game is played."""

from typing import NamedTuple

__all__ = ["Place"]


class Place(NamedTuple):
    """A rectangle of a picture, in the picture's own units, and what it stands for."""

    x: float
    y: float
    width: float
    height: float
    actions: tuple[str, ...]
    """In words, legal or not."""
