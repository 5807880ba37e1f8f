"""Replay the meetings in results files, with the agents that they name, to check their claims.

    hanabako verify hanabi-2p-v1.json --games 100             # the first deals of every row
    hanabako verify entry.json --seed 7 --games 10000         # other deals, which the entrant did not choose
    hanabako verify entry.json --trust                        # also rows that name FILE.py:NAME, whose code is run

Replayed is what `hanabako evaluate --json`, `hanabako challenge run` and `hanabako study run` write about agents that
play together. Bots must have the claimed scores. Networks round sums differently on other processors, and a search by
the clock varies: their means and rates must be within four standard errors, and their files the ones that played.

An entrant can send the luckiest of many seeds. So play other deals too, with ``--seed``: the mean must lie within four
standard errors of a difference, and the number that this prints is the one to publish.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import tyro
from numpy.typing import NDArray

from hanabako.program import sentence
from hanabako.progress import ProgressBar
from hanabako.words.checks import as_index, as_list, as_seed, shown, usable_threads
from hanabako.words.cleaned import on_terminal
from hanabako.words.notation import counted

from ..playing.play import REPLAY_ERRORS
from ..registry import AgentName, fingerprints, load_to_play
from ..results.challenge.suite import unfinished
from ..results.meeting import BLOCK, MOST, MOST_DEALS, meeting_of, play_meeting, sums_in
from ..results.store import read_file
from ..results.study import Result
from ..results.views import plus_minus

LEAST_DEALS = 20
"""The smallest number of deals."""
ROUNDING = 1e-6
"""Differences of claimed numbers that are none."""
MEANS = ("score", "fireworks_score", "length", "lead", "won", "rewards")
RATES = ("perfect_rate", "lost_rate")


@dataclass(frozen=True)
class Args:
    """Replay results files."""

    files: tyro.conf.Positional[tuple[Path, ...]]
    """Files of results. Networks are looked up under the names in the files."""
    seed: int | None = None
    """Play the deals of this seed instead of the row's."""
    games: int | None = None
    """Play only the first deals, a multiple of 20; with ``seed``, any number of them. By default as many as the row."""
    num_threads: int = 1
    """Threads of the simulator and of the networks."""
    trust: bool = False
    """Import and run the code of agents that the files name as FILE.py:NAME or package.module:NAME."""


def run(args: Args) -> None:
    """Replay the rows and print which are reproduced. The exit status is 1 if one is not, or a file cannot be read."""
    if not args.files:
        raise ValueError("files must be one or more results files, got none")
    usable_threads(args.num_threads)
    rows, good = 0, 0
    for path in args.files:
        try:
            study, read = read_file(path)
        except (OSError, ValueError) as error:
            rows += 1
            print(f"{path}: {sentence(error)}")
            continue
        found: list[Result] = []
        for row in ProgressBar(read, unit="row", disable=len(read) == 1):
            try:
                lines, is_good = replayed(row, args)
            except (OSError, ValueError) as error:
                lines, is_good = [sentence(error)], False
            rows += 1
            if is_good:
                found.append(row)
            who = "" if len(read) == 1 else f"{shown(row.get('line_up', row['fields']))}: "
            for line in lines:
                ProgressBar.write(on_terminal(f"{path}: {who}{line}"))
        good += len(found)
        for line in unfinished(study, found):
            print(on_terminal(f"{path}: {line}"))
    print(f"reproduced: {good} of {counted(rows, 'row')}")
    if good < rows:
        raise SystemExit(1)


def replayed(row: Result, args: Args) -> tuple[list[str], bool]:
    """Replay a row; return what to print, and whether it is reproduced. Claims are checked before a game is played."""
    meeting, wrong = meeting_of(row), []
    claimed, sums, deals = claims_of(row), sums_in(row, meeting), row["done"]
    played = deals if args.games is None else as_index("games", args.games, MOST_DEALS)
    if (fewest := min(deals, played)) < LEAST_DEALS:
        raise ValueError(f"games must be at least {LEAST_DEALS}, got {fewest}")
    is_whole = args.seed is None and played == deals
    if args.seed is None and not is_whole and (played > deals or played % BLOCK):
        raise ValueError(f"games must be a multiple of {BLOCK} up to the row's {deals:,}, or have a seed, got {played}")
    how = meeting.config, meeting.search or {}, args.num_threads, args.trust
    agents = {name: load_to_play(name, *how) for name in meeting.agents}
    if (files := fingerprints(*meeting.agents)) != row.get("networks", {}):
        raise ValueError(f"the files of {', '.join(meeting.agents)} are not the ones that played")
    varies = bool(files) or any(name.searches or name.danger for name in map(AgentName.parse, meeting.line_up))
    again = replace(meeting, wanted=played, seed=meeting.seed if args.seed is None else as_seed(args.seed))
    found = play_meeting(again, None, agents, args.num_threads)
    errors = float(REPLAY_ERRORS) if varies or args.seed is not None else 0.0
    if args.seed is not None:
        errors *= math.sqrt(1 + played / deals)  # the error of a difference, in errors of the replay
    wrong += differences_of_sums(sums, deals, found, errors, is_same=args.seed is None)
    wrong += differences(claimed, found, errors) if is_whole else []
    name = name_of(found)
    score = f"{name} {found[name]:.3f}{plus_minus(found[f'{name}_error'])} in {counted(played, 'deal')}"
    is_said = args.seed is None and (wrong or np.array_equal(sums[: len(found["sums"])], found["sums"]))
    first = [] if is_said else [f"{score} of seed {again.seed}"]
    return [*first, *(wrong or ["reproduced"])], not wrong


def name_of(found: Result) -> str:
    """Return what a meeting is scored by."""
    return "lead" if "lead" in found else "score"


def differences_of_sums(
    claimed: NDArray[np.float64], deals: int, found: Result, errors: float, is_same: bool
) -> Iterator[str]:
    """Yield a line if claimed sums of ``deals`` deals are not reproduced, or with ``errors`` if their mean is not.

    On the same deals as many of them are compared as were played again; on other deals, all.
    """
    sums, name = np.array(found["sums"]), name_of(found)
    if is_same:
        claimed, deals = claimed[: len(sums)], found["done"]
    said, error = claimed.sum() / deals / claimed.shape[1], found[f"{name}_error"] or 0.0
    is_near = errors > 0 and abs(said - found[name]) <= errors * error
    if not is_near and not (is_same and np.abs(claimed - sums).max() <= ROUNDING):
        yield f"{name} {said:.3f} is claimed, {found[name]:.3f} found"


def claims_of(row: Result) -> dict[str, Any]:
    """Return the means and rates that a row claims, if it is a meeting itself, after checking that they are numbers."""
    names = [name for name in (*MEANS, *RATES) if name in row] if "line_up" in row["fields"] else []
    claimed = {name: row[name] for name in names}
    for name, value in claimed.items():
        for one in as_list(name, value) if name == "rewards" else [value]:
            if isinstance(one, bool) or not isinstance(one, (int, float)) or not abs(one) <= MOST:
                raise ValueError(f"{name} must be a number from -{MOST:,} to {MOST:,}, got {shown(one)}")
    return claimed


def differences(claimed: Mapping[str, Any], found: Result, errors: float) -> Iterator[str]:
    """Yield one line for each mean or rate that is not reproduced within that many standard errors.

    The error of a rate is computed with one extra game that counts and one that does not, so it is never 0.
    """
    for name, said in claimed.items():
        value, games = np.array(found.get(name, np.nan)), found["games"]
        near = (value * games + 1) / (games + 2)
        error = np.sqrt(np.abs(near * (1 - near)) / games) if name in RATES else found.get(f"{name}_error") or 0.0
        allowed = np.maximum(errors * np.nan_to_num(np.array(error, np.float64)), ROUNDING)
        if np.shape(said) != value.shape or not (np.abs(np.array(said) - value) <= allowed).all():
            yield f"{name} {said} is claimed, {found.get(name)} found"
