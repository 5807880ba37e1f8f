"""Hanabi in words: moves, cards, positions, verdicts."""
