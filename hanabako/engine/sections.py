"""The indices of an observation's sections, from their names and lengths."""

from collections.abc import Iterable

__all__ = ["index_of", "words_for"]


def words_for(bits: int) -> int:
    """Return the number of 64-bit words that hold ``bits`` bits."""
    return -(-bits // 64)


def index_of(sections: Iterable[tuple[str, int]]) -> list[tuple[str, int, int]]:
    """Return the name, first bit and length of every section (name, length) that is not empty."""
    rows, at = [], 0
    for name, length in sections:
        if length:
            rows.append((name, at, length))
        at += length
    return rows
