"""Properties of every position of every game: no card is lost, and no player sees what is hidden from them.

Three configurations are tested, and a new random combination of all variants in every example.
"""

import random
from collections import Counter
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hanabi_env import HanabiConfig
from tests.reference.hanabi_plain import box

from .table import new_env
from .test_variants import random_config

TABLES = [
    HanabiConfig(),
    HanabiConfig(players=3, derived=True, belief=True),
    HanabiConfig(colors=3, ranks=3, hand_size=3, max_information_tokens=5, derived=True, belief=True),
]
ENVS = {config: new_env(config) for config in TABLES}

ALL_TABLES = pytest.mark.parametrize(
    "config", [*TABLES, None], ids=lambda config: f"{config.players}p-{config.observation_name}" if config else "any"
)
EVERY_POSITION = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
SEEDS = st.integers(0, 2**32 - 1)
MOVES = st.integers(0, 90)


def position_after(config: HanabiConfig | None, seed: int, moves: int) -> Any:
    """Return an environment after some legal moves of a game with few misplays; the game may be over.

    Without a ``config``, it has a random combination of the variants.
    """
    rng = random.Random(seed)
    env = ENVS[config] if config else new_env(random_config(rng))
    env.reset(seed=seed)
    for _ in range(moves):
        if all(env.terminations.values()):
            break
        env.step(rng.choice(mostly_good(env, rng)))
    return env


def mostly_good(env: Any, rng: random.Random) -> list[int]:
    """Return mostly plays of cards that fit, else actions that cost no life; all actions if there are no others."""
    mask = env.observe(env.agent_selection)["action_mask"]
    table = env.to_dict()
    actions = {env.action_to_str(int(action)): int(action) for action in mask.nonzero()[0]}
    plays = {words: fits(table, words, env.config.ranks) for words in actions if words.split()[1].isdigit()}
    fitting = [actions[words] for words, fit in plays.items() if fit]
    harmless = [action for words, action in actions.items() if plays.get(words) is not False]
    return fitting if fitting and rng.random() < 0.6 else harmless or list(actions.values())


def fits(table: dict[str, Any], words: str, ranks: int) -> bool | None:
    """Return whether the move plays a card that fits, announced correctly; None if it plays no card."""
    verb, slot, *announced = words.split()
    if verb != "play":
        return None
    card = table["hands"][table["current_player"]][int(slot)]
    played = table["fireworks"][card[0]]
    next_rank = ranks - played if card[0] == "K" else played + 1
    return int(card[1:]) == next_rank and (not announced or announced[-1] == card[0])


@ALL_TABLES
@EVERY_POSITION
@given(seed=SEEDS, moves=MOVES)
def test_every_card_is_somewhere_exactly_once(config, seed, moves):
    env = position_after(config, seed, moves)
    table, ranks = env.to_dict(), range(1, env.config.ranks + 1)
    played = [
        f"{suit}{rank}"
        for suit, count in table["fireworks"].items()
        for rank in (ranks[::-1] if suit == "K" else ranks)[:count]
    ]
    held = [card for hand in table["hands"] for card in hand]
    assert Counter(held + table["deck"] + table["discards"] + played) == Counter(box(env.config))


@ALL_TABLES
@EVERY_POSITION
@given(seed=SEEDS, moves=MOVES)
def test_numbers_stay_in_their_ranges(config, seed, moves):
    env = position_after(config, seed, moves)
    table, config = env.to_dict(), env.config
    assert 0 <= table["information_tokens"] <= config.max_information_tokens
    assert 0 <= table["life_tokens"] <= config.max_life_tokens
    assert (table["life_tokens"] == 0) == (table["end_reason"] == "lives")
    if config.final_bouquet:  # E5
        assert table["turns_to_play"] is None
    elif not config.flamboyants or not table["deck"]:  # E3: with tiles, the deck may grow again
        assert (table["turns_to_play"] is None) == bool(table["deck"])
    assert len(set(table["bonus_tiles"])) == len(table["bonus_tiles"])
    for hand, knowledge in zip(table["hands"], table["knowledge"], strict=True):
        assert len(hand) == len(knowledge) <= config.cards_in_hand
        for card, known in zip(hand, knowledge, strict=True):
            assert card in known, "hints never exclude the true card"


def exchanged(table: dict[str, Any], player: int, rng: random.Random) -> dict[str, Any]:
    """Return the same table with everything that ``player`` cannot see shuffled as hints allow: hand, deck, tiles."""
    knowledge = table["knowledge"][player]
    pool = table["hands"][player] + table["deck"]
    rng.shuffle(pool)
    hand: list[str] = []
    while len(hand) < len(knowledge):
        hand = deal_consistently(pool, knowledge, rng)
    rest = list((Counter(pool) - Counter(hand)).elements())
    rng.shuffle(rest)
    hands = [hand if seat == player else cards for seat, cards in enumerate(table["hands"])]
    tiles = rng.sample(table["bonus_tiles"], len(table["bonus_tiles"]))
    return {**table, "hands": hands, "deck": rest, "bonus_tiles": tiles}


def deal_consistently(pool: list[str], knowledge: list[list[str]], rng: random.Random) -> list[str]:
    """Return a hand from the pool that hints allow; it is shorter than ``knowledge`` if this attempt got stuck."""
    left, hand = Counter(pool), []
    for known in knowledge:
        fitting = [card for card in known for _ in range(left[card])]
        if not fitting:
            return hand
        card = rng.choice(fitting)
        left[card] -= 1
        hand.append(card)
    return hand


@ALL_TABLES
@EVERY_POSITION
@given(seed=SEEDS, moves=MOVES)
def test_hidden_cards_never_reach_an_observation(config, seed, moves):
    """H20: another hand and another deck that the hints allow look the same to the player who holds the hand."""
    env = position_after(config, seed, moves)
    table, rng = env.to_dict(), random.Random(seed)
    if env.config.observation_type == "seer":
        return
    for player, agent in enumerate(env.possible_agents):
        env.reset(options={"state": table})
        before = env.observe(agent)
        other = exchanged(table, player, rng)
        env.reset(options={"state": other})
        after = env.observe(agent)
        assert env.to_dict() == other, "an exchange of hidden cards must be accepted as it is"
        assert before["observation"].tolist() == after["observation"].tolist()
        assert before["action_mask"].tolist() == after["action_mask"].tolist()


@ALL_TABLES
@EVERY_POSITION
@given(seed=SEEDS, moves=MOVES)
def test_a_position_can_be_restored_anywhere(config, seed, moves):
    env = position_after(config, seed, moves)
    table = env.to_dict()
    seen = [env.observe(agent)["observation"].tolist() for agent in env.possible_agents]
    env.reset(options={"state": table})
    assert env.to_dict() == table
    assert [env.observe(agent)["observation"].tolist() for agent in env.possible_agents] == seen
