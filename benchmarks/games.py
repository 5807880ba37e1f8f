"""The games by name, and loops that play them for a while: what the other programs here measure.

A new game joins every benchmark by one row of `GAMES`.
"""

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

import numba
import numpy as np

from hanabako.compiler.jit import rule
from hanabako.engine.game import Game
from hanabako.engine.loops import rollout_loops
from hanabako.engine.protocol import SAME_STEP
from hanabako.engine.sections import words_for
from hanabako.engine.turns import random_action
from hanabako.envs.vector import FORMATS, CardGameVectorEnv
from hanabi_env.engine.actions import first_announced_play, first_color_hint, first_play
from hanabi_env.engine.cards import suit_of
from hanabi_env.engine.rules import is_playable
from hanabi_env.engine.tiles import is_tile_pending

Play = Callable[[], int]
"""Plays for some milliseconds and returns the steps (decisions of one player) played."""

STEPS_A_CALL = 200_000
"""A compiled roll-out plays about so many steps a call: some milliseconds."""


@dataclass(frozen=True)
class BenchmarkGame:
    """A game that the benchmarks know."""

    name: str
    package: str
    module: str
    """Of the package: its PettingZoo environments."""
    players: tuple[int, ...]
    """Table sizes to measure."""
    policies: tuple[str, ...] = ("random",)
    """Who plays the roll-outs: see `roll_out_loop`."""
    presets: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Tables to compare, the standard one first: by name the keywords of the game's factories."""
    beside: Mapping[str, str] = field(default_factory=dict)
    """Presets that are compared with another than the first: one whose observation holds as much."""

    def make(self, players: int) -> Game:
        """The standard game for so many players."""
        return self._make_game(**self._seats(players))

    def make_preset(self, name: str) -> Game:
        """The game of one of `presets`."""
        return self._make_game(**self.presets[name])

    def make_aec(self, players: int, wrapped: bool) -> Any:
        """Its PettingZoo environment for so many players, with the standard wrappers or without."""
        module = import_module(f"{self.package}.{self.module}")
        return (module.env if wrapped else module.raw_env)(**self._seats(players))

    def _make_game(self, **keywords: Any) -> Game:
        return import_module(f"{self.package}.game").make_game(**keywords)

    def _seats(self, players: int) -> dict[str, int]:
        """A game whose number of players is fixed has no such field."""
        return {"players": players} if len(self.players) > 1 else {}


def named(*presets: str) -> dict[str, dict[str, Any]]:
    """A game's presets by their names."""
    return {name: {"preset": name} for name in presets}


LONG_HISTORY = "standard, history=5"
"""The standard game with as many last steps in the observation as bonus tiles need."""

GAMES = {
    "hanabi": BenchmarkGame(
        "hanabi",
        "hanabi_env",
        "hanabi_v0",
        players=(2, 3, 4, 5),
        policies=("random", "no misplay"),
        presets={
            **named("standard"),
            LONG_HISTORY: {"history": 5},
            **named("grands_feux", "avalanche_5", "avalanche_10", "black_powder", "flamboyants", "final_bouquet"),
            **named("choreography", "harder", "easier", "grands_feux_all", "all_extensions"),
            **named("mini", "small", "very_small"),
        },
        beside=dict.fromkeys(("flamboyants", "grands_feux_all", "all_extensions"), LONG_HISTORY),
    ),
    "ikebana": BenchmarkGame("ikebana", "ikebana_env", "ikebana_v0", players=(2, 3, 4, 5)),
    "koikoi": BenchmarkGame(
        "koikoi",
        "hanafuda_env",
        "koikoi_v0",
        players=(2,),
        presets=named("document", "document_options", "nintendo", "koikoi_japan"),
    ),
}


# --- Loops ------------------------------------------------------------------------------------------------------------


def roll_out_loop(
    game: Game,
    num_envs: int,
    observation: str | None,
    seats: str = "acting",
    policy: str = "random",
    num_threads: int = 1,
    tables: np.ndarray | None = None,
) -> Play:
    """Whole steps inside one compiled call: a random legal action, the transition, the next deal, mask and observation.

    Args:
        game: the configured game.
        num_envs: games played side by side.
        observation: ``"packed"``, ``"int8"``, ``"float32"``, or ``None`` for none.
        seats: whose observation: the ``"acting"`` player's or that of ``"all"``.
        policy: ``"random"`` legal actions, or ``"no misplay"``: random, but only cards that fit are played.
        num_threads: threads that share the games.
        tables: the games to play; fresh ones where ``None``.
    """
    tables = fresh_tables(game, num_envs) if tables is None else tables
    loops = game.loops(specialize=True)
    one, several = careful_rollouts(game) if policy == "no misplay" else (loops.rollout, loops.rollout_parallel)
    roll_out = one if num_threads == 1 else several
    views = 0 if observation is None else game.players if seats == "all" else 1
    kind = FORMATS[observation or "packed"]
    width = words_for(game.observation_bits) if kind is np.uint64 else game.observation_bits
    out = np.zeros((num_envs, views, width), kind)
    steps = max(1, STEPS_A_CALL // num_envs)
    played = 0

    def play() -> int:
        nonlocal played
        numba.set_num_threads(num_threads)
        roll_out(game.rules_array, tables, out, np.uint64(1), played, steps)
        played += steps
        return num_envs * steps

    return play


def fresh_tables(game: Game, num_envs: int) -> np.ndarray:
    """The dealt tables of ``num_envs`` games of seed 0."""
    loops = game.loops(specialize=True)
    tables = np.zeros(num_envs, game.table_dtype(specialize=True))
    loops.seed(tables, np.zeros(2, np.uint64))
    loops.reset(game.rules_array, tables, np.ones(num_envs, np.bool_))
    return tables


def state_bytes(game: Game) -> int:
    """Bytes of one game's state."""
    return game.table_dtype(specialize=True)["state"].itemsize


def vector_loop(game: Game, num_envs: int, observation: str, copy: bool, steps: int) -> Play:
    """The vector environment from Python, ``steps`` calls of `step` at a time.

    The actions were recorded beforehand: a random legal action costs NumPy more than the whole step. The same seed and
    actions are the same games, so they stay legal; the reset before each replay counts as part of it.
    """
    environment = CardGameVectorEnv(game, num_envs, observation=observation, copy=copy, specialize=True)
    actions = recorded_actions(environment, steps)

    def play() -> int:
        environment.reset(seed=0)
        for row in actions:
            environment.step(row)
        return num_envs * steps

    return play


def kernel_loop(game: Game, num_envs: int, observation: str, steps: int) -> Play:
    """What `vector_loop` plays without the environment around it: the compiled step called by hand."""
    environment = CardGameVectorEnv(game, num_envs, observation=observation, copy=False, specialize=True)
    actions = recorded_actions(environment, steps)
    buffers, _ = environment.reset(seed=0)
    seen, mask = buffers["observation"], buffers["action_mask"]
    loops, numbers, tables = game.loops(specialize=True), game.rules_array, fresh_tables(game, num_envs)
    final, everything, stream = np.zeros_like(seen), np.ones(num_envs, np.bool_), np.zeros(2, np.uint64)

    def play() -> int:
        loops.seed(tables, stream)
        loops.reset(numbers, tables, everything)
        step = loops.step
        for row in actions:
            step(numbers, tables, row, seen, mask, final, SAME_STEP)
        return num_envs * steps

    return play


def recorded_actions(environment: CardGameVectorEnv, steps: int) -> list[np.ndarray]:
    """``steps`` rows of random legal actions int64 (N,) that are legal from ``reset(seed=0)`` on."""
    generator = np.random.default_rng(0)
    observation, _ = environment.reset(seed=0)
    rows = []
    for _ in range(steps):
        rows.append(random_legal_actions(observation["action_mask"], generator))
        observation, *_ = environment.step(rows[-1])
    return rows


def random_legal_actions(mask: np.ndarray, generator: np.random.Generator) -> np.ndarray:
    """One uniformly random legal action int64 a row of ``mask`` (N, A): the place of the legal action drawn."""
    wanted = generator.integers(mask.sum(axis=1))
    return (mask.cumsum(axis=1) > wanted[:, None]).argmax(axis=1)


def aec_loop(environment: Any, games: int) -> Play:
    """Whole games of PettingZoo's loop: ``last()``, a random legal action, ``step()``; ``games`` of them a call."""
    environment.reset(seed=1)

    def play() -> int:
        steps = 0
        for _ in range(games):
            environment.reset()
            while environment.agents:
                observation, _, terminated, truncated, _ = environment.last()
                if terminated or truncated:
                    environment.step(None)
                    continue
                legal = observation["action_mask"].nonzero()[0]
                environment.step(legal[int(random.random() * len(legal))])
                steps += 1
        return steps

    return play


# --- Careful play -----------------------------------------------------------------------------------------------------

MOST_RETRIES = 64  # a careful roll-out looks this often for an action that is no plain error


def careful_rollouts(game: Game) -> tuple[Callable[..., None], Callable[..., None]]:
    """Roll-outs of random actions of Hanabi that play no card which does not fit."""
    return rollout_loops(game.functions, type(game.rules), game.rules, careful_move)


@rule
def careful_move(rules, table, stream, t):
    """A random legal action that is no misplay, if one is found soon."""
    action = random_action(table.mask, stream, t)
    for retry in range(1, MOST_RETRIES):
        if not is_misplay(rules, table.state, action):
            break
        action = random_action(table.mask, stream, (retry << 40) + t)
    return action


@rule
def is_misplay(rules, s, action):
    """The action plays a card that does not fit, or announces a wrong suit."""
    if is_tile_pending(rules, s):
        return False
    slot = action - first_play(rules)
    announced = -1
    if action >= first_announced_play(rules):
        slot = (action - first_announced_play(rules)) // rules.suits
        announced = (action - first_announced_play(rules)) % rules.suits
    elif action < first_play(rules) or action >= first_color_hint(rules):
        return False
    card = s.hands[s.current_player, slot]
    return not is_playable(rules, s, card) or (announced >= 0 and announced != suit_of(rules, card))
