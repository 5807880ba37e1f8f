"""Evaluation during training: greedy games on deals that are never used in training."""

from collections.abc import Sequence

import numpy as np
import torch

from hanabako.games import game_of

from ...networks.neural_policy import NeuralPolicy
from ...playing.play import play
from ...playing.seating import turns_of
from ...registry import load
from .ranks import Ranks
from .runs import Interruption

VALIDATION_SEED = 2**40  # these deals come from seeds that no training run uses


def validate(
    policy: NeuralPolicy, games: int, others: Sequence[str], ranks: Ranks, interruption: Interruption
) -> dict[str, float] | None:
    """Play greedy games on deals that are never used in training, shared among the ranks; return a row for the log.

    In a cooperative game it has mean score, mean fireworks (lost games included), and rates of perfect and lost games;
    in a competitive game, the network's mean return among ``others`` (names or files of agents), see
    `agents.playing.seating.turns_of`. An interruption of any rank ends the games of all; then there is no row.
    """
    seatings = turns_of(policy, [load(name, policy.config) for name in others], policy.config.players)
    share = -(-games // (ranks.world * len(seatings)))
    seed = VALIDATION_SEED + ranks.rank
    played = interruption.cuts_short(
        lambda: [(seat, play(policy.config, seats, share, seed)) for seat, seats in seatings]
    )
    if ranks.any(interruption.happened) or played is None:
        return None
    if not game_of(policy.config).cooperative:
        return mean_of(np.stack([some.rewards[:, seat] for seat, some in played]), ranks)
    row = mean_of(np.stack([some.score for _, some in played]).astype(np.float64), ranks)
    names = {"greedy_perfect": "perfect", "greedy_lost": "lost", "greedy_fireworks_score": "fireworks_score"}
    sums = [sum(float(getattr(some, name).sum()) for _, some in played) for name in names.values()]
    totals = ranks.sum(torch.tensor(sums, dtype=torch.float64)).tolist()
    return row | {name: total / row["greedy_games"] for name, total in zip(names, totals, strict=True)}


def mean_of(scores: np.ndarray, ranks: Ranks) -> dict[str, float]:
    """Return the mean of all ranks' scores (line-ups, deals), its standard error and the number of games, for the log.

    All line-ups play the same deals, so the error is that of the deals' mean scores. Each rank has other deals.
    """
    deals = scores.mean(0)
    sums = [len(deals), deals.sum(), np.square(deals).sum()]
    count, points, squares = ranks.sum(torch.tensor(sums, dtype=torch.float64)).tolist()
    deviation = max(squares / count - (points / count) ** 2, 0.0) ** 0.5
    return {
        "greedy_score": points / count,
        "greedy_score_error": deviation / count**0.5,
        "greedy_games": int(count) * len(scores),
    }
