"""The command `hanabako`: one module per sub-command, each with its ``Args``. `python -m` runs some of them too."""
