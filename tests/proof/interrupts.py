"""Ctrl-C at random times in real commands: they end within two seconds and keep finished work.

Each command would run for minutes. The time is measured from SIGINT to the whole process group, as a terminal sends it,
to the command's end. No process may be left and no traceback printed.
"""

import json
import os
import random
import signal
import subprocess
import tempfile
import time
from pathlib import Path

from hanabako.files import read_json
from hanabako.interrupts import INTERRUPTED
from tests.processes import begin_python
from tests.proof.records import Record, work

PROMISE = "Ctrl-C ends every command and study, and finished work is kept"
TESTED = (
    "SIGINT to the process group of a command at a random time; the command must end without a traceback and leave no "
    "process and no half-written file; the time to its end is measured"
)
WANTED = 10
"""Interrupts of each command."""
PROMISED, PATIENCE = 2.0, 60.0
"""Seconds within which a command promises to end on an idle machine, and seconds after which the check fails."""
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

import agents
from agents.evaluate import play
from agents.results import Row, Study
from hanabi_env import PRESETS


@dataclass(frozen=True)
class Part(Row):
    name: str


def played(row, before):
    config, games = PRESETS["mini"], 10 if row.name == "quick" else 10**8
    return {"done": 1, "score": float(play(config, agents.load("smart", config), games, 1).score.mean())}


STUDY = Study("mine", [Part("quick", wanted=1), Part("one", wanted=1), Part("two", wanted=1)], played)
"""


def run(record: Record, seconds: float) -> None:
    """Interrupt every command as often as wanted."""
    record.keep_only(COMMANDS)
    for name in COMMANDS:
        record.row(name)
    work(record, dict.fromkeys(COMMANDS, WANTED), lambda name: once(record, name), seconds, "interrupts", " interrupts")


def once(record: Record, name: str) -> None:
    """Run one command and interrupt it."""
    row, begin = record.rows[name], time.perf_counter()
    rng = random.Random(f"{name} {row['amount']}")
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "mine.py").write_text(STUDY, encoding="utf-8")
        said = Path(folder, "said")
        process = begin_python(["-m", "hanabako", *COMMANDS[name].split()], Path(folder), said)
        time.sleep(rng.uniform(1, STARTING))
        failures = [] if process.poll() is None else [f"it had ended with {process.returncode}"]
        pressed = time.perf_counter()
        os.killpg(process.pid, signal.SIGINT)
        try:
            if (status := process.wait(PATIENCE)) != INTERRUPTED:
                failures.append(f"it ended with {status}, not {INTERRUPTED}")
        except subprocess.TimeoutExpired:
            failures.append(f"it goes on {PATIENCE:.0f} s after Ctrl-C")
        ended = time.perf_counter() - pressed
        failures += wrong_with(Path(folder), said.read_text(encoding="utf-8", errors="replace"), name)
        if is_alive(process.pid):
            failures.append("a process of it goes on")
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    row["ends"] = [*row.get("ends", []), round(ended, 2)]
    record.add(name, 1, time.perf_counter() - begin, failures)


def wrong_with(folder: Path, said: str, name: str) -> list[str]:
    """Return what an interrupted command left behind that it must not."""
    failures = [f"it says: {said[-200:]}"] if "Traceback" in said else []
    failures += [f"it left {path.name}" for path in folder.rglob("*.part")]
    results = folder / "mine.json"
    if name.startswith("study") and results.exists():
        rows = read_json(results)["rows"]
        if [row["name"] for row in rows] != ["quick"]:
            failures.append(f"the results hold {json.dumps(rows)[:200]}")
    return failures


def is_alive(group: int) -> bool:
    """Return whether a process of the group is still alive.

    The system gets five seconds to remove the group's other processes after the first has ended.
    """
    end = time.monotonic() + 5
    while time.monotonic() < end:
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return False
        time.sleep(0.05)
    return True


def how_much(record: Record) -> str:
    """Return the amounts for the page."""
    ends = sorted(end for row in record.rows.values() for end in row.get("ends", []))
    late = sum(end > PROMISED for end in ends)
    return (
        f"{len(ends)} interrupts of {len(record.rows)} commands; they ended after "
        f"{ends[len(ends) // 2]:.1f} s (median) to {ends[-1]:.1f} s, {late} of them after more than {PROMISED:.0f} s"
    )
