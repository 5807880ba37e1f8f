"""Bots: their protocol, and those of every game."""
