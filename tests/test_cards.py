"""Every game's rule card and its layout of observation and actions are complete and up to date."""

import importlib
from typing import Any

import numpy as np
import pytest

from docs.build.rule_card import field_docstrings
from hanabako.engine.layout import Layout
from hanabako.games import game_of
from hanabako.generated import filled
from tests.games import GAMES, GameUnderTest, short_name
from tests.test_architecture import ROOT, run

EVERY_GAME = pytest.mark.parametrize("under_test", GAMES, ids=short_name)


def layout_of(config: Any) -> Layout:
    return game_of(config).layout(config)


def assert_every_bit_has_one_field(config: Any) -> None:
    """Check that the fields of the observation cover every bit once, and those of the actions every action."""
    layout = layout_of(config)
    for fields, length in ((layout.fields, config.observation_bits), (layout.actions, config.rules().num_actions)):
        owners = np.zeros(length, int)
        for field in fields:
            for place in field.places():
                owners[place] += 1
        assert (owners == 1).all()


def assert_renamed_alike(env: Any, renamed: Any, order: list[int]) -> None:
    """Check that every player's bits and legal actions are those of the original position, reordered.

    ``renamed`` is the position with its suits renamed by ``order``; the layout gives the order of bits and actions.
    """
    bits, actions = layout_of(env.config).renaming(order)
    for agent in env.possible_agents:
        before, after = env.observe(agent), renamed.observe(agent)
        assert np.array_equal(after["observation"], before["observation"][bits])
        assert np.array_equal(after["action_mask"], before["action_mask"][actions])


@EVERY_GAME
def test_the_readmes_tables_are_those_of_the_code(under_test: GameUnderTest) -> None:
    card = importlib.import_module(f"docs.build.rule_cards.{under_test.name}")
    page = (ROOT / under_test.package / "README.md").read_text(encoding="utf-8")
    assert page == filled(page, card.generated()), "run python -m docs.build.rule_card"


@EVERY_GAME
def test_every_config_field_is_explained(under_test: GameUnderTest) -> None:
    kind = type(under_test.config())
    assert set(field_docstrings(kind)) == set(kind.__dataclass_fields__)


@EVERY_GAME
def test_alike_suits_and_the_rest_share_out_all_bits_and_actions(under_test: GameUnderTest) -> None:
    for config in under_test.presets.values():
        layout = layout_of(config)
        assert len(layout.suit_bits) == len(layout.suit_actions) == len(layout.alike_suits)
        assert sorted([*layout.suit_bits.flat, *layout.other_bits]) == list(range(config.observation_bits))
        assert sorted([*layout.suit_actions.flat, *layout.other_actions]) == list(range(config.rules().num_actions))


@EVERY_GAME
def test_a_wrong_order_of_suits_is_refused(under_test: GameUnderTest) -> None:
    layout = layout_of(under_test.config())
    with pytest.raises(ValueError, match="order must hold 0 to"):
        layout.renaming([*layout.alike_suits, 0])


@EVERY_GAME
def test_a_games_layout_is_light(under_test: GameUnderTest) -> None:
    """Learning imports the layout, so it imports no command line, page, drawing or code for another site."""
    heavy = ("argparse", "tyro", "hanabako.pages", "hanabako.drawing", f"{under_test.package}.hanablive")
    code = f"import sys, {under_test.package}.engine.layout; print([name for name in {heavy!r} if name in sys.modules])"
    assert run(code).strip() == "[]"
