"""Measurements of the games' speed and the agents' strength; the pages show their results."""
