"""Processes that add rows to one results file are killed at random times, and no added row is lost.

Every process notes a row in its own file once `add_rows` has returned. At the end, the results must be a whole file
with every noted row, at least as complete as noted.
"""

import json
import multiprocessing
import random
import tempfile
import time
from pathlib import Path

from agents.results.store import add_rows, key_of, read_results
from tests.proof.records import Record, work

PROMISE = "Processes that add to one results file lose no row, even if some are killed"
TESTED = (
    "three processes add and complete rows of one file, one at a time; SIGKILL ends one of them at a random time, and "
    "another one takes its place; at the end, every row that a process has noted as added must be in the file"
)
GOAL = 1000
"""The number of kills wanted."""
WRITERS, KILLS_A_FILE = 3, 20
ORIGIN = {"command": "tests.proof.writers", "machine": {"date": ""}, "versions": {}, "commit": None}
ROWS = "results of a study"


def run(record: Record, seconds: float) -> None:
    """Kill writers until there were as many kills as wanted, or time is over."""
    record.keep_only([ROWS])
    record.row(ROWS)
    work(record, {ROWS: GOAL}, lambda name: one_file(record, name), seconds, "writers", " kills")


def one_file(record: Record, name: str) -> None:
    """Start the writers of one file and kill some of them."""
    rng, begin = random.Random(record.rows[name]["amount"]), time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        path, notes = Path(folder) / "rows.json", []
        context = multiprocessing.get_context("fork")

        def begin_writer() -> multiprocessing.process.BaseProcess:
            notes.append(Path(folder) / f"noted-{len(notes)}")
            notes[-1].touch()
            writer = context.Process(target=write, args=(path, notes[-1], len(notes)))
            writer.start()
            return writer

        writers = [begin_writer() for _ in range(WRITERS)]
        for _ in range(KILLS_A_FILE):
            time.sleep(rng.uniform(0, 0.1))
            victim = writers.pop(rng.randrange(WRITERS))
            victim.kill()
            victim.join()
            writers.append(begin_writer())
        for writer in writers:
            writer.kill()
            writer.join()
        failures = lost(path, notes)
    record.add(name, KILLS_A_FILE, time.perf_counter() - begin, failures)


def write(path: Path, noted: Path, number: int) -> None:
    """Add rows and complete them, without end; note each row once it is in the file."""
    with noted.open("a", encoding="utf-8") as notes:
        for step in range(10**9):
            row = {
                "writer": number,
                "row": step % 5,
                "fields": ["writer", "row"],
                "done": 1 + step // 5,
                "wanted": 10**9,
            }
            add_rows(path, "writers", ORIGIN, [row])
            notes.write(json.dumps(row) + "\n")
            notes.flush()


def lost(path: Path, notes: list[Path]) -> list[str]:
    """Return the errors of the results: every row must be at least as complete as noted."""
    try:
        held = {key_of(row): row["done"] for row in read_results(path)}
    except ValueError as error:
        return [str(error)]
    lines = [line for file in notes for line in file.read_text(encoding="utf-8").splitlines(keepends=True)]
    rows = [json.loads(line) for line in lines if line.endswith("\n")]  # one may be cut short
    least: dict[str, int] = {}
    for row in rows:
        least[key_of(row)] = max(row["done"], least.get(key_of(row), 0))
    return [f"{key}: {held.get(key, 0)} of {done}" for key, done in least.items() if held.get(key, 0) < done]


def how_much(record: Record) -> str:
    """Return the amounts for the page."""
    return f"{record.amount:,} kills of {GOAL:,} wanted, {KILLS_A_FILE} for each file of {WRITERS} writers"
