"""The PettingZoo AEC environment of a card game. It also works without wrappers, which is faster."""

from collections.abc import Mapping
from copy import deepcopy
from operator import index
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv

from hanabako.compiler.numba_hooks.direct_calls import direct
from hanabako.engine.game import Game
from hanabako.engine.protocol import ENDED, REFUSED, REWARDED
from hanabako.envs.saved_tables import checked_tables, save_tables
from hanabako.extras import drawable
from hanabako.words.checks import as_index, check_options, check_render_mode, seed_after, shown
from hanabako.words.notation import player_name

__all__ = ["CardGameAEC", "without_ignored"]

RENDER_MODES = ("human", "ansi", "rgb_array")
INT8 = np.dtype(np.int8)
NO_AGENT = object()
"""A placeholder that equals no agent's name."""


class CardGameAEC(AECEnv[str, Any, Any]):
    """One game with the agents ``player_0`` to ``player_{n-1}``.

    An observation is ``{"observation": int8 (n,), "action_mask": int8 (A,)}``, in new arrays for each decision. The
    mask is all zeros for every agent except the player to move, and for all agents after the end. Rewards are those of
    the last step. Every agent's info also holds its ``action_mask`` (the same array) and, when a game ends, the game's
    statistics.

    Args:
        game: the configured game.
        render_mode: ``None``, ``"human"`` (prints the table after every reset and step), ``"ansi"`` (returns it as
            text) or ``"rgb_array"`` (returns pixels).

    Raises:
        ValueError: the ``render_mode`` is unknown, an action given to `step` is illegal, or an option of `reset` is
            wrong.
    """

    metadata: dict[str, Any]

    def __init__(self, game: Game, render_mode: str | None = None) -> None:
        super().__init__()
        check_render_mode(render_mode, RENDER_MODES)
        self.game = game
        self.config = game.config
        self.render_mode = render_mode
        self.metadata = {
            "name": game.name,
            "render_modes": drawable(RENDER_MODES),
            "render_fps": 2,
            "is_parallelizable": False,
        }
        self.possible_agents = [player_name(player) for player in range(game.players)]
        self._player_of = {agent: i for i, agent in enumerate(self.possible_agents)}
        self.agents: list[str] = []
        self._make_spaces()
        self._make_buffers()

    def _make_spaces(self) -> None:
        bits, actions = self.game.observation_bits, self.game.num_actions
        parts = {"observation": bits, "action_mask": actions}
        space = spaces.Dict({name: spaces.Box(0, 1, (length,), np.int8) for name, length in parts.items()})
        self.observation_spaces: dict[str, spaces.Space] = dict.fromkeys(self.possible_agents, space)
        self.action_spaces: dict[str, spaces.Space] = {name: spaces.Discrete(actions) for name in self.possible_agents}
        self.state_space = spaces.Box(0, 1, (self.game.players * bits,), np.int8)

    def _make_buffers(self) -> None:
        game = self.game
        self._loops = game.loops(specialize=False)
        self._rules_array = game.rules_array
        self._tables = np.zeros(1, game.table_dtype(specialize=False))
        self._octets = self._tables.view(np.uint8)  # for fast copies: field by field takes 20 us
        self._state = self._tables["state"].view(np.recarray)[0]
        self._episode = self._tables["state"]["episode"]
        self._rewards = self._tables["rewards"][0, : game.players]
        self._current_player = self._tables["current_player"]
        self._terminated = self._tables["terminated"]
        self._step_one = self._first_step_one
        self._stream = np.zeros(2, np.uint64)
        self._chosen = np.ones(1, np.bool_)
        self._bits, self._num_actions = game.observation_bits, game.num_actions
        self._no_actions = np.zeros(self._num_actions, INT8)
        self._no_actions.setflags(write=False)
        self._no_rewards = dict.fromkeys(self.possible_agents, 0.0)
        self._rewarded = False
        self._seed: int | None = None
        self._fresh: dict[str, np.ndarray] = {}
        self._fresh_for: object = NO_AGENT  # whose observation is in `_fresh`; NO_AGENT once it was returned

    # --- PettingZoo's methods -----------------------------------------------------------------------------------------

    def observation_space(self, agent: str) -> spaces.Space:
        """Return the observation space of an agent: the same object on every call."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space:
        """Return the action space of an agent: the same object on every call."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a game: the game with index ``options["game_index"]`` (default 0) of ``seed``.

        Without a seed, the next game of the current seed begins.

        Args:
            seed: an int from 0 to 2^64 - 1.
            options: ``game_index``; ``state``, a dict from `to_dict`; and the game's own options for deals. The key
                ``options`` is ignored, because PettingZoo's tests pass it.

        Raises:
            ValueError: an option is unknown, or a seed, state or deck is wrong. After this or any other exception (such
                as an interrupt) the environment is unchanged.
        """
        options = self._known_options(options)
        octets, attributes = self._octets.tobytes(), self.__dict__.copy()
        try:
            self._begin(seed, options)
            if options:
                self._place(options)
            self._start_agents()
        except BaseException:
            self.__dict__.clear()
            self.__dict__.update(attributes)
            self._octets[:] = np.frombuffer(octets, np.uint8)
            raise
        if self.render_mode == "human":
            self.render()

    def _known_options(self, options: Any) -> dict[str, Any]:
        if options is None:
            return {}
        if isinstance(options, Mapping):
            options = without_ignored(options)
        check_options(options, ("game_index", "state", *self.game.deal_options))
        return options

    def _begin(self, seed: int | None, options: dict[str, Any]) -> None:
        if seed is not None or self._seed is None or "game_index" in options:
            self._seed = seed_after(self._seed, seed)
            self._stream[0] = self._seed
            self._stream[1] = as_index("game_index", options.get("game_index", 0), 2**63 - 1)
            self._loops.seed(self._tables, self._stream)
        else:
            self._episode[0] += 1
        self._loops.reset(self._rules_array, self._tables, self._chosen)

    def _place(self, options: dict[str, Any]) -> None:
        """Load the state or deal that ``options`` name."""
        deal = {name: options[name] for name in self.game.deal_options if name in options}
        if "state" in options:
            if deal:
                raise ValueError(f"give either state or {next(iter(deal))}, not both")
            self.game.load_position(self._state, options["state"])
        self.game.load_deal(self._state, deal)
        self._loops.refresh(self._rules_array, self._tables)

    def _start_agents(self) -> None:
        agents = self.possible_agents
        self.agents = agents[:]
        self.rewards = self._no_rewards.copy()
        self._cumulative_rewards = self._no_rewards.copy()
        self.terminations = dict.fromkeys(agents, bool(self._terminated[0]))
        self.truncations = dict.fromkeys(agents, False)
        player = int(self._current_player[0])
        self.agent_selection = self._fresh_for = agents[player]
        self._fresh = self._observation_of(player)
        self.infos = {agent: {"action_mask": self._no_actions} for agent in agents}
        self.infos[self.agent_selection]["action_mask"] = self._fresh["action_mask"]
        self._skip_agent_selection = None
        self._rewarded = False

    def __getattr__(self, name: str) -> Any:
        """Raise AttributeError, as PettingZoo's wrapper does, for attributes that do not exist before `reset`."""
        if name in ("agent_selection", "rewards", "terminations", "truncations", "infos"):
            raise AttributeError(f"{name} does not exist before reset: call reset first")
        raise AttributeError(f"{type(self).__name__} has no attribute {name!r}")

    def step(self, action: Any) -> None:
        """Take the selected agent's action; if it is no int or illegal, raise ``ValueError`` and change nothing."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        observation = np.empty(self._bits, INT8)
        mask = np.empty(self._num_actions, INT8)
        try:
            number = -1 if action is True or action is False else index(action)
            code = self._step_one(self._rules_array, self._tables, number, observation, mask)
        except (TypeError, OverflowError):
            code = REFUSED
        if code == REFUSED:
            raise ValueError(self._why_refused(action))
        self._cumulative_rewards[agent] = 0.0
        if code >= REWARDED or self._rewarded:
            self._give_rewards(code >= REWARDED)
        self.agent_selection = self._fresh_for = following = self.possible_agents[code & 255]
        infos = self.infos
        infos[agent]["action_mask"] = self._no_actions
        infos[following]["action_mask"] = mask
        self._fresh = {"observation": observation, "action_mask": mask}
        if code & ENDED:
            self._end()
        if self.render_mode == "human":
            self.render()

    def _first_step_one(self, *arguments: Any) -> int:
        """Take the first step, which compiles. All later calls have arguments of the same types and go directly."""
        code = self._loops.step_one(*arguments)
        self._step_one = direct(self._loops.step_one, *arguments)
        return code

    def _why_refused(self, action: Any) -> str:
        try:
            number = as_index("action", action, self.game.num_actions - 1)
        except ValueError as error:
            return str(error)
        return f"action {number} ({self.action_to_str(number)}) is not legal for {self.agent_selection} now"

    def _give_rewards(self, rewarded: bool) -> None:
        """Set `rewards` to this step's, and add them to every agent's rewards since its own last step."""
        self._rewarded = rewarded
        self.rewards = dict(zip(self.possible_agents, self._rewards.tolist(), strict=True))
        if rewarded:
            for agent, reward in self.rewards.items():
                self._cumulative_rewards[agent] += reward

    def _end(self) -> None:
        table = self._tables[0]
        ending = {name: int(table[name]) for name in ("length", *self.game.statistics)}
        ending = self.game.describe_end(ending)
        self.terminations = dict.fromkeys(self.agents, True)
        self.infos = {agent: {**ending, "action_mask": self._no_actions} for agent in self.agents}
        self._deads_step_first()

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        """Return the current observation of ``agent``: ``observation`` int8 (n,) and ``action_mask`` int8 (A,).

        Raises:
            gymnasium.error.ResetNeeded: `reset` was never called.
            ValueError: there is no such agent.
        """
        if agent == self._fresh_for:
            self._fresh_for = NO_AGENT
            return self._fresh
        if "agent_selection" not in self.__dict__:
            raise gymnasium.error.ResetNeeded("call reset before observe")
        return self._observation_of(self._player(agent))

    def _observation_of(self, player: int) -> dict[str, np.ndarray]:
        observation = np.empty((1, self._bits), INT8)
        mask = np.empty((1, self._num_actions), INT8)
        self._loops.observe(self._rules_array, self._tables, player, observation, mask)
        return {"observation": observation[0], "action_mask": mask[0]}

    def _player(self, agent: str) -> int:
        try:
            return self._player_of[agent]
        except (KeyError, TypeError):  # TypeError: unhashable, such as a list
            raise ValueError(f"agent must be one of {', '.join(self.possible_agents)}, got {shown(agent)}") from None

    def last(self, observe: bool = True) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Return the selected agent's observation (or ``None``), reward since its last step, ended flags, and info."""
        agent = self.agent_selection
        return (
            self.observe(agent) if observe else None,
            self._cumulative_rewards[agent],
            self.terminations[agent],
            self.truncations[agent],
            self.infos[agent],
        )

    def state(self) -> np.ndarray:
        """Return the observations of all players in one array int8 (P * n,), for centralised critics."""
        return np.concatenate([self.observe(agent)["observation"] for agent in self.possible_agents])

    def render(self) -> str | np.ndarray | None:
        """Draw the whole table, hidden cards included, in the format of ``render_mode``."""
        if self.render_mode is None:
            gymnasium.logger.warn("render() needs a render_mode")
            return None
        if self.render_mode == "human":
            print(self.game.render(self.to_dict(), "ansi"))
            return None
        return self.game.render(self.to_dict(), self.render_mode)

    def _repr_svg_(self) -> str | None:
        """Return the table as SVG, for notebooks."""
        return None if self._seed is None else self.game.render(self.to_dict(), "svg")

    def close(self) -> None:
        """Do nothing: there is nothing to close."""

    # --- Further methods of the unwrapped environment -----------------------------------------------------------------

    @property
    def tables(self) -> np.ndarray:
        """The record of this table as an array of length 1, which bots read. Do not write to it."""
        return self._tables

    def action_to_str(self, action: int) -> str:
        """Return the text of ``action``; raise ``ValueError`` if there is no such action."""
        return self.game.action_to_str(self._state, as_index("action", action, self.game.num_actions - 1))

    def str_to_action(self, text: str) -> int:
        """Return the action that ``text`` names; raise ``ValueError`` if it names none."""
        return self.game.str_to_action(self._state, text)

    def to_dict(self) -> dict[str, Any]:
        """Return the whole state, hidden cards included, in plain Python types and card names."""
        if self._seed is None:
            raise gymnasium.error.ResetNeeded("call reset before to_dict")
        return self.game.to_dict(self._state)

    def copy(self) -> "CardGameAEC":
        """Return an independent environment in the same state with the same random stream."""
        twin = object.__new__(type(self))
        CardGameAEC.__init__(twin, self.game, self.render_mode)
        twin._tables[:] = self._tables
        twin._seed = self._seed
        twin.__dict__.update(self._agents_now())
        return twin

    def _agents_now(self) -> dict[str, Any]:
        """Return copies of PettingZoo's attributes that a step changes."""
        names = ("agents", "rewards", "_cumulative_rewards", "terminations", "truncations", "infos", "agent_selection")
        attributes = (*names, "_skip_agent_selection", "_rewarded")
        return {name: deepcopy(getattr(self, name)) for name in attributes if hasattr(self, name)}

    def adopt(self, table: np.void, seed: int | None) -> None:
        """Copy the state of a vector environment's table, whose record may have smaller arrays."""
        copy_record(table, self._tables[0])
        self._seed = seed
        self._start_agents()

    def __getstate__(self) -> dict[str, Any]:
        """Return the contents of a pickle: the game, its table with a checksum, and the agents. No compiled code."""
        saved = save_tables(self._tables, self.game.config)
        now = {"seed": self._seed, "agents": self._agents_now()}
        return {"game": self.game, "render_mode": self.render_mode, "saved": saved, **now}

    def __setstate__(self, pickled: dict[str, Any]) -> None:
        CardGameAEC.__init__(self, pickled["game"], pickled["render_mode"])
        self._tables[:] = checked_tables(pickled["saved"], self._tables, self.game, self._loops)
        self._seed = pickled["seed"]
        self.__dict__.update(pickled["agents"])


def without_ignored(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of a reset without the key ``options``, which PettingZoo's wrappers and tests pass."""
    return {name: value for name, value in options.items() if name != "options"}


def copy_record(source: np.void, target: np.void) -> None:
    """Copy a record's fields to a record with the same fields, whose arrays are as large or larger."""
    for name in source.dtype.names or ():
        value = source[name]
        if isinstance(value, np.void):
            copy_record(value, target[name])
        elif isinstance(value, np.ndarray):
            target[name][tuple(slice(n) for n in value.shape)] = value
        else:
            target[name] = value
