"""Ikebana's texts: actions, cards and positions."""
