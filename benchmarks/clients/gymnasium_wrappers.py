"""Gymnasium's vector wrappers: episode statistics, normalized rewards, and transformed observations.

`FilterObservation` and similar wrappers refuse SAME_STEP but work with NEXT_STEP. Then the row of an ended game has an
empty mask for one step, which the loop treats like a waiting player's row.
"""

from gymnasium.wrappers.vector import NormalizeReward, RecordEpisodeStatistics, TransformObservation

from benchmarks.clients.cleanrl_loop import Network, ppo
from benchmarks.clients.judge import Outcome, score_of_all_seats
from hanabi_env import HanabiVectorEnv


def train(seconds: float) -> Outcome:
    """Train with the loop of `benchmarks.clients.cleanrl_loop` through three wrappers."""
    games = HanabiVectorEnv(256, preset="mini", seed=1, autoreset_mode="NextStep")
    envs = NormalizeReward(RecordEpisodeStatistics(games))
    envs = TransformObservation(envs, lambda seen: {name: array.copy() for name, array in seen.items()})
    network = Network(games.game.observation_bits, games.game.num_actions)
    before = score_of_all_seats(network.act)
    clock = ppo(envs, network, seconds)
    return Outcome("PPO", "all seats", before, score_of_all_seats(network.act), clock.steps, clock.seconds)
