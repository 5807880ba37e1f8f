"""What Ikebana brings to the compiled loops of `hanabako.engine.loops`: a step's rewards and a finished game's statistics."""

import numpy as np

from hanabako.compiler.jit import rule
from hanabako.engine.protocol import GameFunctions
from ikebana_env.engine.observation import observe
from ikebana_env.engine.rules import (
    highest_prestige,
    init,
    is_terminal,
    lead,
    legal_action_mask,
    rewards,
    step,
    winners,
)
from ikebana_env.engine.state import END_ILLEGAL, REWARD_DENSE

STATISTICS = ("score", "winners", "end_reason")
"""Of a finished game: the highest prestige, the winners (one bit a player), and one of `ikebana_env.engine.rules.END_*`."""


@rule
def act(rules, table, action):
    """A step and its rewards (J4)."""
    if rules.reward == REWARD_DENSE:
        for player in range(rules.players):
            table.rewards[player] = lead(rules, table.state, player)
    step(rules, table.state, action)
    rewards(rules, table.state, table.rewards)


@rule
def forfeit(rules, s):  # noqa: ARG001 - as every game's
    """The game is over, and nobody has won."""
    s.end_reason = END_ILLEGAL


@rule
def end_game(rules, table):
    """Note the statistics of the game."""
    table.score = highest_prestige(rules, table.state)
    table.winners = np.int64(winners(rules, table.state))
    table.end_reason = table.state.end_reason


FUNCTIONS = GameFunctions(
    init=init,
    legal_action_mask=legal_action_mask,
    observe=observe,
    is_terminal=is_terminal,
    act=act,
    forfeit=forfeit,
    end_game=end_game,
)
