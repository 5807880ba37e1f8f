"""Answers of a language model that are kept in a file, so that an evaluation which ended early goes on from them."""

import json
import threading
from collections import defaultdict
from hashlib import sha256
from pathlib import Path
from typing import Any

from hanabako.files import MOST_ARRAYS, parse_json, read_text

from .server import Model, Reply
from .view import Message

__all__ = ["Kept"]


class Kept:
    """A model whose answers are kept: a question that has an answer in the file is not asked, once for each answer.

    Args:
        model: the model.
        name: its name; several models may share the file.
        path: the file, a JSON object per line; it is made at the first answer.

    Raises:
        OSError: the file cannot be read.
        ValueError: it is no text.
    """

    def __init__(self, model: Model, name: str, path: Path) -> None:
        self.model, self.path, self.fields = model, path, getattr(model, "fields", {})
        self._name, self._lock = name, threading.Lock()
        self._answers: defaultdict[str, list[Reply]] = defaultdict(list)
        for line in read_text(path, MOST_ARRAYS).splitlines() if path.exists() else ():
            try:
                answer = parse_json(line, "a line")
                self._answers[answer.pop("question")].append(Reply(**answer))
            except (AttributeError, KeyError, TypeError, ValueError):
                continue  # cut short, when the process was killed

    def reply(self, messages: list[Message]) -> Reply:
        """See `agents.bridges.language_models.server.Model.reply`."""
        question = self._key(messages)
        with self._lock:
            if self._answers[question]:
                return self._answers[question].pop(0)
        reply = self.model.reply(messages)
        with self._lock, self.path.open("a", encoding="utf-8") as file:
            file.write(f"\n{json.dumps({'question': question, **reply._asdict()})}")
        return reply

    def _key(self, messages: list[Message]) -> str:
        asked: list[Any] = [self._name, self.fields, messages]
        return sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()
