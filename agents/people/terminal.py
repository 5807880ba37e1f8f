"""A game in the terminal: the table as text, and numbered legal actions that are chosen by number or by words.

If the input is not a terminal, it is read line by line, and the game stops where the input ends.
"""

import re
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import zip_longest

from hanabako.words.checks import shown
from hanabako.words.notation import player_name

from .session import Adviser, Session

HELP = """\
Type an action's number, its words, or the beginnings of its words.
  ?  help      this text
     actions   the legal actions
     table     the table again
     advice    what the adviser would do
     undo      take your last decision back; the record says so
  q  quit      leave; the game so far is saved"""

CLEAR = "\033[2J\033[3J\033[H"
ESCAPE = re.compile(r"\033\[[\d;]*m")
TICK = 0.2
"""Seconds between two checks for signals while a line is typed."""


def typed_line(prompt: str) -> str:
    """Read a line from this terminal; raise EOFError at its end.

    ``input`` checks for signals before it waits for a key and while it waits. It notices a Ctrl-C between these two
    only at the next key, so its wait is interrupted every `TICK`.
    """
    if not hasattr(signal, "setitimer"):  # on Windows
        return input(prompt)
    before = signal.signal(signal.SIGALRM, lambda *_: None)
    signal.setitimer(signal.ITIMER_REAL, TICK, TICK)
    try:
        return input(prompt)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def can_show_shapes(encoding: str) -> bool:
    """Whether a terminal with this encoding can show the symbols of the cards."""
    try:
        "♥☾✿❋▮".encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return False
    return True


@dataclass
class Terminal:
    """A session that is played by the people at this terminal."""

    session: Session
    adviser: Callable[[], Adviser]
    """Makes the adviser when it is first needed."""
    width: int = 80
    color: bool = False
    shapes: bool = False
    """Show symbols for suits, next to the colors or instead of them."""
    interactive: bool = False
    """A person watches the screen, which is cleared between two persons at one terminal."""
    read: Callable[[str], str] = typed_line
    """Shows a prompt and returns a line, or raises EOFError."""
    _last: int | None = field(default=None, init=False)
    """The player who saw the screen last."""

    def play(self) -> None:
        """Play until the game is over or the person leaves."""
        session = self.session
        players = ", ".join(session.name(player) for player in range(session.config.players))
        self.say(f"{players}; seed {session.record.seed}. Type ? for help.")
        try:
            self.go_on()
            while session.is_persons_turn:
                answer = self.read(f"{player_name(session.player)}> ").strip()
                if answer.lower() in ("q", "quit", "exit"):
                    break
                self.answer(answer)
        except (EOFError, KeyboardInterrupt):
            print()
        if session.is_over:
            print("\nThe end. All cards:\n")
            self.show(None)
        elif session.file:
            print("The game so far is saved.")

    def answer(self, answer: str) -> None:
        """Do what a person typed."""
        commands: dict[str, Callable[[], None]] = {
            "": self.actions,
            "?": lambda: self.say(HELP),
            "help": lambda: self.say(HELP),
            "actions": self.actions,
            "table": lambda: self.show(self.session.player),
            "advice": self.advice,
            "undo": self.undo,
        }
        before, action = self.session.record, None
        try:
            if answer.lower() in commands:
                commands[answer.lower()]()
            else:
                action = chosen(answer, self.session.legal())
        except ValueError as error:
            self.say(str(error))
        if action is not None:
            self.say(f"  {self.session.take(action)}")
        if self.session.record is not before:
            self.go_on()

    def go_on(self) -> None:
        """Play the agents' decisions, then show the table to the next person."""
        with said_if_slow("The agents think; the first time on a machine they are compiled ..."):
            for news in self.session.go_on():
                self.say(f"  {news}")
        if not self.session.is_persons_turn:
            return
        player = self.session.player
        if len(self.session.persons) > 1 and player != self._last:
            if self.interactive:
                print(CLEAR, end="")
            self.read(f"{player_name(player)}, it is your turn: press Enter when no one else is looking. ")
            for words in self.news_for(player):
                self.say(f"  {words}")
        self._last = player
        self.show(player)
        self.actions()

    def news_for(self, player: int) -> Sequence[str]:
        """Return what happened since this player's last decision, because the screen was cleared meanwhile."""
        movers = self.session.movers
        since = max((turn for turn, mover in enumerate(movers) if mover == player), default=-1) + 1
        actions = self.session.record.actions
        return [f"{player_name(movers[turn])}: {actions[turn]}" for turn in range(since, len(movers))]

    def show(self, seat: int | None) -> None:
        """Print the table as a seat sees it."""
        print()
        self.say(self.session.text(seat, self.color, self.shapes))

    def actions(self) -> None:
        """Print the legal actions in columns."""
        notes = [(words, self.session.note(words)) for words in self.session.legal()]
        cells = [f"{k:>2} {words}" + (f"  {note}" if note else "") for k, (words, note) in enumerate(notes, 1)]
        widest = max(map(len, cells)) + 3
        columns = max(1, self.width // widest)
        rows = -(-len(cells) // columns)
        print()
        for row in zip_longest(*(cells[start : start + rows] for start in range(0, len(cells), rows)), fillvalue=""):
            print("".join(f"{cell:<{widest}}" for cell in row).rstrip())

    def advice(self) -> None:
        """Print what the adviser would do, with its probabilities."""
        with said_if_slow("The adviser thinks; the first time on a machine it is compiled ..."):
            adviser = self.adviser()
            likely = list(adviser.advice(self.session.record).items())[:5]
        self.say(f"{adviser.name}: " + ", ".join(f"{words} {probability:.0%}" for words, probability in likely))

    def undo(self) -> None:
        """Take back the person's last decision."""
        self.say(f"Taken back: {self.session.undo()}")

    def say(self, words: str) -> None:
        """Print lines of text, no wider than the terminal."""
        for line in words.splitlines():
            print(fitted(line, self.width))
        sys.stdout.flush()


def chosen(answer: str, legal: Sequence[str]) -> str:
    """Return the legal action that a person typed: by its number from 1, its words, or the beginnings of its words."""
    if answer.isdecimal() and len(answer) < 5:
        if 1 <= int(answer) <= len(legal):
            return legal[int(answer) - 1]
        raise ValueError(f"a number must be from 1 to {len(legal)}, got {answer}; ? helps")
    typed = answer.lower().split()
    for is_meant in (
        lambda words: words == typed,
        lambda words: len(words) == len(typed) and all(map(str.startswith, words, typed)),
        lambda words: len(words) == 2 and words[1:] == typed,  # only the card: 3-1 for play 3-1
    ):
        meant = [action for action in legal if is_meant(action.lower().split())]
        if len(meant) == 1:
            return meant[0]
        if meant:
            raise ValueError(f"{shown(answer)} could be {' or '.join(meant)}")
    raise ValueError(f"{shown(answer)} is not a legal action now; 'actions' lists them, ? helps")


def fitted(line: str, width: int) -> str:
    """Break a line that is wider than the terminal at spaces, and indent the rest. Colors have no width."""
    if len(ESCAPE.sub("", line)) <= width:
        return line
    indent = " " * min(len(line) - len(line.lstrip()) + 4, width // 2)
    lines = [""]
    for piece in re.findall(r"\s*\S+", line):
        if lines[-1] and len(ESCAPE.sub("", lines[-1] + piece)) > width:
            lines.append(indent + piece.lstrip())
        else:
            lines[-1] += piece
    return "\n".join(lines)


@contextmanager
def said_if_slow(words: str, seconds: float = 2.0) -> Iterator[None]:
    """Print ``words`` if the block takes longer than ``seconds``."""
    timer = threading.Timer(seconds, print, [words], {"file": sys.stderr, "flush": True})
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
