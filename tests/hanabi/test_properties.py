"""No player sees what is hidden from them, in any position; positions are checked when they are restored.

Three configurations are tested, and a new random combination of all variants in every example.
"""

import random
from collections import Counter
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hanabi_env import HanabiConfig

from .table import new_env
from .test_variants import random_config

TABLES = [
    HanabiConfig(),
    HanabiConfig(players=3, derived=True, belief=True),
    HanabiConfig(colors=3, ranks=3, hand_size=3, max_information_tokens=5, derived=True, belief=True),
]
ENVS = {config: new_env(config) for config in TABLES}


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
    verb, slot, *announced = words.split()
    if verb != "play":
        return None
    card = table["hands"][table["current_player"]][int(slot)]
    played = table["fireworks"][card[0]]
    next_rank = ranks - played if card[0] == "K" else played + 1
    return int(card[1:]) == next_rank and (not announced or announced[-1] == card[0])


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


@pytest.mark.parametrize(
    "config", [*TABLES, None], ids=lambda config: f"{config.players}p-{config.observation_name}" if config else "any"
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 2**32 - 1), moves=st.integers(0, 90))
def test_hidden_cards_never_reach_an_observation(config, seed, moves):
    """H20: another hand and another deck that the hints allow look the same to the player who holds the hand."""
    rng = random.Random(seed)
    env = ENVS[config] if config else new_env(random_config(rng))
    env.reset(seed=seed)
    for _ in range(moves):
        if not all(env.terminations.values()):
            env.step(rng.choice(mostly_good(env, rng)))
    table = env.to_dict()
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
