"""Records of what ran, as committed JSON: one row per thing tried, so that a run continues where the last stopped."""

import time
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

from agents.results.store import read_results
from hanabako.interrupts import handling
from hanabako.progress import ProgressBar
from hanabako.results_file import HEAD, origin_of, write_results

RESULTS = Path(__file__).parent / "results"
MOST_FAILURES = 20
"""Failures kept per row; the first ones show what is wrong."""
SECONDS_BETWEEN_SAVES = 10.0


@dataclass
class Record:
    """The rows of one check by name: ``amount``, ``seconds``, ``failures`` (texts) and fields that the check adds."""

    path: Path
    rows: dict[str, dict[str, Any]] = field(default_factory=dict)

    @classmethod
    def open(cls, check: str, folder: Path = RESULTS) -> "Record":
        path = folder / f"{check}.json"
        known = {*HEAD, "fields", "name", "done", "wanted"}
        rows = read_results(path, check)
        return cls(path, {row["name"]: without(row, known) | {"amount": row["done"]} for row in rows})

    def row(self, name: str, code: str = "") -> dict[str, Any]:
        """Return the row of that name; it starts from 0 if the ``code`` has changed."""
        row = self.rows.get(name)
        if row is None or row["code"] != code:
            row = self.rows[name] = {"code": code, "amount": 0, "seconds": 0.0, "failures": []}
        return row

    def add(self, name: str, amount: int, seconds: float, failures: Iterable[str] = ()) -> None:
        """Add what ran to the row of that name."""
        row = self.rows[name]
        row["amount"] += amount
        row["seconds"] = round(row["seconds"] + seconds, 3)
        row["failures"] = [*row["failures"], *failures][:MOST_FAILURES]

    def keep_only(self, names: Iterable[str]) -> None:
        """Remove rows of things that no longer exist."""
        wanted = set(names)
        self.rows = {name: row for name, row in self.rows.items() if name in wanted}

    @property
    def amount(self) -> int:
        return sum(row["amount"] for row in self.rows.values())

    @property
    def failures(self) -> list[str]:
        return [f"{name}: {words}" for name, row in self.rows.items() for words in row["failures"]]

    def save(self) -> None:
        """Write the whole file, with the present machine, versions, date and commit."""
        origin, check = origin_of([self.path.stem], ("python", "-m", "tests.proof")), self.path.stem
        rows = [
            {"fields": ["name"], "name": name}
            | {"done": row["amount"], "wanted": row["amount"]}
            | without(row, {"amount"})
            for name, row in sorted(self.rows.items())
        ]
        self.path.parent.mkdir(parents=True, exist_ok=True)
        write_results(self.path, check, origin, [origin | row for row in rows])


def without(row: dict[str, Any], names: Collection[str]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name not in names}


Slice = Callable[[str], None]


def work(
    record: Record,
    goals: dict[str, int],
    run_slice: Slice,
    seconds: float,
    title: str,
    unit: str,
    save: Callable[[], None] | None = None,
) -> None:
    """Run slices of the row that is furthest from its goal, until all goals are reached, time is over, or Ctrl-C.

    Args:
        record: Has a row for every goal; it is saved from time to time and at the end.
        goals: Amount wanted by row.
        run_slice: Runs a part of a row and adds it to the record.
        seconds: Limit of wall time; a slice that has begun is finished.
        title: Title of the progress bar.
        unit: Unit of the amounts.
        save: Called from time to time; by default it saves the record.
    """
    save = record.save if save is None else save
    end = saved = time.monotonic()
    end += seconds
    bar = ProgressBar(total=sum(goals.values()), initial=done(record, goals), desc=title, unit=unit, unit_scale=True)
    with bar, interruptible() as is_interrupted:
        for name in next_rows(record, goals):
            if is_interrupted() or time.monotonic() > end:
                break
            run_slice(name)
            bar.update(done(record, goals) - bar.n)
            if time.monotonic() - saved > SECONDS_BETWEEN_SAVES:
                save()
                saved = time.monotonic()
    save()


def done(record: Record, goals: dict[str, int]) -> int:
    """Return how much of the goals is reached."""
    return sum(min(goal, record.rows[name]["amount"]) for name, goal in goals.items())


def next_rows(record: Record, goals: dict[str, int]) -> Iterator[str]:
    """Yield the row that is furthest from its goal, found again after every slice, until all goals are reached."""
    while True:
        name = min(goals, key=lambda name: record.rows[name]["amount"] / goals[name])
        if record.rows[name]["amount"] >= goals[name]:
            return
        yield name


@contextmanager
def interruptible() -> Iterator[Callable[[], bool]]:
    """Let Ctrl-C or SIGTERM stop the work after its slice; yield a function that tells whether one came."""
    came = []

    def note(number: int, frame: FrameType | None) -> None:
        came.append(number)

    with handling(note):
        yield lambda: bool(came)
