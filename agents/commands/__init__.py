"""The command `hanabako`, a module for each sub-command with its ``Args``; and commands that `python -m` runs."""
