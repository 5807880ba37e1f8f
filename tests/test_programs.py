"""Every game's compiled programs: they know their sources, and the special ones play as the general one does."""

from __future__ import annotations

from typing import Any

import pytest

from .houses import HOUSES, House, table_name
from .test_vector_contract import assert_same, roll

GAMES = pytest.mark.parametrize("house", HOUSES, ids=table_name)


@GAMES
def test_every_loop_is_keyed_by_the_digest_of_its_sources(house: House) -> None:
    """Numba's disk cache keys a loop by what it closes over: without the digest an edited rule would run as it was."""
    game = house.vector(1).game
    for special in (False, True):
        for name, loop in game.loops(special)._asdict().items():
            assert game.rules.source_digest in closed_over(loop.py_func), name


def closed_over(function: Any) -> list[Any]:
    """Everything a function and the functions in its closure close over."""
    contents = [cell.cell_contents for cell in function.__closure__ or ()]
    return contents + [inner for content in contents if callable(content) for inner in closed_over(content)]


@GAMES
def test_general_and_special_programs_play_the_same_games(house: House) -> None:
    """Whether a program reads its rules at run time or was compiled for them makes no difference."""
    general, special = (house.vector(40, observation="packed", special=special) for special in (False, True))
    assert_same(roll(general, 60, seed=3), roll(special, 60, seed=3))
