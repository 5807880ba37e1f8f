"""Fields of a configuration: wrong values are refused by name, and NumPy's numbers are stored as Python's."""

from typing import Any

import numpy as np
import pytest

from ikebana_env import IkebanaConfig, ikebana_v0

NO_FLAGS: list[Any] = ["no", "yes", 0, 1, None, np.int64(1), [True]]
NO_INTS: list[Any] = ["3", 2.0, True, np.True_, np.float64(2), [2], None, -1, 10**30]


@pytest.mark.parametrize("name", ["final_bouquet", "random_start_player", "perfect_recall", "derived"])
def test_a_flag_is_a_bool(name):
    for wrong in NO_FLAGS:
        with pytest.raises(ValueError, match=f"^{name} must be true or false, got"):
            ikebana_v0.raw_env(**{name: wrong})


@pytest.mark.parametrize("name", ["players", "rounds"])
def test_a_number_is_an_int(name):
    for wrong in NO_INTS:
        with pytest.raises(ValueError, match=f"^{name} must be "):
            ikebana_v0.raw_env(**{name: wrong})


def test_numpy_values_are_pythons():
    config = IkebanaConfig(players=np.int64(3), rounds=np.uint8(2), derived=np.True_)  # type: ignore[arg-type]
    assert config == IkebanaConfig(players=3, rounds=2, derived=True)
    assert (type(config.players), type(config.rounds), config.derived) == (int, int, True)
