"""The vector environment of a card game for self-play: many tables, one compiled call per step."""

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space

from hanabako.engine.game import Game
from hanabako.engine.protocol import DISABLED, NEXT_STEP, SAME_STEP
from hanabako.engine.sections import words_for
from hanabako.envs.saved_tables import checked_tables, have_begun, save_tables
from hanabako.extras import drawable
from hanabako.words.checks import (
    as_bool,
    as_index,
    as_seed,
    check_keys,
    check_options,
    check_render_mode,
    seed_after,
    shown,
    usable_threads,
)

__all__ = ["CardGameVectorEnv", "TableVectorEnv"]

MODES = {AutoresetMode.SAME_STEP: SAME_STEP, AutoresetMode.NEXT_STEP: NEXT_STEP, AutoresetMode.DISABLED: DISABLED}
RENDER_MODES = ("ansi", "rgb_array")
FORMATS = {"int8": np.int8, "float32": np.float32, "packed": np.uint64}
INT64 = np.dtype(np.int64)
MOST_ENVS = 2**24
"""The largest number of tables: far more than fit into memory."""

SPECIALIZE_FROM = 256
"""The number of tables from which loops are specialized to the configuration by default."""


class TableVectorEnv(gymnasium.vector.VectorEnv):
    """The arguments and spaces of every vector environment of a game. They are those of `CardGameVectorEnv`."""

    def __init__(self, game: Game, num_envs: int, seed: int | None, observation: str, autoreset_mode: Any) -> None:
        self.num_envs = as_index("num_envs", num_envs, MOST_ENVS, least=1)
        if not isinstance(observation, str) or observation not in FORMATS:
            raise ValueError(f"observation must be one of {', '.join(map(repr, FORMATS))}, got {shown(observation)}")
        self.autoreset_mode = as_autoreset_mode(autoreset_mode)
        self.game = game
        self.config = game.config
        self.observation_format = observation
        self._seed = None if seed is None else as_seed(seed)
        self._was_reset = False
        parts: dict[str, spaces.Space] = {
            "observation": observation_space(game, observation),
            "action_mask": spaces.Box(0, 1, (game.num_actions,), np.int8),
        }
        self.single_observation_space = spaces.Dict(parts)
        self.single_action_space = spaces.Discrete(game.num_actions)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)


class CardGameVectorEnv(TableVectorEnv):
    """``num_envs`` tables of one game. A step is one decision of the current player at every table.

    Observations are dicts of ``observation`` (N, n), in the chosen format, and ``action_mask`` int8 (N, A), both for
    the player to move. The reward is the team's in a cooperative game, and otherwise that of the player who just acted.
    ``infos`` always holds ``current_player`` int64 (N,) and ``rewards`` float64 (N, P). When games end, it also holds
    dense arrays with Gymnasium's ``_name`` masks: ``final_obs`` (a dict like the observation, SAME_STEP only),
    ``returns`` float64 (N, P) (each player's sum of rewards), ``illegal`` and the game's statistics.

    An action that is illegal or out of range ends its game, but affects no other game. The player who chose it gets
    reward -1, all others get 0, and ``illegal`` is set in the infos. In mode DISABLED a step leaves finished games as
    they are (reward 0, still terminated) until ``reset(options={"reset_mask": ...})``. In the other modes, a step at a
    table whose ``state`` was given as a finished game deals the next game.

    Args:
        game: the configured game.
        num_envs: the number of tables, 1 to 2^24.
        seed: seed of the first `reset` that is called without one; ``None`` draws one.
        observation: ``"int8"``, ``"float32"`` (one number per bit) or ``"packed"`` (uint64 words, lowest bit first).
        num_threads: the number of threads of the compiled step.
        autoreset_mode: Gymnasium's mode or its value.
        copy: ``False`` returns views of buffers that the next step overwrites.
        specialize: whether to compile loops for this configuration only; ``None`` does so from 256 tables on.
        render_mode: what `render` returns for every table: ``None``, ``"ansi"`` or ``"rgb_array"``.

    Raises:
        ValueError: an argument is wrong; the message has its name and value.
    """

    def __init__(
        self,
        game: Game,
        num_envs: int,
        seed: int | None = None,
        observation: str = "int8",
        num_threads: int = 1,
        autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP,
        copy: bool = True,
        specialize: bool | None = None,
        render_mode: str | None = None,
    ) -> None:
        super().__init__(game, num_envs, seed, observation, autoreset_mode)
        check_render_mode(render_mode, RENDER_MODES)
        self.num_threads = usable_threads(num_threads)
        self.copy_buffers = as_bool("copy", copy)
        self.render_mode = render_mode
        self.metadata = {
            "name": game.name,
            "autoreset_mode": self.autoreset_mode,
            "render_modes": drawable(RENDER_MODES),
            "render_fps": 2,
        }
        self._mode = MODES[self.autoreset_mode]
        few = self.num_envs < SPECIALIZE_FROM
        self._make_buffers(not few if specialize is None else as_bool("specialize", specialize))

    def _make_buffers(self, specialize: bool) -> None:
        self._specialize = specialize
        loops = self.game.loops(specialize)
        self._loops = loops
        self._rules_array = self.game.rules_array
        self._tables = np.zeros(self.num_envs, self.game.table_dtype(specialize))
        self._octets: Any = self._tables.view(np.uint8).reshape(self.num_envs, -1)  # for fast copies of whole tables
        self._states = self._tables["state"].view(np.recarray)
        self._reward = self._tables["reward"]
        self._rewards = self._tables["rewards"][:, : self.game.players]
        self._returns = self._tables["returns"][:, : self.game.players]
        self._terminated = self._tables["terminated"]
        self._current_player = self._tables["current_player"]
        self._statistics = ("illegal", "length", *self.game.statistics)
        self._step = loops.step if self.num_threads == 1 else self._step_with_threads
        space = observation_space(self.game, self.observation_format)
        shape = (self.num_envs, *space.shape)
        self._observation = np.zeros(shape, space.dtype)
        self._final = np.zeros(shape if self._mode == SAME_STEP else (self.num_envs, 0), space.dtype)
        self._mask = np.zeros((self.num_envs, self.game.num_actions), np.int8)
        self._no_mask = np.zeros_like(self._mask)
        self._buffers = {"observation": self._observation, "action_mask": self._mask}
        self._truncations = np.zeros(self.num_envs, np.bool_)

    def _step_with_threads(self, *arguments: Any) -> int:
        import numba

        before = numba.get_num_threads()
        numba.set_num_threads(self.num_threads)
        try:
            return self._loops.step_parallel(*arguments)
        finally:
            numba.set_num_threads(before)

    # --- Gymnasium's methods ------------------------------------------------------------------------------------------

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[dict, dict]:
        """Begin games. With a seed, table ``i`` plays game ``i`` of that seed; without one, each table's next game.

        Args:
            seed: an int from 0 to 2^64 - 1.
            options: ``reset_mask`` bool (N,), the tables to reset, of which the first reset takes all; ``game_index``,
                the index of table 0's game for this seed, or for the last one; ``state`` or the game's own options for
                deals, either one value for every table or a dict from table to value.

        Raises:
            ValueError: an option is unknown or wrong, or a state or deck is impossible.
        """
        options = {} if options is None else options
        check_options(options, ("reset_mask", "game_index", "state", *self.game.deal_options))
        first = first_game(options)
        seed = None if seed is None else as_seed(seed)
        chosen = as_reset_mask(options.get("reset_mask"), self.num_envs)
        given = self._given(options, chosen)
        is_of_a_seed = seed is not None or first is not None or not self._was_reset
        changed = np.ones_like(chosen) if is_of_a_seed else chosen  # a few tables, if games end one by one
        before, of_seed = self._octets[changed], (self._seed, self._was_reset)
        try:
            self._begin(seed, first, chosen, is_of_a_seed)
            self._place(given)
            self._observe()
        except BaseException:
            self._octets[changed], (self._seed, self._was_reset) = before, of_seed
            if self._was_reset:
                self._observe()
            raise
        return self._observations(), self._running_infos()

    def _begin(self, seed: int | None, first: int | None, chosen: np.ndarray, is_of_a_seed: bool) -> None:
        if is_of_a_seed:
            self._seed = seed_after(self._seed, seed)
            if not self._was_reset:
                chosen = np.ones_like(chosen)  # all must begin once
            self._begin_games(chosen, np.array([self._seed, first or 0], np.uint64))
            self._was_reset = True
        else:
            self._begin_games(chosen)

    def _begin_games(self, chosen: np.ndarray, stream: np.ndarray | None = None) -> None:
        """Deal the chosen tables' next games, or those of a new ``stream`` (its seed and the first game's index)."""
        if stream is None:
            self._tables["state"]["episode"][chosen] += 1
        else:
            kept = self._tables[~chosen]
            self._loops.seed(self._tables, stream)
            self._tables[~chosen] = kept
        self._loops.reset(self._rules_array, self._tables, chosen)

    def _observe(self) -> None:
        """Write the observations and legal actions of the players to move."""
        self._loops.observe(self._rules_array, self._tables, -1, self._observation, self._mask)

    def _given(self, options: dict[str, Any], chosen: np.ndarray) -> dict[int, dict[str, Any]]:
        """Return, by table, the given state or deal. Tables that are dealt at random are left out."""
        by_table: dict[int, dict[str, Any]] = {}
        for name in ("state", *self.game.deal_options):
            if name not in options:
                continue
            value = options[name]
            by_index = value if _is_by_index(value) else dict.fromkeys(np.flatnonzero(chosen).tolist(), value)
            for table, own in by_index.items():
                if isinstance(table, bool) or not 0 <= table < self.num_envs or not chosen[table]:
                    raise ValueError(
                        f"{name} is given for table {shown(table)}, but the tables that are reset are "
                        f"{shown(np.flatnonzero(chosen).tolist())}"
                    )
                by_table.setdefault(int(table), {})[name] = own
        for table, own in by_table.items():
            if "state" in own and len(own) > 1:
                others = ", ".join(set(own) - {"state"})
                raise ValueError(f"give either state or {others} for table {table}, not both")
        return by_table

    def _place(self, given: dict[int, dict[str, Any]]) -> None:
        """Load the given states and deals into their tables."""
        for table, own in given.items():
            deal = {name: value for name, value in own.items() if name != "state"}
            if "state" in own:
                self.game.load_position(self._states[table], own["state"])
            self.game.load_deal(self._states[table], deal)
            self._loops.refresh(self._rules_array, self._tables[table : table + 1])

    def step(self, actions: Any) -> tuple[dict, np.ndarray, np.ndarray, np.ndarray, dict]:
        """Take one action of the current player at every table.

        Args:
            actions: integers (N,), an array or a sequence.

        Returns:
            The observations of the next players, rewards float64 (N,), terminations and truncations bool (N,), infos.

        Raises:
            ValueError: the actions are not integers of shape (N,).
            gymnasium.error.ResetNeeded: `reset` was never called.
        """
        if (
            type(actions) is not np.ndarray
            or actions.dtype is not INT64
            or actions.shape != (self.num_envs,)
            or not actions.flags.carray
        ):
            actions = as_actions(actions, self.num_envs)
        if not self._was_reset:
            raise gymnasium.error.ResetNeeded("call reset before step")
        ended = self._step(
            self._rules_array, self._tables, actions, self._observation, self._mask, self._final, self._mode
        )
        infos = self._running_infos()
        if ended:
            self._add_ends(infos)
        if self.copy_buffers:
            reward, terminated = self._reward.copy(), self._terminated.copy()
            return self._observations(), reward, terminated, self._truncations.copy(), infos
        return self._buffers, self._reward, self._terminated, self._truncations, infos

    def _shown(self, values: Any) -> Any:
        return values.copy() if self.copy_buffers else values

    def _observations(self) -> dict[str, np.ndarray]:
        if self.copy_buffers:
            return {"observation": self._observation.copy(), "action_mask": self._mask.copy()}
        return self._buffers

    def _running_infos(self) -> dict[str, Any]:
        return {"current_player": self._shown(self._current_player), "rewards": self._shown(self._rewards)}

    def _add_ends(self, infos: dict[str, Any]) -> None:
        """Add to the infos the statistics of games that just ended and, in mode SAME_STEP, their last observations."""
        ended = self._tables["ended"].copy()
        for name in self._statistics:
            infos |= {name: self._shown(self._tables[name]), f"_{name}": ended}
        infos |= {"returns": self._shown(self._returns), "_returns": ended}
        if self._mode == SAME_STEP:
            final, mask = self._shown(self._final), self._shown(self._no_mask)
            infos |= {"final_obs": {"observation": final, "action_mask": mask}, "_final_obs": ended}

    @property
    def tables(self) -> np.ndarray:
        """The records (N,) on which the loops work. Read or copy them; every step overwrites them."""
        return self._tables

    # --- Every player's view ------------------------------------------------------------------------------------------

    def observe_all(self) -> dict[str, np.ndarray]:
        """Return all players' observations: ``observation`` (N, P, n) and ``action_mask`` (N, P, A).

        A mask is all zeros for players who are not to move.

        Raises:
            gymnasium.error.ResetNeeded: `reset` was never called.
        """
        if not self._was_reset:
            raise gymnasium.error.ResetNeeded("call reset before observe_all")
        players = self.game.players
        observation = np.empty((self.num_envs, players, *self._observation.shape[1:]), self._observation.dtype)
        mask = np.empty((self.num_envs, players, self.game.num_actions), np.int8)
        rows, mask_rows = np.empty_like(self._observation), np.empty_like(self._mask)
        for player in range(players):
            self._loops.observe(self._rules_array, self._tables, player, rows, mask_rows)
            observation[:, player], mask[:, player] = rows, mask_rows
        return {"observation": observation, "action_mask": mask}

    # --- One table ----------------------------------------------------------------------------------------------------
    # An ``index`` or action out of range is a ValueError; before the first `reset` they raise ResetNeeded.

    def _state(self, index: int) -> Any:
        if not self._was_reset:
            raise gymnasium.error.ResetNeeded("call reset first")
        return self._states[as_index("index", index, self.num_envs - 1)]

    def to_dict(self, index: int) -> dict[str, Any]:
        """Return the whole state of table ``index``, hidden cards included, in plain Python types and card names."""
        return self.game.to_dict(self._state(index))

    def action_to_str(self, index: int, action: int) -> str:
        """Return the text of ``action`` at table ``index``; raise ``ValueError`` if there is no such action."""
        return self.game.action_to_str(self._state(index), as_index("action", action, self.game.num_actions - 1))

    def str_to_action(self, index: int, text: str) -> int:
        """Return the action that ``text`` names at table ``index``; raise ``ValueError`` if it names none."""
        return self.game.str_to_action(self._state(index), text)

    def render(self) -> tuple[Any, ...] | None:
        """Draw every table, hidden cards included: texts, or pixels uint8 (height, width, 3), as ``render_mode`` says.

        Without a ``render_mode`` this warns and returns ``None``. A picture takes as long as hundreds of steps.
        """
        if self.render_mode is None:
            gymnasium.logger.warn("render() needs a render_mode")
            return None
        return tuple(self.game.render(self.to_dict(i), self.render_mode) for i in range(self.num_envs))

    @property
    def arguments(self) -> tuple[Any, ...]:
        """The arguments that make such an environment, in the order of `CardGameVectorEnv`."""
        first = (self.game, self.num_envs, self._seed, self.observation_format, self.num_threads)
        return (*first, self.autoreset_mode, self.copy_buffers, self._specialize, self.render_mode)

    # --- Copies and checkpoints ---------------------------------------------------------------------------------------

    def copy(self, index: int | None = None) -> Any:
        """Return an independent environment in the same state with the same random streams.

        It has all tables or, with an ``index``, only that table, as an unwrapped AEC environment.
        """
        if index is not None:
            from hanabako.envs.aec import CardGameAEC

            aec = CardGameAEC(self.game)
            self._state(index)
            aec.adopt(self._tables[int(index)], self._seed)
            return aec
        twin = CardGameVectorEnv(*self.arguments)
        twin._take(self._tables, self._seed, self._was_reset)
        return twin

    def get_state(self) -> dict[str, Any]:
        """Return everything that future steps depend on.

        Returns:
            A dict of ``tables`` uint8 (N, bytes per table), ``seed`` int or ``None``, ``was_reset`` bool, ``config``
            (the configuration's ``repr``) and ``checksum`` (SHA-256 of the tables).
        """
        saved = save_tables(self._tables, self.config)
        return {**saved, "seed": self._seed, "was_reset": self._was_reset}

    def set_state(self, state: dict[str, Any]) -> None:
        """Continue from the `get_state` of an environment with the same configuration and number of tables.

        Raises:
            ValueError: the dict lacks entries, belongs to another configuration or number of tables, has a wrong seed,
                or has tables that are damaged or that no game leads to. The environment is then unchanged.
        """
        check_keys("a state", "get_state()", state, ("tables", "seed", "was_reset", "config", "checksum"))
        tables = checked_tables(state, self._tables, self.game, self._loops)
        seed = None if state["seed"] is None else as_seed(state["seed"])
        was_reset = as_bool("was_reset", state["was_reset"])
        if (have_begun(tables) != was_reset).any():
            raise ValueError(f"was_reset must be whether all tables were dealt to, got {was_reset}")
        self._take(tables, seed, was_reset)

    def _take(self, tables: np.ndarray, seed: int | None, was_reset: bool) -> None:
        self._tables[:] = tables
        self._seed, self._was_reset = seed, was_reset
        if self._was_reset:
            self._observe()

    def __getstate__(self) -> dict[str, Any]:
        """Return the contents of a pickle: the arguments and `get_state`. No compiled code."""
        return {"arguments": self.arguments, "now": self.get_state()}

    def __setstate__(self, pickled: dict[str, Any]) -> None:
        CardGameVectorEnv.__init__(self, *pickled["arguments"])
        self.set_state(pickled["now"])


def as_autoreset_mode(value: Any) -> AutoresetMode:
    """Return Gymnasium's mode from a mode or its value; raise ValueError if it is neither."""
    try:
        return AutoresetMode(value)
    except (ValueError, RecursionError):
        values = ", ".join(mode.value for mode in MODES)
        raise ValueError(f"autoreset_mode must be one of {values}, got {shown(value)}") from None


def as_reset_mask(mask: Any, count: int) -> np.ndarray:
    """Return which games to reset, bool (count,); None means all. Raise ValueError if the mask is no such array."""
    if mask is None:
        return np.ones(count, np.bool_)
    chosen = np.asarray(mask)
    if chosen.dtype != np.bool_ or chosen.shape != (count,):
        raise ValueError(f"reset_mask must be a bool array of shape ({count},), got {shown(mask)}")
    return np.array(chosen, order="C")  # writable, as Numba would compile the loops again for another kind


def first_game(options: dict[str, Any]) -> int | None:
    """Return the option ``game_index`` of a reset, None without one; raise ValueError if it is wrong."""
    return as_index("game_index", options["game_index"], 2**63 - 1) if "game_index" in options else None


def as_actions(actions: Any, count: int) -> np.ndarray:
    """Return the actions as a new array int64 (count,), writable and contiguous.

    For an array of another kind Numba would compile the step again.

    Raises:
        ValueError: the actions are not integers of that shape.
    """
    array = np.asarray(actions)
    if array.shape != (count,) or array.dtype.kind not in "iu":
        raise ValueError(f"actions must be integers of shape ({count},), got {array.dtype} of shape {array.shape}")
    if array.dtype == np.uint64:
        array = np.minimum(array, np.uint64(2**63 - 1))
    return np.array(array, np.int64, order="C")


def observation_space(game: Game, form: str) -> spaces.Box:
    """Return the space of one observation in one of `FORMATS`."""
    kind = FORMATS[form]
    if kind is np.uint64:
        return spaces.Box(0, 2**64 - 1, (words_for(game.observation_bits),), kind)
    return spaces.Box(0, 1, (game.observation_bits,), kind)


def _is_by_index(value: Any) -> bool:
    """Whether a value is a dict from table to value. An empty dict is not: it is one value for all tables."""
    return isinstance(value, dict) and bool(value) and all(isinstance(key, (int, np.integer)) for key in value)
