"""The V0 input of published networks: for each card, the copies that may be there, as counted on the table."""

import random
from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import hanabi_env
from hanabako.games import game_of
from hanabi_env import PRESETS, HanabiConfig, hanabi_v0, v0_belief
from tests.reference.hanabi_plain import box, identities

from .test_properties import mostly_good

STANDARD = PRESETS["standard"]
CONFIGS = {
    "standard for 2": STANDARD,
    "standard for 3": replace(STANDARD, players=3),
    "standard for 4": replace(STANDARD, players=4),
    "standard for 5": replace(STANDARD, players=5),
    "more is observed": replace(STANDARD, players=3, history=3, belief=True, derived=True),
    "mini": PRESETS["mini"],
    "multicolor": PRESETS["avalanche_5"],
    "black runs down": PRESETS["black_powder"],
    "everything": replace(PRESETS["all_extensions"], belief=True, final_bouquet=False),
}


def counted_beliefs(position: dict[str, Any], config: HanabiConfig, observer: int) -> np.ndarray:
    """Return the beliefs about the cards of all hands, beginning with the observer's, (cards in all hands, cards).

    Each plausible card counts with its copies left, divided by their sum.
    """
    names = identities(config)
    left = Counter(box(config)) - Counter(position["discards"])
    for letter, played in position["fireworks"].items():
        ranks = [name for name in names if name[0] == letter]
        left -= Counter((ranks[::-1] if letter == "K" else ranks)[:played])
    rows = np.zeros((config.players, config.rules().hand_size, len(names)))
    for offset in range(config.players):
        for slot, known in enumerate(position["knowledge"][(observer + offset) % config.players]):
            rows[offset, slot] = [left[name] if name in known else 0 for name in names]
    total = rows.sum(-1, keepdims=True)
    return np.divide(rows, total, out=np.zeros_like(rows), where=total > 0).reshape(-1, len(names))


@pytest.mark.parametrize("name", CONFIGS)
def test_beliefs_are_those_one_counts_on_the_table_and_the_rest_is_canonical(name: str):
    config, rng, seen = CONFIGS[name], random.Random(1), 0
    bare = replace(config, observation_type="card_knowledge", history=1, belief=False, derived=False)
    env, plain = hanabi_v0.raw_env(config=config), hanabi_v0.raw_env(config=bare)
    layout = game_of(bare).layout(bare)
    (plausible,) = (field for field in layout.fields if field.name == "plausible")
    places = np.array([range(place.start, place.stop) for place in plausible.places()])
    for seed in range(20):
        env.reset(seed=seed)
        plain.reset(seed=seed)
        while not any(env.terminations.values()):
            for player, agent in enumerate(env.possible_agents):
                found = v0_belief(env.observe(agent)["observation"], config)
                wanted = plain.observe(agent)["observation"].astype(np.float32)
                wanted[places] = counted_beliefs(env.to_dict(), config, player)
                assert found.dtype == np.float32
                np.testing.assert_allclose(found, wanted, atol=1e-6)
                seen += 1
            action = rng.choice(mostly_good(env, rng))
            env.step(action)
            plain.step(action)
        if seen > 150:
            break
    assert seen > 150


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_the_standard_game_is_told_by_its_bits(players: int):
    config = HanabiConfig(players=players)
    envs = hanabi_env.HanabiVectorEnv(3, config=config, seed=1)
    seen = envs.reset()[0]["observation"]
    found = v0_belief(np.stack([seen, seen])[:, :, None])
    assert found.shape == (2, 3, 1, config.observation_bits)
    np.testing.assert_array_equal(found[1, :, 0], v0_belief(seen, config))


def test_what_has_no_beliefs_is_refused():
    packed = hanabi_env.HanabiVectorEnv(2, observation="packed", seed=1).reset()[0]["observation"]
    with pytest.raises(ValueError, match="658 or 956 or 1041 or 1280 bits, got 11"):
        v0_belief(packed)
    with pytest.raises(ValueError, match="must have 197 bits, got 658"):
        v0_belief(np.zeros(658), PRESETS["mini"])
    with pytest.raises(ValueError, match="bits, got 0"):
        v0_belief(1.0)
    for kind in ("minimal", "seer"):
        config = replace(STANDARD, observation_type=kind)
        with pytest.raises(ValueError, match=f"observation_type=.*got '{kind}'"):
            v0_belief(np.zeros(config.observation_bits), config)
