"""The common measurement of all clients: the score of whole games before and after a minute of training.

python -m benchmarks.clients.judge cleanrl_loop 60   # one client, in this environment; prints JSON
"""

import importlib
import json
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass

import gymnasium
import numpy as np

from hanabako.program import in_a_sentence
from hanabi_env import HanabiVectorEnv

__all__ = ["Clock", "Outcome", "greedy", "score_of_all_seats", "score_of_one_seat"]

Act = Callable[[dict[str, np.ndarray]], np.ndarray]
"""A function that returns actions (N,) for observations (N, n) with masks (N, A)."""


@dataclass(frozen=True)
class Outcome:
    """The result of a client's training."""

    algorithm: str
    """The client's name of the algorithm."""
    plays: str
    """``all seats``, or ``one seat`` with a random partner; the two kinds of scores are not comparable."""
    before: float
    """Mean points per game of the untrained network, played greedily."""
    after: float
    """Mean points per game of the trained network, played greedily."""
    steps: int
    """Number of decisions in training."""
    seconds: float
    """Elapsed seconds of training."""


class Clock:
    """Counts steps until the time is over."""

    def __init__(self, seconds: float) -> None:
        self.limit = seconds
        self.steps = 0
        self.start = time.monotonic()

    @property
    def seconds(self) -> float:
        """Elapsed seconds since the start."""
        return time.monotonic() - self.start

    def runs(self, steps: int = 0) -> bool:
        """Count ``steps`` that were made, and return whether there is time for more."""
        self.steps += steps
        return self.seconds < self.limit

    def starts(self, steps: int) -> bool:
        """Return whether there is time for ``steps`` more, and count them if so."""
        has_time = self.runs()
        self.steps += steps if has_time else 0
        return has_time


def greedy(values: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """Return the best legal actions (N,) by values or logits (N, A)."""
    return np.where(mask != 0, values, -np.inf).argmax(axis=-1)


def score_of_all_seats(act: Act, games: int = 1000) -> float:
    """Return the mean score of the mini game (0 for lost games) with ``act`` at all seats."""
    envs = HanabiVectorEnv(games, preset="mini", autoreset_mode="Disabled")
    observations, _ = envs.reset(seed=2**32)
    over = np.zeros(games, np.bool_)
    while not over.all():
        actions = act(observations)
        observations, _, over, *_ = envs.step(actions)
    return float(envs.tables["score"].mean())


def score_of_one_seat(act: Act, games: int = 300) -> float:
    """Return the mean return of the mini game with ``act`` at one seat and a random partner."""
    env = gymnasium.make("hanabako:hanabako/HanabiSeat-v0", preset="mini")
    returns = 0.0
    for game in range(games):
        (observation, _), over = env.reset(seed=2**32 + game), False
        while not over:
            action = act({name: row[None] for name, row in observation.items()})[0]
            observation, reward, over, *_ = env.step(int(action))
            returns += float(reward)
    return returns / games


def compile_all() -> None:
    """Compile the environments, or load them from the cache, before a client's time starts."""
    score_of_all_seats(lambda seen: seen["action_mask"].argmax(axis=1))
    score_of_one_seat(lambda seen: seen["action_mask"].argmax(axis=1), games=1)


def main(name: str, seconds: float) -> None:
    """Train one client and print its `Outcome` as the last line."""
    compile_all()
    outcome: Outcome = importlib.import_module(f"{__package__}.{name}").train(seconds)
    print(json.dumps(asdict(outcome)))


if __name__ == "__main__":
    with in_a_sentence("judge"):
        if len(sys.argv) != 3:
            raise ValueError(f"it takes a script's name and seconds, got {len(sys.argv) - 1} words")
        main(sys.argv[1], float(sys.argv[2]))
