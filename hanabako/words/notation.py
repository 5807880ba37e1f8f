"""Common helpers for the names of players, cards and moves. A name's number is its index in a list of names."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, SupportsIndex

from hanabako.words.checks import shown

__all__ = ["counted", "members", "number_of", "numbered", "player_name"]


def player_name(player: int) -> str:
    """Return a player's agent name in the environments."""
    return f"player_{player}"


def counted(number: int, noun: str) -> str:
    """Return a number with its noun: ``1 round``, ``2 rounds``."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def numbered(texts: Iterable[str]) -> dict[str, int]:
    """Return the index of every word, by word."""
    return {word: number for number, word in enumerate(texts)}


def number_of(kind: str, numbers: Mapping[str, int], text: Any) -> int:
    """Return the number that ``text`` stands for; raise ``ValueError`` if it is no word of the ``kind``."""
    if not isinstance(text, str) or text not in numbers:
        raise ValueError(f"{kind} must be one of {', '.join(numbers)}, got {shown(text)}")
    return numbers[text]


def members(names: Sequence[Any], chosen: SupportsIndex) -> list[Any]:
    """Return the names in a set ``chosen``, a bit mask whose lowest bit stands for the first name."""
    bits = int(chosen)
    return [name for k, name in enumerate(names) if bits >> k & 1]
