"""Tolerant parsing of language models' answers: a move by its words or its number, and the model's notes."""

import re
from collections.abc import Mapping, Sequence

__all__ = ["counted_from", "move_in", "notes_in"]

MOST_NOTES = 4000
"""Longer notes are cut to this many characters."""

_THOUGHT_OF = re.compile(r"</think(?:ing)?>", flags=re.IGNORECASE)
_MARK = r"(?:\b{word}\b[\"'*_`\s]{{0,20}}[:=]|<{word}>{also})[\"'*_`\s\[(]*"
_ANSWER = re.compile(_MARK.format(word="answer", also=r"|\\boxed\{"), flags=re.IGNORECASE)
_MOVE = re.compile(_MARK.format(word="(?:move|action|choice)", also=""), flags=re.IGNORECASE)
_NOTES = re.compile(_MARK.format(word="notes?", also=""), flags=re.IGNORECASE)
_NUMBER = re.compile(r"\W*(?:(?:move|option|number|no)\b\W*)?(\d{1,3})\W*(?:</\w+>\W*)?", flags=re.IGNORECASE)
_GAP = r"(?:[\s_:,(#\[]|\b(?:slot|card|player(?!_)|position)(?=[\s_:#\d]))+"
"""What may separate two words of a move."""
_QUOTES = r"[\"'*`]*"
_BY_NAME = re.compile(
    rf"\b(hint|buy)\b[\s_:,(#\[]+(?:(?:to|from)\s+)?{_QUOTES}player_(\d+)\b{_QUOTES}", flags=re.IGNORECASE
)
"""A move that names another player, where the words of a move count the seats from the player to move."""


def counted_from(answer: str, player: int, players: int) -> str:
    """Return an answer in which ``hint player_2`` and ``buy player_2`` count the seats from ``player``, as moves do."""
    return _BY_NAME.sub(lambda match: f"{match[1]} {(int(match[2]) - player) % players}", answer)


def move_in(answer: str, legal: Sequence[str], names: Mapping[str, str] | None = None) -> str | None:
    """Return the legal move that an answer names.

    If there is an "Answer:" (or such a tag, JSON key or box), only the rest of the line after the last one is read.
    Otherwise the line after the last "Move:", "Action:" or "Choice:" is tried, then the last move mentioned anywhere,
    then an answer that consists only of a number. Text before ``</think>`` is ignored.

    Args:
        answer: any text.
        legal: the words of the legal moves. Move number k, counted from 1, is the k-th of them.
        names: other names for single words of a move, such as ``R`` -> ``red``.

    Returns:
        One of ``legal``, or None if the answer names none of them.
    """
    text = _THOUGHT_OF.split(answer)[-1]
    moves = _Moves(legal, names or {})
    for mark, decides in ((_ANSWER, True), (_MOVE, False)):
        if matches := list(mark.finditer(text)):
            line = text[matches[-1].end() :].partition("\n")[0]
            mentioned = moves.mentioned(line) or moves.numbered(line)
            if mentioned or decides:
                return mentioned[0] if mentioned else None
    mentioned = moves.mentioned(text) or moves.numbered(text)
    return mentioned[-1] if mentioned else None


def notes_in(answer: str) -> str | None:
    """Return the notes for the next turn: the text from the last "Notes:" to its "Answer:"; None without "Notes:"."""
    text = _THOUGHT_OF.split(answer)[-1]
    marks = list(_NOTES.finditer(text))
    if not marks:
        return None
    notes = _ANSWER.split(text[marks[-1].end() :])[0].strip(" \n\t*_`#")
    return notes[:MOST_NOTES]


class _Moves:
    """The legal moves as one pattern. If several match at the same position, the longest wins."""

    def __init__(self, legal: Sequence[str], names: Mapping[str, str]) -> None:
        def word(text: str) -> str:
            also = [name for short, name in names.items() if short == text]
            return f"(?:{'|'.join(map(re.escape, [*also, text]))})"

        self.legal = legal
        self._longest_first = sorted(legal, key=len, reverse=True)
        ways = (f"({_GAP.join(map(word, move.split()))})" for move in self._longest_first)
        self._any = re.compile(rf"(?<![\w-])(?:{'|'.join(ways)})(?!\w|-\d)", flags=re.IGNORECASE)

    def mentioned(self, text: str) -> list[str]:
        """Return the moves that a text mentions, in their order of appearance."""
        return [self._longest_first[(match.lastindex or 1) - 1] for match in self._any.finditer(text)]

    def numbered(self, text: str) -> list[str]:
        """Return the move whose number is the whole text, as a list of one; an empty list if there is none."""
        match = _NUMBER.fullmatch(text)
        number = int(match[1]) if match else 0
        return [self.legal[number - 1]] if 0 < number <= len(self.legal) else []
