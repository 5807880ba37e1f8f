"""The flags that networks derive from an observation are those of the environment's option ``derived``."""

from dataclasses import replace

import numpy as np
import pytest

from hanabi_env import PRESETS, HanabiConfig, HanabiVectorEnv
from hanabi_env.engine.derived import derive, derived_words
from tests.games import legal_actions

FEW = [PRESETS["mini"], PRESETS["all_extensions"]]
MORE = [HanabiConfig(players=players, history=4) for players in (2, 3, 4, 5)]
CONFIGS = [
    *FEW,
    *(pytest.param(config, marks=pytest.mark.slow) for config in [*PRESETS.values(), *MORE] if config not in FEW),
]


@pytest.mark.parametrize("config", CONFIGS, ids=lambda config: repr(config.rules()[:6]))
def test_flags_are_those_of_the_environment(config: HanabiConfig, full: bool) -> None:
    bare = replace(config, belief=False, derived=False)
    plain, flagged = (
        HanabiVectorEnv(32, config=replace(bare, derived=derived), observation="packed") for derived in (False, True)
    )
    rng, found = np.random.default_rng(1), np.zeros((32, derived_words(bare.rules())), np.uint64)
    seen, with_flags = plain.reset(seed=3)[0], flagged.reset(seed=3)[0]
    for _ in range(120 if full else 30):
        derive(bare.rules())(seen["observation"], found)
        np.testing.assert_array_equal(found, with_flags["observation"])
        actions = legal_actions(seen["action_mask"], rng)
        seen, with_flags = plain.step(actions)[0], flagged.step(actions)[0]


@pytest.mark.parametrize("fields", [{"observation_type": "minimal"}, {"observation_type": "seer"}, {"derived": True}])
def test_an_observation_without_what_flags_need_is_refused(fields: dict) -> None:
    with pytest.raises(ValueError, match="card_knowledge"):
        derive(HanabiConfig(**fields).rules())
