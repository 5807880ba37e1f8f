"""Who has the other seats of a single-seat environment: functions, agents by name, policies, or a pool of them."""

import importlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from hanabako.engine.game import Game
from hanabako.envs.aec import CardGameAEC
from hanabako.words.checks import shown

__all__ = ["Choice", "Partner", "Partners", "agents_module", "generator_of", "is_policy", "random_partner"]

Partner: TypeAlias = Callable[[dict[str, np.ndarray], np.random.Generator], int]
"""Chooses an action, given an observation (``observation`` int8 (n,), ``action_mask`` int8 (A,)) and a generator."""


def random_partner(observation: dict[str, np.ndarray], generator: np.random.Generator) -> int:
    """A uniformly random legal action."""
    return int(generator.choice(np.flatnonzero(observation["action_mask"])))


class Choice:
    """Who may have the other seats, and who has them in a game.

    Args:
        partners: who they are, see `hanabako.envs.seat.CardGameSeatEnv`.
        game: what they play.
        seat: the player that is not theirs.

    Raises:
        ValueError: a name is no one's, an agent cannot play this configuration, or their number is wrong.
    """

    def __init__(self, partners: Any, game: Game, seat: int) -> None:
        self.game = game
        self.others = [(seat + offset) % game.players for offset in range(1, game.players)]
        self._pool: list[Any] = []
        if isinstance(partners, Mapping):
            if partners.keys() != {"pool"} or not is_sequence(partners["pool"]) or not len(partners["pool"]):
                raise ValueError(
                    f'partners as a dict must be {{"pool": [...]}} with agents in it, got {shown(partners)}'
                )
            self.members = self._pool = [self._member(partner) for partner in partners["pool"]]
            return
        choices = partners if is_sequence(partners) else [partners] * len(self.others)
        if len(choices) != len(self.others):
            raise ValueError(
                f"partners must be one, or one for each of {len(self.others)} other players, got {len(choices)}"
            )
        known = {id(partner): self._member(partner) for partner in choices}  # once each
        self.members = [known[id(partner)] for partner in choices]

    members: list[Any]
    """The pool, or who has each other seat in turn order: functions and policies, the same one perhaps twice."""

    def _member(self, partner: Any) -> Any:
        """A partner as it is asked: a function, or a policy."""
        if partner is None:
            return random_partner
        if isinstance(partner, str):
            return agents_module().load(partner, self.game.config)
        if hasattr(partner, "seat") or hasattr(partner, "act") or callable(partner):
            return partner
        raise ValueError(f"a partner must be an agent's name, a policy or a function, got {shown(partner)}")

    def draw(self, generator: np.random.Generator) -> tuple[list[int], int]:
        """A game begins: the place among ``members`` of who has each other seat, and the seed of policies' chance."""
        places = list(range(len(self.others)))
        if self._pool:
            places = generator.integers(len(self._pool), size=len(self.others)).tolist()
        has_policies = any(is_policy(self.members[k]) for k in places)
        return places, int(generator.integers(2**63)) if has_policies else 0


def generator_of(seed: int, game_index: int) -> np.random.Generator:
    """The chance of a seat's partners in the games of ``seed``: for the first of them, Gymnasium's own."""
    sequence = np.random.SeedSequence(seed, spawn_key=(game_index,) if game_index else ())
    return np.random.Generator(np.random.PCG64(sequence))


class Partners:
    """Those who play with one seat at one table; arguments and errors as of `Choice`."""

    def __init__(self, partners: Any, table: CardGameAEC, seat: int) -> None:
        self.table = table
        self.choice = Choice(partners, table.game, seat)
        self._seated: dict[int, Any] = {}
        self._agents: Any = None

    def begin(self, generator: np.random.Generator) -> None:
        """The cards are dealt: draw who sits where, if there is a pool, and let the policies sit down."""
        places, seed = self.choice.draw(generator)
        members = [self.choice.members[k] for k in places]
        self._seated = dict(zip(self.choice.others, members, strict=True))
        policies = {player: one for player, one in self._seated.items() if is_policy(one)}
        self._agents = None
        if policies:
            line_up = [policies.get(player, Absent) for player in range(self.table.game.players)]
            self._agents = agents_module("playing.seating").OneTable(self.table, line_up, seed)

    def action(self, generator: np.random.Generator) -> int:
        """What the player to move does, who is none of the seat's."""
        agent = self.table.agent_selection
        partner = self._seated[self.table.possible_agents.index(agent)]
        return self._agents.action() if is_policy(partner) else partner(self.table.observe(agent), generator)

    def observe(self) -> None:
        """Somebody has made a step."""
        if self._agents is not None:
            self._agents.observe()


class Absent:
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
