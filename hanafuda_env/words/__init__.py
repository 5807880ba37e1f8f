"""Koi-Koi in words: moves, cards, positions."""
