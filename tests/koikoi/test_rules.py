"""The rules by rows of the rule card: setup, a turn, the end of a round. Yaku and points are in test_yaku.py."""

from dataclasses import replace

import numpy as np
import pytest

from hanafuda_env import PRESETS, KoiKoiConfig, KoiKoiVectorEnv, koikoi_v0
from tests.reference.koikoi_plain import BOX

from .table import FIELD, MY_HAND, MY_PILE, PENDING, THEIR_PILE, UNSEEN, Table, deal, position, stacked

FREE = KoiKoiConfig(forced_match=False)
TESHI = "1-1 1-2 1-3 1-4 2-1 3-1 4-1 5-1"
KUTTSUKI = "6-1 6-2 7-1 7-2 8-1 8-2 9-1 9-2"
CALM = "10-1 10-2 11-1 12-1 2-2 3-2 4-2 5-2"  # neither kind of lucky hand, and no month three times
FIELD_CALM = "10-3 11-2 12-2 2-3 3-3 4-3 5-3 9-3"


# --- Setup ------------------------------------------------------------------------------------------------------------


def test_K1_two_players_alternate():
    table = position("1-1 2-1 | 4-1", field="5-3 2-2 6-2 7-2", deck="8-3 9-3")
    assert table.env.possible_agents == ["player_0", "player_1"]
    table.do("play 2-1")
    assert table.current_player == 1


@pytest.mark.parametrize("rounds", [1, 6, 12])
def test_K2_a_game_has_its_number_of_rounds(rounds):
    env = koikoi_v0.raw_env(rounds=rounds)
    env.reset(seed=2)
    rng = np.random.default_rng(2)
    while not all(env.terminations.values()):
        env.step(int(rng.choice(np.flatnonzero(env.observe(env.agent_selection)["action_mask"]))))
    assert len(env.to_dict()["round_results"]) == rounds
    assert KoiKoiConfig().rounds == 12
    for wrong in (0, -1, 101, 2.0):
        with pytest.raises(ValueError, match="rounds"):
            KoiKoiConfig(rounds=wrong)  # type: ignore[arg-type]


@pytest.mark.statistical
def test_K3_K4_the_first_dealer_is_a_fair_coin():
    """In 10,000 games, the share is within 4.4 standard deviations of a half; false alarm: 1 in 100,000."""
    envs = KoiKoiVectorEnv(10_000, specialize=False)
    envs.reset(seed=3)
    dealers = np.array([envs._tables[i]["state"]["dealer"] for i in range(10_000)])
    assert abs(dealers.mean() - 0.5) < 4.4 * 0.5 / 100


def test_K5_four_and_four_to_the_other_the_dealer_and_the_field_then_the_deck():
    deck = stacked()
    env = koikoi_v0.raw_env()
    env.reset(options={"decks": [deck], "dealer": 1})
    state = env.to_dict()
    assert set(state["hands"][0]) == {*deck[0:4], *deck[12:16]}
    assert set(state["hands"][1]) == {*deck[4:8], *deck[16:20]}
    assert set(state["field"]) == {*deck[8:12], *deck[20:24]}
    assert state["deck"] == deck[24:]


def test_K6_L1_the_other_player_may_ask_for_the_dealers_hand_before_anybody_looks():
    for word in ("keep hands", "swap hands"):
        table = deal(CALM, "", FIELD_CALM, dealer=1)
        before = table.hands
        assert (table.phase, table.current_player) == ("swap", 0)
        assert table.legal == {"keep hands", "swap hands"}
        for player in range(2):
            assert table.plane(player, MY_HAND) == set()
            assert table.plane(player, UNSEEN) == set(BOX) - set(FIELD_CALM.split())
            assert table.plane(player, FIELD) == set(FIELD_CALM.split())
        table.do(word)
        assert table.hands == (before if word == "keep hands" else before[::-1])
    assert PRESETS["document"].hand_swap and PRESETS["document_options"].hand_swap
    assert not PRESETS["nintendo"].hand_swap and not PRESETS["koikoi_japan"].hand_swap


def test_K7_then_the_players_see_their_own_hands():
    table = deal(CALM, "", FIELD_CALM, dealer=1).do("keep hands")
    for player in range(2):
        assert table.plane(player, MY_HAND) == set(table.hands[player])
        assert table.plane(player, UNSEEN) == set(table.hands[1 - player]) | set(table.deck)


@pytest.mark.parametrize(("hand", "reason"), [(TESHI, "teshi"), (KUTTSUKI, "kuttsuki")])
def test_K8_K28_a_lucky_hand_wins_six_points_and_deals_next(hand, reason):
    table = deal(hand, CALM, FIELD_CALM, dealer=1, reward="points").do("keep hands")
    assert table.last_result == (0, 6, reason)
    assert (table.dealer, table.round, table.rewards) == (0, 2, [6])
    table = deal(hand, CALM, FIELD_CALM, dealer=1, reward="points").do("swap hands")
    assert (table.last_result, table.dealer) == ((1, 6, reason), 1), "it is checked after the swap"


def test_K8_teshi_and_two_pairs_is_teshi_and_three_of_a_month_is_no_pair():
    table = deal("1-1 1-2 1-3 1-4 2-1 2-2 3-1 3-2", "", "4-1 5-1 6-1 7-1 8-1 9-1 10-1 11-1").do("keep hands")
    assert table.last_result == (1, 6, "teshi")
    table = deal("1-1 1-2 1-3 2-1 2-2 3-1 3-2 4-1", "", "4-2 5-1 6-1 7-1 8-1 9-1 10-1 11-1").do("keep hands")
    assert table.phase == "play"


@pytest.mark.parametrize("field", [TESHI, KUTTSUKI])
def test_K9_such_a_field_makes_the_round_void(field):
    with pytest.raises(ValueError, match=r"decks\[0\].*void"):
        deal(CALM, "", field)
    envs = KoiKoiVectorEnv(3000, specialize=False)
    envs.reset(seed=9)
    for index in range(0, 3000, 10):
        months = [card.partition("-")[0] for card in envs.to_dict(index)["field"]]
        counts = sorted(months.count(month) for month in set(months))
        assert counts[-1] < 4 and counts.count(2) != 4


def test_K10_two_lucky_hands():
    both = {"other": TESHI, "dealers": KUTTSUKI, "field": "10-3 11-2 12-2 2-3 3-3 4-3 5-3 9-3", "dealer": 1}
    table = deal(**both).do("keep hands")
    assert (table.last_result, table.dealer, table.scores) == ((None, 0, "both_lucky"), 1, [0, 0])
    assert deal(**both, both_lucky="play").do("keep hands").phase == "play"
    with pytest.raises(ValueError, match="void"):
        deal(**both, both_lucky="redeal")


def test_K11_the_dealer_has_the_odd_turns():
    table = deal(CALM, "", FIELD_CALM, dealer=1, forced_match=False, hiki="auto").do("keep hands")
    for turn in range(1, 9):
        assert (table.turn, table.current_player) == (turn, turn % 2)
        while table.turn == turn and len(table.round_results) == 0:
            table.do(next(word for word in sorted(table.legal) if word != "stop"))


def test_K12_the_winner_deals_next():
    table = position("1-1 4-3 | ", field="1-3 2-3", captured="3-1 8-1 | ", deck="6-3", dealer=0)
    table.do("play 1-1", "stop")
    assert (table.last_result[0], table.dealer) == (0, 0)
    table = position("| 1-1 4-3", field="1-3 2-3", captured="|3-1 8-1", deck="6-3", dealer=0, turn=10)
    table.do("play 1-1", "stop")
    assert (table.last_result[0], table.dealer) == (1, 1)


# --- A turn -----------------------------------------------------------------------------------------------------------


def test_K13_K15_a_card_takes_one_of_its_month_face_up():
    table = position("1-3 2-3 5-3 6-3 | 7-3", field="1-1 4-1", deck="8-3")
    table.do("play 1-3")
    assert table.captured[0] == ["1-1", "1-3"]
    assert set(table.field) == {"4-1", "8-3"}
    assert table.plane(1, THEIR_PILE) == table.plane(0, MY_PILE) == {"1-1", "1-3"}


def test_K14_a_card_may_be_laid_only_where_none_matches():
    table = position("1-3 2-3 5-3 6-3 | 7-3", field="1-1 5-1")
    assert table.legal == {"play 1-3", "play 5-3"}
    table = position("1-3 2-3 5-3 6-3 | 7-3", field="8-1 9-1")
    assert table.legal == {"play 1-3", "play 2-3", "play 5-3", "play 6-3"}
    table.do("play 2-3")
    assert "2-3" in table.field
    table = position("1-3 2-3 5-3 6-3 | 7-3", field="1-1 5-1", config=FREE)
    assert table.legal == {"play 1-3", "play 2-3", "play 5-3", "play 6-3"}


def test_K14_a_matching_card_is_never_laid():
    table = position("1-3 2-3 5-3 6-3 | 7-3", field="1-1 4-1", deck="8-3", config=FREE).do("play 1-3")
    assert not {"1-1", "1-3"} & set(table.field)


def test_K16_of_two_matching_cards_one_is_chosen():
    table = position("1-3 2-3 5-3 6-3 | 7-3", field="1-1 1-2", deck="8-3").do("play 1-3")
    assert (table.phase, table.pending, table.legal) == ("pick_hand", "1-3", {"take 1-1", "take 1-2"})
    assert table.plane(0, PENDING) == table.plane(1, PENDING) == {"1-3"}
    table.do("take 1-2")
    assert table.captured[0] == ["1-2", "1-3"]
    assert "1-1" in table.field


def test_K17_three_matching_cards_may_all_be_taken():
    field = "1-1 1-2 1-4 4-1"
    table = position("1-3 2-3 5-3 6-3 | 7-3", field=field, deck="8-3").do("play 1-3")
    assert table.legal == {"take 1-1", "take 1-2", "take 1-4", "hiki"}
    assert table.do("hiki").captured[0] == ["1-1", "1-2", "1-3", "1-4"]
    table = position("1-3 2-3 5-3 6-3 | 7-3", field=field, deck="8-3").do("play 1-3", "take 1-1")
    assert {"1-2", "1-4"} <= set(table.field)
    table = position("1-3 2-3 5-3 6-3 | 7-3", field=field, deck="8-3", config=KoiKoiConfig(hiki="auto"))
    assert table.do("play 1-3").captured[0] == ["1-1", "1-2", "1-3", "1-4"]


def test_K18_a_card_is_always_drawn_and_yaku_count_once_after_it():
    table = position("1-1 2-3 5-3 6-3 | 7-3", field="1-3 12-3", captured="3-1 8-1 | ", deck="12-1")
    table.do("play 1-1")
    assert table.phase == "koi"
    assert {"1-1", "12-1"} <= set(table.captured[0])
    assert (table.yaku[0], table.chain[0]) == (["shiko"], 1), "not three brights first"


def test_K19_the_drawn_card_captures_with_the_same_choices_also_the_card_just_laid():
    table = position("2-3 5-3 6-3 7-3 | 8-3", field="1-1 1-2", deck="1-3").do("play 2-3")
    assert (table.phase, table.pending, table.legal) == ("pick_draw", "1-3", {"take 1-1", "take 1-2"})
    table = position("2-3 5-3 6-3 7-3 | 8-3", field="1-1 1-2 1-4 4-1", deck="1-3").do("play 2-3")
    assert "hiki" in table.legal
    table = position("2-3 5-3 6-3 7-3 | 8-3", field="1-1 1-2", deck="2-4").do("play 2-3")
    assert table.captured[0] == ["2-3", "2-4"]


def test_K20_a_drawn_card_without_a_match_stays_and_the_next_player_follows():
    table = position("2-3 5-3 6-3 7-3 | 8-3", field="1-1 1-2", deck="9-3").do("play 2-3")
    assert {"2-3", "9-3"} <= set(table.field)
    assert (table.current_player, table.turn, table.phase) == (1, 10, "play")


# --- Yaku and the end of a round --------------------------------------------------------------------------------------


def sanko_next(**options: object) -> Table:
    """Return a position in which player 0 makes three brights with 1-1."""
    return position("1-1 4-3 5-3 6-3 | 7-3", field="1-3 2-3", captured="3-1 8-1 | ", deck="9-3", **options)  # type: ignore[arg-type]


def test_K21_a_yaku_opens_the_choice():
    table = sanko_next().do("play 1-1")
    assert (table.phase, table.current_player, table.legal) == ("koi", 0, {"stop", "koikoi"})
    assert table.yaku[0] == ["sanko"]
    table.do("koikoi")
    assert (table.phase, table.current_player, table.koikoi_called) == ("play", 1, [1, 0])


RIBBONS = "1-2 2-2 4-2 5-2 6-2 4-4"


@pytest.mark.parametrize("growth", [True, False])
def test_K21_L3_growth_opens_the_choice_unless_it_is_no_event(growth):
    config = KoiKoiConfig(choice_on_growth=growth)
    table = position("7-2 4-3 5-3 6-3 | 8-3", field="7-3 2-3", captured=f"{RIBBONS}|", deck="9-3", config=config)
    before = table.base[0]
    table.do("play 7-2")
    assert table.base[0] == before + 1
    assert table.phase == ("koi" if growth else "play")


def test_K22_several_yaku_in_one_turn_are_one_choice():
    table = position("9-1 4-3 5-3 6-3 | 7-3", field="9-3 2-3", captured="3-1 8-1 | ", deck="10-3").do("play 9-1")
    assert (table.yaku[0], table.chain[0]) == (["hanami", "tsukimi"], 1)
    assert table.do("koikoi").phase == "play"


def test_K23_with_an_empty_hand_the_yaku_ends_the_round():
    table = position("1-1 | 7-3", field="1-3 2-3", captured="3-1 8-1 | ", deck="9-3", turn=15).do("play 1-1")
    assert table.last_result == (0, 5, "stop")


def test_K24_only_the_first_to_stop_is_paid():
    table = sanko_next().do("play 1-1", "stop")
    assert table.last_result == (0, 5, "stop")
    assert table.scores == [5, 0]


def test_K25_all_yaku_old_and_new_add_up():
    table = position("9-1 4-3 5-3 6-3 | 7-3", field="9-3 2-3", captured="3-1 8-1 1-1 1-4|", deck="10-3")
    table.do("play 9-1", "stop")
    assert table.last_result == (0, 2 * (5 + 5 + 5), "stop")


def exhausted(**options: object) -> Table:
    """Return a position with the last card of the round, which makes no yaku."""
    return position("| 7-3", field="2-3 2-4 12-1 5-1", deck="9-3", captured="1-1 1-3|", turn=16, **options)  # type: ignore[arg-type]


def test_K26_K27_without_a_stop_the_round_is_drawn_and_the_dealer_stays():
    table = exhausted(koikoi_called=[1, 0], chain=[1, 0]).do("play 7-3")
    assert (table.last_result, table.scores, table.dealer) == ((None, 0, "exhausted"), [0, 0], 0)
    assert table.round == 2


def test_K29_the_higher_total_wins_and_equal_totals_tie():
    one = KoiKoiConfig(rounds=1)
    table = sanko_next(config=one).do("play 1-1", "stop")
    assert table.is_over and table.phase == "end"
    assert table.env.infos["player_0"]["winner"] == 0
    table = exhausted(config=one).do("play 7-3")
    assert table.is_over and table.env.infos["player_1"]["winner"] is None


# --- Rewards, decks, presets (L) --------------------------------------------------------------------------------------


def test_L4_gaji_block_and_both_lucky_take_the_values_of_the_card():
    assert KoiKoiConfig(both_lucky="redeal", gaji_block="any")
    for field in ("both_lucky", "gaji_block", "hiki", "teshi", "own_koi", "reward"):
        with pytest.raises(ValueError, match=field):
            KoiKoiConfig(**{field: "sometimes"})  # type: ignore[arg-type]


def test_L6_koikoi_japan_ends_when_a_score_is_zero_and_pays_an_exhausted_round():
    japan = replace(PRESETS["koikoi_japan"], reward="points")
    table = sanko_next(config=japan, scores=[56, 4]).do("play 1-1", "stop")
    assert table.is_over and table.scores == [61, -1]
    table = exhausted(config=japan).do("play 7-3")
    assert (table.last_result, table.scores, table.rewards) == ((0, 1, "exhausted"), [31, 29], [1])
    with pytest.raises(ValueError, match="scores must be above 0 before the end with ends_at_zero"):
        sanko_next(config=japan, scores=[60, 0])


def test_L7_without_the_swap_a_lucky_round_needs_no_decision():
    lucky = stacked(TESHI, CALM, FIELD_CALM)
    calm = stacked(CALM, "", FIELD_CALM)
    options = {"hand_swap": False, "reward": "points", "hiki": "auto"}
    table = deal(TESHI, CALM, FIELD_CALM, dealer=1, decks=[calm], **options)
    assert (table.round, table.last_result, table.dealer) == (2, (0, 6, "teshi"), 0)
    assert table.env.rewards == {"player_0": 0, "player_1": 0}
    table.do(sorted(table.legal)[0])
    assert table.rewards == [6], "what reset decided is paid with the first step"
    with pytest.raises(ValueError, match="decide"):
        deal(TESHI, CALM, FIELD_CALM, rounds=1, hand_swap=False)
    table = deal(CALM, "", FIELD_CALM, dealer=0, decks=[lucky], **options)
    while not table.round_results:
        table.do(min(table.legal, key=lambda word: (word != "stop", word)))
    first = table.round_results[0]
    sign = {0: 1, 1: -1, None: 0}[first["winner"]]
    won_by = 1 - (table.round_results[1]["dealer"])
    assert table.round_results[1]["reason"] == "teshi"
    assert table.rewards[-1] == sign * first["points"] + (6 if won_by == 0 else -6)


@pytest.mark.statistical
def test_L7_no_game_is_decided_inside_reset():
    """In one-round games without a swap, lucky deals are dealt again: about 240 of these 20,000."""
    envs = KoiKoiVectorEnv(20_000, rounds=1, hand_swap=False, specialize=False)
    observation, _ = envs.reset(seed=7)
    assert observation["action_mask"].any(axis=1).all()


def test_L8_decks_are_whole_and_missing_rounds_are_shuffled():
    env = koikoi_v0.raw_env(rounds=2)
    deck = stacked(CALM, "", FIELD_CALM)
    for wrong in ([deck[:-1]], [[*deck[:-1], "1-1"]], [[*deck[:-1], "13-1"]], [deck] * 3, "deck", [7]):
        with pytest.raises(ValueError, match="decks"):
            env.reset(seed=1, options={"decks": wrong})
    with pytest.raises(ValueError, match="dealer"):
        env.reset(seed=1, options={"dealer": 2})
    env.reset(seed=1, options={"decks": [deck]})
    twin = env.copy()
    assert twin.to_dict() == env.to_dict()
    env.reset(seed=1, options={"decks": [deck, deck]})
    assert env.to_dict()["next_decks"] == [deck]


def test_L11_rewards_are_zero_sum_squashed_points_or_the_result():
    for reward, expected in (("squashed", np.log1p(5) / np.log1p(100)), ("points", 5), ("result", 1)):
        table = sanko_next(config=KoiKoiConfig(rounds=1, reward=reward)).do("play 1-1")
        assert table.env.rewards == {"player_0": 0, "player_1": 0}
        table.do("stop")
        assert table.env.rewards["player_0"] == pytest.approx(expected)
        assert table.env.rewards["player_1"] == -table.env.rewards["player_0"]
    table = sanko_next(config=KoiKoiConfig(reward="result")).do("play 1-1", "stop")
    assert table.rewards[-1] == 0, "the game goes on"


def test_after_the_end_the_last_position_stays():
    table = sanko_next(config=KoiKoiConfig(rounds=1)).do("play 1-1", "stop")
    assert "1-1" in table.captured[0] and len(table.hands[0]) == 3 and table.dealer == 0
