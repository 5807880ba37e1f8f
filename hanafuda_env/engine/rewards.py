"""Koi-Koi's functions for the compiled loops: rewards of a step, statistics of a finished game."""

import math

import numpy as np

from hanabako.compiler.jit import rule
from hanabako.engine.protocol import GameFunctions
from hanafuda_env.engine.observation import observe
from hanafuda_env.engine.rules import init, is_terminal, legal_action_mask, step
from hanafuda_env.engine.scoring import is_complete
from hanafuda_env.engine.state import (
    NOBODY,
    PHASE_END,
    REASON_KUTTSUKI,
    REASON_TESHI,
    REWARD_RESULT,
    REWARD_SQUASHED,
)
from hanafuda_env.engine.yaku import (
    AKATAN,
    AMESHIKO,
    AOTAN,
    GOKO,
    HANAMI,
    INOSHIKACHO,
    KASU,
    SANKO,
    SHIKO,
    TAN,
    TANE,
    TSUKIMI,
    YAKU_NAMES,
    holds,
)

STATISTICS = (
    "score",
    "score_1",
    "winner",
    "rounds",
    "rounds_won_0",
    "rounds_won_1",
    "dealer_wins",
    "koikoi_0",
    "koikoi_1",
    "lucky",
    *YAKU_NAMES,
)
"""The statistics of a finished game; see `hanafuda_env.vector.KoiKoiVectorEnv`."""


# --- Rewards ----------------------------------------------------------------------------------------------------------


@rule
def act(rules, table, action):
    """Make a step and write its zero-sum rewards (L7, L11)."""
    s = table.state
    step(rules, s, action)
    if s.rewarded < s.finished:
        gain = reward(rules, s)
        table.rewards[0] = gain
        table.rewards[1] = 0.0 - gain


@rule
def reward(rules, s):
    """L7, L11: player 0's reward for the rounds that have ended since the last call; player 1's is the opposite."""
    total = 0.0
    while s.rewarded < s.finished:
        result = s.results[s.rewarded]
        s.rewarded += 1
        if result.winner != NOBODY and rules.reward != REWARD_RESULT:
            points = float(result.points)
            if rules.reward == REWARD_SQUASHED:
                points = math.log1p(points) / math.log1p(100.0)
            total += points if result.winner == 0 else -points
    if rules.reward == REWARD_RESULT and s.phase == PHASE_END:
        lead = np.int64(s.score[0]) - np.int64(s.score[1])
        total += float(np.int64(lead > 0) - np.int64(lead < 0))
    return total


# --- A game's end -----------------------------------------------------------------------------------------------------


@rule
def forfeit(rules, s):  # noqa: ARG001 - the signature of every game
    """End the game after an illegal action, without a winner. The present round is not scored."""
    s.phase = PHASE_END


@rule
def end_game(rules, table):
    """Write the statistics of the finished game; K29: it has a winner only if it was played to its end."""
    s = table.state
    lead = np.int64(s.score[0]) - np.int64(s.score[1])
    table.score = s.score[0]
    table.score_1 = s.score[1]
    table.winner = NOBODY if lead == 0 or not is_complete(rules, s) else np.int64(lead < 0)
    table.rounds = s.finished
    table.rounds_won_0, table.rounds_won_1, table.dealer_wins = 0, 0, 0
    table.koikoi_0, table.koikoi_1, table.lucky = 0, 0, 0
    for k in range(s.finished):
        count_round(table, s.results[k])
    table.goko = wins_with(s, GOKO)
    table.shiko = wins_with(s, SHIKO)
    table.ameshiko = wins_with(s, AMESHIKO)
    table.sanko = wins_with(s, SANKO)
    table.hanami = wins_with(s, HANAMI)
    table.tsukimi = wins_with(s, TSUKIMI)
    table.inoshikacho = wins_with(s, INOSHIKACHO)
    table.akatan = wins_with(s, AKATAN)
    table.aotan = wins_with(s, AOTAN)
    table.tane = wins_with(s, TANE)
    table.tan = wins_with(s, TAN)
    table.kasu = wins_with(s, KASU)


@rule
def count_round(table, result):
    """Add one finished round to the statistics."""
    table.rounds_won_0 += np.int64(result.winner == 0)
    table.rounds_won_1 += np.int64(result.winner == 1)
    table.dealer_wins += np.int64(result.winner == result.dealer)
    table.koikoi_0 += result.koikoi_called[0]
    table.koikoi_1 += result.koikoi_called[1]
    table.lucky += np.int64(result.reason == REASON_TESHI or result.reason == REASON_KUTTSUKI)


@rule
def wins_with(s, k):
    """Return the number of rounds that were won with yaku ``k``."""
    rounds = 0
    for r in range(s.finished):
        rounds += np.int64(holds(np.uint64(s.results[r].yaku), k))
    return rounds


FUNCTIONS = GameFunctions(init, legal_action_mask, observe, is_terminal, act, forfeit, end_game)
