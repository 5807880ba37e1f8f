"""Results files, possibly made by others: checks of their rows, and replays that reproduce them."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from hanabako.words.checks import shown

from ...playing.play import REPLAY_ERRORS, standard_error
from ...registry import SEARCH, fingerprints
from ..store import merged, read_file
from ..study import Result
from .meetings import BATCH, Meeting, means, score_of, sums_of
from .suite import named

__all__ = ["checked", "differences", "read"]


def read(paths: Iterable[Path]) -> list[dict[str, Any]]:
    """Return the merged rows of files that `hanabako challenge run` wrote, for any suites.

    Raises:
        OSError: a file cannot be read.
        ValueError: a file holds something else; the message names it.
    """
    return merged([[checked(row, path) for row in read_file(path)[1]] for path in paths])


def checked(row: dict[str, Any], path: Path) -> dict[str, Any]:
    """Return a row of a file if it can be replayed, with its score computed from its sums.

    Raises:
        ValueError: it cannot be replayed; the message names the file.
    """
    names = Meeting("", "", "").values()
    if row["fields"] != list(names) or not all(isinstance(row[name], str) for name in names):
        raise ValueError(
            f"{path}: the fields of a row must be {', '.join(names)}, all texts, got {shown(row['fields'])}"
        )
    suite, sums = named(row["suite"]), row.get("sums")
    if row["partner"] not in suite.members:
        raise ValueError(f"{path}: partner must be a member of {suite.name}, got {shown(row['partner'])}")
    size, most = suite.config.players, BATCH * suite.config.max_score
    if not isinstance(sums, list) or not all(is_batch(numbers, size, most) for numbers in sums):
        raise ValueError(f"{path}: sums of a row must be lists of {size} whole numbers from 0 to {most}")
    if not 0 < row["done"] == BATCH * len(sums) <= suite.games:
        raise ValueError(f"{path}: done must be {BATCH} for each of the sums, up to {suite.games}, got {row['done']}")
    return row | score_of(sums)


def is_batch(numbers: Any, size: int, most: int) -> bool:
    """Whether something read from a file can be the sums of a batch, by seat."""
    return (
        isinstance(numbers, list) and len(numbers) == size and all(type(n) is int and 0 <= n <= most for n in numbers)
    )


def differences(row: Result, games: int | None, trust: bool) -> Iterator[str]:
    """Replay a row, and yield a line for each difference.

    Scores of bots must be reproduced exactly. Networks round sums differently on other processors, and a search with a
    time limit does more or fewer roll-outs; then the mean must be within `REPLAY_ERRORS` standard errors. Whether an
    agent is a network is seen from its file here, not from what the row says.

    Args:
        row: a row as `read` returns it.
        games: replay only the first deals, a multiple of `BATCH`; None replays all.
        trust: import the code of an agent that the row names.

    Raises:
        ValueError: ``games`` is no such number, the agent cannot be loaded, its search settings are not a JSON object,
            or a file is not the one that played or that the suite was made with.
    """
    if games is not None and (games < 1 or games % BATCH):
        raise ValueError(f"games must be a multiple of {BATCH}, got {games}")
    named(row["suite"]).check()
    files = fingerprints(row["agent"], row["partner"])
    if files != row.get("networks", {}):
        raise ValueError(f"the files of {shown(row['agent'])} and {row['partner']} are not the ones that played")
    meeting = Meeting(row["suite"], row["agent"], row["partner"], row["search"])
    claimed = row["sums"][: None if games is None else games // BATCH]
    found = sums_of(meeting, 0, BATCH * len(claimed), trust)
    if found == claimed:
        return
    scores, said = means(found), float(means(claimed).mean())
    varies = bool(files) or meeting.agent.startswith(SEARCH)
    error = standard_error(scores) if varies else None
    if error is None or not abs(scores.mean() - said) <= REPLAY_ERRORS * error:
        yield f"{said:.3f} with {row['partner']} is claimed, {scores.mean():.3f} found"
