"""Agents for the games: bots and networks behind one protocol, with their training and evaluation.

The package is ``hanabako.agents``. In a clone its folder is at top level, and ``agents`` is the same package.
"""

if __name__ == "agents":  # imported by the short name, in a clone
    import importlib
    import sys

    sys.modules["agents"] = importlib.import_module("hanabako.agents")
else:
    from .bots.bot import Bot
    from .bots.plain import PlainBot
    from .playing.play import Games, play
    from .playing.policy import Policy
    from .registry import load, names, pretrained

    __all__ = ["Bot", "Games", "PlainBot", "Policy", "load", "names", "play", "pretrained"]
