"""Games on other servers: an agent plays there as it plays here, and every error ends with one sentence."""

import http
import json
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from hanabako import agents
from hanabako.agents import play
from hanabako.agents.bridges.ah2ac2.shown_game import Shown, ShownGame
from hanabako.agents.commands import ah2ac2
from hanabako.agents.commands.command_line import main
from hanabako.agents.playing.block import Block
from hanabako.agents.playing.seating import sit
from hanabako.files import read_json
from hanabako.games import game_of
from hanabako.packing import unpack
from hanabi_env import HanabiConfig, v0_belief
from tests.bridges.chat_server import serving
from tests.bridges.test_chat_server import drip


class Table:
    """A game in which a policy has every seat, and what each seat is shown."""

    def __init__(self, policy: Any, config: HanabiConfig, number: int) -> None:
        self.config = config
        self.block = Block(game_of(config).make_game(config), 1, observes=True, specialize=False)
        self.block.deal(1, number)
        self.players = sit(self.block, [policy] * config.players)
        for player in self.players:
            player.begin()

    def shown(self, *seats: int) -> Shown:
        rows = {seat: unpack(self.block.observed(seat)[0], self.config.observation_bits) for seat in seats}
        return {seat: v0_belief(bits, self.config)[0] for seat, bits in rows.items()}

    @property
    def player(self) -> int:
        return int(self.block.tables["current_player"][0])

    @property
    def is_over(self) -> bool:
        return bool(self.block.tables["terminated"][0])

    def action(self) -> int:
        for player in self.players:
            player.act()
        return int(self.block.actions[0])

    def step(self, action: int) -> None:
        self.block.actions[0] = action
        self.block.make_step(self.players)


# --- A game that is shown ---------------------------------------------------------------------------------------------

FOLLOWED: dict[str, tuple[str, HanabiConfig, list[int], int]] = {
    "the first of two": ("smart", HanabiConfig(), [0], 80),
    "the second of two": ("smart", HanabiConfig(), [1], 20),
    "both": ("piers", HanabiConfig(), [0, 1], 20),
    "one of three, at random": ("random", HanabiConfig(players=3), [1], 60),
    "two of three": ("smart", HanabiConfig(players=3), [0, 2], 20),
    "one of five": ("piers", HanabiConfig(players=5), [4], 5),
    "a network": ("hanabi-standard-2p", HanabiConfig(derived=True), [1], 2),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", FOLLOWED)
def test_an_agent_that_is_shown_a_game_plays_as_at_the_table(name: str):
    """After every step, `ShownGame` compares the game's observations with those shown, 10,000 in all."""
    agent, config, seats, games = FOLLOWED[name]
    policy, compared = agents.load(agent, config), 0
    for number in range(games):
        table = Table(policy, config, number)
        game = ShownGame(config, table.shown(*seats), number=number)
        game.seat(policy)
        while not table.is_over:
            action = table.action()
            assert game.player == table.player
            if table.player in seats:
                assert game.action() == action
            table.step(action)
            if not table.is_over:
                assert game.go_on_as(table.shown(*seats)) == action
                compared += len(seats)
    assert compared > 10 * games


def test_a_lone_seats_hidden_cards_are_not_those_of_the_table():
    """The hidden cards are any that fit what hints tell."""
    config = HanabiConfig()
    table = Table(agents.load("smart", config), config, 0)
    game = ShownGame(config, table.shown(0), number=7)
    own, there = (block.tables["state"]["hands"][0] for block in (game, table.block))
    assert (own[1] == there[1]).all() and (own[0] != there[0]).any()


# --- AH2AC2's server --------------------------------------------------------------------------------------------------


class Hosted:
    """A server that speaks the protocol of AH2AC2's evaluation: games of our environment with a partner."""

    def __init__(self, partner: str) -> None:
        self.partner, self.key, self.games, self.left = partner, "k3y", 0, 2
        self.paths: list[str] = []
        self.words = ["ah2ac2", "--server"]
        """The words of the command that plays here; the fixture adds the address."""
        self.bad: tuple[int, Any] = (1000, None)
        """First message to replace, and its replacement: a text or a function of it; None ends the connection."""

    def answer(self, connection: Any, request: Any) -> Any:
        """Answer over HTTP whether the key is right, and the state of an evaluation."""
        self.paths.append(request.path)
        if self.key not in request.path:
            return connection.respond(http.HTTPStatus.FORBIDDEN, "who?")
        if request.path.startswith("/evaluation-info/"):
            state = {"current_env": None, "all_envs": [], "human_ai_eval_done": self.left == 0}
            return connection.respond(http.HTTPStatus.OK, json.dumps(state))
        return None

    def play(self, connection: Any) -> None:
        path = connection.request.path
        seats = [int(seat) for seat in re.findall(r"candidate_positions=(\d)", path)] or [1]
        players = int((re.findall(r"num_players=(\d)", path) or ["2"])[0])
        config = HanabiConfig(players=players)
        table = Table(agents.load(self.partner, config), config, self.games)
        connection.send("hello")
        info = {"num_players": players, "candidate_controlling": [f"agent_{seat}" for seat in seats]}
        message = {"info": {**info, "is_debug": False, "game_id": 100 + self.games}} | self.seen(table, seats)
        step = 0
        while self.send(connection, message, step) and not table.is_over:
            actions, none = json.loads(connection.recv()), config.rules().num_actions
            assert set(actions) == {f"agent_{seat}" for seat in seats}
            action = actions.pop(f"agent_{table.player}", None)
            assert set(actions.values()) <= {none}
            table.step(table.action() if action is None else action)
            score = int(table.block.tables["score"][0])
            message, step = {"done": table.is_over, "score": score} | self.seen(table, seats), step + 1
        self.games += 1
        self.left -= 1

    def seen(self, table: Table, seats: list[int]) -> dict[str, Any]:
        found = {}
        for seat, shown in table.shown(*seats).items():
            own = table.player == seat and not table.is_over
            legal = [*(table.block.mask[0] if own else 0 * table.block.mask[0]), not own]
            found[f"agent_{seat}"] = {"obs": shown.tolist(), "legal_moves": [float(move) for move in legal]}
        return found

    def send(self, connection: Any, message: dict[str, Any], step: int) -> bool:
        first, bad = self.bad
        spoiled = message if step < first else bad(message) if callable(bad) else bad
        if spoiled is not None:
            connection.send(spoiled if isinstance(spoiled, (str, bytes)) else json.dumps(spoiled))
        return spoiled is not None


@pytest.fixture
def hosted(cwd: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hosted]:
    serve = pytest.importorskip("websockets.sync.server", reason="client: websockets is not installed").serve
    monkeypatch.setenv("AH2AC2_KEY", "k3y")
    there = Hosted("smart")
    with serve(there.play, "127.0.0.1", 0, process_request=there.answer) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        there.words.append(f"ws://127.0.0.1:{server.socket.getsockname()[1]}")
        yield there
        server.shutdown()
        thread.join()


@pytest.mark.parametrize(("players", "seats"), [(2, [0]), (2, [1]), (2, [0, 1]), (3, [1, 2])])
def test_an_agent_plays_there_as_here(hosted: Hosted, players: int, seats: list[int], capsys: Any):
    test = ["--players", str(players), "--seats", *map(str, seats)]
    main([*hosted.words, "--agent", "smart", "--games", "2", *test])
    positions = "".join(f"&candidate_positions={seat}" for seat in seats)
    assert hosted.paths == [f"/play-random-agent?num_players={players}{positions}&test_submission_key=k3y"] * 2
    config = HanabiConfig(players=players)
    wanted = play(config, agents.load("smart", config), games=2, seed=1).score.tolist()
    written = read_json("ah2ac2.json")["games"]
    assert [row["score"] for row in written] == wanted
    assert [row["game_id"] for row in written] == ["100", "101"] and written[0]["seats"] == seats
    assert "ah2ac2.json: 2 games, mean score now" in capsys.readouterr().out
    main([*hosted.words, "--agent", "smart"])  # a third game; the first two stay
    assert read_json("ah2ac2.json")["games"][:2] == written and len(read_json("ah2ac2.json")["games"]) == 3
    assert "k3y" not in Path("ah2ac2.json").read_text(encoding="utf-8")


def test_games_that_another_run_has_added_meanwhile_are_kept(hosted: Hosted, monkeypatch: pytest.MonkeyPatch):
    played, others = ah2ac2.Server.play, [["--agent", "smart", "--games", "2"]]

    def play_after_others(*args: Any) -> Any:
        while others:
            main([*hosted.words, *others.pop()])
        return played(*args)

    monkeypatch.setattr(ah2ac2.Server, "play", play_after_others)
    main([*hosted.words, "--agent", "smart"])
    assert [row["game_id"] for row in read_json("ah2ac2.json")["games"]] == ["100", "101", "102"]


def test_an_evaluation_is_played_to_its_end(hosted: Hosted):
    main([*hosted.words, "--agent", "hanabi-mini-2p,smart", "--evaluate", "--out", "e.json"])  # one cannot play there
    rows = read_json("e.json")["games"]
    assert [(row["agent"], row["evaluation"], row["seats"]) for row in rows] == [("smart", True, [1])] * 2
    assert hosted.paths == ["/evaluation-info/k3y", "/play-next?submission_key=k3y"] * 2 + ["/evaluation-info/k3y"]


@pytest.mark.parametrize("agent", ["smrt", "cheat", "hanabi-mini-2p", "peek.py:PEEK"])
def test_no_game_of_the_evaluation_is_opened_for_an_agent_that_cannot_play(hosted: Hosted, agent: str):
    Path("peek.py").write_text("from hanabako.agents.bots.hanabi.cheat import CHEAT as PEEK\n", encoding="utf-8")
    with pytest.raises(SystemExit):
        main([*hosted.words, "--agent", agent, "--evaluate"])
    assert not hosted.paths


def shows(obs: list[Any]) -> Callable[[dict[str, Any]], dict[str, Any]]:
    return lambda message: message | {"agent_0": {"obs": obs, "legal_moves": []}}


def changed(message: dict[str, Any]) -> dict[str, Any]:
    obs = message["agent_0"]["obs"]
    return shows([*obs[:200], 1 - obs[200], *obs[201:]])(message)


BAD: dict[str, tuple[int, Any, str]] = {
    "a lost connection": (4, None, "disconnected before the game's end"),
    "no JSON": (1, "{", r"the server sent no JSON: '\{'"),
    "deep JSON": (0, "[" * 100_000, "the server sent no JSON"),
    "bytes": (0, b"\xff", "the server sent no JSON"),
    "no object": (0, [3], "a message of the server must be"),
    "a refusal": (0, {"error_details": "no k3y"}, "the server refused: 'no KEY'"),
    "no info": (0, {}, "info must be"),
    "other seats": (
        0,
        {"info": {"num_players": 2, "candidate_controlling": ["agent_2"]}},
        "our seats must be agent_0 to agent_1, got 'agent_2'",
    ),
    "no numbers": (0, shows(["x"]), r"obs of agent_0 must be a list of numbers, got \['x'\]"),
    "an observation too short": (0, shows([1.0]), "player 0 must observe 658 finite numbers"),
    "numbers that are none": (0, shows([float("nan")] * 658), "player 0 must observe 658 finite numbers"),
    "no player has acted": (2, shows([0.0] * 658), "one who acted must be shown, got 0"),
    "two players have acted": (2, shows([1.0] * 658), "one who acted must be shown, got 2"),
    "another number": (2, changed, r"is shown .* at 200 of its observation, but by"),
    "a number too few": (2, shows([0.0] * 657), "player 0 must observe 658 finite numbers"),
    "no score": (1, lambda message: message | {"score": None}, "must have done and a score from 0 to 25"),
    "a score that is none": (1, lambda message: message | {"score": float("nan")}, "a score from 0 to 25, got .* nan"),
    "a score too high": (1, lambda message: message | {"score": 10**400}, "a score from 0 to 25, got .* 10000"),
    "no players": (0, {"info": {"num_players": 0, "candidate_controlling": []}}, "num_players must be an int from 2"),
    "too much": (0, " " * 2**21, "disconnected before the game's end"),
}


@pytest.mark.parametrize("name", BAD)
def test_what_a_server_may_not_send_ends_in_a_sentence(hosted: Hosted, name: str):
    main([*hosted.words, "--agent", "smart"])
    hosted.bad, says = BAD[name][:2], BAD[name][2]
    with pytest.raises(SystemExit, match=says) as refusal:
        main([*hosted.words, "--agent", "smart"])
    assert str(refusal.value).startswith("hanabako ah2ac2: ") and "\n" not in str(refusal.value)
    assert "k3y" not in str(refusal.value)
    assert len(read_json("ah2ac2.json")["games"]) == 1  # the game that was finished


@pytest.mark.parametrize(
    ("more", "key", "says"),
    [
        ([], "wrong", "refuses with status 403: is the key right?"),
        (["--evaluate"], "wrong", "refuses with status 403: is the key right?"),
        ([], "", "the environment variable AH2AC2_KEY must hold the key"),
        ([], "\udcff", "key must be of printable characters"),
        (["--server", "ws://ah2ac2.com"], "wrong", r"server must be HOST or wss://HOST \(ws:// on"),
        (["--server", "ws://127.0.0.1:9"], "wrong", "127.0.0.1:9 cannot be reached"),
        (["--agent", "cheat"], "k3y", "cheat looks at its own cards, which players do not see"),
        (["--agent", "hanabi-mini-2p"], "k3y", "hanabi-mini-2p"),
        (["--evaluate", "--games", "2"], "k3y", "games is for test games, and --evaluate plays all that remain"),
        (["--evaluate", "--seats", "1"], "k3y", "seats is for test games"),
        (["--agent", "nobody"], "k3y", "an agent must be one of"),
        (["--players", "4"], "k3y", "players must be 2 or 3, got 4"),
        (["--seats", "2"], "k3y", "a seat must be an int from 0 to 1, got 2"),
        (["--seats", "0", "0"], "k3y", "seats must be one or more of 0 to 1, once each"),
        (["--out", "other.json"], "k3y", "other.json was not written by this command"),
    ],
)
def test_what_cannot_be_played_there_is_said(
    hosted: Hosted, more: list[str], key: str, says: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("AH2AC2_KEY", key)
    Path("other.json").write_text("[]", encoding="utf-8")
    with pytest.raises(SystemExit, match=says) as refusal:
        main([*hosted.words, "--agent", "smart", *more])
    assert "\n" not in str(refusal.value) and not (key and key in str(refusal.value).replace("wrong:", ""))
    assert not Path("ah2ac2.json").exists()


def test_the_server_must_answer_in_time_and_on_this_machine_without_a_proxy(
    hosted: Hosted, monkeypatch: pytest.MonkeyPatch
):
    for name in ("http_proxy", "HTTP_PROXY", "ws_proxy", "WS_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.delenv("NO_PROXY", raising=False)
    main([*hosted.words, "--agent", "smart", "--evaluate"])
    assert len(read_json("ah2ac2.json")["games"]) == 2

    def endless(handler: Any) -> None:
        with suppress(OSError):
            drip(handler, 200)

    monkeypatch.setattr("hanabako.agents.bridges.ah2ac2.server.SECONDS", 0.5)
    with serving(write=endless) as server:
        server.is_closed = False
        host = server.address.removeprefix("http://").removesuffix("/v1")
        with pytest.raises(OSError, match=f"{host} does not answer"):
            ah2ac2.Server("k3y", f"ws://{host}").goes_on()
        server.is_closed = True
