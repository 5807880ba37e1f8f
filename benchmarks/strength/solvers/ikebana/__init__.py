"""Ikebana solved: the last turns, and a small game of which everything is known."""
