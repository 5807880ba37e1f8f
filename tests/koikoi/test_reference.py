"""The independent plain game and the environment play the same random games, with random options."""

import random
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from hanafuda_env import PRESETS, KoiKoiConfig, koikoi_v0
from tests.reference.koikoi_plain import BOX, PlainKoiKoi
from tests.reference.koikoi_plain_observation import observation

KEYS_OF_SETS = ("hands", "captured", "yaku", "november")


def random_config(rng: random.Random) -> KoiKoiConfig:
    """Return a random combination of options; many have the Gaji or lucky hands."""
    own = rng.choice(["chain", "none", "bonus"])
    pays = rng.random() < 0.3
    return KoiKoiConfig(
        rounds=rng.randint(1, 4),
        hand_swap=rng.random() < 0.5,
        forced_match=rng.random() < 0.5,
        hiki=rng.choice(["optional", "auto"]),
        teshi=rng.choice(["wins", "redeal", "plays"]),
        kuttsuki=rng.choice(["wins", "redeal", "plays"]),
        both_lucky=rng.choice(["draw", "play", "redeal"]),
        lucky_points=rng.randint(0, 9),
        points=tuple(rng.randint(0, 12) for _ in range(12)),
        extra=(0,) * 9 + tuple(rng.randint(0, 2) for _ in range(3)),
        viewing_after_koi=rng.choice([None, 3]),
        bright_exclusive=rng.random() < 0.5,
        cup_is_chaff=rng.random() < 0.5,
        extra_named=rng.random() < 0.5,
        red_and_blue_bonus=rng.choice([0, 10]),
        triade=rng.random() < 0.5,
        choice_on_growth=rng.random() < 0.5,
        growth_in_chain=rng.random() < 0.5,
        own_koi=own,
        opponent_koi_factor=rng.randint(1, 3),
        seven=rng.choice([5, 7]),
        seven_factor=rng.randint(1, 3),
        koikoi_limit=rng.choice([None, None, 0, 1, 2]),
        exhausted_points=rng.choice([0, 1]),
        drawn_dealer=rng.choice(["same", "other"]),
        start_score=20 if pays else 0,
        loser_pays=pays,
        ends_at_zero=pays,
        gaji=rng.random() < 0.7,
        gaji_block=rng.choice(["hand", "any"]),
        reward="points",
    )


def stacked(rng: random.Random) -> list[str]:
    """Return a shuffled box; in a third of them months lie together, for many triples, Hiki and lucky hands."""
    deck = list(BOX)
    rng.shuffle(deck)
    if rng.random() < 0.3:
        for _ in range(30):
            i, j = rng.randrange(48), rng.randrange(48)
            months = [k for k in range(48) if deck[k].split("-")[0] == deck[i].split("-")[0]]
            k = rng.choice(months)
            deck[j], deck[k] = deck[k], deck[j]
    return deck


def valid_decks(config: KoiKoiConfig, rng: random.Random) -> list[list[str]]:
    """Return a deck for every round that does not make it void for either dealer."""
    decks = []
    while len(decks) < config.rounds:
        deck = stacked(rng)
        probe = object.__new__(PlainKoiKoi)
        probe.config, probe.dealer = config, 0
        probe.deal(deck)
        if not probe.is_void():
            decks.append(deck)
    return decks


def same(plain: PlainKoiKoi, env: Any) -> None:
    state, expected = env.to_dict(), plain.to_dict()
    for key, value in expected.items():
        got = state[key]
        if key in KEYS_OF_SETS:
            got = [set(part) for part in got]
        elif isinstance(value, set):
            got = set(got)
        assert got == value, key
    results = [{key: row[key] for key in ("winner", "points", "reason")} for row in state["round_results"]]
    assert results == plain.results
    for player, agent in enumerate(env.possible_agents):
        assert env.observe(agent)["observation"].tolist()[:OBSERVED] == observation(plain, player)


OBSERVED = KoiKoiConfig().observation_bits


def play_both(config: KoiKoiConfig, rng: random.Random) -> int:
    decks = valid_decks(config, rng)
    dealer = rng.randrange(2)
    plain = PlainKoiKoi(config, dealer, lambda number: decks[number])
    env = koikoi_v0.raw_env(config=config)
    if plain.phase == "end":
        with pytest.raises(ValueError, match="decide"):
            env.reset(seed=1, options={"decks": decks, "dealer": dealer})
        return 0
    env.reset(seed=1, options={"decks": decks, "dealer": dealer})
    rewarded, moves = 0, 0
    while plain.phase != "end":
        same(plain, env)
        words = plain.legal()
        mask = env.observe(env.agent_selection)["action_mask"]
        assert {env.action_to_str(int(action)) for action in np.flatnonzero(mask)} == set(words)
        word = "joker" if "joker" in words and rng.random() < 0.5 else rng.choice(words)
        env.step(env.str_to_action(word))
        plain.move(word)
        gain = 0
        while rewarded < len(plain.results):
            result = plain.results[rewarded]
            gain += {0: 1, 1: -1, None: 0}[result["winner"]] * result["points"]
            rewarded += 1
        assert env.rewards == {"player_0": gain, "player_1": -gain}
        moves += 1
    same(plain, env)
    assert all(env.terminations.values())
    return moves


def test_random_games_of_random_options_agree_with_the_plain_game(full: bool):
    rng, games = random.Random(20261120), 500 if full else 50
    assert sum(play_both(random_config(rng), rng) for _ in range(games)) > 20 * games


@pytest.mark.parametrize("preset", PRESETS)
def test_games_of_the_presets_agree_with_the_plain_game(preset, full):
    rng = random.Random(preset)
    config = replace(PRESETS[preset], reward="points")
    for _ in range(3 if full else 1):
        play_both(config, rng)
