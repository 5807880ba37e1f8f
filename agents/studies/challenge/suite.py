"""A versioned set of partners: who they are, the deals, and what is little and much with each of them."""

from collections.abc import Mapping
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

from ...registry import base_of, network_file

__all__ = ["Member", "Suite", "named", "names"]

Score = TypeVar("Score", float, NDArray[np.float64])

FOLDER = Path(__file__).resolve().parent


@dataclass(frozen=True)
class Member:
    """A partner of a suite."""

    name: str
    """As `agents.load` knows it."""
    floor: float
    """What ``random`` scores with it on the suite's deals."""
    best: float
    """The best that was found when the suite was made: by a network that was trained with it, or by a member."""
    best_by: str
    """Who scored that."""
    command: str
    """What trained the network that was tried."""
    sha256: str | None = None
    """A network's file, as hexadecimal digits; None for a bot."""

    def normalized(self, score: Score) -> Score:
        """A score with this partner, or an array of them, where 0 is the floor and 1 the best that was found."""
        return (score - self.floor) / (self.best - self.floor)


@dataclass(frozen=True)
class Suite:
    """A set of partners that does not change."""

    name: str
    """With its version: ``hanabi-2p-v1``."""
    about: str
    """Its members in a sentence."""
    config: Any
    """What is played; agents observe what they were trained on."""
    seed: int
    """The seed of the deals."""
    games: int
    """Deals, each played with the agent at every seat in turn and the partner at all others."""
    members: Mapping[str, Member]
    """By name."""

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> "Suite":
        """The suite that a file of this folder holds."""
        members = {name: Member(name, **told) for name, told in content["members"].items()}
        told = {name: content[name] for name in ("name", "about", "seed", "games")}
        return cls(**told, config=config_from_dict(content["config"]), members=members)

    @cached_property
    def changed(self) -> list[str]:
        """The members whose files are not those that the suite was made with."""
        files = {name: network_file(base_of(name)) for name, member in self.members.items() if member.sha256}
        return [
            name
            for name, path in files.items()
            if path is None or sha256(path.read_bytes()).hexdigest() != self.members[name].sha256
        ]

    def check(self) -> None:
        """Refuse to play with other partners than those of the suite.

        Raises:
            ValueError: the file of a member has changed.
        """
        if self.changed:
            raise ValueError(f"{self.name}: the file of {self.changed[0]} is not the one that the suite was made with")


def names() -> list[str]:
    """The suites."""
    return sorted(path.stem for path in FOLDER.glob("*.json"))


def named(name: str) -> Suite:
    """A suite by name.

    Raises:
        ValueError: there is none.
    """
    if name not in names():
        known = ", ".join(names())
        raise ValueError(f"suite must be one of {known}, got {shown(name)}{did_you_mean(name, names())}")
    return Suite.from_json(read_json(FOLDER / f"{name}.json"))
