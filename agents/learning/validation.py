"""How good a network has become: greedy games while it trains, on deals that training never sees."""

import numpy as np
import torch

from hanabako.games import game_of

from ..evaluation.playing import play
from ..networks.neural_policy import NeuralPolicy
from ..registry import load
from .ranks import Ranks

__all__ = ["validate"]

VALIDATION_SEED = 2**40  # these deals come from seeds that no training run uses


def validate(policy: NeuralPolicy, games: int, opponent: str, ranks: Ranks) -> dict[str, float]:
    """Greedy games on deals that training never sees, shared among the ranks; a row for the log.

    Args:
        policy: takes every seat of a cooperative game, and each seat in turn of a competitive one.
        games: how many, all ranks together.
        opponent: an agent (its name or file) that has all other seats of a competitive game.
        ranks: share the games.
    """
    if not game_of(policy.config).cooperative:
        return validate_against(policy, games, opponent, ranks)
    share = -(-games // ranks.world)
    played = play(policy.config, policy, share, seed=VALIDATION_SEED + ranks.rank)
    row = mean_of(played.score.astype(np.float64), ranks)
    sums = torch.tensor([played.perfect.sum(), played.lost.sum()], dtype=torch.float64)
    perfect, lost = ranks.sum(sums).tolist()
    return row | {"greedy_perfect": perfect / row["greedy_games"], "greedy_lost": lost / row["greedy_games"]}


def validate_against(policy: NeuralPolicy, games: int, opponent: str, ranks: Ranks) -> dict[str, float]:
    """The network's mean return at one seat, each seat as often, with ``opponent`` at all others."""
    players = policy.config.players
    other = load(opponent, policy.config)
    share = -(-games // (ranks.world * players))
    returns = []
    for seat in range(players):
        seats = [policy if player == seat else other for player in range(players)]
        played = play(policy.config, seats, share, seed=VALIDATION_SEED + ranks.rank)
        returns.append(played.rewards[:, seat])
    return mean_of(np.concatenate(returns), ranks)


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
