"""Bots for Ikebana; ``BOTS`` is the register that `agents.names` reads."""

from agents.ikebana.florist import GREEDY_FLORIST, LOOKAHEAD_FLORIST

BOTS = (GREEDY_FLORIST, LOOKAHEAD_FLORIST)
