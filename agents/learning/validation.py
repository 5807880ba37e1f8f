"""How good a network has become: greedy games while it trains, on deals that training never sees."""

from collections.abc import Sequence

import numpy as np
import torch

from hanabako.games import game_of

from ..bots.policy import Policy
from ..evaluation.playing import play
from ..networks.neural_policy import NeuralPolicy
from ..registry import load
from .ranks import Ranks

__all__ = ["validate"]

VALIDATION_SEED = 2**40  # these deals come from seeds that no training run uses


def validate(policy: NeuralPolicy, games: int, others: Sequence[str], ranks: Ranks) -> dict[str, float]:
    """Greedy games on deals that training never sees, shared among the ranks; a row for the log.

    Args:
        policy: the network.
        games: how many, all ranks together.
        others: agents (names or files) that have all seats but one, see `line_ups_among`; nobody: it has every seat.
        ranks: share the games.

    Returns:
        The mean score of a cooperative game, with the rates of perfect and lost games; the network's own mean return in
        a competitive one.
    """
    players = policy.config.players
    line_ups = line_ups_among(policy, [load(name, policy.config) for name in others], players)
    share = -(-games // (ranks.world * len(line_ups)))
    seed = VALIDATION_SEED + ranks.rank
    played = [(seat, play(policy.config, seats, share, seed)) for seat, seats in line_ups]
    if not game_of(policy.config).cooperative:
        return mean_of(np.concatenate([some.rewards[:, seat] for seat, some in played]), ranks)
    row = mean_of(np.concatenate([some.score for _, some in played]).astype(np.float64), ranks)
    counts = [sum(int(some.perfect.sum()) for _, some in played), sum(int(some.lost.sum()) for _, some in played)]
    perfect, lost = ranks.sum(torch.tensor(counts, dtype=torch.float64)).tolist()
    return row | {"greedy_perfect": perfect / row["greedy_games"], "greedy_lost": lost / row["greedy_games"]}


def line_ups_among(policy: Policy, others: Sequence[Policy], players: int) -> list[tuple[int, list[Policy]]]:
    """The seat of ``policy`` and all policies: at every seat among every run of ``others``, the first after the last.

    So each of them is met as often. Without others, ``policy`` alone at all seats.
    """
    if not others:
        return [(0, [policy] * players)]
    runs = [[others[(first + player) % len(others)] for player in range(players)] for first in range(len(others))]
    return [
        (seat, [policy if player == seat else other for player, other in enumerate(run)])
        for seat in range(players)
        for run in runs
    ]


def mean_of(scores: np.ndarray, ranks: Ranks) -> dict[str, float]:
    """The mean of all ranks' scores and its standard error, for the log."""
    sums = [len(scores), scores.sum(), np.square(scores).sum()]
    count, points, squares = ranks.sum(torch.tensor(sums, dtype=torch.float64)).tolist()
    deviation = max(squares / count - (points / count) ** 2, 0.0) ** 0.5
    return {
        "greedy_score": points / count,
        "greedy_score_error": deviation / count**0.5,
        "greedy_games": int(count),
    }
