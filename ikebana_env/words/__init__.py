"""Ikebana in words: moves, cards, positions."""
