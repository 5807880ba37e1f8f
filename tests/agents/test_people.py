"""Games with people: their records, the session behind terminal and browser, and the terminal itself."""

import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import agents
from agents.bots.policy import BatchedPolicy
from agents.people import terminal as terminals
from agents.people.record import GameRecord, read_record
from agents.people.session import Adviser, Session, best_agent, config_for, line_up_of
from agents.people.terminal import ESCAPE, Terminal, can_show_shapes, chosen, fitted, typed_line
from hanabako.games import games, make_config
from hanabi_env import PRESETS, HanabiConfig, hanablive
from tests.processes import heed_signals

ROOT = Path(__file__).resolve().parents[2]
MINI = PRESETS["mini"]
SHORT = {"hanabi": ("--preset", "mini"), "ikebana": (), "koikoi": ("--config", "rounds=1")}
EVERY_GAME = pytest.mark.parametrize("game", games())


def short_config(game: str):
    return games()[game].make_config(**games()[game].short)


def session_of(game: str, *persons: int, **options) -> Session:
    """A short game of people at some seats and random players at the others."""
    config = short_config(game)
    random = agents.load("random", config)
    return Session(config, [None if k in persons else random for k in range(config.players)], seed=7, **options)


def play_on(session: Session, decisions: int = 1000) -> None:
    """Every person takes the last legal action."""
    list(session.go_on())
    while session.is_persons_turn and decisions:
        session.take(session.legal()[-1])
        list(session.go_on())
        decisions -= 1


# --- Records ----------------------------------------------------------------------------------------------------------


@EVERY_GAME
def test_a_kept_game_is_replayed_to_the_same_end(game: str, tmp_path: Path):
    session = session_of(game, 0, file=tmp_path / "game.json")
    play_on(session)
    assert session.is_over
    kept = read_record(tmp_path / "game.json")
    assert kept == session.record
    assert kept.replayed().to_dict() == session._env.to_dict()
    assert kept.players == ("person", *["random"] * (kept.config.players - 1))


def test_a_game_of_hanabi_is_kept_for_hanab_live_too(tmp_path: Path):
    config = HanabiConfig(colors=3)
    session = Session(config, [None, agents.load("random", config)], seed=7, file=tmp_path / "game.json")
    play_on(session, decisions=4)
    other = read_record(tmp_path / "game.hanablive.json")
    assert other.players == session.record.players
    assert other.actions == session.record.actions
    assert other.replayed().to_dict() == session._env.to_dict()
    assert hanablive.load(tmp_path / "game.hanablive.json")[0] == config


def test_what_hanab_live_does_not_have_is_kept_for_us_alone(tmp_path: Path):
    session = session_of("hanabi", 0, file=tmp_path / "game.json")  # three ranks
    play_on(session, decisions=1)
    assert [path.name for path in tmp_path.iterdir()] == ["game.json"]


GOOD = GameRecord(MINI, 7, ("a", "b"), ("play 0",)).to_json()


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ([], "neither a game in the format hanabako-game-1 nor one of hanab.live"),
        ({"format": "hanabako-game-2"}, "neither a game"),
        ({key: value for key, value in GOOD.items() if key != "seed"}, "lacks 'seed'"),
        (GOOD | {"players": ["a"]}, "players must be 2 names, got ['a']"),
        (GOOD | {"players": ["a", 2]}, "players[1]: must be a string, got 2"),
        (GOOD | {"seed": -1}, "seed must be an int from 0"),
        (GOOD | {"actions": "play 0"}, "actions must be a list"),
        (GOOD | {"deal": 3}, "deal must be an object, got 3"),
        (GOOD | {"undone": True}, "undone must be an int"),
        (GOOD | {"config": {"game": "chess"}}, "game must be one of"),
        ({"deck": [], "players": 3, "actions": []}, "object of type 'int'|must be a list"),
    ],
)
def test_a_file_that_holds_no_game_is_refused(values, words: str, tmp_path: Path):
    path = tmp_path / "game.json"
    path.write_text(json.dumps(values))
    with pytest.raises(ValueError, match=words if "|" in words else re.escape(words)) as refusal:
        read_record(path)
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize(
    ("actions", "words"),
    [
        (("play 0", "hint 1 Z"), "action 1 of the game: action must be one of"),
        (("discard 0",), "action 0 of the game: action 0 (discard 0) is not legal for player_0 now"),
    ],
)
def test_actions_that_are_none_are_named_with_their_place(actions: tuple[str, ...], words: str):
    with pytest.raises(ValueError, match=re.escape(words)):
        GameRecord(MINI, 7, ("a", "b"), actions).replayed()


def test_nothing_is_played_after_the_end():
    session = session_of("hanabi", 0)
    play_on(session)
    with pytest.raises(ValueError, match="the game is over before 'play 0'"):
        session.record.with_action("play 0").replayed()


# --- The session ------------------------------------------------------------------------------------------------------


@EVERY_GAME
def test_undo_goes_back_to_ones_own_last_decision_and_the_agents_do_the_same_again(game: str, tmp_path: Path):
    session = session_of(game, 0, file=tmp_path / "game.json")
    play_on(session, decisions=1)
    before, legal, actions = session._env.to_dict(), session.legal(), session.record.actions
    session.take(legal[0])
    list(session.go_on())
    after = session.record.actions
    assert session.undo() == legal[0]
    assert session._env.to_dict() == before
    assert (session.legal(), session.record.actions, session.record.undone) == (legal, actions, 1)
    assert read_record(tmp_path / "game.json") == session.record
    session.take(legal[0])
    list(session.go_on())
    assert session.record.actions == after


def test_a_bot_remembers_the_same_after_an_undo():
    """What `piers` was told it is told again: forgotten, it would choose otherwise."""
    bot = agents.load("piers", MINI)
    games_played = []
    for undos in (False, True):
        session = Session(MINI, [None, bot], seed=3)
        while not session.is_over:
            list(session.go_on())
            if session.is_persons_turn:
                session.take(session.legal()[-1])
                list(session.go_on())
                if undos and session.is_persons_turn:
                    session.undo()
                    session.take(session.legal()[-1])
        games_played.append(session.record.actions)
    assert games_played[0] == games_played[1]
    assert len(games_played[0]) > 8


class Counting(BatchedPolicy):
    """Remembers how many decisions it has made, and takes the legal action of that number."""

    name = "counting"

    def memory(self, count):
        return np.zeros(count, np.int64)

    def act(self, observation: Any, mask: Any, noise: Any, memory: Any = None) -> Any:
        memory += 1
        legal = [np.flatnonzero(row) for row in mask]
        return np.array([row[-1 - count % len(row)] for row, count in zip(legal, memory, strict=True)])


def test_an_agent_remembers_its_own_decisions_after_an_undo():
    """As a recurrent network does, whose memory changes only when it acts."""
    config = HanabiConfig()  # no life is lost by hints, and there are enough
    session = Session(config, [None, Counting()], seed=3)
    play_on(session, decisions=3)
    expected = session.record.actions
    session.undo()
    session.take(expected[-2])
    list(session.go_on())
    assert session.record.actions == expected


def test_there_is_nothing_to_take_back_before_the_first_decision():
    session = session_of("hanabi", 1)
    list(session.go_on())
    with pytest.raises(ValueError, match="nothing to take back"):
        session.undo()


def test_only_a_person_whose_turn_it_is_acts_and_only_legally():
    session = session_of("hanabi", 1)
    with pytest.raises(ValueError, match=r"player_0 \(random\) is to move"):
        session.take("play 0")
    list(session.go_on())
    with pytest.raises(ValueError, match=r"action must be one of .*, got 'play 9'"):
        session.take("play 9")
    play_on(session)
    with pytest.raises(ValueError, match="the game is over"):
        session.take("play 0")


@EVERY_GAME
def test_an_adviser_says_what_it_would_have_played_itself(game: str):
    """Its opinions of its own game are its actions, whatever the agents at the seats remember or draw by lot."""
    name = {"hanabi": "piers", "ikebana": "greedy", "koikoi": "counting"}[game]
    config = short_config(game)
    session = Session(config, [agents.load(name, config)] * config.players, seed=5)
    list(session.go_on())
    review = Adviser(name, config).review(session.record)
    assert len(review) == len(session.record.actions) > 4
    assert all(done == advised for done, advised in review)


def test_a_network_advises_with_probabilities_of_what_it_observes():
    session = session_of("hanabi")
    session = Session(MINI, [None, agents.load("random", MINI)], seed=2)  # without `derived`, which the network reads
    play_on(session, decisions=2)
    advice = Adviser("hanabi-mini-2p", MINI).advice(session.record)
    assert set(advice) == set(session.legal())
    assert list(advice.values()) == sorted(advice.values(), reverse=True)
    assert sum(advice.values()) == pytest.approx(1, abs=1e-3)


def test_a_search_advises_with_the_value_of_every_action():
    """In a game that others play. Where there is nothing to choose, or its belief is empty, it expects nothing."""
    session = Session(MINI, [agents.load("piers", MINI)] * 2, seed=5)
    list(session.go_on())
    opinions, thought = list(Adviser("search:piers", MINI).opinions(session.record)), 0
    assert len(opinions) == len(session.record.actions)
    for opinion, env in zip(opinions, session.record.positions(), strict=False):
        (choice,) = opinion.chances
        mask = env.observe(env.agent_selection)["action_mask"]
        legal = {env.action_to_str(int(action)) for action in np.flatnonzero(mask)}
        assert choice in legal and (not opinion.values or set(opinion.values) == legal)
        thought += bool(opinion.values)
    assert thought > 1


def test_the_config_follows_the_network_that_plays():
    assert config_for("hanabi", None, None, (), ["person", "hanabi-mini-2p"]).ranks == 3
    assert config_for("hanabi", "standard", None, (), ["person", "hanabi-standard-2p"]).derived
    assert config_for("hanabi", None, None, (), ["person", "smart", "piers"]).players == 3
    assert best_agent(make_config("koikoi")) == "monte_carlo"


def test_seats_are_filled_and_not_overfilled():
    assert [getattr(policy, "name", None) for policy in line_up_of(["person", "random"], MINI, 3)] == [
        None,
        "random",
        "random",
    ]
    with pytest.raises(ValueError, match="there are 1 seats to fill, got 2 agents"):
        line_up_of(["random", "random"], MINI, 1)


def test_an_effort_that_nobody_would_make_is_refused():
    assert line_up_of(["random", "search:piers"], MINI, 2, {"rollouts": 3})
    with pytest.raises(ValueError, match=r"rollouts: for agents that search \(search:NAME\), got random"):
        line_up_of(["random"], MINI, 2, {"rollouts": 3})


@EVERY_GAME
def test_every_choice_and_step_has_words_for_people(game: str):
    session = session_of(game, 0)
    list(session.go_on())
    while session.is_persons_turn:
        for action in session.legal():
            note = session.note(action)
            assert "None" not in note and "??" not in note and len(note) < 60
        news = [session.take(session.legal()[0]), *session.go_on()]
        assert all(step.news and "\n" not in step.news and "None" not in step.news for step in news)


def test_a_hints_note_names_the_slots_that_it_will_touch():
    session = session_of("hanabi", 0, 1)
    for action in [action for action in session.legal() if action.startswith("hint")]:
        slots = session.note(action).removeprefix("player_1: ").replace(" ", ", ")
        copy = Session(session.config, [None, None], seed=7)
        assert copy.take(action).news.rpartition(" slot")[2].removeprefix("s").strip() == slots


# --- The terminal -----------------------------------------------------------------------------------------------------

LEGAL = ["discard 0", "play 0", "play 1", "hint 1 R", "hint 1 3", "hint 2 3"]


@pytest.mark.parametrize(
    ("answer", "action"),
    [
        ("2", "play 0"),
        ("play 1", "play 1"),
        ("PLAY   1", "play 1"),
        ("p 1", "play 1"),
        ("h 1 r", "hint 1 R"),
        ("d 0", "discard 0"),
    ],
)
def test_numbers_words_and_their_beginnings_are_understood(answer: str, action: str):
    assert chosen(answer, LEGAL) == action


def test_a_card_alone_is_enough_where_it_is_clear():
    assert chosen("3-1", ["play 3-1", "play 3-2"]) == "play 3-1"


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ("0", "a number must be from 1 to 6, got 0"),
        ("7", "a number must be from 1 to 6"),
        ("h 1", "no legal action now"),
        ("9" * 4000, "no legal action now"),
        ("play", "no legal action now"),
        ("\x1b[A", "no legal action now"),
    ],
)
def test_what_is_not_understood_is_said_in_a_line(answer: str, words: str):
    with pytest.raises(ValueError, match=re.escape(words)) as refusal:
        chosen(answer, LEGAL)
    assert len(str(refusal.value)) < 200


def test_an_answer_with_two_meanings_names_both():
    with pytest.raises(ValueError, match="'p 1' may be play 1 or pass 1"):
        chosen("p 1", ["play 1", "pass 1"])


@pytest.mark.parametrize("width", [40, 80])
def test_long_lines_are_broken_at_spaces_and_colors_take_no_room(width: int):
    colored = "  discards   " + " ".join(f"\033[1;31mR{k}\033[0m" for k in range(60))
    lines = fitted(colored, width).splitlines()
    assert len(lines) > 3
    assert all(len(ESCAPE.sub("", line)) <= width for line in lines)
    assert " ".join(fitted(colored, width).split()) == " ".join(colored.split())
    assert fitted("short", width) == "short"


def typed(*answers: str) -> Callable[[str], str]:
    """Reads these answers, then ends."""
    left = iter(answers)

    def read(prompt: str) -> str:
        try:
            return next(left)
        except StopIteration:
            raise EOFError from None

    return read


@EVERY_GAME
@pytest.mark.parametrize("color", [False, True])
def test_everything_shown_fits_80_columns(game: str, color: bool, capsys: pytest.CaptureFixture[str]):
    """In color with shapes, or in plain words."""
    config = games()[game].make_config(players=5) if game == "ikebana" else short_config(game)
    session = Session(config, [None, *[agents.load("random", config)] * (config.players - 1)], seed=7)
    Terminal(
        session, lambda: Adviser("random", config), color=color, shapes=color, read=typed("?", "advice", *["1"] * 500)
    ).play()
    lines = [ESCAPE.sub("", line) for line in capsys.readouterr().out.splitlines()]
    assert session.is_over
    assert "The end. All cards:" in lines
    assert max(map(len, lines)) <= 80


def test_a_person_sees_no_hidden_card(capsys: pytest.CaptureFixture[str]):
    """Two games that differ in the person's own hand alone look the same."""
    seen = []
    for swapped in (False, True):
        session = Session(MINI, [None, None], seed=7)
        position = session._env.to_dict()
        if swapped:
            hand, deck = position["hands"][0], position["deck"]
            hand[0], deck[0] = deck[0], hand[0]
            assert hand[0] != deck[0]
            session._env.reset(options={"state": position})
        Terminal(session, lambda: Adviser("random", MINI), read=typed("", "table")).play()
        seen.append(capsys.readouterr().out)
    assert seen[0] == seen[1]


def test_between_two_persons_the_screen_is_cleared_and_the_news_is_told(capsys: pytest.CaptureFixture[str]):
    session = Session(MINI, [None, None], seed=7)
    read = typed("", "play 0", "", "play 1", "")
    Terminal(session, lambda: Adviser("random", MINI), interactive=True, read=read).play()
    screens = capsys.readouterr().out.split("\033[2J\033[3J\033[H")
    assert len(screens) == 4
    assert "> player_0 (you)" in screens[1] and "(you)" in screens[2] and "player_0: play 0" in screens[2]
    assert "> player_1 (you)" in screens[2] and "player_0 (you)" not in screens[2]
    assert "player_1: play 1" in screens[3]


def test_mistakes_advice_and_undo_end_nothing(capsys: pytest.CaptureFixture[str]):
    session = Session(MINI, [None, agents.load("random", MINI)], seed=7)
    read = typed("play 77", "99", "advice", "undo", "play 0", "undo", "actions", "quit")
    Terminal(session, lambda: Adviser("nobody", MINI), read=read).play()
    out = capsys.readouterr().out
    for words in ("no legal action now", "from 1 to", "an agent must be one of", "nothing to take back", "Taken back"):
        assert words in out
    assert session.record.actions == () and session.record.undone == 1


@EVERY_GAME
def test_shapes_tell_cards_apart_without_color_and_leave_the_words_as_they_are(game: str):
    session = session_of(game, 0)
    play_on(session, decisions=3)
    plain, shaped = session.text(None), session.text(None, shapes=True)
    assert plain.isascii() and "\033" not in shaped
    assert re.sub(r"[^\x00-\x7f]", "", shaped).split() == plain.split()
    shapes = {name: set(re.findall(rf"\b{name}\d[*]?([^\x00-\x7f])", shaped)) for name in "RYGWBKJ"}
    found = [shape for own in shapes.values() for shape in own]
    assert len(set(found)) == len(found) and all(len(own) < 2 for own in shapes.values())
    assert found or game == "koikoi"


def test_a_terminal_without_the_shapes_shows_none():
    assert can_show_shapes("utf-8") and not can_show_shapes("ascii") and not can_show_shapes("latin-1")


def test_the_wait_for_a_line_is_broken_now_and_then_to_look_at_signals(monkeypatch: pytest.MonkeyPatch):
    """Else a Ctrl-C that comes just before the wait is noticed at the next key only."""
    monkeypatch.setattr("builtins.input", lambda prompt: f"{prompt}{signal.getitimer(signal.ITIMER_REAL)[1]}")
    assert typed_line("> ") == f"> {terminals.TICK}"
    assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)
    assert signal.getsignal(signal.SIGALRM) == signal.SIG_DFL


# --- The command, end to end ------------------------------------------------------------------------------------------


def command(*words: str) -> list[str]:
    return [sys.executable, "-m", "hanabako", *words]


class PseudoTerminal:
    """A command at a terminal of 80 columns, and what it has shown."""

    def __init__(self, words: list[str], folder: Path) -> None:
        self.master, slave = pty.openpty()
        environment = os.environ | {"PYTHONPATH": str(ROOT), "COLUMNS": "80", "LINES": "24", "TERM": "xterm-256color"}
        self.process = subprocess.Popen(
            words,
            stdin=slave,
            stdout=slave,
            stderr=slave,
            cwd=folder,
            env=environment,
            start_new_session=True,
            preexec_fn=heed_signals,  # noqa: PLW1509
        )
        os.close(slave)
        self.shown = ""

    def wait_for(self, words: str, seconds: float = 120) -> str:
        """What was shown until ``words`` came."""
        end = time.monotonic() + seconds
        while words not in self.shown:
            assert time.monotonic() < end and self.more(), f"{words!r} did not come after: {self.shown[-2000:]}"
        before, _, self.shown = self.shown.partition(words)
        return before

    def wait_for_the_end(self, seconds: float = 120) -> int:
        """Read until the other end is closed; the exit status."""
        end = time.monotonic() + seconds
        while self.more():
            assert time.monotonic() < end, f"it did not end after: {self.shown[-2000:]}"
        return self.process.wait(timeout=30)

    def more(self) -> bool:
        """Read on; whether there was anything to read."""
        ready, _, _ = select.select([self.master], [], [], 5)
        try:
            piece = os.read(self.master, 65536) if ready else b"-"
        except OSError:  # the other end is closed
            return False
        self.shown += piece.decode(errors="replace") if ready else ""
        return bool(piece)

    def type(self, words: str) -> None:
        os.write(self.master, f"{words}\r".encode())


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Callable[..., PseudoTerminal]]:
    opened: list[PseudoTerminal] = []

    def start(*words: str) -> PseudoTerminal:
        opened.append(PseudoTerminal(command(*words), tmp_path))
        return opened[-1]

    yield start
    for one in opened:
        one.process.kill()
        one.process.wait()
        os.close(one.master)


@EVERY_GAME
def test_a_game_is_played_to_its_end_in_a_terminal(game: str, terminal, tmp_path: Path):
    shown = terminal("play", game, "--with", "random", "--seed", "7", "--out", "game.json", *SHORT[game])
    shown.wait_for("player_0> ")
    shown.type("help")
    assert "take your last decision back" in shown.wait_for("player_0> ")
    shown.type("1")
    shown.wait_for("player_0> ")
    shown.type("undo")
    assert "Taken back" in shown.wait_for("player_0> ")
    while True:
        shown.type("1")
        shown.wait_for("\n")
        while "player_0> " not in shown.shown and "To watch it" not in shown.shown:
            assert shown.more(), shown.shown[-2000:]
        if "To watch it" in shown.shown:
            break
        before = shown.wait_for("player_0> ")
        assert max(len(ESCAPE.sub("", line).rstrip()) for line in before.splitlines()) <= 80
    assert "\033[1;" in shown.shown and (game == "koikoi" or any(shape in shown.shown for shape in "♥★▲♦☾✶✿♣✦❋❖"))
    assert shown.wait_for_the_end() == 0
    record = read_record(tmp_path / "game.json")
    assert all(record.replayed().terminations.values())
    assert record.undone == 1


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGHUP, signal.SIGKILL])
def test_however_it_ends_the_game_so_far_is_kept(ending: signal.Signals, terminal, tmp_path: Path):
    shown = terminal("play", "hanabi", "--with", "random", "--preset", "mini", "--seed", "7", "--out", "game.json")
    shown.wait_for("player_0> ")
    shown.type("play 0")
    shown.wait_for("player_0> ")
    shown.process.send_signal(ending)
    code = shown.wait_for_the_end()
    assert code == (0 if ending == signal.SIGINT else -ending)
    assert "Traceback" not in shown.shown
    assert read_record(tmp_path / "game.json").actions[0] == "play 0"


def test_without_a_terminal_words_are_read_until_they_end(tmp_path: Path):
    words = command("play", "hanabi", "--with", "random", "--preset", "mini", "--seed", "7", "--out", "game.json")
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        words, input="play 0\n", cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120, check=True
    )
    assert "player_0 plays" in done.stdout and "\033" not in done.stdout
    assert read_record(tmp_path / "game.json").actions[0] == "play 0"
