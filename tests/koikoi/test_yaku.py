"""Yaku, points and multipliers (K25 to K39), and the Gaji (K40 to K46)."""

from dataclasses import replace

import numpy as np
import pytest

from hanafuda_env import PRESETS, KoiKoiConfig
from hanafuda_env.engine import cards as sets
from hanafuda_env.engine.state import Rules
from hanafuda_env.engine.yaku import YAKU_CARDS, base_of, yaku_of
from tests.reference.koikoi_plain import BOX, KIND

from .table import CHOICES, REVEALED, Table, position

CHAFF = [card for card in BOX if card not in KIND]
TRIADE = KoiKoiConfig(triade=True)
GAJI = KoiKoiConfig(gaji=True)
CRANE, CURTAIN, MOON, RAIN, PHOENIX, CUP = "1-1", "3-1", "8-1", "11-1", "12-1", "9-1"


def cards(names: list[str]) -> np.uint64:
    return np.uint64(sum(1 << BOX.index(name) for name in names))


def base(names: list[str], called: bool = False, **fields: object) -> int:
    """Return the base points of a pile, by the rules run as plain Python."""
    rules: Rules = KoiKoiConfig(**fields).rules()  # type: ignore[arg-type]
    with np.errstate(over="ignore"):
        return int(base_of(rules, cards(names), yaku_of(rules, cards(names)), called))


def stops(
    pile: str, last: str, chain: int = 0, koi: tuple[int, int] = (0, 0), config: KoiKoiConfig | None = None
) -> int:
    """Return the points of player 0, who has ``pile``, takes ``last`` with another card of its month, and stops.

    ``chain`` is the player's chain before this turn; ``koi`` says how often each player has called.
    """
    held, (month, _, _) = pile.split(), last.partition("-")
    taker = next(card for card in CHAFF if card.partition("-")[0] == month)
    held += [card for card in ("4-4", "7-4") if len(held) % 2 and card.partition("-")[0] != month][:1]
    drawn = next(card for card in ("12-3", "5-3") if card.partition("-")[0] != month)
    table = position(
        f"{taker} | ",
        turn=9 if max(koi) <= 4 else 13,  # a player calls at most once per turn
        field=f"{last} 2-3",
        captured=f"{' '.join(held)} | ",
        deck=drawn,
        chain=[chain, 0],
        koikoi_called=list(koi),
        config=config,
    )
    assert table.do(f"play {taker}").phase == "koi"
    table.do("stop")
    return table.last_result[1]


# --- Cards and points -------------------------------------------------------------------------------------------------


def test_the_masks_are_the_cards_of_the_box():
    counts = {"bright": 5, "animal": 9, "ribbon": 10}
    masks = {"bright": sets.BRIGHT, "animal": sets.ANIMAL, "ribbon": sets.RIBBON}
    for kind, mask in masks.items():
        names = [card for card in BOX if KIND.get(card) == kind]
        assert cards(names) == mask and len(names) == counts[kind]
    assert cards(CHAFF) == sets.CHAFF and len(CHAFF) == 24
    assert cards(["11-4"]) == sets.GAJI_CARD and cards([CUP]) == sets.CUP


def test_every_card_belongs_to_a_yaku():
    covered = sets.CUP
    for mask in YAKU_CARDS[0]:
        covered |= mask
    assert covered == sets.ALL_CARDS


def test_the_whole_deck_is_62_points_and_65_with_the_triade():
    assert (base(BOX), base(BOX, triade=True)) == (62, 65)


def test_the_preset_document_has_the_table_of_the_card():
    assert PRESETS["document"].points == (10, 8, 7, 5, 5, 5, 5, 5, 5, 1, 1, 1)
    assert PRESETS["document"].extra == (0,) * 9 + (1, 1, 1)


@pytest.mark.parametrize(
    ("pile", "points"),
    [
        ([CRANE, CURTAIN, MOON], 5),
        ([CRANE, CURTAIN, RAIN], 0),
        ([CRANE, CURTAIN, MOON, RAIN], 7),
        ([CRANE, CURTAIN, MOON, PHOENIX], 8),
        ([CRANE, CURTAIN, MOON, PHOENIX, RAIN], 10),
        ([CURTAIN, CUP], 5),
        ([MOON, CUP], 5),
        ([CURTAIN, MOON, CUP], 10),
        ([*CHAFF[:9], CUP], 1),
        ([*CHAFF[:9]], 0),
        (CHAFF[:12], 3),
        (["7-1", "10-1", "6-1", "2-1", "4-1"], 6),
        (["1-2", "2-2", "3-2", "6-2", "9-2", "10-2"], 12),
        (["1-2", "2-2", "4-2", "5-2", "7-2", "11-3"], 2),
        (["2-1", "4-1", "5-1", "8-2", "11-2", "9-1"], 2),
    ],
)
def test_K25_base_points(pile, points):
    assert base(pile) == points


def test_the_cup_may_be_no_chaff():
    assert base([*CHAFF[:9], CUP], cup_is_chaff=False) == 0


def test_L4_without_exclusion_every_yaku_of_brights_counts():
    assert base([CRANE, CURTAIN, MOON, PHOENIX, RAIN], bright_exclusive=False) == 10 + 8 + 7 + 5
    assert base([CRANE, CURTAIN, MOON, RAIN], bright_exclusive=False) == 7 + 5


def test_L2_a_named_set_pays_instead_of_its_kind():
    animals = ["7-1", "10-1", "6-1", "2-1", "4-1"]
    ribbons = ["1-2", "2-2", "3-2", "4-2", "5-2"]
    assert base(animals, extra_named=True) == 5 + 2
    assert base(ribbons, extra_named=True) == 5 + 2
    both = ["1-2", "2-2", "3-2", "6-2", "9-2", "10-2", "4-2"]
    assert base(both, extra_named=True) == 10 + 1
    assert base(["2-1", "4-1", "5-1", "8-2", "11-2"], extra_named=True) == 1


def test_section_5_viewing_yaku_pay_more_after_koi_and_red_with_blue_adds_ten():
    japan = {"points": PRESETS["koikoi_japan"].points, "viewing_after_koi": 3, "red_and_blue_bonus": 10}
    assert base([CURTAIN, CUP], **japan) == 1
    assert base([CURTAIN, CUP], called=True, **japan) == 3
    assert base(["1-2", "2-2", "3-2", "6-2", "9-2", "10-2"], **japan) == 5 + 5 + 10 + 2


# --- Scoring examples (1.4) and multipliers (K30 to K39) --------------------------------------------------------------

SIX = "7-1 10-1 2-1 4-1"  # with butterflies: inoshikacho 5 and tane 1
SEVEN = f"{CRANE} {CURTAIN} {RAIN}"  # with the moon: ameshiko 7
EIGHT = f"{CRANE} {CURTAIN} {PHOENIX}"  # with the moon: shiko 8; without it, the pile has sanko already


@pytest.mark.parametrize(
    ("pile", "last", "chain", "koi", "points"),
    [
        (f"{CRANE} {CURTAIN}", MOON, 0, (0, 0), 5),
        (SEVEN, MOON, 0, (0, 0), 14),
        (f"{CRANE} {CURTAIN} {RAIN} {PHOENIX}", MOON, 0, (0, 0), 20),
        (CURTAIN, CUP, 0, (0, 0), 5),
        (f"{CURTAIN} {MOON}", CUP, 0, (0, 0), 20),
        (SIX, "6-1", 0, (0, 0), 6),
        (SIX, "6-1", 0, (0, 1), 12),
        (SEVEN, MOON, 0, (0, 1), 28),
        (SIX, "6-1", 1, (1, 0), 12),
        (SEVEN, MOON, 1, (1, 0), 28),
        (EIGHT, MOON, 2, (2, 0), 48),
        (EIGHT, MOON, 1, (1, 1), 64),
        (EIGHT, MOON, 1, (1, 2), 64),
    ],
)
def test_1_4_K30_to_K38_scoring_examples(pile, last, chain, koi, points):
    assert stops(pile, last, chain, koi) == points


def test_K39_the_triade_is_in_the_base():
    pile = "1-2 2-2 3-2 6-2 9-2"
    assert stops(pile, "10-2") == 24
    assert stops(pile, "10-2", config=TRIADE) == 30


def test_K30_growth_reopens_the_choice_but_is_no_second_yaku():
    pile = "1-2 2-2 4-2 5-2 6-2 4-4"
    for growth, chain in ((False, 1), (True, 2)):
        config = KoiKoiConfig(growth_in_chain=growth)
        options = {"chain": [1, 0], "koikoi_called": [1, 0], "deck": "9-3", "config": config}
        table = position("7-2 4-3 5-3 6-3 | 8-3", field="7-3 2-3", captured=f"{pile}|", **options)  # type: ignore[arg-type]
        table.do("play 7-2")
        assert (table.phase, table.chain) == ("koi", [chain, 0])
        assert table.do("stop").last_result[1] == 2 * chain


@pytest.mark.parametrize(
    ("pile", "chain", "points"),
    [
        ("1-2 2-2 4-2 5-2 6-2 4-4", 2, 2 * 2 * (5 + 3)),  # tan, then akatan, which replaces it
        ("1-2 2-2 4-2 5-2", 1, 2 * (5 + 2)),  # tan at once within akatan
    ],
)
def test_L2_a_named_set_in_the_place_of_its_kind_is_a_new_yaku(pile, chain, points):
    options = {"chain": [chain - 1, 0], "koikoi_called": [chain - 1, 0], "deck": "9-3", "captured": f"{pile}|"}
    table = position("3-3 4-3 5-3 6-3 | 7-3", field="3-2 8-3", config=KoiKoiConfig(extra_named=True), **options)  # type: ignore[arg-type]
    table.do("play 3-3")
    assert (table.phase, table.chain, table.yaku[0]) == ("koi", [chain, 0], ["akatan"])
    assert table.do("stop").last_result[1] == points


def test_L2_a_fifth_ribbon_beside_a_named_set_is_growth():
    config = KoiKoiConfig(extra_named=True)
    options = {"chain": [1, 0], "koikoi_called": [1, 0], "deck": "9-3", "config": config}
    table = position("4-3 1-3 5-3 6-3 | 7-3", field="4-2 8-3", captured="1-2 2-2 3-2 5-2|", **options)  # type: ignore[arg-type]
    table.do("play 4-3")
    assert (table.phase, table.chain) == ("koi", [1, 0])
    assert table.do("stop").last_result[1] == 2 * (5 + 2)


def test_K31_the_chain_counts_turns_with_a_new_yaku():
    table = position(f"{MOON} 4-3 5-3 6-3 | 7-3", field="8-3 2-3", captured=f"{CRANE} {CURTAIN}|", deck="10-3")
    assert table.do(f"play {MOON}").chain == [1, 0]
    assert table.do("koikoi").koikoi_called == [1, 0]


def test_K32_K33_the_worked_case():
    """A has a chain of 1; B's hanami cancels it; A's next yaku counts once and is doubled by B's call."""
    table = position(
        f"| {CUP} 4-3 5-3 6-3",
        field="9-3 2-3",
        captured=f"1-2 2-2 4-1 5-1 | {CURTAIN} 4-4",
        deck="10-3",
        turn=10,
        chain=[1, 0],
        koikoi_called=[1, 0],
    )
    table.do(f"play {CUP}")
    assert (table.phase, table.chain) == ("koi", [0, 1])
    before = table.base[1]
    table.do("stop")
    assert table.last_result == (1, before * 2 * (2 if before >= 7 else 1), "stop")


def test_K34_is_tested_on_the_base():
    assert stops(SIX, "6-1", 1, (1, 0)) == 12, "12 is no base of 7"


def test_K37_lucky_hands_have_no_multiplier():
    assert KoiKoiConfig().lucky_points == 6  # paid without multipliers: see test_K8


@pytest.mark.parametrize(("calls", "points"), [(0, 5), (1, 6), (3, 8), (4, 10), (5, 15)])
def test_section_5_a_bonus_for_the_winners_own_calls(calls, points):
    japan = PRESETS["koikoi_japan"]
    assert stops(f"{CRANE} {CURTAIN}", MOON, 0, (calls, 1), japan) == points


def test_nintendo_has_no_chain():
    free = replace(PRESETS["nintendo"], koikoi_limit=None)
    assert stops(SIX, "6-1", 1, (1, 0), free) == 14, "extra_named: 5 + 2, doubled from seven"


# --- The Gaji ---------------------------------------------------------------------------------------------------------


def with_gaji(field: str, opponent: str = "", **options: object) -> Table:
    """Return a position in which player 0 holds the lightning and three cards that match nothing."""
    given = {"deck": "12-3", "config": GAJI} | options
    return position(f"11-4 1-3 2-3 3-3 | {opponent}", field=field, **given)  # type: ignore[arg-type]


def test_K40_on_the_field_and_as_an_ordinary_card():
    table = position("11-1 1-3 2-3 3-3 | ", field="11-4 5-1", deck="12-3", config=GAJI).do("play 11-1")
    assert {"11-1", "11-4"} <= set(table.captured[0])
    table = with_gaji("11-1 5-1").do("play 11-4")
    assert {"11-1", "11-4"} <= set(table.captured[0]) and table.joker is None


def test_K41_from_the_hand_it_may_capture_any_card():
    table = with_gaji("6-1 6-2 6-3 8-1")
    assert {"joker", "play 11-4"} <= table.legal, "nothing matches: it may also be laid"
    table.do("joker")
    assert (table.phase, table.pending) == ("joker_target", "11-4")
    assert "11-4" not in table.hands[0]
    assert table.legal == {"take 6-1", "take 6-2", "take 6-3", "take 8-1"} or "6-4" in table.hands[1]
    table.do("take 8-1")
    assert {"8-1", "11-4"} <= set(table.captured[0])
    assert len(table.deck) == 15, "the draw follows"


def test_K41_exactly_one_card_is_taken_and_nothing_forces_it():
    table = with_gaji("6-1 6-2 8-1 12-1", deck="4-3").do("joker", "take 6-1")
    assert "6-2" in table.field
    table = position("11-4 6-3 2-3 3-3 | ", field="6-1 8-1", deck="12-3", config=GAJI)
    assert table.legal == {"play 6-3", "joker"}, "K14: it is laid only where nothing matches"


def test_K41_not_without_the_option_nor_on_an_empty_field():
    assert "joker" not in with_gaji("6-1 8-1", config=KoiKoiConfig()).legal
    assert "joker" not in with_gaji("").legal


def test_K42_on_november_it_takes_that_card_and_claims_nothing():
    table = with_gaji("11-1 11-2 5-1 8-1").do("joker", "take 11-1")
    assert {"11-1", "11-4"} <= set(table.captured[0])
    assert "11-2" in table.field and table.joker is None


def test_K43_turned_up_from_the_deck_it_is_no_joker():
    table = position("1-3 2-3 3-3 4-3 | ", field="6-1 8-1", deck="11-4", config=GAJI).do("play 1-3")
    assert "11-4" in table.field and table.phase == "play"


@pytest.mark.parametrize(
    ("november", "block", "blocked"),
    [
        ([[], ["hand"]], "hand", True),
        ([[], ["deck"]], "hand", False),
        ([[], ["deck"]], "any", True),
        ([["hand", "deck"], []], "any", False),
    ],
)
def test_K44_the_opponents_november_cards_block_it(november, block, blocked):
    table = with_gaji("6-1 8-1", november=november, config=replace(GAJI, gaji_block=block))
    assert ("joker" in table.legal) != blocked


def test_K44_playing_and_drawing_november_is_remembered():
    table = position("11-2 2-3 3-3 4-3 | ", field="11-1 8-1", deck="11-3", config=GAJI).do("play 11-2")
    assert table.november == [["hand", "deck"], []]


def last_turn(hand: str, **options: object) -> Table:
    """Return a position with player 1's last card; player 0 took 6-1 with the Gaji and will claim the rest of June."""
    return position(
        f"| {hand}",
        turn=16,
        joker={"holder": 0, "month": 6},
        config=options.pop("config", GAJI),  # type: ignore[arg-type]
        **options,  # type: ignore[arg-type]
    )


def test_K45_c_at_exhaustion_the_claim_can_make_a_yaku_and_win():
    captured = "11-4 6-1 7-1 7-3 9-2 10-2 | "
    table = last_turn("4-3", field="6-2 6-3 1-3 12-1", captured=captured, deck="2-3", dealer=0).do("play 4-3")
    assert table.last_result == (0, 5, "stop"), "blue ribbons"
    assert (table.dealer, table.round) == (0, 2)


def test_K45_c_without_a_yaku_it_is_a_draw_and_L3_growth_does_not_win_where_it_is_no_event():
    captured = "11-4 6-1 7-1 7-3 9-2 4-4 | "
    table = last_turn("4-3", field="6-2 6-3 1-3 12-1", captured=captured, deck="2-3").do("play 4-3")
    assert table.last_result == (None, 0, "exhausted")
    ribbons = "11-4 6-1 1-2 2-2 4-2 5-2 7-2 7-3 | "
    for growth, result in ((True, (0, 2, "stop")), (False, (None, 0, "exhausted"))):
        config = replace(GAJI, choice_on_growth=growth)
        field = "6-2 6-3 12-1 12-4"
        table = last_turn("4-3", field=field, captured=ribbons, deck="2-3", config=config).do("play 4-3")
        assert table.last_result == result


@pytest.mark.parametrize(
    ("holder", "captured", "points"),
    [
        (0, f"11-4 6-1 9-2 10-2 {CRANE} {CURTAIN} | ", 2 * (5 + 5)),  # sanko, and blue ribbons by the claim
        (1, f"{CRANE} {CURTAIN} | 11-4 6-1 9-2 10-2", 5),
    ],
)
def test_K45_a_b_the_claim_counts_when_its_holder_stops_and_not_when_the_other_does(holder, captured, points):
    given = {"deck": "12-3", "joker": {"holder": holder, "month": 6}, "config": GAJI, "captured": captured}
    table = position(f"{MOON} 4-3 5-3 1-3 | ", field="8-3 6-2 6-3 2-3", **given).do(f"play {MOON}")
    assert table.base[0] == 5
    assert table.do("stop").last_result == (0, points, "stop")


def test_K46_L5_a_month_whose_fourth_card_the_opponent_holds_is_refused_and_shown():
    table = with_gaji("6-1 6-2 6-3 8-1", opponent="6-4 9-3").do("joker")
    assert {"take 6-1", "take 6-2", "take 6-3", "take 8-1"} == table.legal, "nothing tells beforehand"
    assert table.plane(0, REVEALED) == set()
    table.do("take 6-2")
    assert (table.phase, table.legal, table.revealed) == ("joker_target", {"take 8-1"}, ["6-4"])
    assert table.plane(0, REVEALED) == {"6-4"}
    assert table.plane(0, CHOICES) == {"8-1"}
    assert table.do("take 8-1").joker == {"holder": 0, "month": 8}
    assert table.plane(0, REVEALED) == {"6-4"}, "for the rest of the round"


def test_K46_nothing_is_refused_any_more_once_the_gaji_has_taken_a_card():
    table = with_gaji("1-1 8-1").do("joker", "take 8-1")
    assert "1-1" in table.field and table.env.to_dict()["refused"] == []


def test_K46_L5_with_every_target_refused_the_gaji_is_laid():
    table = with_gaji("6-1 6-2 6-3 8-1 8-2 8-3", opponent="6-4 8-4").do("joker", "take 6-1")
    assert table.legal == {"take 8-1", "take 8-2", "take 8-3"}
    table.do("take 8-3")
    assert "11-4" in table.field and table.joker is None
    assert (table.current_player, len(table.deck)) == (1, 15)
