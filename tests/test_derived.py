"""The flags that networks work out of an observation are those of the environment's option ``derived``."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from hanabako.games import game_of
from hanabi_env import PRESETS, HanabiConfig
from ikebana_env import IkebanaConfig
from tests.games import legal_actions

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
