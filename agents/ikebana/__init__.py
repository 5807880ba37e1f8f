"""Bots for Ikebana; ``BOTS`` is the register that `agents.names` reads."""

BOTS = ()
