"""Exact solutions of Ikebana: the last turns, and a small game."""
