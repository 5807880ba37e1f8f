"""The layout of the observation agrees with its meaning."""

from dataclasses import replace

import numpy as np
import pytest

from hanabako.engine.layout import Field
from ikebana_env import PRESETS, IkebanaConfig
from ikebana_env.engine.layout import layout
from tests.test_cards import assert_every_bit_has_one_field

from .table import deal, start

TABLES = [
    replace(preset, players=players, derived=derived)
    for preset in PRESETS.values()
    for players in range(2, 6)
    for derived in (False, True)
]


def test_every_bit_belongs_to_one_field():
    for config in TABLES:
        assert_every_bit_has_one_field(config)


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
