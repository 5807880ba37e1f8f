"""Datasets of games: recorded from agents or read from hanab.live, played again to any observation, handed on.

    from hanabako.agents.datasets import Dataset, record

    record("smart.npz", config, agents.load("smart", config), games=100_000, seed=1)
    for batch in Dataset("smart.npz").batches(2048, seed=1):
        batch.observations, batch.masks, batch.actions, batch.players, batch.returns

A file holds configs, seeds and actions alone (some 90 bytes a game of Hanabi), and everything else follows from the
rules: so it says nothing that the rules do not allow, and a game can be observed as one likes when it is read.
"""

from .dataset import Dataset, Decisions
from .recording import record

__all__ = ["Dataset", "Decisions", "record"]
