"""Impossible positions are refused with a message, and nothing changes."""

from contextlib import nullcontext
from typing import Any

import numpy as np
import pytest

from hanafuda_env import KoiKoiConfig, KoiKoiVectorEnv, koikoi_v0
from hanafuda_env.engine.state import PHASE_PICK_HAND, PHASE_PLAY
from hanafuda_env.words.notation import CARD_NAMES, action_to_str, str_to_action, str_to_card
from tests.games import legal_actions, with_tables

from .table import position


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"current_player": 1}, "current_player must be 0"),
        ({"round": 0}, "round and turn count from 1"),
        ({"round": 2}, "round_results must be a list of 1"),
        ({"phase": "koi"}, "deck must have 15"),
        ({"phase": "swap"}, "turn must be 1"),
        ({"phase": "pick_hand"}, "must have 3 cards"),
        ({"hands": [["1-1", "2-1", "3-1"], ["4-1", "4-2", "4-3", "4-4"]]}, "cards of the box"),
        ({"field": ["5-3", "6-3", "6-3"]}, "field holds 6-3 twice"),
        ({"deck": []}, "cards of the box"),
        ({"pending": "1-1"}, "cards of the box"),
        ({"koikoi_called": [5, 0]}, r"koikoi_called\[0\] must be at most 4 in turn 9"),
        ({"chain": [0, 5]}, r"chain\[1\] must be at most 4 in turn 9"),
        ({"turn": 10}, "current_player must be 1"),
        ({"joker": {"holder": 0, "month": 6}}, "joker must be None without gaji"),
        ({"refused": ["5-3"]}, "refused must be empty"),
        ({"revealed": ["5-3"]}, "revealed must hold cards of a hand"),
        ({"next_decks": [["1-1"]]}, "next_decks|decks"),
    ],
)
def test_a_wrong_position_is_refused_in_words(change, words):
    at_turn_9 = position("1-1 2-1 3-1 4-1 | ", field="5-3 6-3", deck="8-3").env.to_dict()
    with pytest.raises(ValueError, match=words):
        koikoi_v0.raw_env().reset(seed=5, options={"state": at_turn_9 | change})


def test_a_round_does_not_begin_with_a_lucky_hand_or_a_void_field():
    env = koikoi_v0.raw_env(hand_swap=False)
    env.reset(seed=6)
    state = env.to_dict()
    cards = [card for month in range(1, 13) for card in (f"{month}-1", f"{month}-2", f"{month}-3", f"{month}-4")]
    lucky = {"hands": [cards[:8], cards[8:16]], "field": cards[16:24], "deck": cards[24:]}
    with pytest.raises(ValueError, match="void"):
        env.reset(options={"state": {**state, **lucky}})
    calm = [cards[24 + 3 * k] for k in range(8)]
    rest = [card for card in cards[16:] if card not in calm]
    with pytest.raises(ValueError, match="lucky hand"):
        env.reset(options={"state": {**state, **lucky, "field": calm, "deck": rest}})


@pytest.mark.parametrize(
    ("captured", "month", "words"),
    [
        ("11-4 11-1 | 3-1", 11, "joker month must not be 11"),
        ("11-4 3-1 | 6-1", 6, "holder 0 must have captured 11-4 and a card of month 6"),
        ("11-4 6-1 | 3-1", 3, "holder 0 must have captured 11-4 and a card of month 3"),
        ("11-4 3-1 | 6-1", 3, None),
        ("11-4 6-1 | 3-1", 6, None),
    ],
)
def test_a_claim_of_the_gaji_belongs_to_a_card_that_it_took(captured: str, month: int, words: str | None):
    """K42: it claims no November card. K45: the card that it took is in its holder's pile."""
    given: Any = {"field": "5-3 6-3", "deck": "8-3", "captured": captured, "config": KoiKoiConfig(gaji=True)}
    with pytest.raises(ValueError, match=words) if words else nullcontext():
        position("1-1 2-1 3-4 4-1 | ", joker={"holder": 0, "month": month}, **given)


def test_every_position_in_which_an_illegal_action_ended_a_game_is_taken_back():
    """L9. A card may be pending then, and with the Gaji months may be refused."""
    envs = KoiKoiVectorEnv(64, config=KoiKoiConfig(gaji=True, rounds=2), autoreset_mode="Disabled")
    rng, phases = np.random.default_rng(1), set()
    observation, _ = envs.reset(seed=1)
    again = koikoi_v0.raw_env(config=envs.config)
    for _ in range(60):
        before = [envs.to_dict(i)["phase"] for i in range(64)]
        rare = np.array([phase not in ("play", "end") for phase in before])
        wrong = (rng.random(64) < np.where(rare, 0.2, 0.01)) & ~envs.tables["terminated"]
        actions = np.where(wrong, -1, legal_actions(observation["action_mask"], rng))
        observation, *_ = envs.step(actions)
        for i in np.flatnonzero(wrong):
            phases.add(before[i])
            position = envs.to_dict(int(i))
            again.reset(seed=1, options={"state": position})
            assert again.to_dict() == position
    assert phases == {"swap", "play", "pick_hand", "pick_draw", "koi", "joker_target"}


def test_a_saved_state_with_a_coming_deck_that_cannot_be_dealt_is_refused():
    """K9: a void deck would be dealt again for ever."""
    envs = KoiKoiVectorEnv(2)
    envs.reset(seed=1)
    saved, own = envs.get_state(), envs.tables["state"]["deck"][0]
    void, twice = np.roll(np.arange(48), 8), np.zeros(48)
    for deck in (own, void, twice):
        tables = saved["tables"].copy()
        state = tables.view(envs.game.table_dtype(specialize=False))[1, 0]["state"]
        state["given_rounds"], state["given_decks"][1] = 2, deck
        with nullcontext() if deck is own else pytest.raises(ValueError, match="table 1 holds no position"):
            envs.set_state(with_tables(saved, tables))


@pytest.mark.parametrize("dealer", [0, 1])
def test_a_given_dealer_begins_a_game_in_which_something_is_to_decide(dealer: int):
    """L7: a game that lucky hands end at once is dealt again; of 400 games of one round, a few are."""
    envs, plain = (KoiKoiVectorEnv(400, rounds=1, hand_swap=False, specialize=False) for _ in range(2))
    observation, _ = envs.reset(seed=0, options={"dealer": dealer})
    assert observation["action_mask"].any(axis=1).all() and (envs.tables["state"]["dealer"] == dealer).all()
    plain.reset(seed=0)
    alike = (envs.tables["state"]["deck"] == plain.tables["state"]["deck"]).all(axis=1)
    assert alike.all(), "the deals are those of the seed"


def test_words_of_cards_and_moves():
    assert [CARD_NAMES[card] for card in (0, 28, 32, 43)] == ["1-1", "8-1", "9-1", "11-4"]
    assert str_to_card("11-4") == 43
    assert action_to_str(PHASE_PLAY, 8) == "play 3-1"
    assert action_to_str(PHASE_PICK_HAND, 9) == "take 3-2"
    words = ["stop", "koikoi", "hiki", "keep hands", "swap hands", "joker"]
    assert [action_to_str(PHASE_PLAY, action) for action in range(48, 54)] == words
    assert [str_to_action(PHASE_PLAY, word) for word in words] == list(range(48, 54))
    for wrong in ("play 13-1", "take 3-1", "Play 3-1", "play  3-1", 7):
        with pytest.raises(ValueError, match="action must be one of"):
            str_to_action(PHASE_PLAY, wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize(("source", "played", "drawn"), [("drawn", "1-1", "2-3"), ("played", "2-3", "1-1")])
def test_a_drawn_card_that_waits_for_a_choice_was_not_played(source: str, played: str, drawn: str):
    """Without ``turns``, the present turn has the pending card: drawn in ``pick_draw``, played in ``pick_hand``."""
    table = position(f"{played} 3-1 4-1 5-1 | ", field="2-1 2-2", deck=drawn)
    table.do(f"play {played}")
    state = table.env.to_dict()
    assert state["pending"] == "2-3" and state["phase"] == ("pick_draw" if source == "drawn" else "pick_hand")
    table.env.reset(options={"state": {key: value for key, value in state.items() if key != "turns"}})
    (turn,) = table.env.to_dict()["turns"]
    assert turn[source] == "2-3" and turn["played" if source == "drawn" else "drawn"] is None
