"""Measurements of the agents' strength: all studies, their results, and their pages, listed in `SCORES.md`."""
