"""The clickable places of a picture, for pages on which people play."""

from typing import NamedTuple

__all__ = ["Place"]


class Place(NamedTuple):
    """A rectangle of a picture, in the picture's units, and the actions that it stands for."""

    x: float
    y: float
    width: float
    height: float
    actions: tuple[str, ...]
    """The texts of the actions, legal or not."""
