"""Ikebana's functions for the compiled loops: rewards of a step (J4), statistics of a finished game."""

import numpy as np

from hanabako.compiler.jit import rule
from hanabako.engine.bits import has_bit, popcount
from hanabako.engine.protocol import GameFunctions
from ikebana_env.engine.observation import observe
from ikebana_env.engine.rules import highest_prestige, init, is_terminal, legal_action_mask, step, winners
from ikebana_env.engine.state import END_COMPLETE, END_ILLEGAL, REWARD_DENSE, REWARD_PRESTIGE, TYPICAL_GAIN

STATISTICS = ("score", "winners", "end_reason")
"""The highest prestige, the winners (one bit per player, none after an illegal action), and an ``END_*`` number of
`ikebana_env.engine.state`."""


# --- Rewards ----------------------------------------------------------------------------------------------------------


@rule
def act(rules, table, action):
    """Make a step and write its rewards (J4)."""
    if rules.reward == REWARD_DENSE:
        for player in range(rules.players):
            table.rewards[player] = lead(rules, table.state, player)
    step(rules, table.state, action)
    rewards(rules, table.state, table.rewards)


@rule
def rewards(rules, s, out):
    """J4: write all players' rewards of a step to ``out`` (float64), which holds the leads before it for "dense"."""
    others = rules.players - 1
    best = winners(rules, s)
    count = popcount(best)
    for player in range(rules.players):
        if rules.reward == REWARD_DENSE:
            out[player] = (lead(rules, s, player) - out[player]) / (others * TYPICAL_GAIN)
        elif not is_terminal(s):
            out[player] = 0.0
        elif rules.reward == REWARD_PRESTIGE:
            out[player] = lead(rules, s, player) / (others * TYPICAL_GAIN)
        elif has_bit(best, player):
            out[player] = (rules.players - count) / (count * others)
        else:
            out[player] = -1.0 / others


@rule
def lead(rules, s, player):
    """Return a player's prestige minus the mean of the others', in units of 1 / (players - 1), an int."""
    total = 0
    for other in range(rules.players):
        total += s.prestige[other]
    return rules.players * np.int64(s.prestige[player]) - total


# --- A game's end -----------------------------------------------------------------------------------------------------


@rule
def forfeit(rules, s):  # noqa: ARG001 - as every game's
    """End the game after an illegal action, without a winner. Prestige does not change."""
    s.end_reason = END_ILLEGAL


@rule
def end_game(rules, table):
    """Write the statistics of the finished game; J2: it has winners only if it was played to its end."""
    table.score = highest_prestige(rules, table.state)
    table.winners = np.int64(winners(rules, table.state)) if table.state.end_reason == END_COMPLETE else 0
    table.end_reason = table.state.end_reason


FUNCTIONS = GameFunctions(init, legal_action_mask, observe, is_terminal, act, forfeit, end_game)
