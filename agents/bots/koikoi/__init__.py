"""Bots for Koi-Koi, one file per idea; ``BOTS`` is the register that `agents.names` reads."""

from .heuristics import ALWAYS_KOI, COUNTING, GREEDY_STOP
from .monte_carlo import MONTE_CARLO

__all__ = ["BOTS"]

BOTS = (GREEDY_STOP, ALWAYS_KOI, COUNTING, MONTE_CARLO)
