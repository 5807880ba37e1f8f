"""Datasets of games: recorded from agents or read from hanab.live, replayed in any observation, and exported.

    from hanabako.agents.datasets import Dataset, record

    record("smart.npz", config, agents.load("smart", config), games=100_000, seed=1)
    for batch in Dataset("smart.npz").batches(2048, seed=1):
        batch.observations, batch.masks, batch.actions, batch.players, batch.returns

A file holds configs, seeds and actions only (some 90 bytes per game of Hanabi); everything else follows from the rules.
So a file can hold no illegal game, and the observation can be chosen when it is read.
"""

from .dataset import Dataset, Decisions
from .recording import record

__all__ = ["Dataset", "Decisions", "record"]
