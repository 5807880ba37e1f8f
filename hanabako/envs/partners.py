"""Who has the other seats of a single-seat environment: functions, agents by name, policies, or a pool of them."""

import importlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from hanabako.envs.aec import CardGameAEC
from hanabako.words.checks import shown

__all__ = ["Partner", "Partners", "random_partner"]

Partner: TypeAlias = Callable[[dict[str, np.ndarray], np.random.Generator], int]
"""Chooses an action, given an observation (``observation`` int8 (n,), ``action_mask`` int8 (A,)) and a generator."""


def random_partner(observation: dict[str, np.ndarray], generator: np.random.Generator) -> int:
    """A uniformly random legal action."""
    return int(generator.choice(np.flatnonzero(observation["action_mask"])))


class Partners:
    """Those who play with one seat.

    Args:
        partners: who they are, see `hanabako.envs.seat.CardGameSeatEnv`.
        table: where they sit.
        seat: the player that is not theirs.

    Raises:
        ValueError: a name is nobody's, an agent cannot play this configuration, or their number is wrong.
    """

    def __init__(self, partners: Any, table: CardGameAEC, seat: int) -> None:
        self.table = table
        self._others = [(seat + offset) % table.game.players for offset in range(1, table.game.players)]
        self._pool: list[Any] = []
        self._seated: dict[int, Any] = {}
        self._agents: Any = None
        if isinstance(partners, Mapping):
            if partners.keys() != {"pool"} or not is_sequence(partners["pool"]) or not len(partners["pool"]):
                raise ValueError(
                    f'partners as a dict must be {{"pool": [...]}} with agents in it, got {shown(partners)}'
                )
            self._pool = [self._member(partner) for partner in partners["pool"]]
            return
        choices = partners if is_sequence(partners) else [partners] * len(self._others)
        if len(choices) != len(self._others):
            raise ValueError(
                f"partners must be one, or one for each of {len(self._others)} other players, got {len(choices)}"
            )
        known = {id(partner): self._member(partner) for partner in choices}  # once each
        members = [known[id(partner)] for partner in choices]
        self._seated = dict(zip(self._others, members, strict=True))

    def _member(self, partner: Any) -> Any:
        """A partner as it is asked: a function, or a policy."""
        if partner is None:
            return random_partner
        if isinstance(partner, str):
            return agents_module().load(partner, self.table.config)
        if hasattr(partner, "seat") or hasattr(partner, "act") or callable(partner):
            return partner
        raise ValueError(f"a partner must be an agent's name, a policy or a function, got {shown(partner)}")

    def begin(self, generator: np.random.Generator) -> None:
        """The cards are dealt: draw who sits where, if there is a pool, and let the policies sit down."""
        if self._pool:
            draws = generator.integers(len(self._pool), size=len(self._others))
            self._seated = {player: self._pool[k] for player, k in zip(self._others, draws, strict=True)}
        policies = {player: one for player, one in self._seated.items() if is_policy(one)}
        self._agents = None
        if policies:
            line_up = [policies.get(player, Nobody) for player in range(self.table.game.players)]
            seed = int(generator.integers(2**63))
            self._agents = agents_module("evaluation.seating").OneTable(self.table, line_up, seed)

    def action(self, generator: np.random.Generator) -> int:
        """What the player to move does, who is none of the seat's."""
        agent = self.table.agent_selection
        partner = self._seated[self.table.possible_agents.index(agent)]
        return self._agents.action() if is_policy(partner) else partner(self.table.observe(agent), generator)

    def observe(self) -> None:
        """Somebody has made a step."""
        if self._agents is not None:
            self._agents.observe()


class Nobody:
    """Has the seats of those who are asked elsewhere."""

    observes = False

    @staticmethod
    def act(observation: Any, mask: np.ndarray, noise: Any) -> np.ndarray:  # noqa: ARG004 - as every policy's
        """Never counts."""
        return np.zeros(len(mask), np.int64)


def agents_module(name: str = "") -> Any:
    """A module of the package of agents, which is imported when an agent is first asked for."""
    return importlib.import_module(f"{__name__.partition('.')[0]}.agents{name and '.'}{name}")


def is_policy(partner: Any) -> bool:
    """It takes seats, or has an ``act``; all else is a function."""
    return hasattr(partner, "seat") or hasattr(partner, "act")


def is_sequence(value: Any) -> bool:
    """A sequence of partners, and not a name."""
    return isinstance(value, Sequence) and not isinstance(value, str)
