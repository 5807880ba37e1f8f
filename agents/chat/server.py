"""A model on a server that speaks OpenAI's protocol, through the library ``openai`` (the extra ``llm``)."""

import os
import time
import weakref
from json import JSONDecodeError
from typing import Any, NamedTuple, Protocol
from urllib.parse import urlsplit

from hanabako.extras import need
from hanabako.files import parse_json
from hanabako.words.checks import shown

from .view import Message

__all__ = ["FIELDS", "Model", "Reply", "Server", "request_fields"]

FIELDS = "HANABAKO_LLM"
"""The environment variable with extra fields for every request, as a JSON object."""
EXAMPLE = '{"temperature": 0}'
RETRIES = 5
"""How often a request is retried if the connection fails or the server is busy; each wait is longer than the last."""


class Reply(NamedTuple):
    """An answer with its tokens and its time in seconds."""

    text: str
    prompt_tokens: int = 0
    completion_tokens: int = 0
    seconds: float = 0.0
    cut_off: bool = False
    """Whether the limit of tokens ended it."""


class Model(Protocol):
    """A language model that answers conversations. Several threads may call it at the same time."""

    def reply(self, messages: list[Message]) -> Reply:
        """Return the answer to ``messages``."""
        ...


def request_fields() -> dict[str, Any]:
    """Return the fields that the environment adds to every request, such as ``{"temperature": 0}``.

    Raises:
        ValueError: the variable `FIELDS` holds no JSON object.
    """
    text = os.environ.get(FIELDS, "") or "{}"
    try:
        fields = parse_json(text, FIELDS)
    except ValueError:
        fields = None
    if isinstance(fields, dict):
        return fields
    raise ValueError(f"{FIELDS} must be a JSON object such as {EXAMPLE}, got {shown(text)}")


class Server:
    """A named model on the server at ``OPENAI_BASE_URL``, with the key in ``OPENAI_API_KEY``.

    Nothing is sent before the first question.

    Args:
        model: the model's name on the server.

    Raises:
        ModuleNotFoundError: the library is not installed.
        ValueError: there is no key, or the key, the server's address or `FIELDS` is wrong.
    """

    def __init__(self, model: str) -> None:
        need("a language model", "openai")
        import openai

        self.model, self.fields = model, request_fields()
        self._failure = openai.OpenAIError
        address, key = (os.environ.get(f"OPENAI_{name}", "") for name in ("BASE_URL", "API_KEY"))
        if not key.isascii():
            raise ValueError("OPENAI_API_KEY must be of ASCII characters")
        try:
            urlsplit(address).port  # noqa: B018 - raises if it is wrong
        except ValueError:
            example = "http://localhost:8000/v1"
            raise ValueError(f"OPENAI_BASE_URL must be an address such as {example}, got {shown(address)}") from None
        try:
            self._client = openai.OpenAI(max_retries=RETRIES)
        except openai.OpenAIError:
            raise ValueError(
                "OPENAI_API_KEY must hold the server's key, and OPENAI_BASE_URL its address if it is not OpenAI's;"
                " a server without keys takes any"
            ) from None

        weakref.finalize(self, self._client.close)

    def reply(self, messages: list[Message]) -> Reply:
        """See `Model.reply`.

        Raises:
                ValueError: the server cannot be reached or refuses; the message has its reason.
        """
        begin = time.monotonic()
        try:
            done = self._client.chat.completions.create(
                model=self.model, messages=messages, extra_body=self.fields or None
            )
            said = said_by(done)
        except self._failure as error:
            reason = getattr(error, "message", None) or str(error)
            raise ValueError(f"no answer of {self.model} from {self._client.base_url}: {reason}") from error
        except (AttributeError, JSONDecodeError, LookupError, RecursionError, TypeError):
            raise ValueError(f"{self._client.base_url} does not answer in OpenAI's protocol") from None
        return said._replace(seconds=time.monotonic() - begin)


def said_by(done: Any) -> Reply:
    """Return the text and the tokens of an answer. The library ``openai`` does not check their types.

    Raises:
        AttributeError, LookupError, TypeError: the answer is not in OpenAI's protocol.
    """
    choice, spent = done.choices[0], done.usage
    text = choice.message.content
    tokens = () if spent is None else (spent.prompt_tokens or 0, spent.completion_tokens or 0)
    if not isinstance(text, str | None) or not all(isinstance(count, int) for count in tokens):
        raise TypeError("content must be text, and numbers of tokens must be ints")
    return Reply(text or "", *tokens, cut_off=getattr(choice, "finish_reason", None) == "length")
