"""The results of a challenge: a score for each agent, and its scores with each partner."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from hanabako.drawing import charts
from hanabako.generated import table as markdown
from hanabako.words.cleaned import in_markdown, on_terminal
from hanabako.words.notation import counted

from ..declared import filled_in
from ..meeting import BLOCK, errors_of, play_meeting
from ..study import Result, Results, Study
from ..views import heat_map, plus_minus, short_name
from .suite import Suite, named


@dataclass(frozen=True)
class Entry:
    """An agent that has played with all members of a suite, and its results."""

    agent: str
    search: str
    games: int
    """The number of deals, which are the same with every member."""
    rows: Mapping[str, Result]
    """The results by member."""
    scores: Mapping[str, float]
    """The mean scores by member."""
    score: float
    """The mean of its normalized scores over members, where 0 is the floor and 1 the best score that was found."""
    error: float | None
    """The standard error of the score over deals, which all members share; None if there is only one batch."""

    @property
    def name(self) -> str:
        """The agent's name in tables."""
        how = self.search.strip("{}").replace('"', "").replace(": ", "=")
        return on_terminal(" ".join(part for part in (short_name(self.agent), how) if part))


def entries(suite: Suite, results: Results) -> list[Entry]:
    """Return the agents that have played with all members of a suite, best first."""
    met: dict[tuple[str, str], dict[str, Result]] = {}
    for row in results:
        if suite.is_of(row):
            agent, partner = row["line_up"]
            met.setdefault((agent, json.dumps(row["search"] or {})), {})[partner] = row
    found = [
        entry_of(suite, agent, search, rows)
        for (agent, search), rows in met.items()
        if suite.members.keys() <= rows.keys()
    ]
    return sorted(found, key=lambda entry: -entry.score)


def entry_of(suite: Suite, agent: str, search: str, rows: Mapping[str, Result]) -> Entry:
    """Return the entry of an agent from its results by member."""
    games = min(row["done"] for row in rows.values())
    blocks = {name: np.mean(rows[name]["sums"][: games // BLOCK], axis=1) / BLOCK for name in suite.members}
    mean = np.mean([member.normalized(blocks[name]) for name, member in suite.members.items()], axis=0)
    scores = {name: float(np.mean(row["sums"])) / BLOCK for name, row in rows.items()}
    return Entry(agent, search, games, rows, scores, float(mean.mean()), errors_of(mean))


def lines(suite: Suite, entry: Entry) -> Iterator[str]:
    """Yield an entry as lines for a terminal: one line per member, then the score."""
    yield f"{'partner':<32}{'floor':>8}{'score':>8}{'':>8}{'best':>8}{'of best':>9}"
    for name, member in suite.members.items():
        row = entry.rows[name]
        numbers = (
            f"{member.floor:>8.2f}{entry.scores[name]:>8.2f}{plus_minus(row['score_error']):<7}{member.best:>9.2f}"
        )
        yield f"{name:<32}{numbers}{member.normalized(entry.scores[name]):>z9.3f}"
    yield f"{entry.name}: {entry.score:z.3f}{plus_minus(entry.error)} on {counted(entry.games, 'deal')} of {suite.name}"


def table(suite: Suite, found: Sequence[Entry]) -> str:
    """Return a Markdown table of entries: the score, and the least and most with a member, with that member's name."""
    return markdown(["agent", "score", "least", "most", "deals"], (cells(suite, entry) for entry in found))


def cells(suite: Suite, entry: Entry) -> list[str]:
    """Return the cells of an entry in `table`."""
    with_each = {name: member.normalized(entry.scores[name]) for name, member in suite.members.items()}
    ends = [
        f"{with_each[name]:z.2f} with {name}"
        for name in (end(with_each, key=with_each.__getitem__) for end in (min, max))
    ]
    deals = f"{entry.games:,}" if entry.games == suite.games else f"the first {entry.games:,}"
    return [in_markdown(entry.name), f"{entry.score:z.3f}{plus_minus(entry.error)}", *ends, deals]


def partners(suite: Suite) -> str:
    """Return a Markdown table of the members: floor, best score, and who scored that."""
    members = suite.members.values()
    rows = ([one.name, f"{one.floor:.2f}", f"{one.best:.2f}", one.best_by] for one in members)
    return markdown(["partner", "floor", "best", "by"], rows)


def page(suite: Suite, found: Sequence[Entry]) -> str:
    """Return a whole page in Markdown."""
    about = (
        f"{suite.about} A score is the mean over partners of what the agent scores with each on {suite.games:,} deals, "
        "at every seat in turn: 0 is what `random` scores with it, 1 the best that was found when the suite was made."
    )
    return "\n\n".join([f"# {suite.name}", about, table(suite, found), "## Partners", partners(suite)]) + "\n"


def figure(suite: Suite, found: Sequence[Entry], path: Path) -> None:
    """Draw a heat map of the entries' scores with the members to a file."""
    cells = np.array([[one.normalized(entry.scores[name]) for name, one in suite.members.items()] for entry in found])
    agents, label = [entry.name for entry in found], "normalized score"
    drawn = heat_map(cells, agents, 1.0, suite.name, "agent", "partner", list(suite.members), label)
    charts.save(path, drawn)


@dataclass(frozen=True)
class Declared:
    """A file ``study = "challenge"``: agents that play with all members of a suite."""

    suite: str
    agents: tuple[str, ...] = ()
    slow: tuple[str, ...] = ()
    """Agents that play the first 100 deals only."""


def load(content: Mapping[str, Any], path: Path) -> Study:
    """Return the study that a TOML file declares.

    Args:
        content: what the file holds, without ``study``.
        path: the file; its stem is the study's name.

    Raises:
        ValueError: it declares no challenge; the message says what is allowed.
    """
    declared = filled_in(Declared, content, "a challenge")
    suite, name = named(declared.suite), path.stem
    asked = [(agent, None) for agent in declared.agents] + [(agent, 100) for agent in declared.slow]
    rows = [meeting for agent, games in asked for meeting in suite.meetings(agent, games).values()]

    def shown(results: Results) -> str:
        return "\n\n".join([table(suite, entries(suite, results)), partners(suite)])

    def draw(results: Results, png: Path) -> None:
        figure(suite, entries(suite, results), png)

    return Study(name, rows, play_meeting, {name: shown}, {f"{name}.png": draw}, unit="deal", check=suite.check)
