"""Bots: their protocol, and the bots of each game."""
