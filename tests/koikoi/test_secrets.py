"""No observation shows what its player may not know."""

import random
from contextlib import suppress
from typing import Any

import numpy as np
import pytest

from hanafuda_env import KoiKoiConfig, koikoi_v0
from tests.reference.koikoi_plain import BOX

from .table import deal, stacked


def shuffled_secrets(position: dict[str, Any], observer: int, rng: random.Random) -> dict[str, Any]:
    """Return the position with all that the observer cannot see exchanged: the other hand, the deck, the stream."""
    hidden = [1 - observer] if position["phase"] != "swap" else [0, 1]
    known = set(position["revealed"])
    pool = [card for player in hidden for card in position["hands"][player] if card not in known] + position["deck"]
    rng.shuffle(pool)
    hands = [list(hand) for hand in position["hands"]]
    for player in hidden:
        shown = [card for card in hands[player] if card in known]
        others = [pool.pop() for _ in range(len(hands[player]) - len(shown))]
        hands[player] = sorted(shown + others, key=BOX.index)  # as an environment writes them
    return {**position, "hands": hands, "deck": pool, "stream": rng.randrange(2**64)}


@pytest.mark.parametrize("preset", ["document", "document_options", "koikoi_japan"])
def test_permuting_hidden_cards_changes_no_observation(preset, full):
    rng = random.Random(preset)
    env, other = (koikoi_v0.raw_env(preset=preset, rounds=2, history=3) for _ in range(2))
    compared = 0
    games = 12 if full else 4
    for seed in range(games):
        env.reset(seed=seed)
        while not all(env.terminations.values()):
            for observer, agent in enumerate(env.possible_agents):
                position = shuffled_secrets(env.to_dict(), observer, rng)
                with suppress(ValueError):  # a lucky hand that would have ended the round is refused
                    other.reset(options={"state": position})
                if other.to_dict() != position:
                    continue
                assert (other.observe(agent)["observation"] == env.observe(agent)["observation"]).all()
                assert (other.observe(agent)["action_mask"] == env.observe(agent)["action_mask"]).all()
                compared += 1
            env.step(rng.choice(np.flatnonzero(env.observe(env.agent_selection)["action_mask"]).tolist()))
    assert compared > 33 * games


def test_K6_a_swap_is_the_other_deal_kept():
    """A swap is worth exactly 0: it gives the position that keeping the equally likely exchanged deal gives."""
    deck = stacked()
    exchanged = deck[4:8] + deck[0:4] + deck[8:12] + deck[16:20] + deck[12:16] + deck[20:]
    tables = []
    for cards, word in ((deck, "keep hands"), (exchanged, "swap hands")):
        env = koikoi_v0.raw_env()
        env.reset(seed=1, options={"decks": [cards], "dealer": 0})
        env.step(env.str_to_action(word))
        tables.append({key: value for key, value in env.to_dict().items() if key != "stream"})
    assert tables[0] == tables[1]


def test_what_was_seen_of_the_last_turns():
    """With ``history``, the present turn comes first; a turn shows played, drawn, captured, player, joker, Koi-Koi."""
    config = KoiKoiConfig(history=2)
    table = deal("2-2 3-2", "1-1 4-4", "1-3 5-1 6-1 7-1 8-1 9-1 10-1 12-1", "11-3 11-2", history=2).do("keep hands")
    table.do("play 1-1")
    first = config.observation_bits - 2 * 148
    for player in range(2):
        present, before = (table.bits(player)[first + 148 * age : first + 148 * (age + 1)] for age in range(2))
        assert sum(present[:144]) == 0, "the next player has not played yet"
        assert [k for k in range(144) if before[k]] == [0, 48 + 42, 96 + 0, 96 + 2]
        assert before[144:] == ([1, 0, 0, 0] if player == 0 else [0, 1, 0, 0])
