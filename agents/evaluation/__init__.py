"""Evaluation of agents: in self-play, in cross-play, and against each other."""
