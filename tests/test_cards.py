"""Every game's rule card and layout are complete and up to date; networks derive the flags of ``derived``."""

import importlib
import re
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest

from docs.build.rule_card import field_docstrings
from hanabako.games import game_of
from hanabako.generated import filled
from hanabi_env import PRESETS, HanabiConfig
from ikebana_env import IkebanaConfig
from tests.games import EVERY_GAME, GameUnderTest, layout_of, legal_actions
from tests.soak.configs import entries
from tests.test_architecture import ROOT, run


def assert_renamed_alike(env: Any, letters: str, order: list[int]) -> None:
    """Check that renaming suits moves every player's bits and legal actions as the layout says.

    ``letters`` name the suits that the rules treat alike; each gets the name of the suit whose number is in ``order``.
    """
    bits, actions = layout_of(env.config).renaming(order)
    other = env.copy()
    other.reset(options={"state": renamed(env.to_dict(), dict(zip(letters, [letters[k] for k in order], strict=True)))})
    for agent in env.possible_agents:
        before, after = env.observe(agent), other.observe(agent)
        assert np.array_equal(after["observation"], before["observation"][bits])
        assert np.array_equal(after["action_mask"], before["action_mask"][actions])


def renamed(value: Any, letters: dict[str, str]) -> Any:
    """Return a position, or a part of it, with other names of suits."""
    if isinstance(value, dict):
        return {renamed(key, letters): renamed(item, letters) for key, item in value.items()}
    if isinstance(value, list):
        return [renamed(item, letters) for item in value]
    if isinstance(value, str):
        return re.sub(r"\b[A-Z](?=\d?\b)", lambda found: letters.get(found[0], found[0]), value)
    return value


@EVERY_GAME
def test_the_readmes_tables_are_those_of_the_code(under_test: GameUnderTest) -> None:
    card = importlib.import_module(f"docs.build.rule_cards.{under_test.name}")
    page = (ROOT / under_test.package / "README.md").read_text(encoding="utf-8")
    assert page == filled(page, card.generated()), "run python -m docs.build.rule_card"


@EVERY_GAME
def test_every_config_field_is_explained(under_test: GameUnderTest) -> None:
    kind = type(under_test.config())
    assert set(field_docstrings(kind)) == set(kind.__dataclass_fields__)


OBSERVED: dict[str, list[dict[str, Any]]] = {
    "hanabi": [{}, {"observation_type": "minimal"}, {"history": 3, "belief": True, "derived": True}],
    "ikebana": [{}, {"derived": True}],
    "koikoi": [{}, {"history": 3}],
}


@EVERY_GAME
def test_every_bit_and_every_action_belong_to_one_field(under_test: GameUnderTest) -> None:
    for entry, more in product(entries(under_test.name), OBSERVED[under_test.name]):
        config = replace(entry.config, **more)
        layout = layout_of(config)
        for fields, length in ((layout.fields, config.observation_bits), (layout.actions, config.rules().num_actions)):
            owners = np.zeros(length, int)
            for field in fields:
                for place in field.places():
                    owners[place] += 1
            assert (owners == 1).all()


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


FEW = [PRESETS["mini"], PRESETS["all_extensions"], IkebanaConfig(players=3)]
MORE = [
    *(HanabiConfig(players=players, history=4, belief=True) for players in (2, 5)),
    *(IkebanaConfig(players=players, perfect_recall=True) for players in (2, 5)),
    *(PRESETS[name] for name in ("grands_feux_all", "avalanche_5", "black_powder", "choreography")),
]
CONFIGS = [*FEW, *(pytest.param(config, marks=pytest.mark.slow) for config in MORE)]


@pytest.mark.parametrize("config", CONFIGS)
def test_flags_are_those_of_the_environment(config: Any, full: bool) -> None:
    entry = game_of(config)
    configs = [replace(config, derived=derived) for derived in (False, True)]
    plain, flagged = (entry.make_vector(32, config=one, observation="packed") for one in configs)
    derive, rng = entry.module("engine.derived").derive(configs[0].rules()), np.random.default_rng(1)
    seen, with_flags = plain.reset(seed=3)[0], flagged.reset(seed=3)[0]
    for _ in range(120 if full else 30):
        np.testing.assert_array_equal(derive(seen["observation"]), with_flags["observation"])
        actions = legal_actions(seen["action_mask"], rng)
        seen, with_flags = plain.step(actions)[0], flagged.step(actions)[0]


@pytest.mark.parametrize("fields", [{"observation_type": "minimal"}, {"observation_type": "seer"}, {"derived": True}])
def test_an_observation_without_what_flags_need_is_refused(fields: dict) -> None:
    config = HanabiConfig(**fields)
    with pytest.raises(ValueError, match="card_knowledge"):
        game_of(config).module("engine.derived").derive(config.rules())
