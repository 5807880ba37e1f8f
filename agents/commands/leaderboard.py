"""Replay a results file, with the networks that it names: the check that an entry of the scoreboards must pass.

    hanabako leaderboard entry.json
    hanabako leaderboard entry.json --trust    # also an entry that names FILE.py:NAME, whose code is run

An entry is the JSON file that `hanabako evaluate --json` writes for self-play or cross-play. It is accepted if every
mean, over at least 30 games, is reproduced within four standard errors on the same deals. On the same machine the means
are equal to the last digit; on another one rounding may decide between equally good actions.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tyro

from hanabako.files import read_json
from hanabako.games import config_from_dict
from hanabako.words.checks import as_each, as_index, as_list, as_object, as_seed, as_text, shown, usable_threads

from ..evaluation.modes import MODES, Question
from ..evaluation.report import loaded

__all__ = ["Args", "check", "run"]

ERRORS = 4
LEAST_GAMES = 30
"""The smallest number of games; with fewer, the standard error is too uncertain."""
MOST_GAMES = 10**7
MOST_SCORE = 10**6


@dataclass(frozen=True)
class Args:
    """Replay entries."""

    entries: tyro.conf.Positional[tuple[Path, ...]]
    """Files that `hanabako evaluate --json` wrote. Networks are looked up under the names in the files."""
    num_threads: int = 1
    """Threads of the simulator and of the networks."""
    trust: bool = False
    """Import and run the code of agents that entries name as FILE.py:NAME or package.module:NAME."""


def run(args: Args) -> None:
    """Replay the entries and print whether each is reproduced.

    Raises:
        SystemExit: one of them is not reproduced.
    """
    wrong = 0
    for path in args.entries:
        try:
            lines = check(read_json(path), args.num_threads, args.trust)
        except (OSError, ValueError) as error:
            lines = [str(error)]
        wrong += bool(lines)
        print("\n".join(f"{path}: {line}" for line in lines or ["reproduced"]))
    if wrong:
        raise SystemExit(1)


def check(content: Any, num_threads: int = 1, trust: bool = False) -> list[str]:
    """Check an entry, and return one line for each claim that does not hold.

    Args:
        content: parsed JSON from any source.
        num_threads: threads of the simulator and of the networks.
        trust: import the code of agents that the entry names, see `agents.load`.

    Raises:
        ValueError: it is not an entry, or names an agent that cannot be loaded or played; no game was played.
    """
    usable_threads(num_threads)
    entry = as_object("an entry", content)
    config, names = config_from_dict(entry.get("config", {})), as_each("agents", entry.get("agents"), as_text)
    games, seed = as_index("games", entry.get("games"), MOST_GAMES), as_seed(entry.get("seed"))
    if games < LEAST_GAMES:
        raise ValueError(f"games must be at least {LEAST_GAMES}, got {games}")
    is_matrix = "cross_play" in entry
    if not names or (is_matrix and len(set(names)) < len(names)):
        raise ValueError(f"agents must be names, in cross-play different ones, got {shown(names)}")
    claimed = scores_of(entry["cross_play"], len(names)) if is_matrix else scores_of([[entry]], 1)
    effort = as_object("search", entry.get("search", {}))
    agents, _ = loaded(names, config, effort, num_threads, goes_on=False, trust=trust)
    again = MODES["cross-play" if is_matrix else "self-play"].play(
        Question(config, agents, names, games, seed, num_threads)
    )
    return list(differences(claimed, again["cross_play"] if is_matrix else [[again]]))


def scores_of(cells: Any, size: int) -> list[list[float]]:
    """Return the mean scores that a square matrix of results claims.

    Raises:
        ValueError: it is not such a matrix, or one of its results claims no score.
    """
    rows = as_list("cross_play", cells, size)
    return [[score_of(cell) for cell in as_list(f"cross_play[{k}]", row, size)] for k, row in enumerate(rows)]


def score_of(result: Any) -> float:
    """Return the mean score that a result claims.

    Raises:
        ValueError: it claims no score.
    """
    score = as_object("a result", result).get("score")
    if isinstance(score, bool) or not isinstance(score, (int, float)) or not abs(score) <= MOST_SCORE:
        raise ValueError(f"score must be a number from -{MOST_SCORE:,} to {MOST_SCORE:,}, got {shown(score)}")
    return float(score)


def differences(claimed: Sequence[Sequence[float]], found: Sequence[Sequence[Any]]) -> Iterator[str]:
    """Yield one line for each mean of a matrix that is not reproduced."""
    for i, row in enumerate(found):
        for j, cell in enumerate(row):
            said, error = claimed[i][j], cell["score_error"] or 0.0
            if not abs(said - cell["score"]) <= ERRORS * error:
                yield f"row {i + 1}, column {j + 1}: {said:.3f} is claimed, {cell['score']:.3f} ± {error:.3f} found"
