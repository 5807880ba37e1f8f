"""Ctrl-C during the work of real processes: they end soon, keep finished work, and leave no process behind.

Their work would take hours. Every process opens a named pipe and writes to it, which shows that the work has begun; the
end of the pipe shows that the last process has ended.
"""

import json
import os
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hanabako import agents
from hanabako.agents.commands.command_line import main
from hanabako.agents.learning.common import trainer, validation
from hanabako.agents.learning.common.checkpoints import holds_checkpoint
from hanabako.agents.learning.common.runs import finished, locked, read_metrics
from hanabako.agents.learning.ppo import Args, train
from hanabako.agents.playing import play as playing
from hanabako.agents.playing.block import Block
from hanabako.agents.playing.play import Games, steps_of
from hanabako.agents.search.rollouts import Rollouts
from hanabako.games import game_of
from hanabako.interrupts import at_once, handling, in_threads
from hanabi_env import PRESETS
from tests.agents.tiny_runs import SMALL, UPDATE, assert_alike, stop_after, tiny_words, wait_for_update
from tests.conftest import ROOT
from tests.processes import begin_python, ran

pytestmark = pytest.mark.slow

SOON = 20
"""Seconds within which processes must end: more than two, for busy machines, and far less than the work takes."""
PATIENCE = 1.5
"""Seconds within which a process ends if it does not handle the signal itself."""

HEAD = """
import hashlib, os, signal, sys, time
from hanabako.interrupts import at_once, handling, in_threads, interruptible

def begin():
    os.write(os.open("pipe", os.O_WRONLY), b".")

def work(*_):
    begin()
    hashlib.pbkdf2_hmac("sha256", b"", b"", 10**9)  # as compiled loops are: without Python's lock, and deaf to signals

"""


class Working:
    """Processes that work in a folder, started as in a terminal, whose Ctrl-C reaches all of them."""

    def __init__(self, folder: Path, words: list[str]) -> None:
        os.mkfifo(folder / "pipe")
        self.pipe = os.open(folder / "pipe", os.O_RDONLY | os.O_NONBLOCK)
        self.said = folder / "said"
        self.process = begin_python(words, folder, self.said)

    def wait_until_begun(self, parts: int = 1) -> None:
        for _ in range(parts):
            assert select.select([self.pipe], [], [], 120)[0] and os.read(self.pipe, 1) == b".", self.words()

    def press(self) -> None:
        os.killpg(self.process.pid, signal.SIGINT)

    def status(self) -> int:
        """Wait until all processes have ended and return the exit status."""
        status = self.process.wait(SOON)
        assert select.select([self.pipe], [], [], SOON)[0] and os.read(self.pipe, 1) == b"", "some go on"
        return status

    def words(self) -> str:
        return self.said.read_text(encoding="utf-8", errors="replace")


@pytest.fixture
def working(tmp_path: Path) -> Iterator[Callable[..., Working]]:
    started: list[Working] = []

    def start(*words: str) -> Working:
        started.append(Working(tmp_path, list(words)))
        return started[-1]

    yield start
    for some in started:
        some.process.kill()
        some.process.wait()
        os.close(some.pipe)


# --- One process ------------------------------------------------------------------------------------------------------


CALLED = "import ctypes\n@ctypes.CFUNCTYPE(None)\ndef called():\n    begin()\n    signal.pause()\n"
"""As in the compiler, C calls Python: no code can handle the exception there, and Python would print it."""
SAVES = "try:\n    begin()\n    signal.pause()\n  except KeyboardInterrupt:\n    os.write(1, b'saved\\n')\n"
"""A command that ends well after Ctrl-C has not failed."""
FORKS = SAVES.replace("begin()", "os.fork() or begin()").replace("os.write", "time.sleep(0.3)\n    os.write")
"""Each process gets the signal, once."""
PROGRAMS = {
    "a thread is in compiled code": ("with interruptible():\n    work()\n", 130, "Interrupted.\n"),
    "others are": ("with interruptible():\n    in_threads(work, [1], 1)\n", 130, "Interrupted.\n"),
    "C calls Python": (f"{CALLED}with interruptible():\n    called()\n    signal.pause()\n", 130, "Interrupted.\n"),
    "C calls Python in a module's import": (
        f"{CALLED}with interruptible(), at_once():\n    called()\n    print('too far')\n",
        130,
        "Interrupted.\n",
    ),
    "it saves": (f"with interruptible():\n  {SAVES}", 0, "saved\n"),
    "it and a fork of it save": (f"with interruptible():\n  {FORKS}", 0, "saved\nsaved\n"),
}


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_process_ends_in_a_word_though(program: str, working):
    code, status, said = PROGRAMS[program]
    some = working("-c", HEAD + code)
    some.wait_until_begun()
    some.press()
    assert (some.status(), some.words()) == (status, said)


def test_who_takes_the_signal_has_time_and_the_second_ctrl_c_ends_it_at_once(working):
    some = working("-c", f"{HEAD}with interruptible(), handling(lambda *_: None):\n    work()\n")
    some.wait_until_begun()
    some.press()
    with pytest.raises(subprocess.TimeoutExpired):
        some.process.wait(PATIENCE)
    some.press()
    assert some.status() == 130
    assert some.words() == "Interrupted.\n"


@pytest.mark.parametrize(("ranks", "number"), [(1, signal.SIGTERM), (2, signal.SIGINT)], ids=["SIGTERM", "Ctrl-C"])
def test_training_is_saved_and_says_how_to_continue_it(ranks: int, number: int, tmp_path: Path, working):
    words = [*tiny_words(Path("run"), 10**6), "--ranks", str(ranks)]
    process = working("-m", "hanabako", "train", *words).process
    wait_for_update(tmp_path / "run", process)
    os.killpg(process.pid, number) if number == signal.SIGINT else process.send_signal(number)
    assert process.wait(SOON) == 130
    assert finished(tmp_path / "run") is None and holds_checkpoint(tmp_path / "run" / "checkpoint")
    said = (tmp_path / "said").read_text(encoding="utf-8")
    assert said.endswith("Interrupted. To continue: hanabako train --resume run\n")


def test_ranks_save_the_run_and_end_when_the_command_is_killed(tmp_path: Path, working):
    words = [*tiny_words(Path("run"), 10**6), "--ranks", "2"]
    process = working("-m", "hanabako", "train", *words).process
    wait_for_update(tmp_path / "run", process)
    process.kill()
    end = time.monotonic() + SOON
    while time.monotonic() < end:
        with suppress(ValueError), locked(tmp_path / "run"):
            break
        time.sleep(0.1)
    else:
        pytest.fail("the ranks go on")
    assert holds_checkpoint(tmp_path / "run" / "checkpoint")


@pytest.mark.parametrize("resumed", [False, True], ids=["new", "resumed"])
def test_training_that_has_not_begun_says_what_can_be_continued(
    resumed: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    run, words = tmp_path / "run", tiny_words(tmp_path / "run", 2)
    said = ["Interrupted before the first update: there is nothing to continue"]
    if resumed:
        with monkeypatch.context() as patch:
            stop_after(patch, 1, signal.SIGINT)
            assert status_of(["train", "--ranks", "1", *words]) == 130
        words = ["--resume", str(run)]
        said = [
            "going on from update 1, with 50 % of the budget spent",
            f"{run}: policy.safetensors, curve.png, metrics.jsonl, checkpoint/",
            f"Interrupted. To continue: hanabako train --resume {run}",
        ]
    capsys.readouterr()
    monkeypatch.setattr(trainer, "session", lambda _: signal.raise_signal(signal.SIGINT))
    assert status_of(["train", "--ranks", "1", *words]) == 130
    assert capsys.readouterr().out.splitlines()[1:] == said


def status_of(words: list[str]) -> Any:
    with handling(signal.default_int_handler), pytest.raises(SystemExit) as ended:
        main(words)
    return ended.value.code


def test_ctrl_c_that_is_ignored_stays_ignored(tmp_path: Path):
    """SIGINT is ignored in jobs that a script starts in the background."""
    code = "import os, signal\nfrom hanabako.interrupts import interruptible\nwith interruptible():\n"
    code += "    signal.raise_signal(signal.SIGINT)\nprint('goes on')\n"
    words = ["sh", "-c", 'trap "" INT; exec "$@"', "sh", sys.executable, "-c", code]
    assert ran(words, tmp_path, PYTHONPATH=str(ROOT)).stdout == "goes on\n"


def test_ctrl_c_in_an_import_does_not_end_the_notebook_that_runs_a_command():
    with handling(signal.default_int_handler), pytest.raises(KeyboardInterrupt), at_once():
        signal.raise_signal(signal.SIGINT)


# --- Several processes ------------------------------------------------------------------------------------------------


def test_ctrl_c_waits_for_a_process_that_is_not_ready(tmp_path: Path, working):
    """A process that is still importing would print a traceback; a process that is ready gets the signal at once."""
    ready = "from hanabako.interrupts import interruptible\nwith interruptible():\n    print('too far')\n"
    (tmp_path / "child.py").write_text(f"import signal\nsignal.raise_signal(2)\nprint('imported')\n{ready}")
    code = "from subprocess import run\nfrom hanabako.interrupts import held_back\nwith held_back():\n"
    some = working("-c", f"{HEAD}{code}    child = run([sys.executable, 'child.py'])\nsys.exit(child.returncode)")
    assert some.process.wait(SOON) == 130
    assert some.words() == "imported\nInterrupted.\n"


def test_what_must_not_be_disturbed_is_told_at_its_end(working):
    code = "    signal.raise_signal(signal.SIGINT)\n    print('whole', flush=True)\n  print('too far')\n"
    some = working(
        "-c", f"{HEAD}from hanabako.interrupts import undisturbed\nwith interruptible():\n  with undisturbed():\n{code}"
    )
    assert some.process.wait(SOON) == 130
    assert some.words() == "whole\nInterrupted.\n"


STUDY = """
from dataclasses import dataclass
from hanabako.agents.results import Row, Study

@dataclass(frozen=True)
class Kind(Row):
    name: str

def play(row, before):
    if row.name != "quick":
        work()
    return {"done": 1}

STUDY = Study("mine", [Kind("quick", wanted=1), Kind("one", wanted=1), Kind("two", wanted=1)], play)
"""


EARLY = """
import signal, sys
if "--multiprocessing-fork" in sys.orig_argv:
    signal.raise_signal(signal.SIGINT)
"""
"""Ctrl-C reaches all processes of the terminal, here the workers before they begin; the study itself tells them."""


@pytest.mark.parametrize(("cores", "begins"), [(1, ""), (2, ""), (2, EARLY)], ids=["one", "two", "two, early"])
def test_a_study_keeps_the_rows_that_are_finished_and_leaves_no_process(
    cores: int, begins: str, tmp_path: Path, working
):
    (tmp_path / "sitecustomize.py").write_text(begins, encoding="utf-8")
    (tmp_path / "mine.py").write_text(HEAD + STUDY, encoding="utf-8")
    some = working("-m", "hanabako", "study", "run", "mine.py", "--cores", str(cores))
    some.wait_until_begun(cores)
    some.press()
    assert some.status() == 130
    assert "Traceback" not in some.words() and "leaked" not in some.words()
    (row,) = json.loads((tmp_path / "mine.json").read_text(encoding="utf-8"))["rows"]
    assert (row["name"], row["done"]) == ("quick", 1)


SAVING = """
import time
from pathlib import Path
from hanabako.interrupts import patient

def save():
    try:
        begin()
        time.sleep(600)
    except KeyboardInterrupt:
        time.sleep(1.5)  # longer than the other process takes to end
        Path("saved").touch()
        raise SystemExit("saved") from None

def play(row, before):
    if row.name == "one":
        work()
    if row.name == "two":
        with patient():
            save()
    return {"done": 1}

ROWS = [Kind(name, wanted=1) for name in NAMES]
STUDY = Study("mine", ROWS, play)
"""


@pytest.mark.parametrize("other", ["one", "quick"], ids=["at work", "idle"])
def test_a_study_waits_for_a_process_that_saves_and_not_for_others(other: str, tmp_path: Path, working):
    names = f"NAMES = {[other, 'two']}\n"
    (tmp_path / "mine.py").write_text(HEAD + STUDY + names + SAVING, encoding="utf-8")
    some = working("-m", "hanabako", "study", "run", "mine.py", "--cores", "2")
    some.wait_until_begun(2 if other == "one" else 1)
    while other == "quick" and not (tmp_path / "mine.json").exists():
        assert some.process.poll() is None, some.words()
    time.sleep(0.5)  # until the idle process waits for a row: it would then take the lock of the queue with it
    some.press()
    assert some.status() == 130
    assert (tmp_path / "saved").exists()
    assert "Traceback" not in some.words()


# --- Threads ----------------------------------------------------------------------------------------------------------


def test_games_end_at_their_next_step_when_others_have_failed(monkeypatch: pytest.MonkeyPatch):
    both, failed = threading.Barrier(2), threading.Event()
    others: list[threading.Thread] = []
    acts = []

    class Agent:
        def act(self, observation: np.ndarray, mask: np.ndarray, noise: np.ndarray) -> np.ndarray:
            if not failed.is_set():
                if both.wait(SOON) == 0:
                    raise ValueError("one fails")
                others.append(threading.current_thread())
                assert failed.wait(SOON)
            acts.append(threading.current_thread())
            return mask.shape[1] - 1 - mask[:, ::-1].argmax(axis=1)  # a hint: the game continues

    monkeypatch.setattr(playing, "GAMES_AT_ONCE", 1)  # one game in each thread
    with pytest.raises(ValueError, match="one fails"):
        playing.play(PRESETS["very_small"], Agent(), 2, 1, num_threads=2)
    failed.set()
    others[0].join(SOON)
    assert acts == others


def test_a_search_ends_before_its_decision(monkeypatch: pytest.MonkeyPatch):
    config, begun = PRESETS["very_small"], threading.Event()
    playing.play(config, agents.load("search:piers", config, rollouts=1), 1, 1)  # compiles, which may take long
    searching = [agents.load("search:piers", config, rollouts=10**8)] * config.players
    others: list[threading.Thread] = []
    play_out = Rollouts.play_out

    def noted(self: Rollouts, actions: np.ndarray) -> np.ndarray:
        begun.set()
        return play_out(self, actions)

    def work(searches: bool) -> None:
        if searches:
            others.append(threading.current_thread())
            for _ in steps_of(Block(game_of(config).make_game(config), 1, False, False), searching, 1, 0):
                pass
        assert begun.wait(120)
        raise ValueError("one fails")

    monkeypatch.setattr(Rollouts, "play_out", noted)
    with pytest.raises(ValueError, match="one fails"):
        in_threads(work, [False, True], 2)
    others[0].join(SOON)
    assert not others[0].is_alive()


# --- Training ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("evaluation", [1, 2], ids=["first", "last"])
def test_an_evaluation_that_is_cut_short_is_made_when_the_run_goes_on(
    evaluation: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    args = Args(**SMALL | {"steps": 2 * UPDATE, "evaluations": 2})
    whole = train(replace(args, run_dir=tmp_path / "whole"))
    played = []

    def interrupted(*words: Any, **others: Any) -> Games:
        played.append(words[2])
        if len([games for games in played if games > 1]) == evaluation:
            signal.raise_signal(signal.SIGINT)
        assert len([games for games in played if games > 1]) < evaluation or words[2] == 1, "it is not cut short"
        return playing.play(*words, **others)

    with monkeypatch.context() as patch:
        patch.setattr(validation, "play", interrupted)
        parts = train(replace(args, run_dir=tmp_path / "parts"))
    assert finished(parts) is None and len(read_metrics(parts)) == evaluation - 1
    assert (parts / "checkpoint" / "latest").read_text(encoding="utf-8") == f"{evaluation:08d}"
    assert train(Args(resume=parts)) == parts
    assert_alike(parts, whole)
