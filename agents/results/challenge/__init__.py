"""Challenges: see `suite`."""
