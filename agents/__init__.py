"""Players of the games: programs and networks behind one protocol, their training and their evaluation."""

from agents.policy import Policy, load, names

__all__ = ["Policy", "load", "names"]
