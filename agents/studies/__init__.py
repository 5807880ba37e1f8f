"""The machinery of measuring: a study declares its rows, plays what is missing of them, and makes tables and figures.

A study is a Python file with a `Study` by the name ``STUDY``. `hanabako study` lists, runs, shows and merges studies:
see `agents.commands.study`. The project's own lie in ``benchmarks/strength`` of a clone.
"""

from hanabako.extras import need

from .study import Row, Study, refuse_unknown_fields

need("a study", "scipy", "filelock")

__all__ = ["Row", "Study", "refuse_unknown_fields"]
