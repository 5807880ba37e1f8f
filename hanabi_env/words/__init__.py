"""Hanabi's texts: actions, cards, positions and verdicts."""
