"""Every game's rule card is up to date and complete."""

import importlib
from typing import Any

import numpy as np
import pytest

from hanabako.pages.generated import filled
from hanabako.pages.rule_card import field_docstrings
from tests.games import GAMES, GameUnderTest, short_name

EVERY_GAME = pytest.mark.parametrize("under_test", GAMES, ids=short_name)


def card_of(package: str) -> Any:
    return importlib.import_module(f"{package}.rule_card")


def assert_every_bit_has_one_field(config: Any) -> None:
    """The fields of a table's observation do not overlap and leave nothing out."""
    owners = np.zeros(config.observation_bits, int)
    for field in card_of(type(config).__module__.split(".")[0]).observation_fields(config):
        for place in field.places():
            owners[place] += 1
    assert (owners == 1).all()


@EVERY_GAME
def test_the_readmes_tables_are_those_of_the_code(under_test: GameUnderTest) -> None:
    card = card_of(under_test.package)
    page = card.README.read_text(encoding="utf-8")
    assert page == filled(page, card.generated()), f"run python -m {under_test.package}.card"


@EVERY_GAME
def test_every_config_field_is_explained(under_test: GameUnderTest) -> None:
    kind = type(under_test.config())
    assert set(field_docstrings(kind)) == set(kind.__dataclass_fields__)
