"""The rule card is up to date, and its index of bits means what it says."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from env_core.card import field_docstrings, filled
from hanafuda_env import PRESETS, KoiKoiConfig
from hanafuda_env.card import README, generated, observation_fields

from .table import position


def test_the_readmes_tables_are_those_of_the_code():
    page = README.read_text(encoding="utf-8")
    assert page == filled(page, generated()), "run python -m hanafuda_env.card"


def test_every_bit_belongs_to_one_field():
    for preset in PRESETS.values():
        for history in (0, 3):
            config = replace(preset, history=history)
            owners = np.zeros(config.observation_bits, int)
            for field in observation_fields(config):
                for place in field.places():
                    owners[place] += 1
            assert (owners == 1).all()


def test_every_config_field_is_explained():
    assert set(field_docstrings(KoiKoiConfig)) == set(KoiKoiConfig.__dataclass_fields__)


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
