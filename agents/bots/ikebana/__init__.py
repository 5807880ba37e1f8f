"""Bots for Ikebana; ``BOTS`` is the register that `agents.names` reads."""

from .florist import GREEDY_FLORIST, LOOKAHEAD_FLORIST

BOTS = (GREEDY_FLORIST, LOOKAHEAD_FLORIST)
