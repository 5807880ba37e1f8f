"""Fields of a configuration: wrong values are refused by name, and NumPy's numbers are stored as Python's."""

from dataclasses import fields
from typing import Any

import numpy as np
import pytest

from hanafuda_env import KoiKoiConfig, koikoi_v0

FLAGS = [field.name for field in fields(KoiKoiConfig) if isinstance(field.default, bool)]
INTS = [field.name for field in fields(KoiKoiConfig) if type(field.default) is int]
NO_FLAGS: list[Any] = ["no", "yes", 0, 1, None, np.int64(1), [True]]
NO_INTS: list[Any] = ["3", 1.0, True, np.True_, np.float64(2), [1], -1, 10**30]


def test_there_are_flags_and_numbers():
    assert {"hand_swap", "gaji", "triade"} <= set(FLAGS) and {"rounds", "seven"} <= set(INTS)


@pytest.mark.parametrize("name", FLAGS)
def test_a_flag_is_a_bool(name):
    for wrong in NO_FLAGS:
        with pytest.raises(ValueError, match=f"^{name} must be true or false, got"):
            koikoi_v0.raw_env(**{name: wrong})


@pytest.mark.parametrize("name", [*INTS, "koikoi_limit", "viewing_after_koi"])
def test_a_number_is_an_int(name):
    for wrong in NO_INTS:
        with pytest.raises(ValueError, match=f"^{name} must be "):
            koikoi_v0.raw_env(**{name: wrong})


def test_numpy_values_are_pythons():
    config = KoiKoiConfig(rounds=np.int64(3), gaji=np.True_, koikoi_limit=np.uint8(2), seven=np.int32(5))  # type: ignore[arg-type]
    assert config == KoiKoiConfig(rounds=3, gaji=True, koikoi_limit=2, seven=5)
    assert {type(config.rounds), type(config.koikoi_limit), type(config.seven)} == {int}
    assert config.gaji is True
