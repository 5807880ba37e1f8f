"""Loops that play a game for some milliseconds: what the programs beside this one measure."""

import random
from collections.abc import Callable
from typing import Any

import numba
import numpy as np

from benchmarks.speed.careful import careful_rollouts
from hanabako.engine.game import Game
from hanabako.engine.protocol import SAME_STEP
from hanabako.engine.sections import words_for
from hanabako.envs.vector import FORMATS, CardGameVectorEnv

Play = Callable[[], int]
"""Plays for some milliseconds and returns the steps (decisions of one player) played."""

STEPS_PER_CALL = 200_000
"""A compiled roll-out plays about that many steps per call: some milliseconds."""


def rollout_loop(
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
        tables: the games to play; fresh ones if ``None``.
    """
    tables = fresh_tables(game, num_envs) if tables is None else tables
    loops = game.loops(specialize=True)
    one, several = careful_rollouts(game) if policy == "no misplay" else (loops.rollout, loops.rollout_parallel)
    rollout = one if num_threads == 1 else several
    views = 0 if observation is None else game.players if seats == "all" else 1
    kind = FORMATS[observation or "packed"]
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
    loops, rules, tables = game.loops(specialize=True), game.rules_array, fresh_tables(game, num_envs)
    final, everything, stream = np.zeros_like(seen), np.ones(num_envs, np.bool_), np.zeros(2, np.uint64)

    def play() -> int:
        loops.seed(tables, stream)
        loops.reset(rules, tables, everything)
        step = loops.step
        for row in actions:
            step(rules, tables, row, seen, mask, final, SAME_STEP)
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
    """One uniformly random legal action int64 per row of ``mask`` (N, A): the place of the legal action drawn."""
    wanted = generator.integers(mask.sum(axis=1))
    return (mask.cumsum(axis=1) > wanted[:, None]).argmax(axis=1)


def aec_loop(environment: Any, games: int) -> Play:
    """Whole games of PettingZoo's loop: ``last()``, a random legal action, ``step()``; ``games`` of them per call."""
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
