"""Agents for the games: bots and networks behind one protocol, with their training and evaluation.

The package is ``hanabako.agents``. In a clone its folder is at top level, and ``hanabako/agents`` is a link to it.
"""

if __name__ == "agents":
    raise ImportError("in a clone, too, the agents are hanabako.agents: from hanabako import agents")

from .bots.bot import Bot
from .bots.plain import PlainBot
from .playing.play import Games, play
from .playing.policy import Policy
from .registry import load, names, pretrained

__all__ = ["Bot", "Games", "PlainBot", "Policy", "load", "names", "play", "pretrained"]
