"""Play again what a file of results says, with the weights beside it: how a claim enters the scoreboards.

    hanabako leaderboard entry.json

An entry is the JSON that `hanabako evaluate --json` writes of self-play or cross-play, and the networks it names. It
stands if every mean is found again within four standard errors on the same deals; on the same machine the means are
equal to the last digit, elsewhere sums may be rounded to another choice between equal actions.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tyro

from hanabako.files import read_json
from hanabako.games import config_from_dict
from hanabako.words.checks import shown

from ..evaluation.modes import MODES, Question
from ..evaluation.report import loaded

__all__ = ["Args", "check", "run"]

ERRORS = 4


@dataclass(frozen=True)
class Args:
    """Play entries again."""

    entries: tyro.conf.Positional[tuple[Path, ...]]
    """Files that `hanabako evaluate --json` wrote; networks are looked for as they name them."""
    num_threads: int = 1
    """Threads of the simulator and of the networks."""


def run(args: Args) -> None:
    """Play the entries again and say what is found.

    Raises:
        SystemExit: one of them does not stand.
    """
    wrong = 0
    for path in args.entries:
        try:
            lines = check(read_json(path), args.num_threads)
        except (OSError, ValueError) as error:
            lines = [str(error)]
        wrong += bool(lines)
        print("\n".join(f"{path}: {line}" for line in lines or ["found again"]))
    if wrong:
        raise SystemExit(1)


def check(entry: Mapping[str, Any], num_threads: int = 1) -> list[str]:
    """What does not hold of an entry, a line each.

    Raises:
        ValueError: it is no entry, or names what cannot be loaded or played again.
    """
    try:
        config, names = config_from_dict(entry["config"]), list(entry["agents"])
        games, seed = int(entry["games"]), int(entry["seed"])
        claimed = entry.get("cross_play", [[entry]])
        agents, _ = loaded(names, config, entry.get("search", {}), num_threads, goes_on=False)
        question = Question(config, agents, names, games, seed, num_threads)
        mode = "cross-play" if "cross_play" in entry else "self-play"
        again = MODES[mode].play(question)
        found = again["cross_play"] if "cross_play" in entry else [[again]]
        return list(differences(claimed, found))
    except (KeyError, TypeError, IndexError) as error:
        raise ValueError(f"no result of hanabako evaluate that can be played again: {shown(str(error))}") from error


def differences(claimed: Sequence[Sequence[Any]], found: Sequence[Sequence[Any]]) -> Iterator[str]:
    """The means of a matrix that are not found again."""
    for i, row in enumerate(found):
        for j, cell in enumerate(row):
            said, error = claimed[i][j]["score"], cell["score_error"] or 0.0
            if not abs(said - cell["score"]) <= ERRORS * error:
                yield f"row {i + 1}, column {j + 1}: {said:.3f} is claimed, {cell['score']:.3f} ± {error:.3f} found"
