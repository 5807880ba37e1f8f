"""A game with the interface of OpenSpiel's ``rl_environment``, for use with OpenSpiel's algorithms.

    env = OpenSpielEnvironment(game)
    time_step = env.reset()
    while not time_step.last():
        player = time_step.observations["current_player"]
        time_step = env.step([agents[player].step(time_step).action])

OpenSpiel must be installed: ``pip install open-spiel``.
"""

from collections.abc import Sequence
from importlib import import_module
from typing import Any

from hanabako.engine.game import Game
from hanabako.envs.aec import CardGameAEC
from hanabako.words.checks import as_seed, shown

__all__ = ["OpenSpielEnvironment"]


class OpenSpielEnvironment:
    """One game with the methods of ``open_spiel.python.rl_environment.Environment``.

    A time step is OpenSpiel's own ``TimeStep``. Its ``observations`` hold the same entries as OpenSpiel's:
    ``info_state`` (for each player, the observation bits as floats), ``legal_actions`` (for each player; empty except
    for the player to move), ``current_player`` (OpenSpiel's ``TERMINAL`` at the end), and an empty
    ``serialized_state``. ``rewards`` and ``discounts`` are lists per player, ``None`` on the first step.

    Cards are drawn inside the step. There are no chance nodes, so OpenSpiel's search algorithms cannot be used.

    Args:
        game: the configured game, from ``make_game`` of its package.
        discount: from 0 to 1. Every step has this discount, except the last, which has 0.
        seed: seed of the first `reset`; ``None`` draws one.

    Raises:
        ImportError: OpenSpiel is not installed.
        ValueError: an argument is wrong.
    """

    num_actions_per_step = 1
    is_turn_based = True

    def __init__(self, game: Game, discount: float = 1.0, seed: int | None = None) -> None:
        try:
            self._shapes: Any = import_module("open_spiel.python.rl_environment")
        except ImportError as missing:
            raise ImportError(f"OpenSpielEnvironment needs OpenSpiel: pip install open-spiel ({missing})") from None
        if not isinstance(game, Game):
            raise ValueError(f"game must be a configured game, got {shown(game)}")  # noqa: TRY004 - as for every wrong argument
        if isinstance(discount, bool) or not isinstance(discount, (int, float)) or not 0 <= discount <= 1:
            raise ValueError(f"discount must be from 0 to 1, got {shown(discount)}")
        self.table = CardGameAEC(game)
        self.name, self.num_players = game.name, game.players
        self._discount = float(discount)
        self._should_reset = True
        self.seed(seed)

    def seed(self, seed: int | None = None) -> None:
        """Set the seed of the next `reset`; with ``None`` the games of the current seed continue."""
        self._seed = None if seed is None else as_seed(seed)

    def reset(self) -> Any:
        """Begin a game and return its first ``TimeStep``, whose rewards and discounts are ``None``."""
        self.table.reset(seed=self._seed)
        self._seed = None
        first = self._shapes.StepType.FIRST
        return self.get_time_step()._replace(rewards=None, discounts=None, step_type=first)

    def step(self, actions: Sequence[int]) -> Any:
        """Take the action of the player to move, given as ``[action]``.

        After the end of a game, or before the first `reset`, this begins a game instead.

        Raises:
            ValueError: not exactly one action, or an illegal one. The game is then unchanged.
        """
        try:
            (action,) = actions
        except (TypeError, ValueError):
            raise ValueError(f"actions must be a list of one action, got {shown(actions)}") from None
        if self._should_reset:
            return self.reset()
        self.table.step(action)
        return self.get_time_step()

    def get_time_step(self) -> Any:
        """Return the current ``TimeStep`` without changing anything."""
        table, kind = self.table, self._shapes.StepType
        views = [table.observe(agent) for agent in table.possible_agents]
        ended = self._should_reset = bool(table.tables["terminated"][0])
        terminal = import_module("pyspiel").PlayerId.TERMINAL
        observations = {
            "info_state": [view["observation"].astype(float).tolist() for view in views],
            "legal_actions": [view["action_mask"].nonzero()[0].tolist() for view in views],
            "current_player": terminal if ended else int(table.tables["current_player"][0]),
            "serialized_state": [],
        }
        discounts = [0.0 if ended else self._discount] * self.num_players
        rewards = [table.rewards[agent] for agent in table.possible_agents]
        return self._shapes.TimeStep(observations, rewards, discounts, kind.LAST if ended else kind.MID)

    def observation_spec(self) -> dict[str, tuple[int, ...]]:
        """Return the shape of each entry of one player's observation."""
        bits, actions = self.table.game.observation_bits, self.table.game.num_actions
        return {"info_state": (bits,), "legal_actions": (actions,), "current_player": (), "serialized_state": ()}

    def action_spec(self) -> dict[str, Any]:
        """Return the number of actions, the first and last action, and their type."""
        actions = self.table.game.num_actions
        return {"num_actions": actions, "min": 0, "max": actions - 1, "dtype": int}
