"""Replay the rows of results files, with the agents that they name, to check their claims.

    hanabako verify entry.json
    hanabako verify hanabi-2p-v1.json --games 100             # the first deals of every row of a challenge,
    hanabako verify entry.json --games 100                    # and of an evaluation
    hanabako verify entry.json --seed 7 --games 10000         # other deals, which the entrant did not choose
    hanabako verify entry.json --trust                        # also rows that name FILE.py:NAME, whose code is run

Replayed are the rows that `hanabako evaluate --json` writes in the modes self-play and cross-play, of at least 30
games, and those of `hanabako challenge run`. Bots must have the claimed scores. Networks round sums differently on
other processors, and a search by the clock varies: their means and rates must be within four standard errors. Whether
an agent is a network is seen from its file here, which must be the one that played.

An entrant can try many seeds and send the luckiest. So play other deals too, with ``--seed``: the mean must lie within
four standard errors of a difference, and the number that this prints is the one to publish.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import tyro

from hanabako.games import config_from_dict
from hanabako.program import sentence
from hanabako.progress import ProgressBar
from hanabako.words.checks import as_each, as_index, as_list, as_object, as_seed, as_text, shown, usable_threads
from hanabako.words.cleaned import on_terminal
from hanabako.words.notation import counted

from ..evaluation.crossplay import self_and_cross_play
from ..evaluation.modes import MODES, Question, plus_minus
from ..evaluation.report import ROW, loaded
from ..playing.play import BLOCK, REPLAY_ERRORS
from ..registry import SEARCH, fingerprints
from ..studies.challenge import results as challenge
from ..studies.store import read_file

__all__ = ["Args", "check", "run"]

LEAST_GAMES = 30
"""The smallest number of games; with fewer, the standard error is too uncertain."""
MOST_GAMES = 10**7
ROUNDING = 1e-9
"""Differences of claimed numbers that are none."""
MOST = 10**6
"""The largest number that is claimed."""
Cells = Sequence[Sequence[Any]]
"""A square matrix of results."""
MEANS = ("score", "fireworks_score", "length")
RATES = ("perfect_rate", "lost_rate")


@dataclass(frozen=True)
class Args:
    """Replay results files."""

    files: tyro.conf.Positional[tuple[Path, ...]]
    """Files of results. Networks are looked up under the names in the files."""
    seed: int | None = None
    """Play the deals of this seed instead of those of an evaluation."""
    games: int | None = None
    """Play only the first deals, a multiple of 20; with ``seed``, any number of them. By default as many as the row."""
    num_threads: int = 1
    """Threads of the simulator and of the networks."""
    trust: bool = False
    """Import and run the code of agents that the files name as FILE.py:NAME or package.module:NAME."""


def run(args: Args) -> None:
    """Replay the rows and print which are reproduced.

    Raises:
        ValueError: no file is given.
        SystemExit: a file cannot be read, or a row is not reproduced.
    """
    if not args.files:
        raise ValueError("files must be one or more results files, got none")
    rows, good = 0, 0
    for path in args.files:
        try:
            read = read_file(path)[1]
        except (OSError, ValueError) as error:
            rows += 1
            print(f"{path}: {sentence(error)}")
            continue
        for row in ProgressBar(read, unit="row", disable=len(read) == 1):
            try:
                scores, wrong = replayed(row, path, args)
            except (OSError, ValueError) as error:
                scores, wrong = [], [sentence(error)]
            rows, good = rows + 1, good + (not wrong)
            for line in [*scores, *(wrong or ["reproduced"])]:
                ProgressBar.write(on_terminal(f"{path}: {line}" if len(read) == 1 else f"{path}: {title(row)}: {line}"))
    print(f"reproduced: {good} of {counted(rows, 'row')}")
    if good < rows:
        raise SystemExit(1)


def title(row: Mapping[str, Any]) -> str:
    """Return a row's agents, in a challenge with the partner."""
    if "suite" in row["fields"]:
        return f"{shown(row['agent'])} with {shown(row.get('partner'))}"
    return shown(row.get("agents"))


def replayed(row: dict[str, Any], path: Path, args: Args) -> tuple[list[str], list[str]]:
    """Replay a row; return a line for each score on other deals, and one for each claim that does not hold.

    Raises:
        ValueError: see `check` and `agents.studies.challenge.results.differences`; or the row cannot be replayed.
    """
    if "suite" in row["fields"]:
        if args.seed is not None:
            raise ValueError(f"seed must be left out for a challenge, whose deals are fixed, got {args.seed}")
        return [], list(challenge.differences(challenge.checked(row, path), args.games, args.trust))
    if row["fields"] == ROW:
        wrong, found = check(row, args.num_threads, args.trust, args.seed, args.games)
        return [] if args.seed is None else list(scores_of(found, args.seed)), wrong
    raise ValueError(f"a row with the fields {shown(row['fields'])} cannot be replayed")


def check(
    content: Any, num_threads: int = 1, trust: bool = False, other_seed: int | None = None, count: int | None = None
) -> tuple[list[str], Cells]:
    """Check an entry; return one line for each claim that does not hold, and the results of the replay.

    Args:
        content: parsed JSON from any source.
        num_threads: threads of the simulator and of the networks.
        trust: import the code of agents that the entry names, see `agents.load`.
        other_seed: play the deals of this seed instead of the entry's.
        count: the number of games; None for the entry's. Without ``other_seed`` it is a multiple of `BLOCK`, and only
            the sums of the scores are compared.

    Raises:
        ValueError: it is not an entry, or names an agent that cannot be loaded or played; no game was played.
    """
    usable_threads(num_threads)
    entry = as_object("an entry", content)
    config, names = config_from_dict(entry.get("config", {})), as_each("agents", entry.get("agents"), as_text)
    games, seed = as_index("games", entry.get("games"), MOST_GAMES), as_seed(entry.get("seed"))
    played = games if count is None else as_index("games", count, MOST_GAMES)
    if (fewest := min(games, played)) < LEAST_GAMES:
        raise ValueError(f"games must be at least {LEAST_GAMES}, got {fewest}")
    is_matrix = "cross_play" in entry
    mode = entry.get("mode", "cross-play" if is_matrix else "self-play")
    if mode not in ("self-play", "cross-play"):
        raise ValueError(f"mode must be self-play or cross-play to be replayed, got {shown(mode)}")
    extra = [name for name in (*MEANS, *RATES, "rewards") if is_matrix and name in entry]
    if extra or (mode == "cross-play") != is_matrix:
        raise ValueError(f"an entry of mode {mode} must not hold {extra[0] if extra else 'results of the other'}")
    if not names or (is_matrix and len(set(names)) < len(names)):
        raise ValueError(f"agents must be names, in cross-play different ones, got {shown(names)}")
    cells = entry["cross_play"] if is_matrix else [[entry]]
    claimed = claims(cells, len(names) if is_matrix else 1)
    some = None if other_seed is not None or count is None else first_sums(cells, games, played)
    effort = as_object("search", entry.get("search", {}))
    agents, _ = loaded(names, config, effort, num_threads, goes_on=False, trust=trust)
    if (files := fingerprints(*names)) != entry.get("networks", {}):
        raise ValueError(f"the files of {', '.join(names)} are not the ones that played")
    varies = bool(files) or any(name.startswith((SEARCH, "llm:")) for name in names)
    errors = float(REPLAY_ERRORS) if varies or other_seed is not None else 0.0
    if other_seed is not None:
        seed = as_seed(other_seed)
        errors *= math.sqrt(1 + played / games)  # the error of a difference, in errors of the replay
    again = MODES["cross-play" if is_matrix else "self-play"].play(
        Question(config, agents, names, played, seed, num_threads)
    )
    found = again["cross_play"] if is_matrix else [[again]]
    if some is not None:
        return list(differences_of_sums(some, found, errors)), found
    wrong = list(differences(claimed, found, errors))
    return wrong if wrong or "runs" not in entry else list(of_runs(entry["runs"], claimed)), found


def first_sums(cells: Any, games: int, count: int) -> list[list[list[int]]]:
    """Return the claimed sums of the first ``count`` of ``games`` games in each cell of a matrix that `claims` read.

    Raises:
        ValueError: the number is no multiple of `BLOCK` up to ``games``, or a cell does not hold such sums.
    """
    if count > games or count % BLOCK:
        raise ValueError(f"games must be a multiple of {BLOCK} up to the row's {games:,}, or have a seed, got {count}")
    size = -(-games // BLOCK)
    found = [[as_list("sums", cell.get("sums"), size) for cell in row] for row in cells]
    for sums in (sums for row in found for sums in row):
        for one in sums:
            if type(one) is not int or abs(one) > BLOCK * MOST:
                raise ValueError(f"sums must be whole numbers, got {shown(one)}")
    return [[list(sums[: count // BLOCK]) for sums in row] for row in found]


def differences_of_sums(claimed: Sequence[Sequence[list[int]]], found: Cells, errors: float) -> Iterator[str]:
    """Yield one line for each cell whose sums are not reproduced, or with ``errors`` whose mean is not."""
    for i, row in enumerate(found):
        for j, cell in enumerate(row):
            said = sum(claimed[i][j]) / cell["games"]
            near = errors > 0 and abs(said - cell["score"]) <= errors * (cell["score_error"] or 0.0)
            if claimed[i][j] != cell["sums"] and not near:
                yield f"row {i + 1}, column {j + 1}: score {said:.3f} is claimed, {cell['score']:.3f} found"


def scores_of(found: Cells, seed: int) -> Iterator[str]:
    """Yield one line for each score of a replay on other deals."""
    for i, row in enumerate(found):
        for j, cell in enumerate(row):
            score = f"{cell['score']:.3f}{plus_minus(cell['score_error'])} in {counted(cell['games'], 'game')}"
            yield f"row {i + 1}, column {j + 1}: score {score} of seed {seed}"


def of_runs(runs: Any, claimed: Sequence[Sequence[Mapping[str, float]]]) -> Iterator[str]:
    """Yield one line for each mean over ``runs`` that does not follow from the claimed matrix.

    Raises:
        ValueError: they are not numbers by name, or the matrix is not one of several runs.
    """
    told = as_object("runs", runs)
    found = self_and_cross_play(np.array([[cell["score"] for cell in row] for row in claimed]))
    for name in ("self_play", "cross_play"):
        if abs(number(f"runs.{name}", told.get(name)) - found[name]) > 1e-6:
            yield f"runs: {name} {told[name]:.3f} is claimed, {found[name]:.3f} follows from the matrix"


def claims(cells: Any, size: int) -> list[list[dict[str, float]]]:
    """Return what the results of a square matrix claim.

    Raises:
        ValueError: it is not such a matrix, or one of its results claims no score, or something that is not a number.
    """
    rows = as_list("cross_play", cells, size)
    return [[claims_of(cell) for cell in as_list(f"cross_play[{k}]", row, size)] for k, row in enumerate(rows)]


def claims_of(result: Any) -> dict[str, float]:
    """Return the means and rates that a result claims by name: its score, and those of the others that it has."""
    told = as_object("a result", result)
    claimed = {name: number(name, told.get(name)) for name in (*MEANS, *RATES) if name == "score" or name in told}
    returns = as_list("rewards", told.get("rewards", []))
    return claimed | {f"rewards[{k}]": number(f"rewards[{k}]", value) for k, value in enumerate(returns)}


def number(name: str, value: Any) -> float:
    """Return a claimed number, or raise ValueError if it is none."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not abs(value) <= MOST:
        raise ValueError(f"{name} must be a number from -{MOST:,} to {MOST:,}, got {shown(value)}")
    return float(value)


def differences(claimed: Sequence[Sequence[Mapping[str, float]]], found: Cells, errors: float) -> Iterator[str]:
    """Yield one line for each mean or rate of a matrix that is not reproduced within that many standard errors."""
    for i, row in enumerate(found):
        for j, cell in enumerate(row):
            measured = numbers_of(cell)
            for name, said in claimed[i][j].items():
                value, error = measured.get(name, (math.nan, 0.0))
                if not abs(said - value) <= max(errors * error, ROUNDING):
                    words = f"{name} {said:.3f} is claimed, {value:.3f} ± {error:.3f} found"
                    yield f"row {i + 1}, column {j + 1}: {words}"


def numbers_of(result: Mapping[str, Any]) -> dict[str, tuple[float, float]]:
    """Return the means and rates of a played result with their standard errors by name.

    The error of a rate is computed with one extra game that counts and one that does not, so it is never 0.
    """
    found = {name: (result[name], result[f"{name}_error"] or 0.0) for name in MEANS}
    games = result["games"]
    for name in RATES:
        near = (result[name] * games + 1) / (games + 2)
        found[name] = result[name], math.sqrt(near * (1 - near) / games)
    returns = zip(result["rewards"], result["rewards_error"], strict=True)
    return found | {f"rewards[{k}]": (mean, error or 0.0) for k, (mean, error) in enumerate(returns)}
