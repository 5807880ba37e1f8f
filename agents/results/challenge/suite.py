"""Challenges: fixed sets of held-out partners, on fixed deals, for measuring agents of any kind, and their results.

The sets are the JSON files of this folder. A published set never changes; its successor has the next version number.
"""

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from hanabako.drawing import charts
from hanabako.files import read_json
from hanabako.games import config_from_dict, game_of, make_config
from hanabako.generated import table as markdown
from hanabako.words.checks import did_you_mean, shown
from hanabako.words.cleaned import in_markdown, on_terminal
from hanabako.words.notation import counted

from ...registry import AgentName
from ..declared import filled_in
from ..meeting import BLOCK, Meeting, meeting_of, play_meeting, sums_in
from ..store import merged, read_file
from ..study import Result, Results, Study
from ..views import heat_map, plus_minus, short_name

FOLDER = Path(__file__).resolve().parent
PRESET = "{preset}"
"""What stands for the preset of each partner in the name of an agent, which may be another one in each preset."""


@dataclass(frozen=True)
class Member:
    """A partner of a suite."""

    name: str
    """Its name in the suite."""
    agent: str
    """What `agents.load` takes; in the suite's file by default the name."""
    floor: float
    """The score of ``random`` with it on the suite's deals."""
    best: float
    """The best score that was found when the suite was made: by a network trained with it, or by a member."""
    best_by: str
    """The agent that scored ``best``."""
    command: str
    """The command that trained the network that was tried."""
    sha256: str | None = None
    """The SHA-256 of a network's file in hexadecimal; None for a bot."""
    group: str | None = None
    """The group of partners that keep 90 % of their mean self-play with each other; None: it is alone."""
    preset: str | None = None
    """The preset whose rules it plays; None: the config of the suite."""
    ceiling: float | None = None
    """The mean best score that the decks of its game allow."""

    def listed(self, agent: str) -> str:
        """Return the name under which an agent that played with this partner is listed: its preset is left open."""
        return agent if self.preset is None else agent.replace(self.preset, PRESET)

    def normalized(self, score: float) -> float:
        """Return a score with this partner on a scale where 0 is the floor and 1 the best that was found."""
        return (score - self.floor) / (self.best - self.floor)


@dataclass(frozen=True)
class Suite:
    """A set of partners that never changes."""

    name: str
    """The name with its version: ``hanabi-2p-v1``."""
    about: str
    """A sentence about its members."""
    config: Any
    """The config of the game, of members without a preset; agents have the observation that they were trained on."""
    seed: int
    """The seed of the deals."""
    games: int
    """The number of deals, each played with the agent at every seat in turn and the partner at all others."""
    members: Mapping[str, Member]
    """The members by name."""

    def meetings(
        self, agent: str, games: int | None = None, search: Mapping[str, Any] | None = None
    ) -> dict[str, Meeting]:
        """Return an agent's meetings by partner, on the first ``games`` deals, a multiple of `BLOCK`, or on all.

        `PRESET` in the agent's name stands for the preset of the partner.
        """
        deals = self.games if games is None else games
        if not (deals == self.games or (deals % BLOCK == 0 and 0 < deals < self.games)):
            raise ValueError(f"games must be a multiple of {BLOCK} up to the suite's {self.games:,}, got {deals}")
        if fixed := {member.preset for member in self.members.values() if member.preset and member.preset in agent}:
            raise ValueError(f"an agent's name must have {PRESET} for a partner's {fixed.pop()}, got {shown(agent)}")
        return {name: self.meeting(member, agent, deals, search) for name, member in self.members.items()}

    def meeting(self, member: Member, agent: str, deals: int, search: Mapping[str, Any] | None) -> Meeting:
        """Return an agent's meeting with a member."""
        config, preset = self.config, member.preset
        if preset is not None:
            config, agent = make_config(game_of(config).name, preset, config.players), agent.replace(PRESET, preset)
        how: dict[str, Any] = {"seed": self.seed, "search": dict(search) if search else None}
        return Meeting.of(config, (agent, member.agent), "turns", deals, **how)

    def member_of(self, row: Result) -> str | None:
        """Return the member that a row's meeting is with; None if the meeting is not of this suite."""
        meeting = meeting_of(row)
        for name, member in self.members.items():
            is_file = row.get("networks", {}).get(member.agent, "") == (member.sha256 or "")[:16]
            if member.agent == meeting.line_up[-1] and is_file and BLOCK <= row["done"] <= self.games:
                own = self.meeting(member, meeting.line_up[0], self.games, meeting.search)
                if own.key == meeting.key:
                    return name
        return None

    def check(self) -> None:
        """Raise ValueError if the file of a member has changed."""
        for name, member in self.members.items():
            path = AgentName.parse(member.agent).network if member.sha256 else None
            if member.sha256 and (path is None or sha256(path.read_bytes()).hexdigest() != member.sha256):
                raise ValueError(f"{self.name}: the file of {name} is not the one that the suite was made with")


def read(paths: Iterable[Path]) -> list[dict[str, Any]]:
    """Return the merged meetings in results files; errors as `read_file`, or for two agents of one name."""
    before: set[tuple[str, str]] = set()
    parts = [[checked(row, path) for row in read_file(path)[1] if "line_up" in row] for path in paths]
    for part in parts:
        own = {item for row in part for item in row.get("networks", {}).items()}
        if unlike := {name for name, _ in own ^ before} & dict(own).keys() & dict(before).keys():
            raise ValueError(f"the results are of two different agents called {unlike.pop()}")
        before |= own
    return merged(parts)


def checked(row: dict[str, Any], path: Path) -> dict[str, Any]:
    """Return a row of a file after checking its meeting and its sums; an error names the file."""
    try:
        sums_in(row, meeting_of(row))
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error
    return row


def names() -> list[str]:
    """Return the names of the suites."""
    return sorted(path.stem for path in FOLDER.glob("*.json"))


def named(name: str) -> Suite:
    """Return a suite by name."""
    if name not in names():
        known = ", ".join(names())
        raise ValueError(f"suite must be one of {known}, got {shown(name)}{did_you_mean(name, names())}")
    content = read_json(FOLDER / f"{name}.json")
    members = {own: Member(**{"name": own, "agent": own} | given) for own, given in content["members"].items()}
    if content["games"] % BLOCK or not all(member.floor < member.best for member in members.values()):
        raise ValueError(f"{name}.json: games must be a multiple of {BLOCK}, and each best score above the floor")
    return Suite(**content | {"config": config_from_dict(content["config"]), "members": members})


# --- Results ----------------------------------------------------------------------------------------------------------


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
    """The mean of its normalized scores over groups, where 0 is the floor and 1 the best score that was found."""
    error: float | None
    """The standard error of the score over groups; None if there is only one."""

    @property
    def name(self) -> str:
        """The agent's name in tables."""
        how = self.search.strip("{}").replace('"', "").replace(": ", "=")
        return on_terminal(" ".join(part for part in (short_name(self.agent), how) if part))


def entries(suite: Suite, results: Results) -> list[Entry]:
    """Return the agents that have played with all members of a suite, best first."""
    complete = {whose: rows for whose, rows in met(suite, results).items() if suite.members.keys() <= rows.keys()}
    found = (entry_of(suite, agent, search, rows) for (agent, search, _), rows in complete.items())
    return sorted(found, key=lambda entry: -entry.score)


def met(suite: Suite, results: Results) -> dict[tuple[str, str, str | None], dict[str, Result]]:
    """Return the results by agent, its search's settings and the digest of its file, and then by member."""
    found: dict[tuple[str, str, str | None], dict[str, Result]] = {}
    for row in results:
        if (partner := suite.member_of(row)) is not None:
            name = row["line_up"][0]
            agent = suite.members[partner].listed(name)
            file = row.get("networks", {}).get(name) if agent == name else None
            found.setdefault((agent, json.dumps(row.get("search") or {}), file), {})[partner] = row
    return found


def unfinished(name: str, results: Results) -> Iterator[str]:
    """Yield in a sentence what each agent has not played of the suite called ``name``, if that is one."""
    if name not in names():
        return
    suite = named(name)
    for (agent, *_), rows in met(suite, results).items():
        missing, deals = len(suite.members) - len(rows), min(row["done"] for row in rows.values())
        if missing:
            yield f"unfinished: {agent} has not played with {missing} of the {len(suite.members)} partners"
        if deals < suite.games:
            yield f"unfinished: {agent} has played {deals:,} of {suite.games:,} deals"


def entry_of(suite: Suite, agent: str, search: str, rows: Mapping[str, Result]) -> Entry:
    """Return the entry of an agent from its results by member."""
    games = min(row["done"] for row in rows.values()) // BLOCK * BLOCK
    scores = {name: float(np.mean(row["sums"][: games // BLOCK])) / BLOCK for name, row in rows.items()}
    groups: dict[str, list[float]] = {}
    for name, member in suite.members.items():
        groups.setdefault(member.group or name, []).append(member.normalized(scores[name]))
    means = [float(np.mean(group)) for group in groups.values()]
    error = float(np.std(means, ddof=1)) / math.sqrt(len(means)) if len(means) > 1 else None
    return Entry(agent, search, games, rows, scores, float(np.mean(means)), error)


def lines(suite: Suite, entry: Entry) -> Iterator[str]:
    """Yield an entry as lines for a terminal: one line per member, then the score."""
    yield f"{'partner':<32}{'floor':>8}{'score':>8}{'':>8}{'best':>8}{'of best':>9}"
    for name, member in suite.members.items():
        row = entry.rows[name]
        error = row.get("score_error") if row["done"] == entry.games else None
        score = f"{entry.scores[name]:>8.2f}{plus_minus(error):<7}{member.best:>9.2f}"
        yield f"{name:<32}{member.floor:>8.2f}{score}{member.normalized(entry.scores[name]):>z9.3f}"
    yield f"{entry.name}: {entry.score:z.3f}{plus_minus(entry.error)} on {counted(entry.games, 'deal')} of {suite.name}"


def table(suite: Suite, found: Sequence[Entry]) -> str:
    """Return a Markdown table of entries with their scores."""
    rows = []
    for entry in found:
        deals = f"{entry.games:,}" if entry.games == suite.games else f"the first {entry.games:,}"
        rows.append([in_markdown(entry.name), f"{entry.score:z.3f}{plus_minus(entry.error)}", deals])
    return markdown(["agent", "score", "deals"], rows)


def partners(suite: Suite) -> str:
    """Return a Markdown table of the members: floor, best score, who scored that, and the ceiling where it is known."""
    rows = []
    for one in suite.members.values():
        ceiling = "" if one.ceiling is None else f"{one.ceiling:.2f}"
        rows.append([one.name, f"{one.floor:.2f}", f"{one.best:.2f}", one.best_by, ceiling])
    return markdown(["partner", "floor", "best", "by", *(["ceiling"] if any(row[-1] for row in rows) else [])], rows)


def page(suite: Suite, found: Sequence[Entry]) -> str:
    """Return a whole page in Markdown."""
    about = (
        f"{suite.about} A score is the mean over partners of what the agent scores with each on {suite.games:,} deals, "
        "at every seat in turn: 0 is what `random` scores with it, 1 the best that was found when the suite was made. "
        "Partners that play alike count once, also in errors (±)."
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
    """Return the study that a TOML file declares; ``content`` is what it holds, without ``study``."""
    declared = filled_in(Declared, content, "a challenge")
    suite, name = named(declared.suite), path.stem
    asked = dict.fromkeys(declared.agents) | dict.fromkeys(declared.slow, min(100, suite.games))
    rows = [meeting for agent, games in asked.items() for meeting in suite.meetings(agent, games).values()]

    tables = {name: lambda results: "\n\n".join([table(suite, entries(suite, results)), partners(suite)])}
    figures = {f"{name}.png": lambda results, png: figure(suite, entries(suite, results), png)}
    return Study(name, rows, play_meeting, tables, figures, unit="deal", check=suite.check)
