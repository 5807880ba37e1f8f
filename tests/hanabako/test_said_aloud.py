"""A message says once what is compiled, if that takes long, and leaves progress bars whole."""

import io
import sys
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any
from weakref import WeakSet

import pytest
from tqdm import tqdm

from hanabako.compiler.numba_hooks import said_aloud
from hanabako.compiler.numba_hooks.said_aloud import SECONDS, SaidAloud
from hanabako.progress import ProgressBar


def weigh() -> None:
    """Stand for a loop that is compiled."""


EVENT: Any = SimpleNamespace(data={"dispatcher": SimpleNamespace(py_func=weigh)})
WORDS = f"Compiling {__name__}.weigh; later starts take each loop from Numba's cache ..."


class Timer:
    def __init__(self, clock: "Clock", interval: float, function: Callable[..., None], arguments: list[Any]) -> None:
        self.clock, self.due, self.function = clock, clock.now + interval, function
        self.is_running = self.daemon = False
        self.arguments = arguments

    def start(self) -> None:
        self.is_running = True
        self.clock.wait(0)

    def cancel(self) -> None:
        self.is_running = False


class Clock:
    """Replaces `time` and `threading` in `said_aloud`: the test sets the time, however busy the machine is."""

    def __init__(self) -> None:
        self.now = 0.0
        self.timers: list[Timer] = []

    def perf_counter(self) -> float:
        return self.now

    def Timer(self, interval: float, function: Callable[..., None], arguments: list[Any]) -> Timer:
        self.timers.append(Timer(self, interval, function, arguments))
        return self.timers[-1]

    def wait(self, seconds: float) -> None:
        self.now += seconds
        for timer in self.timers:
            if timer.is_running and timer.due <= self.now:
                timer.cancel()
                timer.function(*timer.arguments)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(said_aloud, "time", clock)
    monkeypatch.setattr(said_aloud, "threading", clock)
    return clock


def compiling(listener: SaidAloud, clock: Clock, seconds: float) -> None:
    """Compile something that needs another compilation inside."""
    listener.on_start(EVENT)
    listener.on_start(EVENT)
    clock.wait(seconds)
    listener.on_end(EVENT)
    listener.on_end(EVENT)


def test_it_is_said_once_when_short_waits_have_become_a_long_one(clock: Clock, capsys: pytest.CaptureFixture[str]):
    listener = SaidAloud()
    compiling(listener, clock, 0.9 * SECONDS)
    clock.wait(10 * SECONDS)
    assert capsys.readouterr().err == ""
    for _ in range(10):
        compiling(listener, clock, 0.2 * SECONDS)
    assert capsys.readouterr().err == f"{WORDS}\n"


def test_numba_tells_of_what_it_compiles(
    clock: Clock, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    """The function here waits for nothing; a separate process would report the compilation of the games."""
    import numba
    from numba.core import event

    monkeypatch.setattr(said_aloud, "SECONDS", 1000.0)  # keep this process's own listener silent
    listener = SaidAloud()
    listener._spent = 1000.0  # so that any compilation is too long
    event.register("numba:compile", listener)
    try:
        numba.njit(weigh)()
    finally:
        event.unregister("numba:compile", listener)
    assert capsys.readouterr().err == f"{WORDS}\n"


class Screen(io.StringIO):
    def __init__(self, is_terminal: bool) -> None:
        super().__init__()
        self.isatty = lambda: is_terminal

    def lines(self) -> list[str]:
        """Return the lines as they are seen: after a carriage return, characters are overwritten."""
        seen = []
        for line in self.getvalue().split("\n"):
            cells: list[str] = []
            for part in line.split("\r"):
                cells[: len(part)] = part
            seen.append("".join(cells).rstrip())
        return [line for line in seen if line]


@pytest.mark.parametrize("is_terminal", [True, False], ids=["terminal", "file"])
def test_a_progress_bar_stays_whole(is_terminal: bool, clock: Clock, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys, "stderr", screen := Screen(is_terminal))
    monkeypatch.setattr(tqdm, "_instances", WeakSet())  # no line below a bar that another test left open
    with ProgressBar(total=2, ncols=120, bar_format="{desc}{n} of {total}", desc="long words " * 8) as bar:
        compiling(SaidAloud(), clock, 2 * SECONDS)
        bar.update(2)
    begun, ended = (f"{bar.desc}{number} of 2" for number in (0, 2))
    assert screen.lines() == ([WORDS, ended] if is_terminal else [begun, WORDS, ended])
