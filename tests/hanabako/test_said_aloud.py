"""That compiling takes long is said, once, and never of what takes an instant."""

import time

import pytest

from hanabako.compiler.numba_hooks import said_aloud
from hanabako.compiler.numba_hooks.said_aloud import WORDS, SaidAloud


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(said_aloud, "SECONDS", 0.05)


def compiling(listener: SaidAloud, seconds: float) -> None:
    """Something is compiled, and something else for it."""
    listener.on_start(None)
    listener.on_start(None)
    time.sleep(seconds)
    listener.on_end(None)
    listener.on_end(None)


def test_it_is_said_once(capsys: pytest.CaptureFixture[str]):
    listener = SaidAloud()
    for _ in range(2):
        compiling(listener, 0.2)
    assert capsys.readouterr().err == f"\r{WORDS}\n"


def test_many_short_waits_are_a_long_one(capsys: pytest.CaptureFixture[str]):
    listener = SaidAloud()
    for _ in range(10):
        compiling(listener, 0.02)
    assert capsys.readouterr().err == f"\r{WORDS}\n"


def test_nothing_is_said_of_an_instant(capsys: pytest.CaptureFixture[str]):
    compiling(SaidAloud(), 0)
    time.sleep(0.1)
    assert capsys.readouterr().err == ""


def test_numba_tells_of_what_it_compiles(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch):
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
        time.sleep(0.05)
    finally:
        event.unregister("numba:compile", listener)
    assert capsys.readouterr().err == f"\r{WORDS}\n"
