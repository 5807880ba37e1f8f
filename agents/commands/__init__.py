"""The command `hanabako`: a module for each sub-command, with its ``Args`` and what it does with them."""
