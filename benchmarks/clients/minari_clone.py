"""Minari: a bot's games as a dataset, read by Minari, and a network that learns to imitate them."""

import os
import tempfile
from pathlib import Path

import minari
import numpy as np
import torch
from torch.nn.functional import cross_entropy

from agents import load
from agents.bridges.minari import to_minari
from agents.datasets import record
from benchmarks.clients.cleanrl_loop import Network
from benchmarks.clients.judge import Clock, Outcome, score_of_all_seats
from hanabi_env import PRESETS


def train(seconds: float) -> Outcome:
    """Train a clone of the bot `smart` on a thousand games."""
    config = PRESETS["mini"]
    with tempfile.TemporaryDirectory() as folder:
        os.environ["MINARI_DATASETS_PATH"] = folder
        games = Path(folder) / "games.npz"
        to_minari(record(games, config, load("smart", config), games=1000, seed=1), "hanabi/smart-v0")
        episodes = list(minari.load_dataset("hanabi/smart-v0").iterate_episodes())
    seen, mask = (
        torch.from_numpy(np.concatenate([episode.observations[name][:-1] for episode in episodes]))
        for name in ("observation", "action_mask")
    )
    actions = torch.from_numpy(np.concatenate([episode.actions for episode in episodes])).long()
    network = Network(seen.shape[1], mask.shape[1])
    before, clock = score_of_all_seats(network.act), Clock(seconds)
    optimizer = torch.optim.Adam(network.parameters(), lr=1e-3)
    while clock.starts(256):
        chosen = torch.randint(len(actions), (256,))
        loss = cross_entropy(network(seen[chosen], mask[chosen])[0], actions[chosen])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return Outcome("cloning", "all seats", before, score_of_all_seats(network.act), clock.steps, clock.seconds)
