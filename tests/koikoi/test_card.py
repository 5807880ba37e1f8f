"""The rule card's index of bits means what it says."""

from dataclasses import replace

import numpy as np

from hanafuda_env import PRESETS, KoiKoiConfig
from hanafuda_env.rule_card import observation_fields
from tests.test_cards import assert_every_bit_has_one_field

from .table import position


def test_every_bit_belongs_to_one_field():
    for preset in PRESETS.values():
        for history in (0, 3):
            assert_every_bit_has_one_field(replace(preset, history=history))


def test_fields_lie_where_the_table_says():
    table = position("1-1 2-1 3-1 4-1 | ", field="5-3 6-3", scores=[7, 2])
    bits = np.array(table.bits(0))
    found = {(field.section, field.name): bits[field.places()[0]] for field in observation_fields(KoiKoiConfig())}
    assert np.flatnonzero(found["cards", "my hand"]).tolist() == [0, 4, 8, 12]
    assert np.flatnonzero(found["cards", "field"]).tolist() == [18, 22]
    assert np.flatnonzero(found["round", "phase"]).tolist() == [1]
    assert found["round", "turn"].sum() == 9
    assert found["scores", "my lead"].tolist() == [1, 1, 1, 0, 0, 0, 0, 0]
    assert found["scores", "my score"].tolist()[:4] == [1, 1, 1, 0]
