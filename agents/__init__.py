"""Players of the games: bots and networks behind one protocol, their training and their evaluation.

The package is ``hanabako.agents``. In a clone its folder lies at the top, and ``agents`` is the same package.
"""

if __name__ == "agents":  # by the folder's own name, in a clone
    import importlib
    import sys

    sys.modules["agents"] = importlib.import_module("hanabako.agents")
else:
    from .bots.plain import PlainBot
    from .playing.policy import Policy
    from .registry import load, names, pretrained

    __all__ = ["PlainBot", "Policy", "load", "names", "pretrained"]
