"""Ctrl-C at random times in real commands, which would run for minutes: they end and keep finished work.

SIGINT goes to the whole process group, as a terminal sends it.
"""

import json
import os
import random
import signal
import subprocess
import tempfile
import time
from contextlib import suppress
from pathlib import Path

from hanabako.files import read_json
from hanabako.interrupts import INTERRUPTED
from tests.processes import begin_python

PROMISE = (
    "Ctrl-C ends every command without a traceback, a process left or a half-written file, and keeps finished work"
)
UNIT = "interrupts"
PATIENCE = 60.0
"""Seconds after which the check fails; on an idle machine a command ends within two."""
STARTING = 10.0
"""Ctrl-C comes within these seconds after a command's start, when it has begun to work."""
SMALL = "--preset very_small"
COMMANDS = {
    "evaluate, bots": "evaluate hanabi --agents smart --games 100000000",
    "evaluate, search": f"evaluate hanabi {SMALL} --agents search:piers --search rollouts=1000000 --games 5000",
    "evaluate, tournament": "evaluate koikoi --mode tournament --agents monte_carlo:5000,counting --games 5000",
    "record": "record hanabi --agents smart --games 100000000 --out games.npz",
    "benchmark": "benchmark hanabi --seconds 600",
    "watch": f"watch search:piers {SMALL} --search rollouts=100000000 --out page.html",
    "study, one core": "study run mine.py",
    "study, two cores": "study run mine.py --cores 2",
    "train, one rank": f"train {SMALL} --ranks 1 --run-dir run --minutes 60",
    "train, two ranks": f"train {SMALL} --ranks 2 --run-dir run --minutes 60",
}
STUDY = """
from dataclasses import dataclass

from hanabako import agents
from hanabako.agents import play
from hanabako.agents.results import Row, Study
from hanabi_env import PRESETS


@dataclass(frozen=True)
class Part(Row):
    name: str


def played(row, before):
    config, games = PRESETS["mini"], 10 if row.name == "quick" else 10**8
    return {"done": 1, "score": float(play(config, agents.load("smart", config), games, 1).score.mean())}


STUDY = Study("mine", [Part("quick", wanted=1), Part("one", wanted=1), Part("two", wanted=1)], played)
"""


ROWS = dict.fromkeys(COMMANDS, 5)


def play(name: str, part: int) -> tuple[int, list[str]]:
    rng = random.Random(f"{name} {part}")
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "mine.py").write_text(STUDY, encoding="utf-8")
        said = Path(folder, "said")
        process = begin_python(["-m", "hanabako", *COMMANDS[name].split()], Path(folder), said)
        time.sleep(rng.uniform(1, STARTING))
        end = time.monotonic() + (PATIENCE if name.startswith("study") else 0)  # until there is finished work
        while time.monotonic() < end and process.poll() is None and not Path(folder, "mine.json").exists():
            time.sleep(0.05)
        failures = [] if process.poll() is None else [f"it had ended with {process.returncode}"]
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGINT)
        try:
            if (status := process.wait(PATIENCE)) != INTERRUPTED:
                failures.append(f"it ended with {status}, not {INTERRUPTED}")
        except subprocess.TimeoutExpired:
            failures.append(f"it goes on {PATIENCE:.0f} s after Ctrl-C")
        failures += wrong_with(Path(folder), said.read_text(encoding="utf-8", errors="replace"), name)
        if left := lasting(folder):
            failures.append("a process of it goes on")
            for number in left:
                os.kill(number, signal.SIGKILL)
        process.wait()
    return 1, failures


def wrong_with(folder: Path, said: str, name: str) -> list[str]:
    """Return what an interrupted command left behind that it must not."""
    failures = [f"it says: {said[-200:]}"] if "Traceback" in said else []
    failures += [f"it left {path.name}" for path in folder.rglob("*.part")]
    results = folder / "mine.json"
    if name.startswith("study"):
        rows = read_json(results)["rows"] if results.exists() else []
        if [row["name"] for row in rows] != ["quick"]:
            failures.append(f"the results hold {json.dumps(rows)[:200]}")
    return failures


def lasting(folder: str) -> list[int]:
    """Return the processes that still work in a folder five seconds later, whatever group they are in."""
    end = time.monotonic() + 5
    while (left := working_in(folder)) and time.monotonic() < end:
        time.sleep(0.05)
    return left


def working_in(folder: str) -> list[int]:
    found = []
    for path in Path("/proc").glob("[0-9]*/cwd"):
        with suppress(OSError):  # it has ended, or is another user's
            if path.samefile(folder):
                found.append(int(path.parent.name))
    return found
