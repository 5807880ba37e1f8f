"""Gymnasium's vector wrappers: statistics and scaled rewards around the games, and transformed observations.

`FilterObservation` and its like refuse SAME_STEP; with NEXT_STEP they work, and the row of an ended game has an empty
mask for one step, which the loop treats as a player's who waits.
"""

from gymnasium.wrappers.vector import NormalizeReward, RecordEpisodeStatistics, TransformObservation

from benchmarks.clients.cleanrl_loop import Network, ppo
from benchmarks.clients.judge import Outcome, score_of_all_seats
from hanabi_env import HanabiVectorEnv


def train(seconds: float) -> Outcome:
    """The loop of `benchmarks.clients.cleanrl_loop`, with four wrappers between."""
    games = HanabiVectorEnv(256, preset="mini", seed=1, autoreset_mode="NextStep")
    envs = NormalizeReward(RecordEpisodeStatistics(games))
    envs = TransformObservation(envs, lambda seen: {name: array.copy() for name, array in seen.items()})
    network = Network(games.game.observation_bits, games.game.num_actions)
    before = score_of_all_seats(network.act)
    clock = ppo(envs, network, seconds)
    return Outcome("PPO", "all seats", before, score_of_all_seats(network.act), clock.steps, clock.seconds)
