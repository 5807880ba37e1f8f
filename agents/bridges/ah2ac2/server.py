"""A client of AH2AC2's hosted evaluation (Dizdarevic et al. 2025), where one of our agents plays with their partners.

A game is one websocket: ``wss://SERVER/play-next?submission_key=KEY`` (the next game of an evaluation, with human
proxies) or ``/play-random-agent?num_players=N&candidate_positions=K&...&test_submission_key=KEY`` (a test game, with
random partners). The server greets, then sends JSON: ``info`` (``num_players``, ``candidate_controlling``, which names
our seats as ``agent_K``, ``game_id``), and for each of our seats ``obs`` (the V0 observation) and ``legal_moves``, the
last of which is "none". We answer with an action for each of our seats, "none" if another player is to move. The
message after every step also has ``score`` and ``done``; a message with ``error_details`` is a refusal. Before each
game of an evaluation, ``https://SERVER/evaluation-info/KEY`` tells whether games are left (``human_ai_eval_done``).

Written from FLAIROx/ah2ac2 (fd43b45), ``ah2ac2/evaluation`` and ``docs/evaluation``. It has not been tried with the
server itself, which needs a key from https://ah2ac2.com.
"""

import json
import re
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPException
from typing import Any, TypeAlias
from urllib.parse import quote, urlencode, urlsplit

import numpy as np

from hanabako.words.checks import as_each, as_index, as_object, as_text, shown
from hanabi_env.config import HanabiConfig
from hanabi_env.words.notation import action_to_str

from ...playing.policy import Policy
from ..connections import is_here, through, within
from .shown_game import Shown, ShownGame

__all__ = ["SERVER", "GameThere", "Server"]

SERVER = "prod-proxy.ah2ac2.com"
"""The host of the evaluation."""
MOST_ANSWER = 2**20
"""The largest accepted message, in bytes."""
SECONDS = 120
"""How long to wait for a message."""
MOST_SCORE = 25
"""The highest score of the standard game."""
PolicyFor: TypeAlias = Callable[[int], tuple[HanabiConfig, Policy]]
"""Returns, for a number of players, the config of the game and the policy that plays it."""


@dataclass(frozen=True)
class GameThere:
    """A finished game."""

    game_id: str
    players: int
    seats: tuple[int, ...]
    """The seats of our agent."""
    score: float
    """The score as the server counts it."""
    actions: tuple[str, ...]
    """The actions of all players, as text. If a partner made the last one, it is missing, because it is not shown."""


class Server:
    """The server of the evaluation.

    Args:
        key: the key of a test or an evaluation; it appears in no message.
        address: its host, or ``ws://HOST:PORT`` on this machine.

    Raises:
        ValueError: the address is not one of these, or the key is empty or has other characters.
    """

    def __init__(self, key: str, address: str = SERVER) -> None:
        self.key = key
        scheme, _, place = address.rpartition("://")
        host = urlsplit(f"//{place}").hostname
        if scheme not in ("", "wss", "ws") or not host or (scheme == "ws" and not is_here(host)):
            raise ValueError(f"server must be HOST or wss://HOST (ws:// only on this machine), got {shown(address)}")
        if not key or not key.isprintable():
            raise ValueError("key must be of printable characters")
        self.place, self.is_encrypted, self.is_here = place, scheme != "ws", is_here(host)

    def goes_on(self) -> bool:
        """Whether the evaluation has games left.

        Raises:
            OSError: the server cannot be reached, or does not know the key.
            ValueError: the answer is not of the protocol.
        """
        address = f"http{'s' * self.is_encrypted}://{self.place}/evaluation-info/{quote(self.key, safe='')}"
        without_proxy = [urllib.request.ProxyHandler({})] if self.is_here else []

        def fetched() -> bytes:
            with urllib.request.build_opener(*without_proxy).open(address, timeout=SECONDS) as answer:
                return answer.read(MOST_ANSWER + 1)

        with self._in_words():
            done = read(within(SECONDS, fetched)).get("human_ai_eval_done")
        if done not in (True, False, None):
            raise ValueError(f"the server's human_ai_eval_done must be true or false, got {shown(done)}")
        return not done

    def play(self, policy_for: PolicyFor, number: int, test: tuple[int, Sequence[int]] | None) -> GameThere:
        """Play a game to its end.

        Args:
            policy_for: returns the config, with what the agent observes, and the agent.
            number: the number of the game, which determines the agent's randomness.
            test: the number of players and our seats in a test game; None plays the evaluation's next game.

        Raises:
            OSError: the server cannot be reached, does not know the key, or disconnects before the end.
            ValueError: a message breaks the protocol or the rules of Hanabi, or the agent cannot play there.
        """
        from websockets.sync.client import connect  # in the extra ``ah2ac2``

        query: list[tuple[str, Any]] = [("submission_key", self.key)]
        if test is not None:
            seats = [("candidate_positions", seat) for seat in test[1]]
            query = [("num_players", test[0]), *seats, ("test_submission_key", self.key)]
        path = f"{'play-next' if test is None else 'play-random-agent'}?{urlencode(query)}"
        address, proxy = f"ws{'s' * self.is_encrypted}://{self.place}/{path}", None if self.is_here else True
        patience = {"open_timeout": 60, "ping_timeout": 60}
        with self._in_words(), connect(address, **patience, max_size=MOST_ANSWER, proxy=proxy) as connection:
            greeting = connection.recv(SECONDS)
            if isinstance(greeting, str) and "error_details" in greeting:
                read(greeting)
            return self._played(connection, policy_for, number)

    def _played(self, connection: Any, policy_for: PolicyFor, number: int) -> GameThere:
        message = read(connection.recv(SECONDS))
        info = as_object("info", message.get("info"))
        players = as_index("num_players", info.get("num_players"), 5, least=2)
        names = as_each("candidate_controlling", info.get("candidate_controlling"), as_text)
        seats = {player_named(name, players): name for name in names}
        if not seats:
            raise ValueError("the server gives us no seat")
        config, policy = policy_for(players)
        none = config.rules().num_actions
        game = ShownGame(config, observed(message, seats), number=number)
        game.seat(policy)
        actions: list[str] = []
        while True:
            if game.player is None:
                raise ValueError("the server continues a game that is over by the rules")
            answer = dict.fromkeys(seats.values(), none)
            taken = None
            if game.player in seats:
                answer[seats[game.player]] = taken = game.action()
                check_legal(message, seats[game.player], taken, none)
            connection.send(json.dumps(answer))
            message = read(connection.recv(SECONDS))
            if (score := final_score(message)) is not None:
                actions += [] if taken is None else [action_to_str(config, taken)]
                return GameThere(str(info.get("game_id")), players, tuple(sorted(seats)), score, tuple(actions))
            made = game.go_on_as(observed(message, seats))
            actions.append(action_to_str(config, made))
            if taken is not None and taken != made:
                raise ValueError(f"the server played {actions[-1]!r} instead of {action_to_str(config, taken)!r}")

    @contextmanager
    def _in_words(self) -> Iterator[None]:
        """Turn connection errors into OSError, and remove the key, which addresses hold, from all messages."""
        from websockets.exceptions import InvalidStatus, WebSocketException

        try:
            yield
        except InvalidStatus as error:
            raise OSError(self._refusal(error.response.status_code)) from None
        except urllib.error.HTTPError as error:
            error.close()
            raise OSError(self._refusal(error.code)) from None
        except TimeoutError:
            raise OSError(f"{self.place} does not answer") from None
        except (HTTPException, WebSocketException) as error:
            raise OSError(f"{self.place} disconnected before the game's end: {self._said(error)}") from None
        except OSError as error:
            proxy = through(f"http{'s' * self.is_encrypted}://{self.place}")
            raise OSError(f"{self.place} cannot be reached: {self._said(error)}{proxy}") from None
        except ValueError as error:
            raise ValueError(self._said(error)) from None

    def _refusal(self, status: int) -> str:
        why = ": is the key right?" if status in (401, 403, 404, 422) else ""
        return f"{self.place} refuses with status {status}{why}"

    def _said(self, error: Exception) -> str:
        reason = error.reason if isinstance(error, urllib.error.URLError) else error
        return str(reason).replace(self.key, "KEY")


# --- Messages ---------------------------------------------------------------------------------------------------------


def read(content: str | bytes) -> Mapping[str, Any]:
    """Parse a message; raise ``ValueError`` if it is no JSON object, or a refusal."""
    try:
        message = json.loads(content)
    except (ValueError, RecursionError):
        raise ValueError(f"the server sent no JSON: {shown(content)}") from None
    message = as_object("a message of the server", message)
    if "error_details" in message:
        raise ValueError(f"the server refused: {shown(message['error_details'])}")
    return message


def player_named(name: str, players: int) -> int:
    """Return the player that ``agent_K`` names."""
    match = re.fullmatch(r"agent_([0-4])", name)
    if match is None or int(match[1]) >= players:
        raise ValueError(f"our seats must be agent_0 to agent_{players - 1}, got {shown(name)}")
    return int(match[1])


def final_score(message: Mapping[str, Any]) -> float | None:
    """Return the score of a game that is over after this step; None if it continues."""
    done, score = message.get("done"), message.get("score")
    is_number = isinstance(score, (int, float)) and not isinstance(score, bool)
    if not isinstance(done, bool) or not (is_number and 0 <= score <= MOST_SCORE):
        wanted = f"done and a score from 0 to {MOST_SCORE}"
        raise ValueError(f"a step must have {wanted}, got {shown(done)} and {shown(score)}")
    return score if done else None


def numbers_of(message: Mapping[str, Any], name: str, key: str) -> np.ndarray:
    """Return the numbers for one of our seats, float32."""
    numbers = as_object(name, message.get(name)).get(key)
    if not isinstance(numbers, list) or not all(type(value) in (int, float, bool) for value in numbers):
        raise ValueError(f"{key} of {name} must be a list of numbers, got {shown(numbers)}")
    return np.array([value if abs(value) < 2**31 else np.nan for value in numbers], np.float32)  # NaN is refused later


def observed(message: Mapping[str, Any], seats: Mapping[int, str]) -> Shown:
    """Return what our seats are shown, by seat."""
    return {seat: numbers_of(message, name, "obs") for seat, name in seats.items()}


def check_legal(message: Mapping[str, Any], name: str, action: int, none: int) -> None:
    """Raise ``ValueError`` if the server does not allow an action."""
    legal = numbers_of(message, name, "legal_moves")
    if len(legal) != none + 1 or not legal[action]:
        raise ValueError(f"the server does not allow action {action} to {name}")
