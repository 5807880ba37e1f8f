"""Games with people in a terminal: words and widths, and the command from end to end."""

import os
import pty
import re
import select
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from hanabako import agents
from hanabako.agents.people import terminal as terminals
from hanabako.agents.people.session import Adviser, Session
from hanabako.agents.people.terminal import ESCAPE, Terminal, can_show_shapes, chosen, fitted, typed_line
from hanabako.games import game_of, games
from hanabako.record import read_record
from hanabi_env import PRESETS
from tests.processes import ROOT, heed_signals, ran

from .people import EVERY_GAME, SHORT, exchanged, play_on, session_of, short_config

MINI = PRESETS["mini"]

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
        ("3-1", "play 3-1"),
    ],
)
def test_numbers_words_and_their_beginnings_are_understood(answer: str, action: str):
    assert chosen(answer, [*LEGAL, "play 3-1"]) == action


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ("0", "a number must be from 1 to 7, got 0"),
        ("8", "a number must be from 1 to 7, got 8"),
        ("h 1", "not a legal action now"),
        ("9" * 4000, "not a legal action now"),
        ("\x1b[A", "not a legal action now"),
        ("p 1", "'p 1' could be play 1 or pass 1"),
    ],
)
def test_what_is_not_understood_is_said_in_a_line(answer: str, words: str):
    with pytest.raises(ValueError, match=re.escape(words)) as refusal:
        chosen(answer, [*LEGAL, "pass 1"])
    assert len(str(refusal.value)) < 200


@pytest.mark.parametrize("width", [40, 80])
def test_long_lines_are_broken_at_spaces_and_colors_take_no_room(width: int):
    colored = "  discards   " + " ".join(f"\033[1;31mR{k}\033[0m" for k in range(60))
    lines = fitted(colored, width).splitlines()
    assert len(lines) > 3
    assert all(len(ESCAPE.sub("", line)) <= width for line in lines)
    assert " ".join(fitted(colored, width).split()) == " ".join(colored.split())
    assert fitted("short", width) == "short"


def typed(*answers: str) -> Callable[[str], str]:
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
    config = games()[game].make_config(players=5) if game == "ikebana" else short_config(game)
    session = Session(config, [None, *[agents.load("random", config)] * (config.players - 1)], seed=7)
    read = typed("?", "advice", *["1"] * 500)
    Terminal(session, lambda: Adviser("random", config), color=color, shapes=color, read=read).play()
    lines = [ESCAPE.sub("", line) for line in capsys.readouterr().out.splitlines()]
    assert session.is_over
    assert "The end. All cards:" in lines
    assert max(map(len, lines)) <= 80
    assert ("hint" in " ".join(lines)) == (game_of(config).name == "hanabi")  # ? explains this game


def test_a_person_sees_no_hidden_card(capsys: pytest.CaptureFixture[str]):
    """Two games that differ only in the person's own hand look the same."""
    seen = []
    for session in (Session(MINI, [None, None], seed=7), exchanged(Session(MINI, [None, None], seed=7))):
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
    assert "not a legal action now" in out and "from 1 to" in out and "an agent must be one of" in out
    assert "nothing to take back" in out and "Taken back" in out
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
    """Otherwise, a Ctrl-C just before the wait would be noticed only at the next key."""
    monkeypatch.setattr("builtins.input", lambda prompt: f"{prompt}{signal.getitimer(signal.ITIMER_REAL)[1]}")
    assert typed_line("> ") == f"> {terminals.TICK}"
    assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)
    assert signal.getsignal(signal.SIGALRM) == signal.SIG_DFL


# --- The command, end to end ------------------------------------------------------------------------------------------


def command(*words: str) -> list[str]:
    return [sys.executable, "-m", "hanabako", *words]


class PseudoTerminal:
    """A command at a terminal of 80 columns that shows all letters, and what it has shown."""

    def __init__(self, words: list[str], folder: Path) -> None:
        self.master, slave = pty.openpty()
        size = {"COLUMNS": "80", "LINES": "24", "TERM": "xterm-256color"}
        environment = os.environ | size | {"PYTHONPATH": str(ROOT), "PYTHONUTF8": "1"}
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
        end = time.monotonic() + seconds
        while words not in self.shown:
            assert time.monotonic() < end and self.more(), f"{words!r} did not come after: {self.shown[-2000:]}"
        before, _, self.shown = self.shown.partition(words)
        return before

    def wait_for_the_end(self, seconds: float = 120) -> int:
        """Read until the other end is closed, and return the exit status."""
        end = time.monotonic() + seconds
        while self.more():
            assert time.monotonic() < end, f"it did not end after: {self.shown[-2000:]}"
        return self.process.wait(timeout=30)

    def more(self) -> bool:
        """Read on, and return whether there may be more."""
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
    told = shown.wait_for("player_0> ")
    assert all(told.count(f" {word}  ") == 1 for word in ("help", "actions", "table", "advice", "undo", "quit"))
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


@pytest.mark.slow
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
    done = ran(["sh", "-c", f"echo play 0 | {shlex.join(words)}"], tmp_path, PYTHONPATH=str(ROOT))
    assert "player_0 plays" in done.stdout and "\033" not in done.stdout
    assert read_record(tmp_path / "game.json").actions[0] == "play 0"
