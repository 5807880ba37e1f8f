"""What the games' words for players, cards and moves share. A list of words gives each the number of its place."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, SupportsIndex

from hanabako.words.checks import shown

__all__ = ["members", "number_of", "numbered", "player_name"]


def player_name(player: int) -> str:
    """The agent's name in the environments."""
    return f"player_{player}"


def numbered(words: Iterable[str]) -> dict[str, int]:
    """The number of every word."""
    return {word: number for number, word in enumerate(words)}


def number_of(kind: str, numbers: Mapping[str, int], text: Any) -> int:
    """The number that ``text`` stands for.

    Raises:
        ValueError: it is none of the words; names the ``kind`` of word and what is allowed.
    """
    if not isinstance(text, str) or text not in numbers:
        raise ValueError(f"{kind} must be one of {', '.join(numbers)}, got {shown(text)}")
    return numbers[text]


def members(names: Sequence[Any], held: SupportsIndex) -> list[Any]:
    """The names in a set of them, whose lowest bit is the first name."""
    bits = int(held)
    return [name for k, name in enumerate(names) if bits >> k & 1]
