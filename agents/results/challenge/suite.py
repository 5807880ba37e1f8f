"""A versioned set of partners: its members, the deals, and the floor and best score with each member."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from hanabako.files import read_json
from hanabako.games import config_from_dict
from hanabako.words.checks import did_you_mean, shown

from ...registry import AgentName
from ..meeting import BLOCK, Meeting, meeting_of, sums_in
from ..store import merged, read_file
from ..study import Result

Score = TypeVar("Score", float, NDArray[np.float64])

FOLDER = Path(__file__).resolve().parent


@dataclass(frozen=True)
class Member:
    """A partner of a suite."""

    name: str
    """The name that `agents.load` takes."""
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

    def normalized(self, score: Score) -> Score:
        """Return one or more scores with this partner on a scale where 0 is the floor and 1 the best that was found."""
        return (score - self.floor) / (self.best - self.floor)


@dataclass(frozen=True)
class Suite:
    """A set of partners that never changes."""

    name: str
    """The name with its version: ``hanabi-2p-v1``."""
    about: str
    """A sentence about its members."""
    config: Any
    """The config of the game; agents have the observation that they were trained on."""
    seed: int
    """The seed of the deals."""
    games: int
    """The number of deals, each played with the agent at every seat in turn and the partner at all others."""
    members: Mapping[str, Member]
    """The members by name."""

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> "Suite":
        """Make a suite from the content of a file of this folder."""
        members = {name: Member(name, **told) for name, told in content["members"].items()}
        told = {name: content[name] for name in ("name", "about", "seed", "games")}
        return cls(**told, config=config_from_dict(content["config"]), members=members)

    def meetings(
        self, agent: str, games: int | None = None, search: Mapping[str, Any] | None = None
    ) -> dict[str, Meeting]:
        """Return an agent's meetings by partner, on the first ``games`` deals, or on all.

        Raises:
            ValueError: ``games`` is not a multiple of `BLOCK` up to the suite's number of deals.
        """
        deals = self.games if games is None else games
        if not (deals == self.games or (deals % BLOCK == 0 and 0 < deals < self.games)):
            raise ValueError(f"games must be a multiple of {BLOCK} up to the suite's {self.games:,}, got {deals}")
        how: dict[str, Any] = {"seed": self.seed, "search": dict(search) if search else None}
        return {name: Meeting.of(self.config, (agent, name), "turns", deals, **how) for name in self.members}

    def is_of(self, row: Result) -> bool:
        """Whether a row is of a meeting of this suite."""
        meeting = meeting_of(row)
        if meeting.line_up[-1] not in self.members or row["done"] > self.games:
            return False
        return meeting.key == self.meetings(meeting.line_up[0], search=meeting.search)[meeting.line_up[-1]].key

    @cached_property
    def changed(self) -> list[str]:
        """The members whose files differ from those that the suite was made with."""
        files = {name: AgentName.parse(name).network for name, member in self.members.items() if member.sha256}
        return [
            name
            for name, path in files.items()
            if path is None or sha256(path.read_bytes()).hexdigest() != self.members[name].sha256
        ]

    def check(self) -> None:
        """Raise ValueError if the file of a member has changed."""
        if self.changed:
            raise ValueError(f"{self.name}: the file of {self.changed[0]} is not the one that the suite was made with")


def read(paths: Iterable[Path]) -> list[dict[str, Any]]:
    """Return the merged meetings in results files, for any suites.

    Raises:
        OSError: a file cannot be read.
        ValueError: a file holds something else; the message names it.
    """
    return merged([[checked(row, path) for row in read_file(path)[1] if "line_up" in row] for path in paths])


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
    """Return a suite by name.

    Raises:
        ValueError: there is no such suite.
    """
    if name not in names():
        known = ", ".join(names())
        raise ValueError(f"suite must be one of {known}, got {shown(name)}{did_you_mean(name, names())}")
    return Suite.from_json(read_json(FOLDER / f"{name}.json"))
