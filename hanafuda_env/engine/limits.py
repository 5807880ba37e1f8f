"""Upper bounds of the numbers in a Koi-Koi position, so that no record overflows after loading one.

The scores of a position may be as large as its rules allow for all rounds together. The coming rounds can add at most
the same amount again. With the largest points and factors of `hanafuda_env.config`, the sum is below 10^9.
"""

from hanafuda_env.engine.cards import ANIMAL, RIBBON
from hanafuda_env.engine.state import HAND, TURNS, Rules
from hanafuda_env.engine.yaku import YAKU, YAKU_NEED, cards_of

__all__ = ["MOST_STEPS", "most_base", "most_points", "most_score"]

MOST_STEPS = 1 + 4 * TURNS + HAND + 1
"""The largest number of steps in a round.

One step is the swap. A turn has four: play a card, choose its capture, choose the capture of the drawn card, and decide
on Koi-Koi. The Gaji chooses a target once per round, and again after each refusal; the other hand can refuse once per
card (K46).
"""


def most_base(rules: Rules) -> int:
    """Return an upper bound of the base points of a pile (K25): the sum of all yaku."""
    total = rules.red_and_blue
    for k in range(YAKU):
        further = int(cards_of(rules, k)).bit_count() - int(YAKU_NEED[k])
        total += max(rules.points[k], rules.points_after_koi[k]) + rules.extra[k] * further
    return total + rules.extra_named * int(ANIMAL | RIBBON).bit_count()


def most_points(rules: Rules) -> int:
    """Return an upper bound of a round's points.

    A chain multiplies by at most the size of a hand (K31); calls of Koi multiply by less (L6).
    """
    multiplied = most_base(rules) * HAND * rules.opponent_koi_factor * rules.seven_factor
    return max(multiplied, rules.lucky_points, rules.exhausted_points)


def most_score(rules: Rules) -> int:
    """Return an upper bound of the absolute value of a score."""
    return rules.start_score + rules.rounds * most_points(rules)
