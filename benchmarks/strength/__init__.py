"""Measurements of the agents' strength: all studies of the project, their results and their page, `SCORES.md`."""
