"""Random games of random combinations of all variants (V1-V7, H16, H17) agree move by move with the reference.

Legal moves, rewards, ends, the whole table and every bit of every seat's observation are compared. The same general
program plays every combination. ``HANABAKO_MOVES=200000 pytest tests/hanabi/test_variants.py`` compares that many
moves.
"""

import json
import os
import random
from collections import Counter
from typing import Any

import pytest

from hanabi_env import HanabiConfig
from hanabi_env.words.reading import read_bonus_tiles
from tests.reference.hanabi_plain import TILES, PlainHanabi, box
from tests.reference.hanabi_plain_observation import is_dead
from tests.reference.lockstep import Engine, Plain, any_legal, play, shuffled_box

from .records import PlainEngine
from .table import state

MOVES = int(os.environ.get("HANABAKO_MOVES", "10000"))
PARTS = 4  # tests that share the games, so that workers can run them in parallel
RECKLESS = 0.03  # how often a good player makes any legal move


def random_config(rng: random.Random) -> HanabiConfig:
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
    """Choose a move by peeking, so that fireworks are completed, tiles revealed and decks used up; or any move."""
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
    """Return whether the move is a hint, or a discard that no firework needs."""
    verb, slot, *_ = words.split()
    if verb == "discard":
        card = game.hands[game.current_player][int(slot)]
        others = [other for hand in game.hands for other in hand].count(card) + game.deck.count(card)
        return is_dead(game, card) or others > 1
    return verb == "hint"


def play_one(machine: Any, seed: int) -> tuple[HanabiConfig, PlainHanabi, int]:
    """Play one random game of a random combination on the reference and on ``machine``."""
    rng = random.Random(seed)
    config = random_config(rng)
    deck, tiles = shuffled_box(config, rng), random_tiles(config, rng)
    plain = Plain(config, deck, bonus_tiles=tiles)
    choose = any_legal if rng.random() < 0.1 else good_move
    try:
        moves = play(plain, [machine(config, deck, bonus_tiles=tiles)], choose, rng)
    except Exception as error:
        error.add_note(f"seed {seed}, {config}")
        raise
    return config, plain.game, moves


@pytest.mark.parametrize("part", [0, *(pytest.param(part, marks=pytest.mark.slow) for part in range(1, PARTS))])
def test_random_combinations_agree_with_the_plain_reference(part, full):
    """The compiled general program agrees; most kinds of ends and choices occur."""
    moves, seed = 0, part
    ends: Counter[str | None] = Counter()
    kinds: Counter[str] = Counter()
    while moves < MOVES / PARTS / (1 if full else 2):
        _, game, played = play_one(Engine, seed)
        ends[game.end_reason] += 1
        kinds.update(event.kind for event in game.events)
        moves += played
        seed += PARTS
    assert set(ends) >= {"lives", "complete", "deck", "indispensable"}, ends
    assert set(kinds) >= ({"choose", "shuffle back"} if full else {"choose"}), kinds


def test_random_combinations_agree_without_the_compiler():
    for seed in range(1_000_000, 1_000_006):
        play_one(PlainEngine, seed)


def test_V5_players_without_cards_and_tokens_are_stuck():
    """With one token, many lives and an empty deck, a player with nothing to do is stuck, as in the reference."""
    config = HanabiConfig(
        colors=2, ranks=2, hand_size=4, max_information_tokens=1, max_life_tokens=9, final_bouquet=True
    )
    rng = random.Random(0)
    ends = Counter()
    for _ in range(30):
        deck = shuffled_box(config, rng)
        plain = Plain(config, deck)
        play(plain, [Restored(config, deck)], any_legal, rng)
        ends[plain.game.end_reason] += 1
    assert ends["stuck"] > 0, ends


class Restored(PlainEngine):
    """A game that is restored into a new record after every step, from its dict alone."""

    name = "restored position"

    def step(self, action: int) -> float:
        reward = super().step(action)
        position = json.loads(json.dumps(self.to_dict()))
        fresh = PlainEngine(self.config, box(self.config), TILES if self.config.flamboyants else "")
        fresh.load(position)
        self.table, self.state = fresh.table, fresh.state
        assert self.to_dict() == position
        return reward


def test_restored_positions_look_and_go_on_alike():
    """Every position of a game can be restored, with the same observations, legal moves, draws and shuffle by (e)."""
    for seed in range(2_000_000, 2_000_006):
        play_one(both_compared, seed)


class Both:
    """Two machines as one, which must agree."""

    def __init__(self, first: Any, second: Any) -> None:
        self.name = f"{first.name} and {second.name}"
        self.machines = (first, second)

    def __getattr__(self, key: str) -> Any:
        first, second = (getattr(machine, key) for machine in self.machines)
        if callable(first):
            return lambda *given: same(first(*given), second(*given), key)
        return same(first, second, key)


def both_compared(config: HanabiConfig, deck: list[str], bonus_tiles: str) -> Both:
    return Both(PlainEngine(config, deck, bonus_tiles), Restored(config, deck, bonus_tiles))


def same(first: Any, second: Any, key: str) -> Any:
    assert first == second, key
    return first


# --- Impossible positions ---------------------------------------------------------------------------------------------

FULL: dict[str, Any] = {"multicolor": "all_colors", "black_powder": True, "flamboyants": True}


def waiting_position(tile: str, **fields: Any) -> tuple[HanabiConfig, dict[str, Any]]:
    """Return a position in which player 0 has completed red and ``tile`` is pending; Y1 is in the discard."""
    hands, tiles = "R1 R1 R2 R3 | R4 Y1 Y1 Y2 Y2", TILES.replace(tile, "")
    return state(hands, fireworks="R5", discards="Y1", tiles=tiles, pending=tile, **FULL, **fields)


def load(config: HanabiConfig, position: dict[str, Any]) -> PlainEngine:
    engine = PlainEngine(config, box(config), TILES)
    engine.load(position)
    return engine


@pytest.mark.parametrize("tile", ["c", "d", "e", "f"])
def test_a_position_may_wait_for_a_choice(tile):
    engine = load(*waiting_position(tile))
    assert engine.to_dict()["pending"] == tile
    assert engine.score == 0  # V3: five points minus five missing black cards


@pytest.mark.parametrize(
    ("changed", "complaint"),
    [
        ({"pending": "a"}, "pending must be one of 'c', 'd', 'e', 'f', 'e\\?', None, got 'a'"),
        ({"pending": "d"}, "pending must belong to a revealed tile"),
        ({"pending": "e?"}, "pending must belong to a revealed tile"),
        ({"pending": None}, r"hands\[0\] must have 5 cards, got 4"),
        ({"current_player": 1}, r"hands\[1\] must have 4 cards while its player chooses"),
        ({"bonus_tiles": list("abdef")[:4]}, "bonus_tiles must be 5 tiles"),
        ({"bonus_tiles": list("aabde")}, "bonus_tiles must be different letters"),
        ({"bonus_tiles": ["abdef"]}, "bonus_tiles must be different letters"),
        ({"bonus_tiles": "abdef"}, "bonus_tiles must be a list"),
        ({"life_tokens": 4}, "life_tokens"),
        ({"score": 5}, "score must be 0"),
        ({"end_reason": "stuck"}, "end_reason must be None"),
        ({"turns_to_play": 2}, "turns_to_play must be None while the deck has cards"),
    ],
)
def test_impossible_positions_are_refused(changed, complaint):
    config, position = waiting_position("c")
    with pytest.raises(ValueError, match=complaint):
        load(config, position | changed)


def test_f_needs_a_playable_discard():
    config, position = waiting_position("f")
    position["discards"], position["deck"] = ["Y5"], ["Y1", *position["deck"]]
    position["deck"].remove("Y5")
    with pytest.raises(ValueError, match="nothing to choose"):
        load(config, position)


def test_E5_a_final_bouquet_has_no_last_round():
    config, position = waiting_position("c", final_bouquet=True)
    load(config, position)
    with pytest.raises(ValueError, match="turns_to_play must be None with final_bouquet"):
        load(config, position | {"turns_to_play": 2})


def test_V5_an_indispensable_card_in_the_discard_is_the_end():
    config, position = waiting_position("c", final_bouquet=True)
    position["deck"].remove("Y5")
    position["discards"] = ["Y1", "Y5"]
    with pytest.raises(ValueError, match="end_reason must be 'indispensable'"):
        load(config, position)
    lost = position | {"end_reason": "indispensable", "pending": None}
    assert load(config, lost).score == -5  # N4: as at its opening


@pytest.mark.parametrize("tiles", [list("abcde"), list("abcdee"), list("abcdeg"), [], "abcdef", [1, 2, 3, 4, 5, 6]])
def test_wrong_tiles_for_a_deal_are_refused(tiles):
    with pytest.raises(ValueError, match="bonus_tiles"):
        read_bonus_tiles(HanabiConfig(flamboyants=True), tiles)


def test_tiles_need_flamboyants():
    with pytest.raises(ValueError, match="bonus_tiles must be empty without flamboyants"):
        read_bonus_tiles(HanabiConfig(), list("abcdef"))
