"""That compiling takes long is said, once, and never of what takes an instant."""

import time
from collections.abc import Callable

import pytest

from hanabako.compiler.numba_hooks import said_aloud
from hanabako.compiler.numba_hooks.said_aloud import SECONDS, WORDS, SaidAloud


class Timer:
    """One of a `Clock`."""

    def __init__(self, clock: "Clock", interval: float, function: Callable[[], None]) -> None:
        self.clock, self.due, self.function = clock, clock.now + interval, function
        self.is_running = self.daemon = False

    def start(self) -> None:
        self.is_running = True
        self.clock.wait(0)

    def cancel(self) -> None:
        self.is_running = False


class Clock:
    """What `said_aloud` takes from `time` and `threading`: the time that the test says, however busy the machine is."""

    def __init__(self) -> None:
        self.now = 0.0
        self.timers: list[Timer] = []

    def perf_counter(self) -> float:
        return self.now

    def Timer(self, interval: float, function: Callable[[], None]) -> Timer:
        self.timers.append(Timer(self, interval, function))
        return self.timers[-1]

    def wait(self, seconds: float) -> None:
        self.now += seconds
        for timer in self.timers:
            if timer.is_running and timer.due <= self.now:
                timer.cancel()
                timer.function()


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(said_aloud, "time", clock)
    monkeypatch.setattr(said_aloud, "threading", clock)
    return clock


def compiling(listener: SaidAloud, clock: Clock, seconds: float) -> None:
    """Something is compiled, and something else for it."""
    listener.on_start(None)
    listener.on_start(None)
    clock.wait(seconds)
    listener.on_end(None)
    listener.on_end(None)


def test_it_is_said_once(clock: Clock, capsys: pytest.CaptureFixture[str]):
    listener = SaidAloud()
    for _ in range(2):
        compiling(listener, clock, 2 * SECONDS)
    assert capsys.readouterr().err == f"{WORDS}\n"


def test_many_short_waits_are_a_long_one(clock: Clock, capsys: pytest.CaptureFixture[str]):
    listener = SaidAloud()
    for _ in range(10):
        compiling(listener, clock, 0.2 * SECONDS)
    assert capsys.readouterr().err == f"{WORDS}\n"


def test_nothing_is_said_of_an_instant(clock: Clock, capsys: pytest.CaptureFixture[str]):
    compiling(SaidAloud(), clock, 0.9 * SECONDS)
    clock.wait(10 * SECONDS)
    assert capsys.readouterr().err == ""


def test_it_is_said_while_something_is_compiled(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    """By the real clock, for which the test waits as long as it must."""
    monkeypatch.setattr(said_aloud, "SECONDS", 0.01)
    listener, said, end = SaidAloud(), "", time.monotonic() + 60
    listener.on_start(None)
    while not said.endswith("\n") and time.monotonic() < end:
        time.sleep(0.01)
        said += capsys.readouterr().err
    listener.on_end(None)
    assert said == f"{WORDS}\n"


def test_numba_tells_of_what_it_compiles(
    clock: Clock, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    """In a process of its own it would be said of the games; here of a function that waits for nothing."""
    import numba
    from numba.core import event

    monkeypatch.setattr(said_aloud, "SECONDS", 1000.0)  # the listener that this process has had before stays silent
    listener = SaidAloud()
    listener._spent = 1000.0  # so that any compiling is too long
    event.register("numba:compile", listener)
    try:
        function = numba.njit(lambda x: x + 1)
        assert function(1) == 2
    finally:
        event.unregister("numba:compile", listener)
    assert capsys.readouterr().err == f"{WORDS}\n"
