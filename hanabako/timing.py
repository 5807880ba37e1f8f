"""How games are timed: loops that play for some milliseconds, and the steps per second that they make."""

import time
from collections.abc import Callable
from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

from .engine.game import Game
from .engine.sections import words_for
from .envs.vector import CardGameVectorEnv

Play = Callable[[], int]
"""Plays for some milliseconds and returns the steps (decisions of one player) played."""

STEPS_PER_CALL = 200_000
"""A compiled roll-out plays about that many steps per call: some milliseconds."""


def steps_per_second(play: Play, seconds: float, clock: Callable[[], float] = time.process_time) -> float:
    """Steps per second of the clock over at least that many ``seconds`` of it."""
    steps, spent, started = 0, 0.0, clock()
    while spent <= 0 or spent < seconds:
        steps += play()
        spent = clock() - started
    return steps / spent


def rollout_loop(
    game: Game,
    num_envs: int,
    views: int,
    kind: Any = np.uint64,
    num_threads: int = 1,
    tables: NDArray[Any] | None = None,
    rollout: Any = None,
) -> Play:
    """Return a `Play` of whole steps in one compiled call: random action, transition, next deal, mask, observation.

    The ``num_envs`` games are played side by side, shared by ``num_threads`` threads; ``views`` players observe,
    beginning with the player to move. With the ``kind`` uint64 observations are packed, any other dtype has one number
    per bit. The ``tables`` are by default new, and the compiled loop ``rollout`` is the game's own.
    """
    tables = fresh_tables(game, num_envs) if tables is None else tables
    loops = game.loops(specialize=True)
    rollout = rollout or (loops.rollout if num_threads == 1 else loops.rollout_parallel)
    width = words_for(game.observation_bits) if kind is np.uint64 else game.observation_bits
    out = np.zeros((num_envs, views, width), kind)
    steps = max(1, STEPS_PER_CALL // num_envs)
    played = 0

    def play() -> int:
        nonlocal played
        numba.set_num_threads(num_threads)
        rollout(game.rules_array, tables, out, np.uint64(1), played, steps)
        played += steps
        return num_envs * steps

    return play


def fresh_tables(game: Game, num_envs: int) -> NDArray[Any]:
    """The dealt tables of ``num_envs`` games of seed 0."""
    loops = game.loops(specialize=True)
    tables = np.zeros(num_envs, game.table_dtype(specialize=True))
    loops.seed(tables, np.zeros(2, np.uint64))
    loops.reset(game.rules_array, tables, np.ones(num_envs, np.bool_))
    return tables


def vector_loop(game: Game, num_envs: int, observation: str, copy: bool, steps: int) -> Play:
    """Return a `Play` of the vector environment from Python, ``steps`` calls of `step` at a time.

    The actions are recorded beforehand, because NumPy takes longer for random legal actions than for the whole step.
    The same seed gives the same games, so they stay legal. The time includes the reset before each replay.
    """
    environment = CardGameVectorEnv(game, num_envs, observation=observation, copy=copy, specialize=True)
    actions = recorded_actions(environment, steps)

    def play() -> int:
        environment.reset(seed=0)
        for row in actions:
            environment.step(row)
        return num_envs * steps

    return play


def recorded_actions(environment: CardGameVectorEnv, steps: int) -> list[NDArray[np.int64]]:
    """``steps`` rows of random legal actions int64 (N,) that are legal from ``reset(seed=0)`` on."""
    generator = np.random.default_rng(0)
    observation, _ = environment.reset(seed=0)
    rows = []
    for _ in range(steps):
        rows.append(random_legal_actions(observation["action_mask"], generator))
        observation, *_ = environment.step(rows[-1])
    return rows


def random_legal_actions(mask: NDArray[np.int8], generator: np.random.Generator) -> NDArray[np.int64]:
    """One uniformly random legal action int64 per row of ``mask`` (N, A): the place of the legal action drawn."""
    wanted = generator.integers(mask.sum(axis=1))
    return (mask.cumsum(axis=1) > wanted[:, None]).argmax(axis=1)
