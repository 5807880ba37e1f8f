"""OpenSpiel: its DQN in torch, one per player, on the game with the interface of ``rl_environment``."""

from typing import Any

import numpy as np
import torch
from open_spiel.python.pytorch.dqn import DQN

from benchmarks.clients.judge import Clock, Outcome, greedy, score_of_all_seats
from hanabako.envs.open_spiel import OpenSpielEnvironment
from hanabi_env.game import make_game


def train(seconds: float) -> Outcome:
    """Train both players at once, each on its own moves."""
    env = OpenSpielEnvironment(make_game(preset="mini"), seed=1)
    size: Any = env.observation_spec()["info_state"][0]
    actions = env.action_spec()["num_actions"]
    settings: dict[str, Any] = {
        "optimizer_str": "adam",
        "learning_rate": 5e-4,
        "epsilon_decay_duration": 3000,
        "batch_size": 64,
    }
    settings |= {"min_buffer_size_to_learn": 500, "learn_every": 4, "hidden_layers_sizes": [128], "seed": 1}
    agents = [DQN(player, size, actions, **settings) for player in range(env.num_players)]

    @torch.no_grad()
    def act(observation: dict[str, np.ndarray]) -> np.ndarray:
        values = agents[0]._q_network(torch.from_numpy(observation["observation"]).float())
        return greedy(values.numpy(), observation["action_mask"])

    before, clock = score_of_all_seats(act), Clock(seconds)
    while clock.runs():
        time_step = env.reset()
        while not time_step.last():
            time_step = env.step([agents[time_step.current_player()].step(time_step).action])
            clock.steps += 1
        for agent in agents:
            agent.step(time_step)
    return Outcome("DQN", "all seats", before, score_of_all_seats(act), clock.steps, clock.seconds)
