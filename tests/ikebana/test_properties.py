"""No player and no bot at a seat sees what is hidden from them, in any position (I8, J3)."""

import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ikebana_env import IkebanaConfig, ikebana_v0
from ikebana_env.engine.private_view import hide
from ikebana_env.engine.state import NO_CARD, state_dtype
from ikebana_env.words.notation import str_to_card
from ikebana_env.words.positions import load_position

TABLES = [IkebanaConfig(players=players, perfect_recall=players % 2 == 1) for players in range(2, 6)]
ENVS = {config: ikebana_v0.raw_env(config=config) for config in TABLES}


def position_after(config: IkebanaConfig, seed: int, moves: int) -> Any:
    """Return an environment after some random legal moves; the game may be over."""
    env, rng = ENVS.setdefault(config, ikebana_v0.raw_env(config=config)), random.Random(seed)
    env.reset(seed=seed)
    for _ in range(moves):
        if all(env.terminations.values()):
            break
        env.step(rng.choice(env.observe(env.agent_selection)["action_mask"].nonzero()[0]))
    return env


@pytest.mark.parametrize("config", TABLES, ids=lambda config: f"{config.players}p")
@given(seed=st.integers(0, 2**32 - 1), moves=st.integers(0, 200))
def test_I8_J3_hidden_cards_are_in_nobodys_observation(config, seed, moves):
    env = position_after(config, seed, moves)
    state, rng = env.to_dict(), random.Random(seed)
    for player in range(config.players):
        other = ikebana_v0.raw_env(config=config)
        other.reset(seed=seed + 1, options={"state": exchanged(state, player, config.perfect_recall, rng)})
        left, right = env.observe(f"player_{player}"), other.observe(f"player_{player}")
        assert left["observation"].tolist() == right["observation"].tolist()
        assert left["action_mask"].tolist() == right["action_mask"].tolist()


def exchanged(state: dict[str, Any], player: int, perfect_recall: bool, rng: random.Random) -> dict[str, Any]:
    """Return the same state with another deck, and other cards in all places that the player cannot see."""
    sees_drawn = player == state["current_player"] or state["drawn"] is None
    hidden = list(state["deck"])
    hidden += [] if sees_drawn else [state["drawn"]]
    hidden += [] if perfect_recall else [card for pile in state["discards"] for card in pile[:-1]]
    rng.shuffle(hidden)
    discards = state["discards"]
    if not perfect_recall:
        discards = [[*(hidden.pop() for _ in pile[:-1]), *pile[-1:]] for pile in discards]
    drawn = state["drawn"] if sees_drawn else hidden.pop()
    return {**state, "discards": discards, "drawn": drawn, "deck": hidden}


def test_J3_perfect_recall_shows_buried_cards_to_everybody():
    plain, recall = (ikebana_v0.raw_env(players=3, perfect_recall=perfect_recall) for perfect_recall in (False, True))
    for env in (plain, recall):
        env.reset(seed=5)
        for words in ("draw", "refuse", "refuse"):
            env.step(env.str_to_action(words))
    buried = recall.to_dict()["discards"][0][0]
    for agent in plain.possible_agents:
        seen, more = plain.observe(agent)["observation"], recall.observe(agent)["observation"]
        assert more[: len(seen)].tolist() == seen.tolist()
        assert more[len(seen) :].sum() == 2, f"whose card it is, and {buried}"


def view_of(config: IkebanaConfig, position: dict[str, Any], player: int) -> np.ndarray:
    records = np.zeros(1, state_dtype(config.players, config.rounds))
    view = records.view(np.recarray)[0]
    load_position(config, view, position)
    hide(config.rules(), view, player)
    return records


@pytest.mark.parametrize("players", range(2, 6))
def test_a_view_is_the_same_whatever_is_hidden(players):
    config, rng = IkebanaConfig(players=players, perfect_recall=players == 4), random.Random(players)
    buried = drawn = 0
    for seed in range(12):
        position = position_after(config, seed, rng.randrange(60)).to_dict()
        buried += any(len(pile) > 1 for pile in position["discards"])
        drawn += position["drawn"] is not None
        for player in range(players):
            other = {**exchanged(position, player, config.perfect_recall, rng), "stream": rng.getrandbits(64)}
            one, same = view_of(config, position, player), view_of(config, other, player)
            assert one.tobytes() == same.tobytes()
            own = position["drawn"] is not None and player == position["current_player"]
            assert (one["drawn"][0] != NO_CARD) == own
    assert buried and drawn, "the positions must have something to hide"


@pytest.mark.parametrize("perfect_recall", [False, True])
def test_I8_after_a_reshuffle_a_view_shows_no_card_that_is_buried_or_gone(perfect_recall):
    """The check runs in games, because their records still hold old cards after a purchase, a reshuffle or a round."""
    config, rng = IkebanaConfig(players=5, perfect_recall=perfect_recall), random.Random(8)
    env = ikebana_v0.raw_env(config=config)
    reshuffles = purchases = 0
    env.reset(seed=0)
    while not all(env.terminations.values()):
        words = [env.action_to_str(int(k)) for k in env.observe(env.agent_selection)["action_mask"].nonzero()[0]]
        word = "refuse" if "refuse" in words else rng.choice(words)
        env.step(env.str_to_action(word))
        state = env.to_dict()
        reshuffles += state["reshuffles"] > 0
        purchases += word.startswith("buy")
        view = env._tables["state"].copy()
        hide(config.rules(), view.view(np.recarray)[0], rng.randrange(5))
        piles = state["discards"] if perfect_recall else [pile[-1:] for pile in state["discards"]]
        for pile, shown, height in zip(piles, view["discards"][0], map(len, state["discards"]), strict=True):
            cards = [NO_CARD] * (height - len(pile)) + [str_to_card(card) for card in pile]
            assert shown.tolist() == cards + [NO_CARD] * (len(shown) - height)
    assert reshuffles > 10 and purchases > 10
