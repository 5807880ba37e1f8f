"""The whole suite with `--restless`: a new seed each time, alone, beside busy processes, and as an ordinary user.

Tests of clocks, sockets and processes, which may fail by chance, are repeated many times.
"""

import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.proof.records import Record, work

PROMISE = "No test depends on test order, system settings, load or user"
TESTED = (
    "`pytest --restless`: random order; the machine's load and date, time zone, locale, terminal width and home folder "
    "change around every test; two runs beside four busy processes, one as a user without rights; and the tests of "
    "clocks, sockets and processes many times (`--repeat`)"
)
ROOT = Path(__file__).resolve().parents[2]
ALONE, BUSY, USER, AGAIN = "alone", "beside four busy processes", "as an ordinary user", "clocks, sockets, processes"
GOALS = {ALONE: 3, BUSY: 2, USER: 1, AGAIN: 200}
REPEATED = 20
"""Repetitions in one run of pytest."""
FICKLE = (
    *("tests/hanabako/test_said_aloud.py", "tests/agents/test_server.py", "tests/agents/test_terminal.py"),
    *("tests/agents/test_shared_sum.py", "tests/agents/test_launch.py", "tests/agents/test_interrupts.py"),
    "tests/agents/test_faults.py::test_a_lost_rank_ends_the_others_with_a_clear_line",
    "tests/agents/test_faults.py::test_a_directory_that_another_process_trains_in_is_locked_until_that_ends",
    "tests/agents/test_search.py::test_a_search_that_the_clock_interrupts_answers_with_what_it_has",
    "tests/agents/test_study.py",
)
LEFT_OUT = (".git", ".venv", ".cache", "runs", "dist", "__pycache__", ".ipynb_checkpoints")
"""What a copy of the clone does not have."""
NO_RIGHTS = 12345
"""Id of a user who owns nothing but a copy of the clone."""
SUMMARY = re.compile(r"^(?:=+ )?(\d+ \w+(?:, \d+ \w+)*) in [\d.]+s", re.MULTILINE)


def run(record: Record, seconds: float) -> None:
    """Run each kind as often as wanted, with a new seed each time."""
    record.keep_only(GOALS)
    for name in GOALS:
        record.row(name)
    work(record, GOALS, lambda name: once(record, name), seconds, "restless", " runs")


def once(record: Record, name: str) -> None:
    """Run pytest once."""
    begin, seed = time.perf_counter(), random.SystemRandom().randrange(2**31)
    options = ["--restless", f"--randomly-seed={seed}", "-q", "-n", "2", "--dist", "worksteal"]
    with around(name) as (prefix, root):
        what = ["tests", "--upkeep"] if name != AGAIN else [*FICKLE, f"--repeat={REPEATED}"]
        ended = subprocess.run(
            [*prefix, sys.executable, "-m", "pytest", *options, *what],
            cwd=root,
            env=os.environ | {"FAST": "1", "PYTHONPATH": str(root)},
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            check=False,
        )
    found = SUMMARY.findall(ended.stdout)
    failures = [line for line in ended.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
    if ended.returncode and not failures:
        failures = [f"status {ended.returncode}: {(ended.stdout + ended.stderr)[-300:]}"]
    row = record.rows[name]
    row["runs"] = [*row.get("runs", []), {"seed": seed, "said": found[-1] if found else "no summary"}]
    record.add(name, REPEATED if name == AGAIN else 1, time.perf_counter() - begin, [f"{seed}: {f}" for f in failures])


@contextmanager
def around(name: str) -> Iterator[tuple[Sequence[str], Path]]:
    """Set up the conditions of a run; yield the prefix of its command and the clone to test."""
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(4 if name == BUSY else 0)]
    folder = Path(tempfile.mkdtemp(prefix="restless-"))
    try:
        clone = folder / "clone"
        shutil.copytree(ROOT, clone, ignore=shutil.ignore_patterns(*LEFT_OUT))
        (clone / ".venv").symlink_to(ROOT / ".venv")
        if name != USER or os.geteuid() != 0:  # this process has an ordinary user already
            yield [], clone
            return
        folder.chmod(0o755)
        subprocess.run(["chown", "-R", f"{NO_RIGHTS}:{NO_RIGHTS}", str(clone)], check=True)
        prefix = ["setpriv", f"--reuid={NO_RIGHTS}", f"--regid={NO_RIGHTS}", "--clear-groups"]
        words = [*prefix, sys.executable, "-c", "import sys; print(sys.version)"]
        if subprocess.run(words, capture_output=True, encoding="utf-8", check=False).stdout.strip() != sys.version:
            place = Path(sys.executable).resolve()
            raise SystemExit(f"other users cannot run {place}: let them pass through its folders (chmod o+x)")
        yield prefix, clone
    finally:
        for process in busy:
            process.kill()
            process.wait()
        shutil.rmtree(folder, ignore_errors=True)


def how_much(record: Record) -> str:
    """Return the amounts for the page."""
    rows = {name: row for name, row in record.rows.items() if row["amount"]}
    kinds = {name: "repetitions:" if name == AGAIN else "runs" for name in rows}
    said = [f"{row['amount']} of {GOALS[name]} {kinds[name]} {name}" for name, row in rows.items()]
    seeds = [str(entry["seed"]) for name, row in rows.items() if name != AGAIN for entry in row["runs"]]
    return f"{', '.join(said)}; seeds {', '.join(seeds)}"
