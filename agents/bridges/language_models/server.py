"""A model on a server that speaks OpenAI's protocol, through the library ``openai`` (the extra ``llm``)."""

import os
import time
import weakref
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from json import JSONDecodeError
from typing import Any, NamedTuple, Protocol
from urllib.parse import urlsplit

from hanabako.extras import need
from hanabako.files import MOST_BYTES, parse_json
from hanabako.program import sentence
from hanabako.words.checks import shown

from ..connections import is_here, through, within
from .view import Message

__all__ = ["FIELDS", "Model", "RefusedError", "Reply", "Server", "request_fields"]

FIELDS = "HANABAKO_LLM"
"""The environment variable with extra fields for every request, as a JSON object."""
EXAMPLE = '{"temperature": 0}'
RETRIES = 5
"""How often a request is retried if the connection fails or the server is busy; each wait is longer than the last."""
SECONDS = 1800
"""Within this time a question must be answered, retries included."""
LINE = 400
"""The largest number of characters that a message quotes of a refusal."""
NOT_THIS = (400, 413, 422)
"""The statuses by which a server refuses one question, for example because it is too long; others it may answer."""


class Reply(NamedTuple):
    """An answer with its tokens and its time in seconds."""

    text: str
    prompt_tokens: int = 0
    completion_tokens: int = 0
    seconds: float = 0.0
    cut_off: bool = False
    """Whether the limit of tokens ended it."""


class RefusedError(ValueError):
    """Error for a question that the server refuses; it may answer others."""


class Model(Protocol):
    """A language model that answers conversations. Several threads may call it at the same time."""

    def reply(self, messages: list[Message]) -> Reply:
        """Return the answer; raise ``RefusedError`` if this question is not answered, ``ValueError`` if none is."""
        ...


def request_fields() -> dict[str, Any]:
    """Return the fields that the environment adds to every request, such as ``{"temperature": 0}``."""
    text, fields = os.environ.get(FIELDS, "") or "{}", None
    with suppress(ValueError):
        fields = parse_json(text, FIELDS)
    if not isinstance(fields, dict):
        raise ValueError(f"{FIELDS} must be a JSON object such as {EXAMPLE}, got {shown(text)}")  # noqa: TRY004
    return fields


def checked_address() -> str:
    """Return the host of ``OPENAI_BASE_URL``, "" if it is not set, after checking it and the other variables."""
    for name in ("OPENAI_API_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "OPENAI_CUSTOM_HEADERS"):
        value = os.environ.get(name, "").replace("\n", "" if name == "OPENAI_CUSTOM_HEADERS" else "\n")
        if not (value.isascii() and value.isprintable()):
            raise ValueError(f"{name} must be of printable ASCII characters")
    address, host = os.environ.get("OPENAI_BASE_URL", ""), ""
    with suppress(ValueError):
        parts = urlsplit(address)
        is_right = parts.scheme in ("http", "https") and parts.port != 0 and address.isprintable()
        host = (parts.hostname or "") if is_right else ""
    if address and not host:
        example = "http://localhost:8000/v1"
        raise ValueError(f"OPENAI_BASE_URL must be an address such as {example}, got {shown(address)}")
    return host


class Server:
    """A named model on the server at ``OPENAI_BASE_URL``, with the key in ``OPENAI_API_KEY``.

    Nothing is sent before the first question.

    Args:
        model: the model's name on the server.

    Raises:
        ModuleNotFoundError: the library is not installed.
        ValueError: there is no key, or the key, the server's address, a proxy or `FIELDS` is wrong.
    """

    def __init__(self, model: str) -> None:
        need("a language model", "openai")
        import openai

        self.model, self.fields = model, request_fields()
        self._openai = openai
        self._merges = False
        """Whether the model takes no system message."""
        direct = {f"{scheme}://": None for scheme in ("http", "https", "all")} if is_here(checked_address()) else None
        try:
            connections = openai.DefaultHttpxClient(
                headers={"Accept-Encoding": "identity"}, mounts=direct, event_hooks={"response": [limit]}
            )
        except Exception as error:  # of its own classes, or an ImportError
            raise ValueError(f"a variable such as HTTP_PROXY or SSL_CERT_FILE is wrong: {sentence(error)}") from error
        weakref.finalize(self, connections.close)
        try:
            self._client = openai.OpenAI(max_retries=RETRIES, http_client=connections)
        except openai.OpenAIError:
            raise ValueError(
                "OPENAI_API_KEY must hold the server's key, and OPENAI_BASE_URL its address if it is not OpenAI's;"
                " a server without keys takes any"
            ) from None

    def reply(self, messages: list[Message]) -> Reply:
        """See `Model.reply`. If the model takes no system message, its text begins the first user message."""
        begin = time.monotonic()
        try:
            said = within(SECONDS, partial(self._reply, messages))
        except TimeoutError:
            raise self._no_answer(f"it takes longer than {SECONDS:,} seconds") from None
        return said._replace(seconds=time.monotonic() - begin)

    def _reply(self, messages: list[Message]) -> Reply:
        if self._merges:
            return self._asked(merged(messages))
        try:
            return self._asked(messages)
        except ValueError as error:
            if "role" not in str(error).lower() or messages[0]["role"] != "system":
                raise
            said = self._asked(merged(messages))
        self._merges = True
        return said

    def _asked(self, messages: list[Message]) -> Reply:
        ask = self._client.chat.completions.with_streaming_response.create
        try:
            with ask(model=self.model, messages=messages, extra_body=self.fields or None) as answer:
                return said_by(answer.parse())
        except self._openai.OpenAIError as error:
            reason = brief(getattr(error, "message", None) or str(error))
            kind = RefusedError if getattr(error, "status_code", 0) in NOT_THIS else ValueError
            raise self._no_answer(f"{reason}{through(str(self._client.base_url))}", kind) from error
        except TooLongError as error:
            raise self._no_answer(str(error)) from None
        except (AttributeError, JSONDecodeError, LookupError, RecursionError, TypeError, UnicodeDecodeError):
            raise ValueError(f"{self._client.base_url} does not answer in OpenAI's protocol") from None

    def _no_answer(self, reason: str, kind: type[ValueError] = ValueError) -> ValueError:
        return kind(f"no answer of {self.model} from {self._client.base_url}: {reason}")


class TooLongError(ValueError):
    """Error for an answer of more than `MOST_BYTES`."""


def limit(response: Any) -> None:
    """Read a response (of httpx) up to `MOST_BYTES`, and do not unpack it: it was asked for as it is."""
    response.headers.pop("Content-Encoding", None)
    pieces = response.iter_raw

    def iter_raw(chunk_size: int | None = None) -> Iterator[bytes]:
        size = 0
        for piece in pieces(chunk_size):
            size += len(piece)
            if size > MOST_BYTES:
                raise TooLongError(f"it has more than {MOST_BYTES:,} bytes")
            yield piece

    response.iter_raw = iter_raw


def brief(text: str) -> str:
    """Return a text on one line, cut if it is long: some servers and proxies refuse with whole pages."""
    line = " ".join(text.split())
    return line if len(line) <= LINE else f"{line[:LINE]}..."


def merged(messages: list[Message]) -> list[Message]:
    """Return the messages with the text of the first, the system's, at the beginning of the second, the user's."""
    system, user, *others = messages
    return [user | {"content": f"{system['content']}\n\n{user['content']}"}, *others]


def said_by(done: Any) -> Reply:
    """Return the text and the tokens of an answer. The library ``openai`` does not check their types."""
    choice, spent = done.choices[0], done.usage
    text = choice.message.content
    tokens = () if spent is None else (spent.prompt_tokens or 0, spent.completion_tokens or 0)
    if not isinstance(text, str | None) or not all(isinstance(count, int) for count in tokens):
        raise TypeError("content must be text, and numbers of tokens must be ints")
    return Reply(text or "", *tokens, cut_off=getattr(choice, "finish_reason", None) == "length")
