"""A game in the browser: what its server answers and refuses, and the page in a real Chromium."""

import http.client
import json
import os
import re
import signal
import socket
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from http.server import HTTPServer
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlsplit
from urllib.request import url2pathname

import pytest

from hanabako import agents
from hanabako.agents.commands import play
from hanabako.agents.people.server import MOST_BYTES, Host, Server, serving, signpost
from hanabako.agents.people.session import PERSON, Adviser, Session, line_up_of
from hanabako.games import game_of
from hanabako.record import GameRecord, read_record
from hanabi_env import PRESETS, HanabiConfig
from tests.chromium import Chromium
from tests.processes import ROOT, heed_signals

from .people import EVERY_GAME, exchanged, short_config
from .test_session import unwritable

MINI = PRESETS["mini"]
PLAY = b'{"revision": 0, "action": "play 0"}'
"""The body of a request to take the first action of a game."""


def host_of(config: Any, *persons: int, file: Path | None = None) -> Host:
    """Return a host with people at some seats and random players elsewhere; first legal actions end no game early."""
    seats = [PERSON if player in persons else "random" for player in range(config.players)]
    deal = lambda names: Session(config, line_up_of(names, config, config.players), seed=7, file=file)  # noqa: E731
    game = game_of(config).name
    offered = [PERSON, *agents.names(game), "hanabi-small-2p-1"]  # as in hanabako play, and a network of other rules
    return Host(deal, lambda: Adviser("random", config), seats, offered)


class Client:
    """Sends HTTP requests to a server, by default as its page does."""

    def __init__(self, url: str) -> None:
        self.url = url
        found = re.fullmatch(r"http://(127\.0\.0\.1:(\d+))(/[\w-]{32}/)", url)
        assert found is not None, url
        self.name, self.port, self.path = found[1], int(found[2]), found[3]

    def request(
        self, method: str, path: str, body: bytes | None = None, **headers: str | None
    ) -> tuple[int, dict[str, str], str]:
        """Return status, headers and content of the answer; a header None is left out."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        usual: dict[str, str | None] = {"Host": self.name}
        if method == "POST":
            usual |= {"Origin": f"http://{self.name}", "Content-Type": "application/json"}
            usual |= {"Content-Length": str(len(body or b""))}
        sent = usual | {name.replace("_", "-"): value for name, value in headers.items()}
        connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        for name, value in sent.items():
            if value is not None:
                connection.putheader(name, value)
        connection.endheaders(body)
        response = connection.getresponse()
        answer = response.status, dict(response.getheaders()), response.read().decode()
        connection.close()
        return answer

    def state(self) -> dict[str, Any]:
        return json.loads(self.request("GET", f"{self.path}state")[2])

    def post(self, verb: str, **request: Any) -> tuple[int, dict[str, Any]]:
        status, _, content = self.request("POST", self.path + verb, json.dumps(request).encode())
        return status, json.loads(content)

    def do(self, verb: str, **request: Any) -> dict[str, Any]:
        status, answer = self.post(verb, revision=self.state()["revision"], **request)
        assert status == 200, answer
        return answer


@pytest.fixture
def client() -> Iterator[Client]:
    """A client of a game of mini Hanabi with a person at the first seat."""
    with serving(host_of(MINI, 0)) as url:
        yield Client(url)


# --- What it answers --------------------------------------------------------------------------------------------------


@EVERY_GAME
def test_a_game_is_played_to_its_end_and_shown_again(game: str, tmp_path: Path):
    config = short_config(game)
    with serving(host_of(config, 0, file=tmp_path / "game.json")) as url:
        client = Client(url)
        state = client.state()
        assert "this game is not over" in client.request("GET", f"{client.path}replay")[2]
        while not state["over"]:
            assert state["picture"].startswith("<svg") and state["player"] == "player_0" and state["text"]
            legal = [action for action, _ in state["actions"]]
            assert all(set(actions) <= set(legal) for *_, actions in state["places"])
            state = client.do("take", action=legal[0])
        record = read_record(tmp_path / "game.json")
        assert all(record.replayed().terminations.values())
        assert client.request("GET", f"{client.path}replay")[2].startswith("<!doctype html>")
        assert client.do("deal", seats=state["seats"])["over"] is False


def test_the_page_forbids_what_it_does_not_need(client: Client):
    status, headers, page = client.request("GET", client.path)
    nonce = re.search(r'<script nonce="([\w-]{22})">', page)
    assert status == 200 and nonce is not None
    policy = headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy and f"script-src 'nonce-{nonce[1]}'" in policy
    assert "frame-ancestors 'none'" in policy and headers["X-Frame-Options"] == "DENY"
    assert headers["Referrer-Policy"] == "no-referrer" and headers["Cache-Control"] == "no-store"
    assert nonce[1] not in client.request("GET", client.path)[2]
    assert not re.search(r'(?:src|href)="(?!data:|#)', page)


def test_undo_and_advice(client: Client):
    before = client.state()
    assert before["undo"] is False
    client.do("take", action="play 0")
    assert client.do("undo")["text"] == before["text"]
    advice = client.do("advice")
    assert advice["name"] == "random" and [chance for _, chance in advice["advice"]] == [1.0]


def test_many_clicks_at_once_are_one_decision(client: Client):
    """An old window, or a click made twice, is told what the game is now."""
    click = lambda revision: client.post("take", revision=revision, action="play 0")  # noqa: E731
    with ThreadPoolExecutor(8) as pool:
        (made, _), *refused = sorted(pool.map(click, [client.state()["revision"]] * 8), key=lambda answer: answer[0])
    assert made == 200 and len(refused) == 7
    for status, answer in refused:
        assert status == 409 and "moved on" in answer["error"] and answer["state"] == client.state()


@pytest.mark.parametrize(
    ("verb", "request_", "words"),
    [
        ("take", {"action": "play 9"}, "action must be one of"),
        ("take", {"action": ["play 0"]}, "action must be one of"),
        ("take", {}, "action must be one of"),
        ("take", {"revision": "0", "action": "play 0"}, "revision must be an int"),
        ("take", {"revision": True, "action": "play 0"}, "revision must be an int"),
        ("undo", {}, "nothing to take back"),
        ("deal", {}, "seats must be a list"),
        ("deal", {"seats": ["person"]}, "seats must be 2 names"),
        ("deal", {"seats": ["person", "/etc/passwd"]}, "seats[1]: must be one of person, random"),
        ("deal", {"seats": ["person", ["random"]]}, "seats[1]: must be one of person, random"),
        ("deal", {"seats": ["person", "hanabi-small-2p-1"]}, "hanabi-small-2p-1"),
    ],
)
def test_what_cannot_be_done_is_said_and_changes_nothing(client: Client, verb: str, request_: dict, words: str):
    before = client.state()
    status, answer = client.post(verb, **{"revision": before["revision"]} | request_)
    assert status == 409 and words in answer["error"] and len(answer["error"]) < 900
    assert answer["state"] == client.state() == before


def test_in_a_hot_seat_nothing_is_shown_before_the_right_person_looks():
    with serving(host_of(MINI, 0, 1)) as url:
        client = Client(url)
        for player, action in (("player_0", "play 0"), ("player_1", "play 0")):
            hidden = client.state()
            assert hidden["hidden"] and hidden["player"] == player
            assert not {"picture", "text", "actions", "places", "news"} & set(hidden)
            for verb in ("take", "advice"):
                status, answer = client.post(verb, revision=hidden["revision"], action=action)
                assert status == 409 and "has not asked to see the cards yet" in answer["error"]
            shown = client.do("ready")
            assert f"> {player} (you)" in shown["text"]
            client.do("take", action=action)


def test_a_person_is_sent_no_hidden_card():
    """Two games that differ only in the person's own hand send the same bytes."""
    one, other = host_of(MINI, 0, 1), host_of(MINI, 0, 1)
    exchanged(other.session)
    assert one.answer("ready", {"revision": 0}) == other.answer("ready", {"revision": 0})


def test_others_are_seated_in_the_page():
    """First there are two persons, then only agents, then a new game of these; the next test refuses others."""
    with serving(host_of(MINI, 0)) as url:
        client = Client(url)
        assert client.state()["seats"] == ["person", "random"]
        assert client.state()["offered"][:2] == ["person", "random"] and "piers" in client.state()["offered"]
        hot = client.do("deal", seats=["person", "person"])
        assert hot["hidden"] and hot["players"] == ["player_0 (person)", "player_1 (person)"]
        over = client.do("deal", seats=["random", "random"])
        assert over["over"] and over["players"] == ["player_0 (random)", "player_1 (random)"]
        assert client.do("deal", seats=["random", "person"])["player"] == "player_1"


# --- What goes wrong --------------------------------------------------------------------------------------------------


class Stumbling(agents.PlainBot):
    """Plays the first legal move, or fails if ``stumbles`` is set, in choosing or in noting a step."""

    name = "stumbling"
    stumbles = ""

    def act(self, view: Any) -> str:
        self.go("act")
        return view.legal[0]

    def seat(self, games: Any, seats: Any) -> Any:
        seated: Any = super().seat(games, seats)
        seated.observe = lambda _chosen=None: self.go("observe")
        return seated

    def go(self, where: str) -> None:
        if self.stumbles == where:
            raise RuntimeError("I\nfell")


@contextmanager
def with_a_bot(*persons: int) -> Iterator[tuple[Stumbling, Client]]:
    """Serve a game of three, where a bot sits at the other seats; an agent dealt later is random."""
    bot = Stumbling()
    host = host_of(HanabiConfig(players=3), *persons)
    host.session = Session(host.session.config, [None if player in persons else bot for player in range(3)], seed=7)
    with serving(host) as url:
        yield bot, Client(url)


def test_a_move_that_cannot_be_saved_is_refused_and_can_be_made_again(tmp_path: Path):
    folder = tmp_path / "games"
    with serving(host_of(MINI, 0, file=folder / "game.json")) as url:
        client = Client(url)
        before = client.state()
        with unwritable(folder):
            status, answer = client.post("take", revision=before["revision"], action="play 0")
            assert status == 409 and "game.json cannot be written" in answer["error"]
            assert answer["state"] == client.state() == before
        assert client.post("take", revision=before["revision"], action="play 0")[0] == 200
        assert len(read_record(folder / "game.json").actions) == 2


def test_after_an_agent_has_failed_the_next_request_lets_it_go_on(capsys: pytest.CaptureFixture[str]):
    with with_a_bot(0) as (bot, client):
        bot.stumbles = "act"
        status, answer = client.post("take", revision=0, action="play 0")
        assert status == 500 and "RuntimeError: I fell" in answer["error"] and "\n" not in answer["error"]
        assert "in go" in capsys.readouterr().err  # where, for the author of the bot
        state = answer["state"]
        assert (state["revision"], state["player"], state["actions"], state["undo"]) == (1, "player_1", [], True)
        assert client.request("GET", f"{client.path}state")[0] == 500
        bot.stumbles = ""
        status, answer = client.post("take", revision=1, action="play 0")
        assert status == 409 and "moved on" in answer["error"]
        assert answer["state"] == client.state() and answer["state"]["revision"] == 2
        assert answer["state"]["player"] == "player_0" and answer["state"]["actions"]
        assert [news.split()[0] for news in answer["state"]["news"]] == ["player_0", "player_1", "player_2"]
        assert client.do("take", action="play 0")["revision"] == 3


@pytest.mark.parametrize("verb", ["undo", "deal"])
def test_one_gets_away_from_an_agent_that_always_fails(verb: str):
    with with_a_bot(0) as (bot, client):
        bot.stumbles = "act"
        client.post("take", revision=0, action="play 0")
        request = {"seats": [PERSON, "random", "random"]} if verb == "deal" else {}
        status, state = client.post(verb, revision=1, **request)
        assert status == 200 and state["player"] == "player_0" and state["actions"]


@pytest.mark.parametrize("where", ["act", "observe"])
def test_after_a_failure_nobody_sees_the_cards_of_others(where: str):
    """The bot is next, or it has to note the step after which another person is next."""
    with with_a_bot(*((0, 2) if where == "act" else (0, 1))) as (bot, client):
        client.do("ready")
        bot.stumbles = where
        status, answer = client.post("take", revision=1, action="play 0")
        hidden = answer["state"]
        assert status == 500 and hidden["hidden"] and hidden["revision"] == 2 and hidden["player"] == "player_1"
        assert not {"picture", "text", "actions", "places", "news"} & set(hidden)
        bot.stumbles = ""
        other = client.state()
        assert other["hidden"] and other["player"] == ("player_2" if where == "act" else "player_1")
        assert f"> {other['player']} (you)" in client.do("ready")["text"]


# --- What it refuses --------------------------------------------------------------------------------------------------


def test_it_listens_on_one_address_alone(client: Client):
    """A server that listens on all addresses would answer here too."""
    with socket.socket() as attempt:
        attempt.settimeout(2)
        assert attempt.connect_ex(("127.0.0.2", client.port)) != 0


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "evil.example"}, 403),
        ({"Host": "127.0.0.1"}, 403),
        ({"Host": None}, 400),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": None}, 403),
        ({"Sec_Fetch_Site": "cross-site"}, 403),
        ({"Sec_Fetch_Site": "same-site"}, 403),
        ({"Content_Type": "text/plain"}, 415),
        ({"Content_Type": "application/x-www-form-urlencoded"}, 415),
        ({"Content_Length": None}, 411),
        ({"Content_Length": "-1"}, 411),
        ({"Content_Length": "²"}, 411),
        ({"Content_Length": str(MOST_BYTES + 1)}, 413),
        ({"Content_Length": "9" * 5000}, 413),
        ({"Transfer_Encoding": "chunked"}, 411),
    ],
    ids=str,
)
def test_strangers_and_malformed_requests_are_refused(client: Client, headers: dict, status: int):
    before = client.state()
    try:
        assert client.request("POST", f"{client.path}take", PLAY, **headers)[0] == status
    except UnicodeEncodeError:  # the client cannot even encode it
        assert "²" in str(headers)
    assert client.state() == before


@pytest.mark.parametrize(
    "path",
    ["/", "/state", "/wrong-token/state", "//", "/../etc/passwd", "{token}nothing", "{token}../state", "{token}take"],
)
def test_without_the_token_and_elsewhere_there_is_nothing(client: Client, path: str):
    status, _, content = client.request("GET", path.replace("{token}", client.path))
    assert (status, json.loads(content)) == (404, {"error": "there is nothing here"})


def test_the_address_without_its_last_slash_leads_to_the_page(client: Client):
    status, headers, _ = client.request("GET", client.path.removesuffix("/"))
    assert (status, headers["Location"]) == (308, client.path)
    assert client.request("POST", client.path.removesuffix("/"), b"{}")[0] == 404
    status, headers, _ = client.request("GET", "/" + "x" * 32)
    assert status == 404 and "Location" not in headers


def test_a_link_shows_the_page_and_nothing_else(client: Client):
    """The headers are those that a browser sends if a file, such as `signpost`, or a foreign page links there."""
    link = {"Sec_Fetch_Site": "cross-site", "Sec_Fetch_Mode": "navigate", "Sec_Fetch_Dest": "document"}
    for path, status in (("", 200), ("state", 403), ("replay", 403), ("nothing", 403)):
        assert client.request("GET", client.path + path, None, **link)[0] == status
    for other in ({"Sec_Fetch_Dest": "iframe"}, {"Sec_Fetch_Mode": "cors"}, {"Sec_Fetch_Dest": None}):
        assert client.request("GET", client.path, None, **link | other)[0] == 403
    assert client.request("POST", client.path, PLAY, **link)[0] == 403
    assert client.request("POST", f"{client.path}take", PLAY, **link)[0] == 403
    assert client.state()["revision"] == 0


def test_a_foreign_page_may_not_even_read(client: Client):
    for name, value in (("Origin", "http://evil.example"), ("Host", "evil.example"), ("Sec_Fetch_Site", "cross-site")):
        status, answered, content = client.request("GET", f"{client.path}state", None, **{name: value})
        assert status == 403 and "picture" not in content
        assert not any(header.lower().startswith("access-control") for header in answered)


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[]", b"3", b"\xff\xfe", b"[" * MOST_BYTES, b'{"revision": 1e999}', b'{"revision": NaN}']
)
def test_a_body_that_is_no_json_object_is_refused(client: Client, body: bytes):
    before = client.state()
    assert client.request("POST", f"{client.path}take", body)[0] in (400, 409)
    assert client.state() == before


@pytest.mark.parametrize("method", ["PUT", "DELETE", "OPTIONS", "TRACE", "GIBBERISH"])
def test_other_methods_are_not_known(client: Client, method: str):
    assert client.request(method, client.path)[0] == 501


def test_it_goes_on_beside_a_slow_connection_and_after_those_that_break_off(client: Client):
    """They break off in the request line, in the headers, in the body, and before the answer is read."""
    head = f"POST {client.path}take HTTP/1.1\r\nHost: {client.name}\r\n"
    whole = head + f"Origin: http://{client.name}\r\nContent-Type: application/json\r\nContent-Length: 2000\r\n\r\n{{"
    for words in ("PO", head, whole, f"GET {client.path}state HTTP/1.1\r\nHost: {client.name}\r\n\r\n"):
        with socket.create_connection(("127.0.0.1", client.port)) as connection:
            connection.sendall(words.encode())
            before = client.state()
    assert client.do("take", action="play 0")["revision"] == before["revision"] + 1


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost"])
def test_at_the_usual_port_browsers_leave_it_out(name: str, monkeypatch):
    """The server is told that its port is 80, which may be taken, or be forbidden to this user."""
    ports: list[int] = []

    def bind(self: Any) -> None:
        HTTPServer.server_bind(self)
        ports.append(self.server_port)
        self.server_port = 80

    monkeypatch.setattr(Server, "server_bind", bind)
    with serving(host_of(MINI, 0)) as url:
        client = Client(url)
        client.port = ports[0]
        own = {"Host": name, "Origin": f"http://{name}"}
        for headers in ({"Host": "evil.example"}, {"Origin": "http://evil.example"}, {"Host": f"{name}:{ports[0]}"}):
            assert client.request("POST", f"{client.path}take", PLAY, **own | headers)[0] == 403
        assert client.request("POST", f"{client.path}take", PLAY, **own)[0] == 200
        assert client.state()["revision"] == 1  # with the port it is right too


def test_a_port_that_is_taken_is_named(client: Client):
    with pytest.raises(OSError, match=f"port {client.port} cannot be used"), serving(host_of(MINI, 0), client.port):
        pass


# --- The command ------------------------------------------------------------------------------------------------------


BROWSER = """#!/bin/sh
echo "$@" > arguments
page="$(basename "$(dirname "$1")")/$(basename "$1")"
ls -l "$page" > mode
cat "$page" > content.part && mv content.part content
sleep 1
"""
"""A program that notes its arguments and the file named there, and does not return at once."""


@contextmanager
def command(folder: Path, *more: str, **variables: str) -> Iterator[Client]:
    """Start the command in a folder, yield a client of its page, and interrupt it."""
    words = ["play", "hanabi", "--preset", "mini", "--with", "random", "--web", "--seed", "7", "--out", "game.json"]
    with subprocess.Popen(
        [sys.executable, "-m", "hanabako", *words, *more],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT), **variables},
        stdout=subprocess.PIPE,
        encoding="utf-8",
        errors="replace",
        preexec_fn=heed_signals,  # noqa: PLW1509
    ) as process:
        try:
            assert process.stdout is not None
            yield Client(process.stdout.readline().removeprefix("Play at ").strip())
            process.send_signal(signal.SIGINT)
            assert process.wait(timeout=120) == 0
        finally:
            process.kill()


def test_the_command_serves_until_ctrl_c_and_tells_the_browser_no_token_by_its_arguments(tmp_path: Path):
    browser = tmp_path / "browser"
    browser.write_text(BROWSER, encoding="utf-8")
    browser.chmod(0o700)
    with command(tmp_path, BROWSER="./browser %s", TMPDIR=str(tmp_path)) as client:
        end = time.monotonic() + 120
        while not (tmp_path / "content").exists() and time.monotonic() < end:
            time.sleep(0.02)
        written = (tmp_path / name for name in ("arguments", "mode", "content"))
        arguments, mode, content = (path.read_text(encoding="utf-8") for path in written)
        file = Path(url2pathname(urlsplit(arguments.strip()).path))
        assert re.fullmatch(r"hanabako-\w+/open\.html", str(file.relative_to(tmp_path)))
        assert arguments == f"{file.as_uri()}\n"
        assert client.path.strip("/") not in arguments
        assert mode.startswith("-rw-------") and stat.S_IMODE(file.parent.stat().st_mode) == 0o700
        assert f'http-equiv="refresh" content="0; url={client.url}"' in content
        client.do("take", action="play 0")
    assert not file.parent.exists() and read_record(tmp_path / "game.json").actions[0] == "play 0"


@pytest.mark.parametrize("busy", [False, True])
def test_an_interrupted_command_waits_for_nobody_who_thinks(busy: bool, tmp_path: Path, monkeypatch):
    """A thread inside torch would abort the interpreter at its end."""
    left: list[int] = []

    class Interrupted(threading.Event):
        def wait(self, timeout: float | None = None) -> bool:
            if busy:
                hosts[0]._lock.acquire()
            raise KeyboardInterrupt

    hosts: list[Host] = []
    monkeypatch.setattr(play, "Host", lambda *args: hosts.append(Host(*args)) or hosts[-1])
    monkeypatch.setattr(play, "os", SimpleNamespace(_exit=left.append))
    session = play.session_of([PERSON, "random"], MINI, {}, file=tmp_path / "game.json")
    monkeypatch.setattr(play, "threading", SimpleNamespace(Event=Interrupted))
    play.in_browser(play.Args("hanabi", open=False), session, lambda: Adviser("random", MINI))
    assert left == [0] * busy


def test_games_that_begin_in_the_same_second_have_files_of_their_own(cwd: Path, monkeypatch):
    monkeypatch.setattr(play, "time", SimpleNamespace(strftime=lambda _: "20260102-030405"))
    begun = [play.session_of([PERSON, "random"], MINI, {}) for _ in range(3)]
    files = {str(session.file) for session in begun}
    assert len(files) == 3 and all(name.startswith("games/hanabi-20260102-030405-") for name in files)
    for session in begun:
        assert session.file is not None and read_record(session.file) == session.record


def test_a_game_that_cannot_begin_leaves_no_file(cwd: Path, monkeypatch):
    def fail(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(GameRecord, "save", fail)
    with pytest.raises(OSError, match="No space left"):
        play.session_of([PERSON, "random"], MINI, {})
    assert not list(cwd.glob("games/*"))


# --- The page ---------------------------------------------------------------------------------------------------------


@pytest.mark.browser
@pytest.mark.parametrize("way", ["private file", "no slash"])
def test_other_ways_lead_to_the_page(browser: str, tmp_path: Path, way: str):
    with serving(host_of(MINI, 0)) as url, signpost(url) as file, Chromium(browser, tmp_path) as page:
        page.send("Page.navigate", url=file if way == "private file" else url.removesuffix("/"))
        page.wait_until(f"location.href === {url!r} && document.readyState === 'complete'")
        page.wait_until("state !== null")
        page.press("1")
        page.wait_until("!busy && state.revision === 1")


@pytest.mark.browser
@pytest.mark.parametrize("width", [320, 1000])
@EVERY_GAME
def test_a_game_is_played_by_clicks_and_keys(browser: str, tmp_path: Path, game: str, width: int):
    """The player uses cards, buttons and numbers in turn, on a phone and on a desktop, up to the end."""
    config = short_config(game)
    host = host_of(config, 0, file=tmp_path / "game.json")
    with serving(host) as url, Chromium(browser, tmp_path, width) as page:
        page.open(url)
        page.wait_until("state !== null")
        decision = 0
        while not page.ask("state.over"):
            assert page.ask("document.documentElement.scrollWidth <= innerWidth"), "wider than the window"
            revision, way = page.ask("state.revision"), decision % 3
            if way == 0 and page.ask("document.querySelector('#board button') !== null"):
                several = page.ask("document.querySelector('#board button').dataset.place.includes(',')")
                page.click("#board button")
                if several:
                    page.wait_until("document.getElementById('ask').open")
                    page.click("#chosen button")
            elif way == 1:
                page.press("1")
            else:
                page.click("#actions button")
            page.wait_until(f"!busy && state.revision === {revision + 1}")
            assert page.ask("document.getElementById('error').hidden")
            decision += 1
        page.click("#again")
        page.wait_until("!busy && !state.over")
    assert decision > 2


@pytest.mark.browser
def test_a_reloaded_page_shows_the_same_game_and_a_lost_server_is_said(browser: str, tmp_path: Path):
    with Chromium(browser, tmp_path) as page:
        with serving(host_of(MINI, 0)) as url:
            page.open(url)
            page.wait_until("state !== null")
            page.press("1")
            page.wait_until("!busy && state.revision === 1")
            words = page.ask("document.getElementById('words').textContent")
            page.open("about:blank")
            page.open(url)
            page.wait_until("state !== null")
            assert page.ask("document.getElementById('words').textContent") == words
            page.press("a")
            page.wait_until("document.getElementById('advised').textContent.startsWith('random: ')")
            page.press("u")
            page.wait_until("!busy && state.revision === 2")
        page.press("1")
        page.wait_until("document.getElementById('error').textContent.includes('does not answer')")


@pytest.mark.browser
def test_friends_at_one_browser_look_in_turn(browser: str, tmp_path: Path):
    with serving(host_of(MINI, 0, 1)) as url, Chromium(browser, tmp_path, 320) as page:
        page.open(url)
        for player in (0, 1, 0):
            page.wait_until("state !== null && state.hidden && !busy")
            assert page.ask("document.querySelectorAll('#board > *, #news > *').length") == 0
            assert f"player_{player} is to move" in page.ask("document.getElementById('cover').innerText")
            page.press("Enter", 13)  # the button has the focus
            page.wait_until("state !== null && !state.hidden && !busy")
            assert f"> player_{player} (you)" in page.ask("document.getElementById('words').textContent")
            page.click("#actions button")


@pytest.mark.browser
def test_seats_are_filled_with_the_keyboard_on_a_phone(browser: str, tmp_path: Path):
    with serving(host_of(MINI, 0)) as url, Chromium(browser, tmp_path, 320) as page:
        page.open(url)
        page.wait_until("state !== null")
        page.click("#seats summary")
        assert page.ask("document.documentElement.scrollWidth <= innerWidth"), "wider than the window"
        page.ask("document.querySelector('#choices label:nth-child(2) select').focus()")
        page.press("p")
        page.press("1")
        assert page.ask("document.querySelector('#choices label:nth-child(2) select').value") == "piers"
        assert page.ask("state.revision") == 0
        page.ask("document.getElementById('deal').focus()")
        page.press("Enter", 13)
        page.wait_until("!busy && state.revision === 1")
        assert page.ask("state.players.join()") == "player_0 (person),player_1 (piers)"
        assert not page.ask("document.getElementById('seats').open")


@pytest.mark.browser
def test_a_foreign_page_cannot_move_or_read(browser: str, tmp_path: Path):
    host = host_of(MINI, 0)
    with serving(host) as url, serving(host_of(MINI, 0)) as elsewhere, Chromium(browser, tmp_path) as page:
        page.open(elsewhere)
        page.wait_until("state !== null")
        sent = f"{{method: 'POST', mode: 'no-cors', body: {PLAY.decode()!r}}}"
        page.ask(f"fetch({url + 'take'!r}, {sent}).then(() => 1, () => 0)")
        read = f"fetch({url + 'state'!r}).then(answer => answer.text(), () => 'refused')"
        assert page.ask(read) == "refused"
        assert host.session.record.actions == ()
