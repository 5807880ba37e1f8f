"""The layout of the observation agrees with its meaning, also when colors are renamed; no action names a color."""

import random
import re
from dataclasses import replace

import numpy as np
import pytest

from hanabako.engine.layout import Field
from ikebana_env import PRESETS, IkebanaConfig, ikebana_v0
from ikebana_env.engine.layout import layout
from ikebana_env.words.notation import action_words
from tests.games import in_mid_game
from tests.test_cards import assert_renamed_alike

from .table import deal, start


@pytest.mark.parametrize(
    ("name", "bits"),
    [
        ("bouquet", [[0], [53]]),  # the first K1; J4
        ("top of the discard", [[5], []]),  # R1
        ("prestige", [[0, 1], [*range(10)]]),
        ("turn", [[0]]),
        ("to move", [[0]]),
        ("is drawn", [[0]]),
        ("drawn card", [[24]]),  # Y5
        ("card", [[9], *[[]] * 53]),  # R5 lies under R1
    ],
)
def test_fields_hold_what_they_say(name, bits):
    table = start(
        2,
        config={"perfect_recall": True},
        bouquets=["K1", "J4"],
        discards=["R5 R1", ""],
        drawn="Y5",
        prestige=[2, 10],
    )
    seen = table.env.observe("player_0")["observation"]
    config = IkebanaConfig(perfect_recall=True)
    field = next(field for field in layout(config.rules()).fields if field.name == name)
    assert [np.flatnonzero(seen[place]).tolist() for place in field.places()] == bits


def test_binary_numbers_hold_all_of_it():
    table = deal("", players=3)
    fields = [field for field in layout(table.env.config.rules()).fields if "binary" in field.meaning]
    assert [field.name for field in fields] == ["height of the discard", "prestige", "refusals"]
    table.do("draw", "refuse", "refuse")
    assert number_in(table, fields[0], 0) == 2
    assert [number_in(table, fields[1], player) for player in range(3)] == [3, 7, 8]
    assert number_in(table, fields[2], 0) == 2


def number_in(table, field: Field, time: int) -> int:
    bits = table.env.observe("player_0")["observation"][field.places()[time]]
    return int((bits.astype(int) << np.arange(len(bits))).sum())


@pytest.mark.parametrize("preset", PRESETS)
def test_renaming_colors_moves_bits_as_the_layout_says(preset: str) -> None:
    rng, chance = random.Random(preset), np.random.default_rng(5)
    for players in range(2, 6):
        for derived, recall in ((False, False), (True, False), (True, True)):
            config = replace(PRESETS[preset], players=players, derived=derived, perfect_recall=recall)
            env = ikebana_v0.raw_env(config=config)
            env.reset(seed=players)
            for _ in range(2):
                env = in_mid_game(env, 25, chance)
                assert_renamed_alike(env, "KRGBY", rng.sample(range(5), 5))


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
