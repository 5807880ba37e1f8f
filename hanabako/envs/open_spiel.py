"""A game in the shape of OpenSpiel's ``rl_environment``, so that OpenSpiel's algorithms play it.

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

    A time step is OpenSpiel's own ``TimeStep``. Its ``observations`` hold, as there, a list per player of
    ``info_state`` (the bits as floats: what the player may know now) and ``legal_actions`` (empty for all but the
    player to move), ``current_player`` (OpenSpiel's ``TERMINAL`` at the end), and an empty ``serialized_state``.
    ``rewards`` and ``discounts`` are lists per player, ``None`` on the first step.

    Chance is inside the step: there are no chance nodes, and nothing that OpenSpiel's search needs of a game.

    Args:
        game: the configured game, as ``make_game`` of its package gives it.
        discount: from 0 to 1, of every step but the last, which has 0.
        seed: of the first `reset`; ``None`` draws one.

    Raises:
        ImportError: OpenSpiel is not installed.
        ValueError: an argument is wrong.
    """

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
        self._discount = float(discount)
        self._should_reset = True
        self.seed(seed)

    def seed(self, seed: int | None = None) -> None:
        """The next `reset` begins the games of this seed; ``None`` goes on with those under way."""
        self._seed = None if seed is None else as_seed(seed)

    def reset(self) -> Any:
        """Begin a game: the first ``TimeStep``, whose rewards and discounts are ``None``."""
        self.table.reset(seed=self._seed)
        self._seed = None
        time_step = self.get_time_step()
        kind = self._shapes.StepType
        return time_step._replace(rewards=None, discounts=None, step_type=kind.FIRST)

    def step(self, actions: Sequence[int]) -> Any:
        """The player to move acts: ``[action]``. After the end, or before the first `reset`, this begins a game.

        Raises:
            ValueError: not one action, or an illegal one; nothing has happened then.
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
        """The ``TimeStep`` of now, which changes nothing."""
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
        """Shapes of a player's part of the observations."""
        game = self.table.game
        return {
            "info_state": (game.observation_bits,),
            "legal_actions": (game.num_actions,),
            "current_player": (),
            "serialized_state": (),
        }

    def action_spec(self) -> dict[str, Any]:
        """How many actions there are, the first and the last of them, and their type."""
        actions = self.table.game.num_actions
        return {"num_actions": actions, "min": 0, "max": actions - 1, "dtype": int}

    @property
    def name(self) -> str:
        """The game's name."""
        return self.table.game.name

    @property
    def num_players(self) -> int:
        """Players at the table."""
        return self.table.game.players

    @property
    def num_actions_per_step(self) -> int:
        """One: that of the player to move."""
        return 1

    @property
    def is_turn_based(self) -> bool:
        """``True``: one player acts at a time."""
        return True
