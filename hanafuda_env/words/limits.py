"""The largest numbers that a game of Koi-Koi can come to: what a position may say, and no record overflows after it.

A position's scores may be as large as its rules could make them in all their rounds; the rounds to come add as much
again at most. With the largest points and factors of `hanafuda_env.config` that stays below 10^9.
"""

from hanafuda_env.engine.cards import ANIMAL, RIBBON
from hanafuda_env.engine.state import HAND, TURNS, Rules
from hanafuda_env.engine.yaku import YAKU, YAKU_NEED, cards_of

__all__ = ["MOST_STEPS", "most_base", "most_points", "most_score"]

MOST_STEPS = 1 + 4 * TURNS + HAND + 1
"""Steps of a round: the swap; in every turn the card played, what it takes, what the drawn card takes, and Koi-Koi; and
once the Gaji's target, with as many refused ones as the other hand has cards (K46)."""


def most_base(rules: Rules) -> int:
    """No pile has a larger base (K25): as if all yaku counted together."""
    total = rules.red_and_blue
    for k in range(YAKU):
        further = int(cards_of(rules, k)).bit_count() - int(YAKU_NEED[k])
        total += max(rules.points[k], rules.points_after_koi[k]) + rules.extra[k] * further
    return total + rules.extra_named * int(ANIMAL | RIBBON).bit_count()


def most_points(rules: Rules) -> int:
    """No round pays more: a chain is no longer than a hand (K31), and own calls of Koi multiply by less (L6)."""
    multiplied = most_base(rules) * HAND * rules.opponent_koi_factor * rules.seven_factor
    return max(multiplied, rules.lucky_points, rules.exhausted_points)


def most_score(rules: Rules) -> int:
    """No score is farther from 0."""
    return rules.start_score + rules.rounds * most_points(rules)
