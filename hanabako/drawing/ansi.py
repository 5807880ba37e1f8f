"""Cards in a terminal: in color, and with a shape beside the name for readers who cannot tell the colors apart."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

__all__ = ["Ink", "brush"]


class Ink(NamedTuple):
    """How the cards of one kind look."""

    color: str
    """The number of a terminal's color."""
    shape: str
    """One character."""


def brush(inks: Mapping[str, Ink], color: bool, shapes: bool) -> Callable[..., str]:
    """A function that paints words with the ink of their kind: ``paint(words, kind, width)``, padded to the width.

    A kind without ink is left as it is.
    """

    def paint(words: str, kind: str, width: int = 0) -> str:
        ink = inks.get(kind)
        shape = ink.shape if ink and shapes else ""
        padded = f"{words + shape:<{width}}"
        return f"\033[1;{ink.color}m{padded}\033[0m" if ink and color else padded

    return paint
