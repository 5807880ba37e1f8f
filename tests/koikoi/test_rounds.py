"""Rounds begin and end correctly, and nothing of an old turn or an old round remains."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from hanabako.games import game_of
from hanafuda_env import PRESETS, KoiKoiConfig, KoiKoiVectorEnv, koikoi_v0

from .table import MY_HAND, REVEALED, Table, deal, position, stacked
from .test_rules import CALM, FIELD_CALM, KUTTSUKI, TESHI, exhausted, sanko_next

GAJI = KoiKoiConfig(gaji=True)
MARKS = ["mine", "theirs", "joker", "Koi-Koi"]


def marks(table: Table, player: int) -> set[str]:
    """Return the marks of the present turn in the observation, without its cards; ``history`` must be 1."""
    return {word for word, bit in zip(MARKS, table.bits(player)[-4:], strict=True) if bit}


# --- Nothing remains --------------------------------------------------------------------------------------------------


def a_refusal(**options: Any) -> Table:
    """Return a game in which the Gaji was refused: player 0 wanted June, and player 1 holds and has shown 6-4."""
    config = replace(GAJI, **options)
    table = position("11-4 1-3 2-3 3-3 | 6-4", field="6-1 6-2 6-3 8-1", deck="12-3", config=config)
    table.do("joker", "take 6-1")
    assert (table.revealed, table.plane(0, REVEALED)) == (["6-4"], {"6-4"})
    return table.do("take 8-1")


def test_K46_a_revealed_card_is_forgotten_when_it_is_played():
    table = a_refusal(hiki="auto").do("play 6-4")
    assert table.revealed == []
    again = koikoi_v0.raw_env(config=replace(GAJI, hiki="auto"))
    again.reset(options={"state": table.env.to_dict()})
    assert again.to_dict() == table.env.to_dict()


def test_K46_what_was_revealed_in_one_round_is_hidden_in_the_next():
    """If player 1 is dealt the revealed card again, player 0 does not see it."""
    deck = stacked(f"6-4 {CALM}".rpartition(" ")[0], "", FIELD_CALM)
    table = position(
        "1-1 4-3 5-3 6-3 | 7-3 6-4",
        field="1-3 2-3",
        captured="3-1 8-1 | ",
        deck="9-3",
        revealed=["6-4"],
        next_decks=[deck],
        config=replace(GAJI, hand_swap=False),
    )
    assert table.plane(0, REVEALED) == {"6-4"}
    table.do("play 1-1", "stop")
    assert table.round == 2 and "6-4" in table.plane(1, MY_HAND)
    assert (table.revealed, table.plane(0, REVEALED)) == ([], set())


def test_K21_a_call_of_koi_marks_its_own_turn_alone():
    table = sanko_next(config=KoiKoiConfig(history=1)).do("play 1-1", "koikoi")
    assert [turn["koikoi"] for turn in table.turns] == [True, False]
    player_0_moves_again(table)
    assert [turn["koikoi"] for turn in table.turns] == [False, False]
    assert (marks(table, 0), marks(table, 1)) == ({"mine"}, {"theirs"})


def test_K41_the_joker_marks_its_own_turn_alone():
    table = a_refusal(history=1)
    assert [turn["joker"] for turn in table.turns] == [True, False]
    player_0_moves_again(table)
    assert [turn["joker"] for turn in table.turns] == [False, False]
    assert (marks(table, 0), marks(table, 1)) == ({"mine"}, {"theirs"})


def player_0_moves_again(table: Table) -> None:
    """Play player 1's turn, until player 0 plays with the record of two turns ago."""
    while table.turn == 10:
        table.do(min(table.legal))
    assert (table.turn, table.phase, table.current_player) == (11, "play", 0)


# --- The first player, and repeated deals -----------------------------------------------------------------------------


@pytest.mark.parametrize("dealer", [0, 1])
@pytest.mark.parametrize("hand_swap", [True, False])
def test_K10_K11_the_dealer_begins_where_two_lucky_hands_are_played(dealer, hand_swap):
    table = deal(TESHI, KUTTSUKI, FIELD_CALM, dealer=dealer, both_lucky="play", hand_swap=hand_swap)
    if hand_swap:
        table.do("keep hands")
    assert (table.phase, table.turn, table.current_player) == ("play", 1, dealer)


@pytest.mark.parametrize(("kind", "hand"), [("teshi", TESHI), ("kuttsuki", KUTTSUKI)])
@pytest.mark.parametrize("place", ["other", "dealers"])
def test_K8_L6_a_hand_that_is_dealt_again_is_so_whoever_holds_it(kind, hand, place):
    with pytest.raises(ValueError, match=r"decks\[0\] makes its round void: the hands"):
        deal(field=FIELD_CALM, **{place: hand, kind: "redeal"})  # type: ignore[arg-type]


def test_K8_L6_no_player_of_koikoi_japan_is_dealt_teshi():
    """In 4,000 deals without this rule, 34 would have teshi; if only one hand was checked, still 17."""
    envs = KoiKoiVectorEnv(4000, preset="koikoi_japan", rounds=1, specialize=False)
    envs.reset(seed=20)
    for hand in envs._tables["state"]["hand"].T:
        months = (hand[:, None] >> np.arange(0, 48, 4, dtype=np.uint64)) & np.uint64(15)
        assert not (months == 15).any()


# --- The dealer after a draw, and the calls that a round allows -------------------------------------------------------


@pytest.mark.parametrize(("drawn_dealer", "dealer"), [("same", 0), ("other", 1)])
def test_L12_who_deals_after_an_exhausted_round(drawn_dealer, dealer):
    table = exhausted(config=KoiKoiConfig(drawn_dealer=drawn_dealer)).do("play 7-3")
    assert (table.last_result, table.round, table.dealer) == ((None, 0, "exhausted"), 2, dealer)


@pytest.mark.parametrize(("drawn_dealer", "dealer"), [("same", 1), ("other", 0)])
def test_L12_who_deals_after_two_lucky_hands(drawn_dealer, dealer):
    table = deal(TESHI, KUTTSUKI, FIELD_CALM, dealer=1, drawn_dealer=drawn_dealer).do("keep hands")
    assert (table.last_result, table.dealer) == ((None, 0, "both_lucky"), dealer)


def test_L12_a_round_with_a_winner_is_no_draw():
    config = KoiKoiConfig(drawn_dealer="other")
    assert sanko_next(config=config).do("play 1-1", "stop").dealer == 0
    table = exhausted(config=replace(config, exhausted_points=1)).do("play 7-3")
    assert (table.last_result, table.dealer) == ((0, 1, "exhausted"), 0), "L6: the dealer has won it"


def second_yaku(limit: int | None, koi: list[int]) -> Table:
    """Let player 0 make three brights, after that many calls of each player."""
    return sanko_next(config=KoiKoiConfig(koikoi_limit=limit), koikoi_called=koi).do("play 1-1")


@pytest.mark.parametrize(
    ("limit", "koi", "points"),
    [
        (0, [0, 0], 5),
        (1, [0, 0], None),
        (1, [1, 0], 5),
        (1, [0, 1], 10),
        (2, [1, 0], None),
        (2, [1, 1], 10),
        (None, [4, 4], None),
    ],
)
def test_L13_after_the_last_call_that_a_round_allows_a_yaku_is_game(limit, koi, points):
    """K33: the points are doubled if the other player has called."""
    table = second_yaku(limit, koi)
    if points is None:
        assert (table.phase, table.legal) == ("koi", {"stop", "koikoi"})
    else:
        assert (table.last_result, table.dealer) == ((0, points, "stop"), 0)


def test_L13_the_next_round_has_its_own_calls():
    table = second_yaku(1, [1, 0])
    assert (table.round, table.koikoi_called) == (2, [0, 0])


def test_L13_positions_hold_no_more_calls_than_the_round_allows():
    with pytest.raises(ValueError, match="koikoi_called must add up to at most 1"):
        sanko_next(config=KoiKoiConfig(koikoi_limit=1), koikoi_called=[1, 1])
    table = second_yaku(2, [1, 0])
    env = koikoi_v0.raw_env(koikoi_limit=1)
    with pytest.raises(ValueError, match="phase koi needs fewer calls"):
        env.reset(options={"state": table.env.to_dict()})


def test_L12_L13_take_the_values_of_the_card():
    for wrong in ({"koikoi_limit": -1}, {"koikoi_limit": 15}, {"koikoi_limit": True}, {"drawn_dealer": "loser"}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            KoiKoiConfig(**wrong)  # type: ignore[arg-type]


def test_L14_nintendo_follows_the_leaflet():
    """One Koi-Koi is allowed, then any yaku ends the round (doubled for the opponent); a draw moves the dealer."""
    nintendo = PRESETS["nintendo"]
    table = sanko_next(config=nintendo).do("play 1-1", "koikoi")
    while not table.round_results:
        assert table.phase != "koi" and sum(table.koikoi_called) == 1
        table.do(min(table.legal))
    table = sanko_next(config=nintendo, koikoi_called=[0, 1]).do("play 1-1")
    assert table.last_result == (0, 10, "stop")
    assert exhausted(config=nintendo).do("play 7-3").dealer == 1


# --- An illegal action ------------------------------------------------------------------------------------------------


def test_after_an_illegal_action_nobody_has_won_and_the_scores_stay():
    """Player 0 leads, and either player may offend; a round later the same table has a winner again."""
    for player in range(2):
        table = position(turn=9 + player, scores=[44, 16], config=KoiKoiConfig(rounds=1))
        envs = KoiKoiVectorEnv(2, rounds=1, autoreset_mode="Disabled")
        observations, _ = envs.reset(seed=1, options={"state": {0: table.env.to_dict()}})
        infos = envs.step(np.array([53, observations["action_mask"][1].argmax()]))[-1]
        assert (infos["score"][0], infos["score_1"][0], infos["winner"][0]) == (44, 16, -1)
        assert envs.to_dict(0)["phase"] == "end" and envs.to_dict(0)["round_results"] == []


def test_a_seat_is_paid_for_a_given_deal_that_ends_before_its_first_decision():
    """K8: after the other player keeps the hands, a lucky hand wins the only round. The loss comes with the next step.

    Without a given deal such games are skipped; the key ``options``, which PettingZoo's tests pass, gives none.
    """
    config = KoiKoiConfig(rounds=1, reward="points")
    deck = stacked(TESHI, CALM, FIELD_CALM)
    env = game_of(config).make_seat(config=config, seat=0, partners=lambda *_: 51)
    assert env.action_to_str(51) == "keep hands"
    observation, _ = env.reset(seed=1, options={"decks": [deck], "dealer": 0})
    assert not observation["action_mask"].any()
    assert env.step(0)[1:4] == (-6.0, True, False)
    assert env.step(0)[1:4] == (0.0, True, False)
    plain = game_of(config).make_seat(config=config, seat=0)
    for seed in range(300):
        observation, _ = plain.reset(seed=seed, options={"options": 1})
        assert observation["action_mask"].any()


@pytest.mark.parametrize("hand", [TESHI, KUTTSUKI])
def test_K8_a_lucky_hand_is_counted_in_a_vector(hand: str):
    table = deal(hand, CALM, FIELD_CALM, rounds=1)
    envs = KoiKoiVectorEnv(1, rounds=1, autoreset_mode="Disabled")
    envs.reset(seed=1, options={"state": {0: table.env.to_dict()}})
    infos = envs.step(np.array([envs.str_to_action(0, "keep hands")]))[-1]
    assert (infos["lucky"][0], infos["winner"][0], infos["score_1"][0]) == (1, 1, 6)


@pytest.mark.parametrize(
    ("config", "scores", "after", "winner"),
    [
        (KoiKoiConfig(rounds=1), [3, 9], [8, 9], 1),
        (KoiKoiConfig(rounds=1), [4, 9], [9, 9], -1),
        (KoiKoiConfig(rounds=1), [5, 9], [10, 9], 0),
        (PRESETS["koikoi_japan"], [56, 4], [61, -1], 0),
    ],
)
def test_K29_L6_the_winner_in_a_vector_has_more_points_whoever_won_the_last_round(config, scores, after, winner):
    table = sanko_next(scores=scores, config=config).do("play 1-1")
    envs = KoiKoiVectorEnv(1, config=config, autoreset_mode="Disabled")
    envs.reset(seed=1, options={"state": table.env.to_dict()})
    infos = envs.step(np.array([envs.str_to_action(0, "stop")]))[-1]
    assert ([infos["score"][0], infos["score_1"][0]], infos["winner"][0]) == (after, winner)
    assert [infos[name][0] for name in ("sanko", "shiko", "kasu", "lucky")] == [1, 0, 0, 0]
    assert infos["length"][0] == table.length + 1
