"""Studies: a study declares its rows, plays the missing ones, and writes tables and figures from the results.

A study is a Python file that defines a `Study` named ``STUDY``. `hanabako study` lists, runs, shows and merges studies:
see `agents.commands.study`. The project's own studies are in ``benchmarks/strength`` of a clone.
"""

from .study import Row, Study

__all__ = ["Row", "Study"]
