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

from hanabako.agents.results.store import add_rows, key_of, read_results

PROMISE = "three processes that add to one results file lose no row when they are killed"
UNIT = "kills"
WRITERS, KILLS = 3, 20
"""Processes that write one file, and how many of them are killed in a part."""
ROWS = {"results": 50}
ORIGIN = {"command": "tests.soak.writers", "machine": {"date": ""}, "versions": {}, "commit": None}


def play(name: str, part: int) -> tuple[int, list[str]]:
    """Start the writers of one file and kill some of them; another one takes the place of each."""
    rng, context = random.Random(part), multiprocessing.get_context("fork")
    with tempfile.TemporaryDirectory() as folder:
        path, notes = Path(folder) / "rows.json", []

        def begin_writer() -> multiprocessing.process.BaseProcess:
            notes.append(Path(folder) / f"noted-{len(notes)}")
            notes[-1].touch()
            writer = context.Process(target=write, args=(path, notes[-1], len(notes)))
            writer.start()
            return writer

        writers = [begin_writer() for _ in range(WRITERS)]
        for kill in range(KILLS):
            time.sleep(rng.uniform(0, 0.1))
            victim = writers.pop(rng.randrange(len(writers)))
            victim.kill()
            victim.join()
            if kill < KILLS - WRITERS:
                writers.append(begin_writer())
        return KILLS, lost(path, notes)


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
            add_rows(path, "soak", ORIGIN, [row])
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
