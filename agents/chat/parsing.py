"""Answers of language models, read tolerantly: a move by its words or its number, the notes they keep."""

import re
from collections.abc import Mapping, Sequence

__all__ = ["move_in", "notes_in"]

MOST_NOTES = 4000
"""Characters of notes that are kept."""

_THOUGHT_OF = re.compile(r"</think(?:ing)?>", flags=re.IGNORECASE)
_MARK = r"(?:\b{word}\b[\"'*_`\s]{{0,20}}[:=]|<{word}>|\\boxed\{{)[\"'*_`\s\[(]*"
_ANSWER = re.compile(_MARK.format(word="answer"), flags=re.IGNORECASE)
_MOVE = re.compile(_MARK.format(word="(?:move|action|choice)"), flags=re.IGNORECASE)
_NOTES = re.compile(_MARK.format(word="notes?"), flags=re.IGNORECASE)
_NUMBER = re.compile(r"\W*(?:(?:move|option|number|no)\b\W*)?(\d{1,3})\W*(?:</\w+>\W*)?", flags=re.IGNORECASE)
_GAP = r"(?:[\s_:,(#\[]|\b(?:slot|card|player|position)(?=[\s_:#\d]))+"
"""What may stand between two words of a move."""


def move_in(answer: str, legal: Sequence[str], names: Mapping[str, str] | None = None) -> str | None:
    """The legal move that an answer names.

    It is looked for in the line behind the last "Answer:" (also a tag, a key of JSON, a box), and there alone if there
    is one; then behind the last "Move:", "Action:" or "Choice:"; then the last move that is mentioned anywhere counts,
    and at last an answer that is nothing but a number. Thoughts before ``</think>`` do not count.

    Args:
        answer: any text.
        legal: the words of the legal moves, in the order of their numbers, from 1.
        names: other names for single words of a move, such as ``R`` -> ``red``.

    Returns:
        One of ``legal``, or None: the answer names none of them.
    """
    text = _THOUGHT_OF.split(answer)[-1]
    moves = _Moves(legal, names or {})
    for mark, decides in ((_ANSWER, True), (_MOVE, False)):
        if found := list(mark.finditer(text)):
            line = text[found[-1].end() :].partition("\n")[0]
            mentioned = moves.mentioned(line) or moves.numbered(line)
            if mentioned or decides:
                return mentioned[0] if mentioned else None
    mentioned = moves.mentioned(text) or moves.numbered(text)
    return mentioned[-1] if mentioned else None


def notes_in(answer: str) -> str | None:
    """What an answer keeps for the next turn: the text from the last "Notes:" to its "Answer:"; None if nothing."""
    text = _THOUGHT_OF.split(answer)[-1]
    found = list(_NOTES.finditer(text))
    if not found:
        return None
    notes = _ANSWER.split(text[found[-1].end() :])[0].strip(" \n\t*_`#")
    return notes[:MOST_NOTES]


class _Moves:
    """The legal moves as one pattern: of several that begin at one place the longest is meant."""

    def __init__(self, legal: Sequence[str], names: Mapping[str, str]) -> None:
        def word(text: str) -> str:
            also = [name for short, name in names.items() if short == text]
            return f"(?:{'|'.join(map(re.escape, [*also, text]))})"

        self.legal = legal
        self._longest_first = sorted(legal, key=len, reverse=True)
        ways = (f"({_GAP.join(map(word, move.split()))})" for move in self._longest_first)
        self._any = re.compile(rf"(?<![\w-])(?:{'|'.join(ways)})(?!\w|-\d)", flags=re.IGNORECASE)

    def mentioned(self, text: str) -> list[str]:
        """The moves in a text, in their order."""
        return [self._longest_first[(found.lastindex or 1) - 1] for found in self._any.finditer(text)]

    def numbered(self, text: str) -> list[str]:
        """The move of a text that is its number."""
        found = _NUMBER.fullmatch(text)
        number = int(found.group(1)) if found else 0
        return [self.legal[number - 1]] if 0 < number <= len(self.legal) else []
