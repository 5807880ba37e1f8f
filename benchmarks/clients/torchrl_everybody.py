"""TorchRL: all seats through ``PettingZooWrapper`` with TorchRL's masked distribution, and PPO on its rollouts."""

from typing import Any

import torch
from torchrl.envs import PettingZooWrapper
from torchrl.modules import MaskedCategorical

from benchmarks.clients.cleanrl_loop import Network, update
from benchmarks.clients.judge import Clock, Outcome, score_of_all_seats
from hanabi_env import hanabi_v0

STEPS = 512


def train(seconds: float) -> Outcome:
    """Train one network for both players; TorchRL keeps both players' rows of every step, and in ``mask`` who moved."""
    env = PettingZooWrapper(hanabi_v0.env(preset="mini"), use_mask=True)
    players = env.possible_agents
    bits = env.observation_spec["player_0", "observation", "observation"].shape[-1]
    network = Network(bits, env.full_action_spec["player_0", "action"].n)
    optimizer = torch.optim.Adam(network.parameters(), lr=1e-3)

    def policy(tensordict: Any) -> Any:
        for player in players:
            seen, legal = tensordict[player, "observation", "observation"], tensordict[player, "action_mask"]
            logits, _ = network(seen, legal)
            tensordict[player, "action"] = MaskedCategorical(logits=logits, mask=legal).sample()
        return tensordict

    def rows(games: Any, *key: str) -> torch.Tensor:
        """Return an entry of the rollout for all steps and players (T, P, ...)."""
        return torch.stack([games[(player, *key)][:, 0] for player in players], 1)

    before, clock = score_of_all_seats(network.act), Clock(seconds)
    while clock.starts(STEPS):
        with torch.no_grad():
            games = env.rollout(STEPS, policy, break_when_any_done=False)
            seen, action = rows(games, "observation", "observation"), rows(games, "action")
            mask = rows(games, "action_mask") & rows(games, "mask")[..., None]
            logits, value = (
                part.unflatten(0, action.shape) for part in network(seen.flatten(0, 1), mask.flatten(0, 1))
            )
            log_prob = torch.distributions.Categorical(logits=logits).log_prob(action)
            reward, ended = rows(games["next"], "reward")[..., 0], rows(games["next"], "done")[..., 0]
        for _ in range(4):
            update(network, optimizer, [seen, mask, action, log_prob, value, reward, ended], value[-1])
    return Outcome("PPO", "all seats", before, score_of_all_seats(network.act), clock.steps, clock.seconds)
