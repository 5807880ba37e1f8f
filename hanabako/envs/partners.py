"""The partners in a single-seat environment: functions, agents by name, policies, or a pool to draw from."""

import importlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from hanabako.engine.game import Game
from hanabako.envs.aec import CardGameAEC
from hanabako.words.checks import shown

__all__ = ["Choice", "Partner", "Partners", "agents_module", "generator_of", "is_policy", "random_partner"]

Partner: TypeAlias = Callable[[dict[str, np.ndarray], np.random.Generator], int]
"""A function from an observation (``observation`` int8 (n,), ``action_mask`` int8 (A,)) and generator to an action."""


def random_partner(observation: dict[str, np.ndarray], generator: np.random.Generator) -> int:
    """Return a uniformly random legal action."""
    return int(generator.choice(np.flatnonzero(observation["action_mask"])))


class Choice:
    """The candidates for the seats but ``seat``, and the draw of who takes them in a game.

    For ``partners`` see `hanabako.envs.seat.CardGameSeatEnv`.

    Raises:
        ValueError: no agent has a given name, an agent cannot play this configuration, or the number of partners is
            wrong.
    """

    def __init__(self, partners: Any, game: Game, seat: int) -> None:
        self.game = game
        self.others = [(seat + offset) % game.players for offset in range(1, game.players)]
        self._pool: list[Any] = []
        if isinstance(partners, Mapping):
            if partners.keys() != {"pool"} or not is_sequence(partners["pool"]) or not len(partners["pool"]):
                raise ValueError(f'partners as a dict must be {{"pool": [...]}} with agents, got {shown(partners)}')
            self.members = self._pool = [self._member(partner) for partner in partners["pool"]]
            return
        choices = partners if is_sequence(partners) else [partners] * len(self.others)
        if len(choices) != len(self.others):
            others = len(self.others)
            raise ValueError(f"partners must be one, or one for each of {others} other players, got {len(choices)}")
        known = {id(partner): self._member(partner) for partner in choices}  # load each partner once
        self.members = [known[id(partner)] for partner in choices]

    members: list[Any]
    """The pool; without one, the partner at each other seat in turn order. Functions and policies, with repetitions."""

    def _member(self, partner: Any) -> Any:
        """Return a partner in the form in which it is called: a function or a policy."""
        if partner is None:
            return random_partner
        if isinstance(partner, type):
            kind = partner.__name__
            raise ValueError(f"a partner must be an agent, got the class {kind}; {kind}() makes one")  # noqa: TRY004
        if isinstance(partner, str):
            return agents_module().load(partner, self.game.config)
        if hasattr(partner, "seat") or hasattr(partner, "act") or callable(partner):
            return partner
        raise ValueError(f"a partner must be an agent's name, a policy or a function, got {shown(partner)}")

    def draw(self, generator: np.random.Generator) -> tuple[list[int], int]:
        """Draw the partners of a game: an index into ``members`` for each other seat, and a seed for the policies."""
        places = list(range(len(self.others)))
        if self._pool:
            places = generator.integers(len(self._pool), size=len(self.others)).tolist()
        has_policies = any(is_policy(self.members[k]) for k in places)
        return places, int(generator.integers(2**63)) if has_policies else 0


def generator_of(seed: int, game_index: int) -> np.random.Generator:
    """Return the partners' generator in one game of ``seed``. For game 0 it equals Gymnasium's ``np_random``."""
    sequence = np.random.SeedSequence(seed, spawn_key=(game_index,) if game_index else ())
    return np.random.Generator(np.random.PCG64(sequence))


class Partners:
    """The partners of one seat at one table. Arguments and errors are those of `Choice`."""

    def __init__(self, partners: Any, table: CardGameAEC, seat: int) -> None:
        self.table = table
        self.choice = Choice(partners, table.game, seat)
        self._seated: dict[int, Any] = {}
        self._agents: Any = None

    def __getstate__(self) -> dict[str, Any]:
        """Return the contents of a copy or pickle, if no game has begun: policies are tied to its table."""
        if self._agents is not None:
            raise TypeError("a seat among policies can be copied or pickled only before its first reset")
        return self.__dict__

    def begin(self, generator: np.random.Generator) -> None:
        """Begin a game after the deal: draw partners if there is a pool, and seat the policies."""
        places, seed = self.choice.draw(generator)
        members = [self.choice.members[k] for k in places]
        self._seated = dict(zip(self.choice.others, members, strict=True))
        policies = {player: one for player, one in self._seated.items() if is_policy(one)}
        self._agents = None
        if policies:
            line_up = [policies.get(player, Absent) for player in range(self.table.game.players)]
            self._agents = agents_module("playing.seating").OneTable(self.table, line_up, seed)

    def action(self, generator: np.random.Generator) -> int:
        """Return the action of the player to move, who must be a partner."""
        agent = self.table.agent_selection
        partner = self._seated[self.table.possible_agents.index(agent)]
        return self._agents.action() if is_policy(partner) else partner(self.table.observe(agent), generator)

    def observe(self) -> None:
        """Let the policies observe a step that was just taken."""
        if self._agents is not None:
            self._agents.observe()


class Absent:
    """A stand-in policy for the seats that no policy takes."""

    observes = False

    @staticmethod
    def act(observation: Any, mask: np.ndarray, noise: Any) -> np.ndarray:  # noqa: ARG004 - as every policy's
        """Return action 0 for every game; it is never used."""
        return np.zeros(len(mask), np.int64)


def agents_module(name: str = "") -> Any:
    """Return a module of the package of agents, importing it at the first use."""
    return importlib.import_module(f"{__name__.partition('.')[0]}.agents{name and '.'}{name}")


def is_policy(partner: Any) -> bool:
    """Whether a partner is a policy: it has ``seat`` or ``act``. Every other partner is a function."""
    return hasattr(partner, "seat") or hasattr(partner, "act")


def is_sequence(value: Any) -> bool:
    """Whether a value is a sequence of partners, not a name."""
    return isinstance(value, Sequence) and not isinstance(value, str)
