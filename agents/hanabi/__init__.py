"""Bots for Hanabi, one file a convention; ``BOTS`` is the register that `agents.names` reads."""

from agents.hanabi.cheat import CHEAT

BOTS = (CHEAT,)
