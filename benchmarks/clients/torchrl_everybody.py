"""TorchRL: every seat by ``PettingZooWrapper``, whose masks its own distribution reads; REINFORCE on whole games."""

from typing import Any

import numpy as np
import torch
from torch import nn
from torchrl.envs import PettingZooWrapper
from torchrl.modules import MaskedCategorical

from benchmarks.clients.judge import Clock, Outcome, greedy, score_of_all_seats
from benchmarks.clients.torchrl_seat import layers
from hanabi_env import hanabi_v0

GAMES = 8


def train(seconds: float) -> Outcome:
    """One network for both players; of every step TorchRL keeps both players' rows, and in ``mask`` who was to move."""
    env = PettingZooWrapper(hanabi_v0.env(preset="mini"), use_mask=True)
    players = env.possible_agents
    bits = env.observation_spec["player_0", "observation", "observation"].shape[-1]
    actions = env.full_action_spec["player_0", "action"].n
    logits = layers(bits, actions)
    optimizer = torch.optim.Adam(logits.parameters(), lr=1e-3)

    def policy(tensordict: Any) -> Any:
        for player in players:
            seen, legal = tensordict[player, "observation", "observation"], tensordict[player, "action_mask"]
            tensordict[player, "action"] = MaskedCategorical(logits=logits(seen), mask=legal).sample()
        return tensordict

    @torch.no_grad()
    def act(observation: dict[str, np.ndarray]) -> np.ndarray:
        return greedy(logits(torch.from_numpy(observation["observation"])).numpy(), observation["action_mask"])

    before, clock, baseline = score_of_all_seats(act), Clock(seconds), 0.0
    while clock.runs():
        loss = torch.zeros(())
        for _ in range(GAMES):
            with torch.no_grad():
                game = env.rollout(200, policy)
            clock.steps += game.shape[0]
            returns = game["next", "player_0", "reward"].flatten().flip(0).cumsum(0).flip(0)
            for player in players:
                own = game[player, "mask"].flatten()  # whether this player was to move
                seen, legal = game[player, "observation", "observation"], game[player, "action_mask"]
                seen, legal = seen.flatten(0, -2)[own], legal.flatten(0, -2)[own]
                drawn = MaskedCategorical(logits=logits(seen), mask=legal)
                gains = returns[own] - baseline
                loss = loss - (drawn.log_prob(game[player, "action"].flatten()[own]) * gains).sum()
            baseline += 0.02 * (float(returns[0]) - baseline)
        optimizer.zero_grad()
        (loss / GAMES).backward()
        nn.utils.clip_grad_norm_(logits.parameters(), 1.0)
        optimizer.step()
    return Outcome("REINFORCE", "all seats", before, score_of_all_seats(act), clock.steps, clock.seconds)
