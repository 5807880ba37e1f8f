"""The soak: every check of this folder, in parts, as rows of a study."""

import time
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from hanabako.agents.results.study import Result, Results, Row, Study
from hanabako.generated import table

CHECKS = ("steps", "digests", "kills", "writers", "interrupts", "hostile")
"""Files of this folder. Each has ``PROMISE``, ``UNIT``, ``ROWS`` (the parts wanted by name) and ``play``, which plays
one part of a row: it takes the name and the part's number, and returns an amount of the unit and the failures."""
MOST_FAILURES = 20
"""Failures kept per row; the first ones show what is wrong."""


@dataclass(frozen=True, kw_only=True)
class Part(Row):
    check: str
    name: str


def check_of(name: str) -> Any:
    return import_module(f"tests.soak.{name}")


def play(row: Row, before: Result | None) -> dict[str, Any]:
    assert isinstance(row, Part)
    before = before or {"done": 0, "amount": 0, "seconds": 0, "failures": []}
    begin = time.perf_counter()
    amount, failures = check_of(row.check).play(row.name, before["done"])
    return {
        "done": before["done"] + 1,
        "amount": before["amount"] + amount,
        "seconds": round(before["seconds"] + time.perf_counter() - begin, 1),
        "failures": [*before["failures"], *failures][:MOST_FAILURES],
    }


def summary(results: Results) -> str:
    """Return a row for every check: what is promised, how much ran, and what failed."""
    cells = []
    for name in CHECKS:
        check, rows = check_of(name), [row for row in results if row["check"] == name]
        failures = [f"{row['name']}: {text}" for row in rows for text in row["failures"]]
        amount, seconds = (sum(row[name] for row in rows) for name in ("amount", "seconds"))
        much = f"{amount:,} {check.UNIT} in {seconds / 60:.0f} min"
        many = any(len(row["failures"]) == MOST_FAILURES for row in rows)  # the others of that row are not kept
        more = " or more" if many else ""
        result = f"**{len(failures)}{more} failed**: {failures[0]}" if failures else "no failure"
        cells.append((f"`{name}`", check.PROMISE, much, result) if rows else (f"`{name}`", check.PROMISE, "-", "-"))
    return table(("check", "promise", "how much", "result"), cells)


STUDY = Study(
    "soak",
    [Part(check=check, name=name, wanted=wanted) for check in CHECKS for name, wanted in check_of(check).ROWS.items()],
    play,
    {"soak": summary},
    unit="part",
)
