"""Games of an agent with the members of a suite: one row of results per member.

Results have the form of a study's (`agents.studies`): an interrupted run can continue, files can be merged, and every
row records its command, machine and networks. A row keeps the sum of scores of every `BATCH` deals. That is enough to
replay some deals and compare, and for a standard error that allows for deals shared by all partners.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hanabako.files import parse_json
from hanabako.words.checks import as_object

from ...playing.play import BLOCK, play, standard_error
from ...playing.seating import line_ups
from ...registry import SEARCH, check_honest, load_with
from ..study import Result, Row
from .suite import Suite, named

__all__ = ["BATCH", "Meeting", "error_of", "means", "meetings", "play_meeting", "score_of", "sums_of"]

BATCH = BLOCK
"""The number of deals whose scores are added up to one number."""
FEWEST = 10
"""The fewest batches that tell a standard error."""
SEARCHED = 100
"""The number of deals that a search plays before its results are written."""


@dataclass(frozen=True)
class Meeting(Row):
    """An agent with a member of a suite; ``wanted`` is a number of deals."""

    suite: str
    agent: str
    partner: str
    search: str = ""
    """The agent's search settings, as JSON; empty if it does not search."""

    @property
    def agents(self) -> tuple[str, ...]:
        """The names of both."""
        return (self.agent, self.partner)

    @property
    def effort(self) -> dict[str, Any]:
        """The agent's search settings, by keyword.

        Raises:
            ValueError: they are not a JSON object; results may come from others.
        """
        return dict(as_object("search", parse_json(self.search, "search"))) if self.search else {}


def meetings(suite: Suite, agent: str, games: int, effort: Mapping[str, Any]) -> list[Meeting]:
    """Return the rows of an agent with every member of a suite.

    Raises:
        ValueError: ``games`` is not a multiple of `BATCH` up to the suite's number of deals.
    """
    if not (games == suite.games or (games % BATCH == 0 and 0 < games < suite.games)):
        raise ValueError(f"games must be a multiple of {BATCH} up to the suite's {suite.games:,}, got {games}")
    search = json.dumps(dict(effort), sort_keys=True) if effort else ""
    return [Meeting(suite.name, agent, partner, search, wanted=games) for partner in suite.members]


def play_meeting(row: Meeting, before: Result | None) -> dict[str, Any]:
    """Play the next deals of a row after ``before``, or all; return how many there are now, the score and `sums_of`.

    Raises:
        ValueError: an agent cannot be loaded.
    """
    sums = [] if before is None else before["sums"]
    done = BATCH * len(sums)
    count = min(SEARCHED, row.wanted - done) if row.agent.startswith(SEARCH) else row.wanted - done
    sums = [*sums, *sums_of(row, done, count)]
    return {"done": done + count, **score_of(sums), "sums": sums}


def score_of(sums: Sequence[Sequence[int]]) -> dict[str, float | None]:
    """Return the mean score over deals and seats, and its standard error over batches, None for few."""
    scores = means(sums)
    return {"score": round(float(scores.mean()), 6), "score_error": error_of(scores)}


def sums_of(row: Meeting, first: int, count: int, trust: bool = True) -> list[list[int]]:
    """Return the sum of scores of every `BATCH` deals with the agent at each seat, (batches, players).

    Args:
        row: the agent and its partner.
        first: the first deal.
        count: number of deals, a multiple of `BATCH`.
        trust: whether the agent's code may be imported, as in `agents.load`.

    Raises:
        ValueError: an agent cannot be loaded or sees its own cards, or the search settings are not a JSON object.
    """
    suite = named(row.suite)
    config = suite.config
    agent, partner = load_with(row.effort, row.agent, config, trust), load_with({}, row.partner, config)
    check_honest(row.agent, agent, config)
    seats = line_ups(agent, [partner], config.players)
    scores = [play(config, line_up, count, suite.seed, first=first).score for _, line_up in seats]
    return np.stack(scores, axis=1).reshape(-1, BATCH, config.players).sum(axis=1).tolist()


def error_of(scores: NDArray[np.float64]) -> float | None:
    """Return the standard error of the mean of batches' scores, or None if they are fewer than `FEWEST`."""
    return standard_error(scores) if len(scores) >= FEWEST else None


def means(sums: Sequence[Sequence[int]]) -> NDArray[np.float64]:
    """Return the mean score of every batch over its deals and the agent's seats, (batches,)."""
    return np.mean(np.array(sums, np.float64), axis=1) / BATCH
