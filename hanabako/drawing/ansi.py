"""Cards in a terminal: with colors, and with a shape after the name for readers who cannot distinguish the colors."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

__all__ = ["Ink", "brush"]


class Ink(NamedTuple):
    """The look of one kind of cards."""

    color: str
    """The number of a terminal color."""
    shape: str
    """The character after a card's name."""


def brush(inks: Mapping[str, Ink], color: bool, shapes: bool) -> Callable[..., str]:
    """Return a function ``paint(words, kind, width)`` that colors words of a kind and pads them to the width.

    Words of a kind without ink stay as they are.
    """

    def paint(words: str, kind: str, width: int = 0) -> str:
        ink = inks.get(kind)
        shape = ink.shape if ink and shapes else ""
        padded = f"{words + shape:<{width}}"
        return f"\033[1;{ink.color}m{padded}\033[0m" if ink and color else padded

    return paint
