"""Positions and decks: possible ones are restored, impossible ones are refused with a message (J5)."""

import copy
import random
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import pytest

from ikebana_env import IkebanaVectorEnv, ikebana_v0
from ikebana_env.words.notation import str_to_card
from ikebana_env.words.positions import REQUIRED_KEYS
from tests.games import with_tables
from tests.reference.ikebana_plain import box

from .table import Table, deal, deck_from, position

MIDDLE = position(
    3,
    current_player=1,
    bouquets=["K1 R2", "K1", "G5"],
    discards=["B3", "", ""],
    prestige=[3, 7, 8],
    drawn="Y4",
)


def restored(state: dict[str, Any], players: int = 3) -> Table:
    env = ikebana_v0.raw_env(players=players)
    env.reset(seed=0, options={"state": state})
    return Table(env)


def test_the_required_keys_are_enough():
    assert set(MIDDLE) == set(REQUIRED_KEYS)
    table = restored(MIDDLE)
    assert {key: table.env.to_dict()[key] for key in MIDDLE} == MIDDLE
    assert (table.starter, table.score, table.winners) == (0, 8, None)


def test_the_deck_is_drawn_from_the_top():
    table = restored(MIDDLE)
    top = MIDDLE["deck"][:3]
    table.do("refuse", "refuse", "keep")
    assert table.discards[1] == ["Y4", top[0]]
    assert table.bouquets[1] == ["K1", top[1]]
    assert table.deck == MIDDLE["deck"][2:]


WRONG: list[tuple[str, Callable[[dict[str, Any]], Any], str]] = [
    ("a card twice", lambda s: s["deck"].append("K5"), "K5 2 times instead of 1"),
    ("a card missing", lambda s: s["deck"].pop(), "J5 0 times instead of 1"),
    ("another seat's turn", lambda s: s.update(current_player=2), "bouquets must have"),
    ("two turns ahead", lambda s: s["bouquets"][0].append(s["deck"].pop()), "bouquets must have"),
    ("a round without gains", lambda s: s.update(round=2), "gains must be a list of 1"),
    ("gains too early", lambda s: s.update(gains=[[0, 0, 0]]), "gains must be a list of 0"),
    ("a gain too large", lambda s: s.update(round=2, gains=[[89, 0, 0]]), "from 0 to 88"),
    ("prestige from nowhere", lambda s: s.update(prestige=[3, 7, 9]), "prestige must add up to 18"),
    ("debts", lambda s: s.update(prestige=[-1, 11, 8]), r"prestige\[0\] must be an int from 0"),
    (
        "refusals without a card",
        lambda s: s.update(refusals=1, deck=[s.pop("drawn"), *s["deck"]], drawn=None),
        "refusals must be 0",
    ),
    ("refusals without payment", lambda s: s.update(refusals=6), "refusals must have been paid for: 6 cost more than"),
    ("refusals without a discard", lambda s: s.update(refusals=1), r"discards\[1\] must hold the card just refused"),
    ("a discard before any turn", lambda s: s.update(bouquets=[[], [], []], current_player=0), "has"),
    ("winners before the end", lambda s: s.update(winners=[0]), "winners must be None"),
    ("another starter", lambda s: s.update(starter=1), "starter must be 0"),
    ("another score", lambda s: s.update(score=7), "score must be 8"),
    ("an end", lambda s: s.update(end_reason="complete"), "end_reason must be None"),
    ("a missing key", lambda s: s.pop("drawn"), "lacks drawn"),
    ("a deck of a later round", lambda s: s.update(later_decks=[["K1"]]), r"later_decks\[0\]"),
]


@pytest.mark.parametrize(("change", "words"), [row[1:] for row in WRONG], ids=[row[0] for row in WRONG])
def test_J5_an_impossible_position_is_refused_and_changes_nothing(change, words):
    env = ikebana_v0.raw_env(players=3)
    env.reset(seed=0)
    before, state = env._tables.tobytes(), copy.deepcopy(MIDDLE)
    change(state)
    with pytest.raises(ValueError, match=words):
        env.reset(options={"state": state})
    assert env._tables.tobytes() == before


def test_J5_a_finished_game_must_have_earned_what_its_bouquets_say():
    table = deal("", players=2)
    for _ in range(4):
        table.play_round()
    end = table.env.to_dict()
    assert restored(end, players=2).is_over
    last = end["gains"][-1]
    wrong = {**end, "gains": [*end["gains"][:-1], [last[0] + 1, last[1] - 1]]}
    with pytest.raises(ValueError, match=r"gains\[-1\] must be"):
        restored(wrong, players=2)
    with pytest.raises(ValueError, match="winners must be"):
        restored({**end, "winners": [0, 1] if len(end["winners"]) == 1 else [0]}, players=2)
    fewer = [points - gain for points, gain in zip(end["prestige"], last, strict=True)]
    with pytest.raises(ValueError, match="bouquets must not all be complete"):
        restored({**end, "round": 3, "gains": end["gains"][1:], "winners": None, "prestige": fewer}, players=2)


def test_given_decks_are_the_rounds_decks_and_used_once():
    decks = [random.Random(k).sample(box(), 55) for k in range(3)]
    env = ikebana_v0.raw_env(players=2)
    env.reset(seed=1, options={"decks": decks})
    table = Table(env)
    for number in range(3):
        assert table.deck == decks[number]
        assert table.later_decks == decks[number + 1 :]
        table.play_round()
    assert table.deck not in decks, "the fourth round is shuffled"
    env.reset()
    assert table.deck not in decks
    assert table.later_decks == []


def test_copies_know_the_decks_that_are_still_to_come():
    table = deal("K1 R2", "G3 B4")
    twin = Table(table.env.copy())
    for one in (table, twin):
        one.play_round()
    assert table.env.to_dict() == twin.env.to_dict()
    assert twin.deck == deck_from("G3 B4")


@pytest.mark.parametrize(
    ("decks", "words"),
    [
        ([["K1"]], r"decks\[0\] must have the 55 cards"),
        ([box()] * 5, "at most 4 decks"),
        ("K1", "decks must be a list"),
        ([["K9"] * 55], "card must be one of"),
    ],
)
def test_wrong_decks_are_refused(decks, words):
    env = ikebana_v0.raw_env()
    env.reset(seed=1)
    before = env.to_dict()
    with pytest.raises(ValueError, match=words):
        env.reset(options={"decks": decks})
    assert env.to_dict() == before


def test_vectors_take_decks_for_one_table_or_all():
    envs = IkebanaVectorEnv(3, preset="single_round")
    envs.reset(seed=1, options={"decks": {1: [deck_from("J5")]}})
    assert envs.to_dict(1)["deck"][0] == "J5"
    assert envs.to_dict(0)["deck"] != envs.to_dict(1)["deck"]


def test_a_saved_state_with_a_coming_deck_that_is_not_the_box_is_refused():
    envs = IkebanaVectorEnv(2)
    envs.reset(seed=1)
    saved = envs.get_state()
    for deck in (box(), ["K5"] * 55):
        tables = saved["tables"].copy()
        state = tables.view(envs.game.table_dtype(specialize=False))[1, 0]["state"]
        state["given_rounds"], state["given_decks"][1] = 2, [str_to_card(card) for card in deck]
        with nullcontext() if deck[0] != "K5" else pytest.raises(ValueError, match="table 1 holds no position"):
            envs.set_state(with_tables(saved, tables))


@pytest.mark.parametrize(
    ("field", "value"), [("players", 1), ("players", 6), ("rounds", 0), ("rounds", 5), ("reward", "lose")]
)
def test_an_impossible_table_is_refused(field, value):
    with pytest.raises(ValueError, match=field):
        ikebana_v0.raw_env(**{field: value})
