"""Renaming suits that the rules treat alike moves bits and actions as the layout says."""

import random
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from hanabi_env import PRESETS, HanabiConfig, hanabi_v0
from hanabi_env.engine.layout import layout
from hanabi_env.words.notation import suit_letters
from tests.test_cards import assert_renamed_alike

from .test_properties import mostly_good

RICH = {"history": 3, "belief": True, "derived": True}


def moments(config: HanabiConfig, rng: random.Random) -> Iterator[Any]:
    """Yield three positions of a game with few misplays."""
    env = hanabi_v0.raw_env(config=config)
    env.reset(seed=rng.randrange(1000))
    for move in range(46):
        if all(env.terminations.values()):
            return
        if move in (6, 20, 45):
            yield env
        env.step(rng.choice(mostly_good(env, rng)))


@pytest.mark.parametrize("preset", PRESETS)
def test_renaming_alike_suits_moves_bits_and_actions_as_the_layout_says(preset: str) -> None:
    rng = random.Random(preset)
    for players in range(2, 6):
        check_renaming(replace(PRESETS[preset], players=players, **RICH), rng)


@pytest.mark.parametrize("preset", ["standard", "all_extensions"])
@pytest.mark.parametrize("kind", ["minimal", "card_knowledge", "seer"])
def test_every_type_of_observation_is_renamed_alike(preset: str, kind: str) -> None:
    check_renaming(replace(PRESETS[preset], observation_type=kind), random.Random(kind))


def check_renaming(config: HanabiConfig, rng: random.Random) -> None:
    names, alike = suit_letters(config), layout(config.rules()).alike_suits
    letters = "".join(names[suit] for suit in alike)
    assert letters == names[: config.colors]
    for env in moments(config, rng):
        assert_renamed_alike(env, letters, rng.sample(range(len(alike)), len(alike)))


def test_multicolor_and_black_are_like_no_other_suit() -> None:
    config = HanabiConfig(colors=3, multicolor="own_color", black_powder=True)
    found = layout(config.rules())
    assert found.alike_suits == (0, 1, 2)
    assert set(found.suit_of_bits[found.other_bits]) == {-1, 3, 4}
    assert set(found.suit_of_actions[found.other_actions]) == {-1, 3}, "hints name multicolor (V1), not black (V3)"


def test_bits_of_cards_know_their_card_and_columns_their_rank() -> None:
    config = HanabiConfig(black_powder=True, derived=True)
    found = layout(config.rules())
    cards = found.card_of_bits
    assert (found.suit_of_bits[cards >= 0] == cards[cards >= 0] // config.ranks).all()
    ranks = np.where(cards < 0, -1, cards % config.ranks)[found.suit_bits]
    assert (ranks == ranks[0]).all()
    black = next(field for field in found.fields if field.name == "fireworks").cards[-config.ranks :]
    assert black == (29, 28, 27, 26, 25), "black runs down (V3)"
