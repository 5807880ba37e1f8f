"""Hanabi's functions for the loops of `hanabako.engine.loops`: rewards of a step, statistics of a finished game."""

from hanabako.compiler.jit import rule
from hanabako.engine.protocol import GameFunctions
from hanabi_env.engine.observation import observe
from hanabi_env.engine.rules import fireworks_score, init, is_terminal, legal_action_mask, score, step
from hanabi_env.engine.state import END_ILLEGAL

STATISTICS = ("score", "fireworks_score", "end_reason")


@rule
def act(rules, table, action):
    """Make a step. Its reward, the same for every player, is the change of the score (E7)."""
    before = score(rules, table.state)
    step(rules, table.state, action)
    reward = score(rules, table.state) - before
    for player in range(rules.players):
        table.rewards[player] = reward


@rule
def forfeit(rules, s):  # noqa: ARG001 - the signature of every game
    """End the game after an illegal action."""
    s.end_reason = END_ILLEGAL


@rule
def end_game(rules, table):
    """Write the statistics of the finished game."""
    s = table.state
    table.score = score(rules, s)
    table.fireworks_score = fireworks_score(rules, s)
    table.end_reason = s.end_reason


FUNCTIONS = GameFunctions(init, legal_action_mask, observe, is_terminal, act, forfeit, end_game)
