"""Loops that play a game for some milliseconds, measured by the other programs in this folder."""

import random
from typing import Any

import numpy as np

from benchmarks.speed.careful import careful_rollouts
from hanabako import timing
from hanabako.engine.game import Game
from hanabako.envs.vector import FORMATS
from hanabako.timing import Play


def rollout_loop(
    game: Game,
    num_envs: int,
    observation: str | None,
    seats: str = "acting",
    policy: str = "random",
    num_threads: int = 1,
    tables: np.ndarray | None = None,
) -> Play:
    """Return a loop of whole steps inside one compiled call.

    A step is a random legal action, the transition, the next deal if a game has ended, mask and observation.

    Args:
        game: the configured game.
        num_envs: number of parallel games.
        observation: ``"packed"``, ``"int8"``, ``"float32"``, or ``None`` for none.
        seats: whose observation: the ``"acting"`` player's or ``"all"`` players'.
        policy: ``"random"`` legal actions, or ``"no misplay"``: random, but only playable cards are played.
        num_threads: threads that share the games.
        tables: the games to play; new ones if ``None``.
    """
    rollout = careful_rollouts(game)[num_threads > 1] if policy == "no misplay" else None
    views = 0 if observation is None else game.players if seats == "all" else 1
    return timing.rollout_loop(game, num_envs, views, FORMATS[observation or "packed"], num_threads, tables, rollout)


def aec_loop(environment: Any, games: int) -> Play:
    """Return PettingZoo's loop over ``games`` whole games: ``last()``, a random legal action, ``step()``."""
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
