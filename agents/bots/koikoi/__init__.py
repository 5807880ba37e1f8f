"""Bots for Koi-Koi, one file per idea; `agents.names` reads the list ``BOTS``."""

from .heuristics import ALWAYS_KOI, COUNTING, GREEDY_STOP
from .monte_carlo import MONTE_CARLO

BOTS = (GREEDY_STOP, ALWAYS_KOI, COUNTING, MONTE_CARLO)
