"""A local server that speaks OpenAI's protocol and plays by a rule, in place of a language model."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Rule = Callable[[str], str]
"""Maps the text of a turn to an answer."""


def legal_of(turn: str) -> list[str]:
    """Return the legal moves that a turn lists, in words."""
    lines = turn.partition("Your legal moves:\n")[2].splitlines()
    return [line.partition(". ")[2].partition(" - ")[0] for line in lines]


def first(turn: str) -> str:
    return f"I think.\n**Answer:** {legal_of(turn)[0]}"


def events_of(answer: dict[str, Any]) -> Iterator[str]:
    """Yield the answer as a stream that has it in one piece."""
    about = {**answer, "object": "chat.completion.chunk"}
    (choice,) = answer["choices"]
    pieces: list[Any] = [
        about | {"usage": None, "choices": [{"index": 0, "delta": choice["message"], "finish_reason": None}]},
        about | {"usage": None, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]},
        about | {"choices": []},
    ]
    yield from (f"data: {json.dumps(piece)}\n\n" for piece in pieces)
    yield "data: [DONE]\n\n"


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Any

    def do_GET(self) -> None:
        self.server.write(self)

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with self.server.lock:
            self.server.asked.append(asked)
            self.server.paths.add(self.path)
        if self.server.write is not None:
            self.server.write(self)
            return
        status, answer = self.server.status, self.server.body
        if callable(answer):
            status, answer = answer(asked)
        if answer is None:
            text = self.server.rule(asked["messages"][-1]["content"])
            choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}
            usage = {"prompt_tokens": 100, "completion_tokens": 7, "total_tokens": 107}
            answer = {"id": "1", "object": "chat.completion", "created": 1, "model": asked["model"]}
            answer |= {"choices": [choice], "usage": usage}
        streams = bool(asked.get("stream")) and "choices" in answer
        whole = answer if isinstance(answer, str) else json.dumps(answer)  # a text need not be JSON
        body = "".join(events_of(answer)) if streams else whole
        self.send_response(status)
        self.send_header("Content-Type", "text/event-stream" if streams else "application/json")
        self.send_header("Content-Length", str(len(body.encode())))
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - their name
        """Log nothing."""


@contextmanager
def serving(
    rule: Rule = first, status: int = 200, body: Any = None, write: Callable[[Handler], None] | None = None
) -> Iterator[Any]:
    """Run a server in this process, with its ``address`` and the requests received in ``asked``.

    It answers by the ``rule``; or with ``status`` and ``body``, which may be a function of the request that returns
    both, None for the rule's; or as ``write`` does, which gets the handler of a request.
    """
    server: Any = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    server.rule, server.status, server.body, server.write = rule, status, body, write
    server.asked, server.paths, server.lock = [], set(), threading.Lock()
    server.address = f"http://127.0.0.1:{server.server_port}/v1"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
