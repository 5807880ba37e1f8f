"""Checks of users' input, with readable error messages, and names of players."""
