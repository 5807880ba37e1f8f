"""Renaming the five colors moves the bits as the layout says, and no action names a color."""

import random
import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from ikebana_env import PRESETS, IkebanaConfig, ikebana_v0
from ikebana_env.engine.layout import layout
from ikebana_env.words.notation import action_words
from tests.games import in_mid_game
from tests.test_cards import assert_renamed_alike

COLORS = list("KRGBY")


def renamed(value: Any, letters: dict[str, str]) -> Any:
    """Return a position with its colors renamed."""
    if isinstance(value, dict):
        return {key: renamed(item, letters) for key, item in value.items()}
    if isinstance(value, list):
        return [renamed(item, letters) for item in value]
    if isinstance(value, str) and re.fullmatch(r"[KRGBY]\d", value):
        return letters[value[0]] + value[1]
    return value


@pytest.mark.parametrize("preset", PRESETS)
def test_renaming_colors_moves_bits_as_the_layout_says(preset: str) -> None:
    rng, chance = random.Random(preset), np.random.default_rng(5)
    for players in range(2, 6):
        for derived, recall in ((False, False), (True, False), (True, True)):
            config = replace(PRESETS[preset], players=players, derived=derived, perfect_recall=recall)
            env = ikebana_v0.raw_env(config=config)
            env.reset(seed=players)
            for _ in range(2):
                env, order = in_mid_game(env, 25, chance), rng.sample(range(5), 5)
                letters: dict[str, str] = {COLORS[k]: COLORS[other] for k, other in enumerate(order)}
                other_names = ikebana_v0.raw_env(config=config)
                other_names.reset(options={"state": renamed(env.to_dict(), letters)})
                assert_renamed_alike(env, other_names, order)


def test_the_joker_is_of_no_color() -> None:
    found = layout(IkebanaConfig(derived=True).rules())
    assert found.alike_suits == (0, 1, 2, 3, 4)
    assert set(found.suit_of_bits[found.other_bits]) == {-1, 5}
    assert found.suit_actions.shape == (5, 0)


def test_actions_are_of_the_kind_that_their_words_say() -> None:
    for players in range(2, 6):
        config = IkebanaConfig(players=players)
        words = action_words(config)
        for block in layout(config.rules()).actions:
            for word in words[block.first : block.first + block.bits]:
                assert re.fullmatch(block.name.replace("OFFSET", r"\d"), word)
