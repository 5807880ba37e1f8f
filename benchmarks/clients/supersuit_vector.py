"""SuperSuit: parallel games as a vector of players, half of whom wait with an empty mask."""

import supersuit

from benchmarks.clients.cleanrl_loop import Network, ppo
from benchmarks.clients.judge import Outcome, score_of_all_seats
from hanabi_env import hanabi_v0


def train(seconds: float) -> Outcome:
    """Train with the loop of `benchmarks.clients.cleanrl_loop` on SuperSuit's vector of 16 games, 32 players."""
    envs = supersuit.pettingzoo_env_to_vec_env_v1(hanabi_v0.parallel_env(preset="mini"))
    envs = supersuit.concat_vec_envs_v1(envs, 16)
    space = envs.observation_space
    network = Network(space["observation"].shape[-1], space["action_mask"].shape[-1])
    before = score_of_all_seats(network.act)
    clock = ppo(envs, network, seconds)
    return Outcome("PPO", "all seats", before, score_of_all_seats(network.act), clock.steps, clock.seconds)
