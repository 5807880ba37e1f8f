"""The points and gains of bouquets: the booklet's examples, and every possible bouquet against brute force."""

from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest

from hanabako.compiler.jit import kernel
from ikebana_env.engine.cards import copies, with_card
from ikebana_env.engine.rules import bouquet_gain
from ikebana_env.words.notation import appraise, str_to_card
from tests.reference.ikebana_plain import KINDS, box, gain_of

EVERY_BOUQUET = 223_031  # J6


def appraisal(cards: str) -> tuple[int, int, int]:
    return appraise(map(str_to_card, cards.split()))


def test_I12_example_A_a_triple_and_a_pair_in_five_colors():
    assert appraisal("R3 G3 Y3 K2 B2") == (9 + 4, 3, 39)


def test_I12_example_B_a_card_counts_once():
    assert appraisal("R1 R2 R3 B4 B2") == (8, 2, 16)


@pytest.mark.parametrize("others", ["K1 G2 Y3", "K1 G2 Y4", "K1 K3 Y4"])
def test_I12_example_C_three_or_four_colors_multiply_nothing(others):
    assert appraisal(f"K5 R5 {others}") == (10, 1, 10)


@pytest.mark.parametrize(
    ("cards", "points"),
    [
        ("K1 R2 G3 B4 Y1", 8),  # the second 1 counts nothing beside the straight
        ("K2 R3 G4 B5 Y5", 12),  # 12 beats the pair of 5 (10)
        ("K1 R2 G3 B4 Y5", 15),
        ("K4 R4 G4 B4 J4", 20),
        ("K4 R4 G5 B5 Y5", 23),
        ("K1 R1 G2 B3 Y5", 2),
        ("K1 R2 G3 B5 Y5", 10),
        ("K1 R2 G4 B5 Y1", 2),
        ("K1 R2 G3 B5 J4", 15),
    ],
)
def test_I10_combinations(cards, points):
    assert appraisal(cards)[0] == points


@pytest.mark.parametrize(
    ("cards", "multiplier"),
    [
        ("K5 K4 K4 K1 K1", 4),
        ("K5 K4 K4 K1 R1", 2),
        ("K5 R4 G4 B1 Y1", 3),
        ("K5 R4 G4 B1 B1", 1),
        ("K5 R4 G4 G1 G1", 1),
        ("K4 K4 K1 J1 J2", 4),  # jokers take any color
        ("K4 R4 G1 J1 J2", 3),
        ("K4 R4 J1 J2 J3", 3),
        ("K4 K4 R1 R1 J2", 2),
        ("K4 K4 R1 G1 J2", 1),
        ("J1 J2 J3 J4 J5", 4),
    ],
)
def test_I11_multipliers(cards, multiplier):
    assert appraisal(cards)[1] == multiplier


def every_bouquet() -> Iterator[list[int]]:
    """Yield every bouquet, as the numbers of its cards in ascending order."""

    def grow(cards: list[int], kind: int) -> Iterator[list[int]]:
        if len(cards) == 5:
            yield cards
            return
        for card in range(kind, len(KINDS)):
            if cards.count(card) < most[card]:
                yield from grow([*cards, card], card)

    most = [box().count(kind) for kind in KINDS]
    yield from grow([], 0)


@kernel
def gains_of(bouquets):
    """Return the engine's gains of bouquets (N, 5)."""
    gains = np.zeros(bouquets.shape[0], np.int64)
    for i in range(bouquets.shape[0]):
        cards = np.uint64(0)
        for k in range(bouquets.shape[1]):
            cards = with_card(cards, bouquets[i, k])
        gains[i] = bouquet_gain(cards)
    return gains


def test_J6_every_bouquet_earns_what_brute_force_over_partitions_and_joker_colors_finds():
    bouquets = list(every_bouquet())
    assert len(bouquets) == EVERY_BOUQUET
    gains = gains_of(np.array(bouquets, np.uint8))
    expected = np.array([gain_of([KINDS[card] for card in cards]) for cards in bouquets])
    np.testing.assert_array_equal(gains, expected)
    assert gains.max() == 88


def test_I1_the_box():
    assert {kind: int(copies(card)) for card, kind in enumerate(KINDS)} == Counter(box())
    assert len(box()) == 55
