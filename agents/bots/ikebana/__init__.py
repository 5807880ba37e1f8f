"""Bots for Ikebana; `agents.names` reads the list ``BOTS``."""

from .florist import GREEDY_FLORIST, LOOKAHEAD_FLORIST

BOTS = (GREEDY_FLORIST, LOOKAHEAD_FLORIST)
