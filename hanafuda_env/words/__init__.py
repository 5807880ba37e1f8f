"""Koi-Koi's texts: actions, cards and positions."""
