"""Tables of results that grow: rows that take long are played some games at a time, on several cores.

The results are written whenever some games have ended, so that what was interrupted goes on where it was.
"""

import os
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ProcessPoolExecutor, wait
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Protocol, TypeVar

from tqdm import tqdm

from hanabako.files import write_rows
from hanabako.machine import describe
from hanabako.words.checks import shown

__all__ = ["GrowingRow", "ListedRow", "chosen", "grow", "listed", "made_by"]

THREADS = "OMP_NUM_THREADS"


class GrowingRow(Protocol):
    """What a line of the results shall be."""

    @property
    def key(self) -> Any:
        """What tells it from other rows, however many games it shall have."""
        ...

    @property
    def wanted(self) -> int:
        """How many games it shall have."""
        ...


class ListedRow(GrowingRow, Protocol):
    """One that a command lists."""

    @property
    def words(self) -> str:
        """What is played."""
        ...


Row = TypeVar("Row", bound=GrowingRow)


class Here(Executor):
    """It does what it is given at once, in this process."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """See `concurrent.futures.Executor.submit`."""
        future: Future[Any] = Future()
        future.set_result(fn(*args, **kwargs))
        return future


def grow(
    path: Path,
    results: dict[Any, dict[str, Any]],
    rows: Sequence[Row],
    played: Callable[[Row, Mapping[str, Any] | None], dict[str, Any]],
    count: Callable[[Mapping[str, Any]], int],
    cores: int = 1,
    minutes: float = float("inf"),
) -> None:
    """Play what is missing of the rows, those first of which the smallest part is there.

    Args:
        path: a JSON list of the results.
        results: what is there, by the rows' keys. It grows.
        rows: what is wanted.
        played: the result of a row with some more games than in the result before, if there was one.
        count: the games of a result.
        cores: rows that are played at the same time, in processes of their own; 1: in this one.
        minutes: no more games are begun after about so long.

    Raises:
        SystemExit: there are no cores.
    """
    if cores < 1:
        raise SystemExit(f"cores must be at least 1, got {cores}")
    end = time.monotonic() + 60 * minutes

    def done(row: Row) -> int:
        return there(row, results, count)

    with workers(cores) as executor, tqdm(total=sum(row.wanted for row in rows), unit="game") as bar:
        running: dict[Future[dict[str, Any]], Row] = {}
        while True:
            bar.update(sum(min(done(row), row.wanted) for row in rows) - bar.n)
            busy = {row.key for row in running.values()}
            waiting = [row for row in rows if row.key not in busy and done(row) < row.wanted]
            waiting.sort(key=lambda row: done(row) / row.wanted)
            for row in waiting[: max(0, cores - len(running))]:
                if time.monotonic() < end:
                    running[executor.submit(played, row, results.get(row.key))] = row
            if not running:
                return
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                results[running.pop(future).key] = future.result()
                write_rows(path, list(results.values()))


def chosen(rows: Sequence[Any], choices: Mapping[str, Any]) -> list[Any]:
    """The rows that have the values which are chosen for their fields by name; None leaves a field open.

    Raises:
        SystemExit: there is none; says which values there are, beside those that were chosen before.
    """
    left, before = list(rows), ""
    for name, value in choices.items():
        if value is None:
            continue
        values = dict.fromkeys(getattr(row, name) for row in left)
        if value not in values:
            raise SystemExit(f"{before}{name} must be one of {', '.join(map(str, values))}, got {shown(value)}")
        left = [row for row in left if getattr(row, name) == value]
        before = f"{before[:-2]}{' and' if before else 'with'} {name}={value}: "
    return left


def there(row: GrowingRow, results: Mapping[Any, Mapping[str, Any]], count: Callable[[Mapping[str, Any]], int]) -> int:
    """How many games of a row there are."""
    return count(results[row.key]) if row.key in results else 0


def listed(
    rows: Sequence[ListedRow],
    results: Mapping[Any, Mapping[str, Any]],
    count: Callable[[Mapping[str, Any]], int],
) -> str:
    """One line per row: how much of it is there. Arguments as in `grow`."""
    return "\n".join(f"{there(row, results, count):>5} of {row.wanted:<5}{row.words}" for row in rows)


def made_by(command: str, choices: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """What stands beside a result: the command that makes it, or goes on with it, and where that ran last.

    Args:
        command: a module, and what is said to it for all results.
        choices: the values of its options, by their names, for this one.
    """
    options = [f"--{name} {value}" for name, value in (choices or {}).items()]
    return {"command": " ".join([f"python -m {command}", *options]), "machine": describe()}


def workers(cores: int) -> Executor:
    """So many processes, whose networks keep to a core each; or this one."""
    if cores == 1:
        return Here()
    os.environ[THREADS] = "1"  # read by those that start now
    return ProcessPoolExecutor(cores, get_context("spawn"))
