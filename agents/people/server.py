"""A game in the browser: a small server for one page on this machine, and the data that the page shows.

    deal = lambda seats: Session(config, line_up_of(seats, config, 2))
    with serving(Host(deal, adviser, ["person", "smart"], ["person", *agents.names("hanabi")])) as url:
        ...

The server holds the game: the page may be reloaded, closed or disconnected, and shows the same game when it comes back.
The server listens only on the loopback address and answers only its own page. Every address begins with a random token.
The browser gets it from a private file (`signpost`), because all users of the machine can see a program's arguments.
The header ``Host`` must name this server, so that no other domain name leads here (DNS rebinding), and so must
``Origin`` if the browser sends it. Requests that change something are JSON of at most `MOST_BYTES` and name the
position they refer to, so that a double click or a click in an old window is refused. If an agent fails or the game
cannot be saved, the answer says so, and the next request lets the agents go on.
"""

import hmac
import json
import secrets
import threading
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from http import HTTPStatus
from http.client import HTTP_PORT
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hanabako.drawing.svg import escape
from hanabako.files import parse_json
from hanabako.games import game_in_words
from hanabako.words.checks import as_each, as_index, as_object, shown
from hanabako.words.notation import player_name

from .session import Adviser, Session, replay_of

LOOPBACK = "127.0.0.1"
MOST_BYTES = 2048
"""The largest size of a request's body, in bytes."""
PATIENCE = 20
"""Seconds that a request may take to arrive."""
PAGE = ""
"""The part after the token in the page's own address."""
NEWS = 12
"""The number of latest steps that the page lists."""

POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'nonce-{}'; connect-src 'self'; img-src data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


class RefusedError(Exception):
    """A request that is refused: the status, the reason, and the address of the answer if that is elsewhere."""

    def __init__(self, status: HTTPStatus, why: str, location: str | None = None) -> None:
        super().__init__(why)
        self.status, self.location = status, location


class Host:
    """The host of a game: it holds the session and the seat from which it is seen, and answers the page's requests.

    ``begin`` starts a new game with the named players, ``seats`` at first; ``offered`` are the names that the page can
    put at a seat.
    """

    def __init__(
        self,
        begin: Callable[[Sequence[str]], Session],
        adviser: Callable[[], Adviser],
        seats: Sequence[str],
        offered: Sequence[str],
    ) -> None:
        self._begin, self._adviser = begin, adviser
        self._offered = list(dict.fromkeys([*offered, *seats]))
        self._lock, self._revision = threading.Lock(), 0
        self._start(seats)

    def _start(self, seats: Sequence[str]) -> None:
        self.session = self._begin(seats)
        self._seats = list(seats)
        self._news: list[str] = []
        persons = self.session.persons
        self._eyes = persons[0] if len(persons) == 1 else None  # None until the player to move asks to see the cards
        self._go_on()

    def _go_on(self) -> None:
        self._news += self.session.go_on()
        self._hide()

    def _hide(self) -> None:
        if len(self.session.persons) > 1 and self._eyes != self.session.player:
            self._eyes = None

    @property
    def is_busy(self) -> bool:
        """Whether a request is being answered."""
        return self._lock.locked()

    def answer(self, verb: str, request: Mapping[str, Any]) -> dict[str, Any]:
        """Answer a request of the page with JSON types. After any error, `state_now` is the state.

        It is a ``ValueError`` if there is no such request, or it is not allowed now.
        """
        with self._lock:
            revision, record = self._revision, self.session.record
            try:
                return self._answered(verb, request)
            except Exception:
                if self.session.record is not record:  # a part of it was done
                    self._revision = revision + 1
                    self._hide()
                raise

    def _answered(self, verb: str, request: Mapping[str, Any]) -> dict[str, Any]:
        if verb != "state" and verb not in VERBS:
            raise ValueError(f"a request must be state or one of {', '.join(VERBS)}, got {shown(verb)}")
        if verb not in LEAVING and not self.session.is_over and not self.session.is_persons_turn:
            self._go_on()  # from where the last request failed
            self._revision += 1
        if verb == "state":
            return self.state()
        if as_index("revision", request.get("revision"), 2**53) != self._revision:
            raise ValueError("the game has moved on; this is its current state")
        found = VERBS[verb](self, request)
        self._revision += found is None
        return self.state() if found is None else found

    def state_now(self) -> dict[str, Any]:
        """Return the state as it is, even if agents are to move."""
        with self._lock:
            return self.state()

    def take(self, request: Mapping[str, Any]) -> None:
        """Play ``action`` for the person to move."""
        self._check_seen()
        self._news.append(self.session.take(str(request.get("action"))))
        self._go_on()

    def undo(self, request: Mapping[str, Any]) -> None:
        """Take back the last decision."""
        self.session.undo()
        self._news = []
        self._go_on()

    def ready(self, request: Mapping[str, Any]) -> None:
        """Show the cards to the person to move, once the others look away."""
        if not self.session.is_persons_turn:
            raise ValueError("no player is to move")
        self._eyes = self.session.player

    def deal(self, request: Mapping[str, Any]) -> None:
        """Start a new game with the players ``seats``, even if the current one is not over."""
        seats = as_each("seats", request.get("seats"), self._known)
        if len(seats) != len(self._seats):
            raise ValueError(f"seats must be {len(self._seats)} names, got {shown(seats)}")
        self._start(seats)

    def _known(self, name: Any) -> str:
        if name not in self._offered:
            raise ValueError(f"must be one of {', '.join(self._offered)}, got {shown(name)}")
        return name

    def advice(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Return the adviser's choice: pairs of an action and its probability."""
        self._check_seen()
        adviser = self._adviser()
        return {"name": adviser.name, "advice": list(adviser.advice(self.session.record).items())}

    def replay(self) -> str:
        """Return the replay page of the finished game, with the adviser's choices."""
        with self._lock:
            if not self.session.is_over:
                raise ValueError("this game is not over")
            return replay_of(self.session.record, self._adviser()).html()

    def _check_seen(self) -> None:
        if self._eyes is None:
            raise ValueError("the player to move has not asked to see the cards yet")

    def state(self) -> dict[str, Any]:
        """Return what the page shows. It contains no card that may not be seen from the current seat."""
        session = self.session
        state = {
            "revision": self._revision,
            "game": session.entry.name,
            "players": [session.name(player) for player in range(session.config.players)],
            "seats": self._seats,
            "offered": self._offered,
            "over": session.is_over,
            "player": player_name(session.player),
            "hidden": self._eyes is None and not session.is_over,
            "undo": bool(set(session.movers) & set(session.persons)),
            "file": str(session.file or ""),
        }
        if state["hidden"]:
            return state
        eyes = None if session.is_over else self._eyes
        legal = session.legal() if session.is_persons_turn else []
        return state | {
            "news": self._news[-NEWS:],
            "picture": session.picture(eyes),
            "text": session.text(eyes),
            "actions": [[action, session.note(action)] for action in legal],
            "places": [list(place) for place in session.places()] if legal else [],
        }


VERBS: dict[str, Callable[[Host, Mapping[str, Any]], dict[str, Any] | None]] = {
    verb.__name__: verb for verb in (Host.take, Host.undo, Host.ready, Host.deal, Host.advice)
}
"""The requests by name. They return what the page is told, or None if the game has changed."""
LEAVING = ("undo", "deal")
"""Requests that leave the current position; they work even if an agent fails there every time."""


# --- HTTP -------------------------------------------------------------------------------------------------------------


class Server(ThreadingHTTPServer):
    """An HTTP server for the page of one host."""

    daemon_threads = True

    def __init__(self, host: Host, port: int) -> None:
        self.host = host
        self.token = secrets.token_urlsafe(24)
        super().__init__((LOOPBACK, port), Handler)
        names = (LOOPBACK, "localhost")
        self.names = {f"{name}:{self.server_port}" for name in names}
        if self.server_port == HTTP_PORT:
            self.names |= set(names)  # browsers leave the usual port out

    @property
    def url(self) -> str:
        """The address of the page."""
        return f"http://{LOOPBACK}:{self.server_port}/{self.token}/"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore errors: a page that is closed in the middle of an answer is normal."""


class Handler(BaseHTTPRequestHandler):
    """Handler of one request. It then closes the connection, so that no abandoned page keeps one open."""

    server: Server  # pyrefly: ignore[bad-override-mutable-attribute] - the base class declares a wider type
    timeout = PATIENCE
    server_version = "hanabako"
    sys_version = ""

    def do_GET(self) -> None:
        """Answer with the page, the state, or the replay of a finished game."""
        self._answer(self._get)

    def do_POST(self) -> None:
        """Answer a request that changes something or needs computing time."""
        self._answer(self._post)

    def _answer(self, work: Callable[[str], tuple[str, str]]) -> None:
        headers: dict[str, str] = {}
        try:
            what = self._admitted()
            content, kind = work(what)
            status = HTTPStatus.OK
            if kind == "text/html" and what == PAGE:
                nonce = secrets.token_urlsafe(16)
                content = content.replace("<!--nonce-->", nonce)
                headers["Content-Security-Policy"] = POLICY.format(nonce)
        except RefusedError as error:
            headers |= {"Location": error.location} if error.location else {}
            status, content, kind = error.status, json.dumps({"error": str(error)}), "application/json"
        except Exception as error:  # also of an agent, which may be anybody's code
            status, kind, words = HTTPStatus.CONFLICT, "application/json", str(error)
            if not isinstance(error, (ValueError, OSError)):
                traceback.print_exc()
                status = HTTPStatus.INTERNAL_SERVER_ERROR
                words = " ".join(f"{type(error).__name__}: {error}".split())
                words = f"something failed ({words}); reload the page to try again"
            content = json.dumps({"error": words, "state": self.server.host.state_now()})
        self._send(status, content, kind, headers)

    def _send(self, status: HTTPStatus, content: str, kind: str, headers: Mapping[str, str]) -> None:
        body = content.encode()
        self.send_response(status)
        usual = HEADERS | {"Content-Type": f"{kind}; charset=utf-8", "Content-Length": str(len(body))}
        for name, value in (usual | dict(headers)).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def _admitted(self) -> str:
        """Return the path after the token, for a request that comes from our own page or from the address bar.

        The page itself may be opened from a link, as in `signpost`: it then has a window of its own, which no other
        page can read.
        """
        if self.headers.get_all("Host") != [self.headers["Host"]]:
            raise RefusedError(HTTPStatus.BAD_REQUEST, "a request must have exactly one Host")
        if self.headers["Host"] not in self.server.names:
            raise RefusedError(HTTPStatus.FORBIDDEN, "Host must be this server's name")
        origin = self.headers["Origin"]
        if origin is not None and origin != f"http://{self.headers['Host']}":
            raise RefusedError(HTTPStatus.FORBIDDEN, "only this server's own page may ask")
        empty, _, rest = self.path.partition("/")
        token, slash, what = rest.partition("/")
        wanted = (self.command, what, self.headers["Sec-Fetch-Mode"], self.headers["Sec-Fetch-Dest"])
        is_link = wanted == ("GET", PAGE, "navigate", "document")
        if self.headers["Sec-Fetch-Site"] not in (None, "same-origin", "none") and not is_link:
            raise RefusedError(HTTPStatus.FORBIDDEN, "only this server's own page may ask")
        if empty or not hmac.compare_digest(token.encode(), self.server.token.encode()):
            raise RefusedError(HTTPStatus.NOT_FOUND, "there is nothing here")
        if not slash and self.command == "GET":
            place = f"/{self.server.token}/"
            raise RefusedError(HTTPStatus.PERMANENT_REDIRECT, "the page's address ends in a slash", place)
        return what

    def _get(self, what: str) -> tuple[str, str]:
        if what == PAGE:
            page = files(__package__ or "").joinpath("page.html").read_text(encoding="utf-8")
            return page.replace("<!--title-->", escape(game_in_words(self.server.host.session.config))), "text/html"
        if what == "state":
            return json.dumps(self.server.host.answer("state", {})), "application/json"
        if what == "replay":
            return self.server.host.replay(), "text/html"
        raise RefusedError(HTTPStatus.NOT_FOUND, "there is nothing here")

    def _post(self, what: str) -> tuple[str, str]:
        if self.headers["Origin"] is None:
            raise RefusedError(HTTPStatus.FORBIDDEN, "only this server's own page may ask")
        if self.headers.get_content_type() != "application/json":
            raise RefusedError(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "a request must be JSON")
        if what not in VERBS:
            raise RefusedError(HTTPStatus.NOT_FOUND, "there is nothing here")
        return json.dumps(self.server.host.answer(what, self._body())), "application/json"

    def _body(self) -> Mapping[str, Any]:
        length = self.headers["Content-Length"] or ""
        if not (length.isascii() and length.isdigit()) or self.headers["Transfer-Encoding"] is not None:
            raise RefusedError(HTTPStatus.LENGTH_REQUIRED, "a request must state its length")
        if len(length) > 9 or int(length) > MOST_BYTES:
            raise RefusedError(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"a request must have at most {MOST_BYTES} bytes")
        try:
            body = self.rfile.read(int(length))
            if len(body) < int(length):
                raise RefusedError(HTTPStatus.BAD_REQUEST, "the request was cut off")
            return as_object("a request", parse_json(body, "a request"))
        except TimeoutError:
            raise RefusedError(HTTPStatus.REQUEST_TIMEOUT, "the request did not arrive") from None
        except ValueError as error:
            raise RefusedError(HTTPStatus.BAD_REQUEST, str(error)) from None

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class's name
        """Print nothing: addresses of requests contain the token."""


@contextmanager
def signpost(url: str) -> Iterator[str]:
    """Yield the address of a temporary file that only this user can read and that leads a browser to ``url``."""
    with TemporaryDirectory(prefix="hanabako-", ignore_cleanup_errors=True) as folder:
        file = Path(folder) / "open.html"
        file.touch(0o600)
        lead = f'<meta http-equiv="refresh" content="0; url={escape(url)}">'
        link = f'<a href="{escape(url)}">The game</a>'
        file.write_text(f"<!doctype html><meta charset=utf-8>{lead}<title>Hanabako</title>{link}\n", encoding="utf-8")
        yield file.as_uri()


@contextmanager
def serving(host: Host, port: int = 0) -> Iterator[str]:
    """Serve the page while the block runs, and yield its address. Port 0 takes any free one."""
    try:
        server = Server(host, port)
    except (OSError, OverflowError) as error:
        raise OSError(f"port {port} cannot be used: {error}") from error
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.1}, daemon=True)
    thread.start()
    try:
        yield server.url
    finally:
        server.shutdown()
        server.server_close()
