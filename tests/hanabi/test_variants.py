"""Random games of random combinations of every variant (V1-V7, H16, H17), compared move by move with the reference.

Legal moves, rewards, ends, the whole table and every bit that every seat sees. Every combination is played by the one
general program. ``HANABAKO_MOVES=100000 pytest tests/hanabi/test_variants.py`` compares that many moves.
"""

from __future__ import annotations

import os
import random
from collections import Counter
from typing import Any

import pytest

from hanabi_env import HanabiConfig
from hanabi_env import config as configuration
from tests.reference.hanabi_plain import TILES, PlainHanabi
from tests.reference.hanabi_plain_observation import is_dead
from tests.reference.lockstep import Engine, Plain, play, shuffled_box

from .plain_engine import PlainEngine

MOVES = int(os.environ.get("HANABAKO_MOVES", "20000"))
RECKLESS = 0.03  # how often a good player does anything legal


@pytest.fixture(autouse=True)
def _every_variant_is_built(monkeypatch):
    monkeypatch.setattr(configuration, "NOT_BUILT_YET", {}, raising=False)


def random_config(rng: random.Random) -> HanabiConfig:
    """Any combination of the variants on any table that the general record has room for."""
    full_size = rng.random() < 0.4
    fields: dict[str, Any] = {
        "players": rng.randint(2, 5),
        "colors": 5 if full_size else rng.randint(1, 5),
        "ranks": 5 if full_size else rng.randint(1, 5),
        "max_information_tokens": rng.choice([8, 8, 10, 3, 1, 0]),
        "max_life_tokens": rng.choice([3, 3, 1, 9]),
        "multicolor": rng.choice([None, "own_color", "all_colors"]),
        "black_powder": rng.random() < 0.5,
        "black_distribution": rng.choice(["mirrored", "standard"]),
        "flamboyants": rng.random() < 0.7,
        "final_bouquet": rng.random() < 0.5,
        "choreography": rng.random() < 0.5,
        "empty_hints": rng.random() < 0.5,
        "score_on_loss": rng.choice(["zero", "fireworks"]),
        "observation_type": rng.choice(["minimal", "card_knowledge", "card_knowledge", "seer"]),
        "history": rng.choice([1, 1, 2, 5]),
        "belief": rng.random() < 0.3,
        "derived": rng.random() < 0.3,
    }
    try:
        return HanabiConfig(**fields, hand_size=None if full_size else rng.randint(1, 5))
    except ValueError as error:
        assert "hand_size" in str(error)  # noqa: PT017 - any other complaint is a bug
        return random_config(rng)


def random_tiles(config: HanabiConfig, rng: random.Random) -> str:
    return "".join(rng.sample(TILES, len(TILES))) if config.flamboyants else ""


def good_move(plain: Plain, rng: random.Random) -> int:
    """A player who peeks: fireworks complete, tiles turn up, decks run out; now and then anything legal."""
    game, words = plain.game, plain.words
    legal = sorted(plain.legal())
    if game.pending is not None or rng.random() < RECKLESS:
        return rng.choice(legal)
    right = [action for action in legal if is_right_play(game, words[action])]
    safe = [action for action in legal if is_safe(game, words[action])]
    if right and (not safe or rng.random() < 0.8):
        return rng.choice(right)
    return rng.choice(safe or right or legal)


def is_right_play(game: PlainHanabi, words: str) -> bool:
    verb, slot, *announced = words.split()
    if verb != "play" or not slot.isdigit():
        return False
    card = game.hands[game.current_player][int(slot)]
    return game.is_playable(card) and (not announced or announced[-1] == game.suit(card))


def is_safe(game: PlainHanabi, words: str) -> bool:
    """A hint, or a discard that no firework will miss."""
    verb, slot, *_ = words.split()
    if verb == "discard":
        card = game.hands[game.current_player][int(slot)]
        others = [other for hand in game.hands for other in hand].count(card) + game.deck.count(card)
        return is_dead(game, card) or others > 1
    return verb == "hint"


def any_move(plain: Plain, rng: random.Random) -> int:
    return rng.choice(sorted(plain.legal()))


def play_one(machine: Any, seed: int) -> tuple[HanabiConfig, PlainHanabi, int]:
    """One random game of a random combination, on the reference and on ``machine``."""
    rng = random.Random(seed)
    config = random_config(rng)
    deck, tiles = shuffled_box(config, rng), random_tiles(config, rng)
    plain = Plain(config, deck, bonus_tiles=tiles)
    choose = any_move if rng.random() < 0.1 else good_move
    try:
        moves = play(plain, [machine(config, deck, bonus_tiles=tiles)], choose, rng)
    except Exception as error:
        error.add_note(f"seed {seed}, {config}")
        raise
    return config, plain.game, moves


def test_random_combinations_agree_with_the_plain_reference():
    """With the compiled general program, and until every end, every tile and every choice has been seen."""
    moves, seed = 0, 0
    ends: Counter[str | None] = Counter()
    kinds: Counter[str] = Counter()
    while moves < MOVES:
        _, game, played = play_one(Engine, seed)
        ends[game.end_reason] += 1
        kinds.update(event.kind for event in game.events)
        moves += played
        seed += 1
    assert set(ends) >= {"lives", "complete", "deck", "indispensable", "stuck"}, ends
    assert set(kinds) >= {"choose", "shuffle back", "play from discard"}, kinds


def test_random_combinations_agree_without_the_compiler():
    for seed in range(1_000_000, 1_000_010):
        play_one(PlainEngine, seed)
