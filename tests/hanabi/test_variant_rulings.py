"""One test per ruling on the variants (E3, E5, E9-E15, N1-N7); N5 is in `test_ratings`, rows: `test_variant_rules`."""

import pickle
from typing import Any

import pytest

from hanabi_env import PRESETS, HanabiConfig
from hanabi_env.engine.layout import layout
from hanabi_env.words.notation import card_names

from .table import Table, deal, new_env, position
from .test_rules import all_cards
from .test_variant_rules import BOUQUET, completes_red


def test_N1_a_discard_that_loses_a_final_bouquet_returns_its_token():
    table = position("R3 Y1 | Y3 Y2", fireworks="R1 Y1", information_tokens=2, **BOUQUET)
    deck = len(table.deck)
    table.do("discard 0")
    assert (table.end_reason, table.information_tokens, len(table.deck)) == ("indispensable", 3, deck)


def test_N2_a_turn_with_a_tile_pending_still_counts():
    table = completes_red("d", deck="", turns_to_play=2).do("play 0")
    assert (table.pending, table.turns_to_play) == ("d", 2)
    assert table.do("hint 1 1").turns_to_play == 1


def test_E3_what_e_shuffled_back_is_drawn_in_the_last_round():
    table = completes_red("e", deck="", turns_to_play=1).do("play 0")
    assert table.pending == "e?"
    table.do("shuffle back", "choose B1")
    assert (table.hands[0][-1], table.deck, table.turns_to_play, table.end_reason) == ("B1", [], 0, "deck")


@pytest.mark.parametrize(("move", "tokens"), [("play 0", 3), ("play 0 as R", 4)])
def test_N3_the_last_completion_reveals_no_tile_and_only_the_announcement_counts(move, tokens):
    table = position(
        "R5 Y1 Y2 Y3 Y4 | G1 G2 W3 B4 W1",
        fireworks="R4 Y5 G5 W5 B5",
        tiles="ca",
        information_tokens=3,
        flamboyants=True,
        choreography=True,
    ).do(move)
    assert (table.end_reason, table.pending, table.bonus_tiles) == ("complete", None, ["c", "a"])
    assert table.information_tokens == tokens


def test_E5_the_last_life_and_the_last_copy_together_are_lives():
    table = position("R3 Y1 | Y3 Y2", fireworks="R1 Y1", life_tokens=1, **BOUQUET).do("play 0")
    assert table.end_reason == "lives"


def test_E5_a_lost_bouquet_is_zero_under_either_convention():
    table = position("R3 Y1 | Y3 Y2", fireworks="R1 Y1", score_on_loss="fireworks", information_tokens=2, **BOUQUET)
    assert table.score == 2
    assert table.do("discard 0").score == 0
    assert table.env.infos["player_0"]["fireworks_score"] == 2


def test_N4_with_black_powder_a_lost_game_falls_back_to_the_opening_score():
    table = deal("R1 R3 R4 Y3 Y4 | Y1 G3 G4 B3 B4", black_powder=True)
    table.do("play 0", "play 0", "play 0", "play 0", "play 0")
    assert (table.end_reason, table.score) == ("lives", -5)
    assert sum(table.rewards) == 0
    assert table.env.infos["player_0"]["fireworks_score"] == -3


def test_N4_the_return_is_final_score_plus_ranks():
    table = deal("R1 K5 R4 Y3 Y4 | Y1 G3 G4 B3 B4", black_powder=True).do("play 0", "play 0", "play 0")
    assert sum(table.rewards) == table.score + 5 == 3


def test_E9_with_a_five_means_the_highest_rank():
    table = position(
        "R3 Y1 | Y3 Y2",
        fireworks="R2",
        tiles="abcdef",
        flamboyants=True,
        information_tokens=2,
        colors=2,
        ranks=3,
        hand_size=2,
    ).do("play 0")
    assert (table.bonus_tiles, table.information_tokens) == (list("bcdef"), 3)


@pytest.mark.parametrize("multicolor", ["own_color", "all_colors"])
def test_E9_a_multicolored_five_counts(multicolor):
    table = position(
        "M5 Y1 Y2 Y3 Y4 | G1 G2 W3 B4 B5", fireworks="M4", tiles="cabdef", flamboyants=True, multicolor=multicolor
    ).do("play 0")
    assert table.pending == "c"


def test_E9_a_black_five_begins_a_firework_and_reveals_nothing():
    table = deal("K5 R1 | Y1", flamboyants=True, black_powder=True).do("play 0")
    assert (table.fireworks["K"], len(table.bonus_tiles)) == (1, 6)


def test_V4_with_one_card_left_in_the_deck_e_is_no_choice():
    """E10's choice needs an empty deck; here the chosen card goes into the deck, from which one card is drawn."""
    table = completes_red("e", deck="Y5").do("play 0")
    assert (table.pending, table.deck, table.turns_to_play) == ("e", ["Y5"], None)
    table.do("choose R1")
    assert sorted([table.hands[0][-1], *table.deck]) == ["R1", "Y5"]
    assert (len(table.deck), table.turns_to_play) == (1, None)


SMALL_TILES = {"flamboyants": True, "colors": 2, "ranks": 3, "hand_size": 2, "deck": "", "turns_to_play": 2}


@pytest.mark.parametrize(
    ("hands", "fireworks", "tiles", "choices"),
    [
        ("R3 R1 | R1 Y3", "R2", "eabcdf", {"shuffle back", "play from discard"}),  # Y1 in the discard is playable
        ("R3 R1 | R1 Y3", "R2 Y1", "eabcdf", {"shuffle back", "play from discard"}),  # Y2 in the discard is playable
        ("R3 R1 | Y2 Y3", "R2 Y2", "eabcdf", {"shuffle back"}),  # no discard is playable
    ],
)
def test_E10_e_on_an_empty_deck_is_a_choice(hands, fireworks, tiles, choices):
    table = position(hands, fireworks=fireworks, tiles=tiles, **SMALL_TILES).do("play 0")
    assert (table.pending, table.legal) == ("e?", choices)


@pytest.mark.parametrize(
    ("choice", "pending", "cards_to_choose"),
    [("shuffle back", "e", {"R2", "Y1", "Y2"}), ("play from discard", "f", {"Y1"})],
)
def test_E10_its_outcomes_are_those_of_e_and_f(choice, pending, cards_to_choose):
    table = position("R3 R1 | R1 Y3", fireworks="R2", tiles="eabcdf", **SMALL_TILES).do("play 0", choice)
    assert (table.pending, table.current_player) == (pending, 0)
    assert table.legal == {f"choose {card}" for card in cards_to_choose}


def test_E10_with_no_discard_at_all_the_effect_is_lost():
    table = deal("R1 R1 R1 | Y1 Y1 Y1", colors=2, ranks=1, hand_size=3, flamboyants=True, tiles="eabcdf").do("play 0")
    assert (table.pending, table.deck, table.current_player) == (None, [], 1)


def test_E10_of_equal_discards_the_oldest_is_taken():
    table = completes_red("f", discards="W1 B3 W1 Y5").do("play 0", "choose W1")
    assert table.discards == ["B3", "W1", "Y5"]


def test_E10_the_whole_deck_is_shuffled_by_the_games_own_stream():
    first, again = (completes_red("e", discards="W1").do("play 0") for _ in range(2))
    before = first.deck
    first.do("choose W1")
    again.do("choose W1")
    after = [first.hands[0][-1], *first.deck]
    assert after == [again.hands[0][-1], *again.deck]
    without = list(after)
    without.remove("W1")
    assert sum(new == old for new, old in zip(without, before, strict=True)) < len(before) / 2


def after_e(position: dict[str, Any], seed: int) -> dict[str, Any]:
    """Return the position restored in a table of ``seed``, after (e) shuffled a card back and its player drew one."""
    table = Table(new_env(HanabiConfig(flamboyants=True)))
    table.env.reset(seed=seed, options={"state": position})
    return table.do("choose W1").env.to_dict()


def test_E10_a_restored_game_has_the_same_future_up_to_the_shuffle_of_e():
    """The shuffle uses the stream of the restoring table; copies and pickles keep the stream of their game."""
    original = completes_red("e", discards="W1").do("play 0")
    position, copied, pickled = original.env.to_dict(), original.env.copy(), pickle.loads(pickle.dumps(original.env))
    future = original.do("choose W1").env.to_dict()
    assert Table(copied).do("choose W1").env.to_dict() == future
    assert Table(pickled).do("choose W1").env.to_dict() == future
    assert after_e(position, seed=0) == future, "the same seed is the same stream"
    other = after_e(position, seed=1)
    assert other["deck"] != future["deck"]
    assert all_but_drawn(other) == all_but_drawn(future)


def all_but_drawn(position: dict[str, Any]) -> dict[str, Any]:
    """Return the parts that do not depend on the order of the deck; player 0 has drawn one card of it."""
    hands = [position["hands"][0][:-1], position["hands"][1]]
    return {**position, "hands": hands, "deck": sorted([*position["deck"], position["hands"][0][-1]])}


def test_E11_c_and_d_follow_empty_hints():
    table = completes_red("c", empty_hints=True).do("play 0")
    assert table.legal == {f"hint 1 {color}" for color in "RYGWB"}


@pytest.mark.parametrize("tile", ["c", "d"])
def test_E11_c_and_d_are_lost_where_only_the_own_hand_holds_cards(tile: str):
    rest = "".join(other for other in "abcdef" if other != tile)
    settings = {"flamboyants": True, "tiles": tile + rest, "fireworks": "R2 Y2", "deck": "", "information_tokens": 2}
    table = position("R3 Y3 |", **settings, **BOUQUET).do("play 0")
    assert (table.fireworks["R"], table.pending, table.bonus_tiles) == (3, None, list(rest))


def test_E12_the_announcements_token_comes_before_the_tiles():
    table = completes_red("a", information_tokens=7, choreography=True).do("play 0 as R")
    assert table.information_tokens == 8
    table = completes_red("b", information_tokens=6, choreography=True).do("play 0 as R")
    assert table.information_tokens == 8


def test_E12_f_cannot_be_announced():
    table = completes_red("f", discards="W1 B3", choreography=True).do("play 0")
    assert table.legal == {"choose W1"}


def test_E13_the_next_player_sees_the_play_that_opened_the_turn():
    table = completes_red("d").do("play 0", "hint 1 1")
    assert [event["action"] for event in table.events[-2:]] == ["play 0", "hint 1 1"]
    fields = {(field.section, field.name): field for field in layout(table.env.config.rules()).fields}
    bits = table.bits(1)
    kinds = [bits[place].index(1) for place in fields["last_action", "what"].places()[:2]]
    assert kinds == [3, 0]  # a rank hint, and the play before it
    shown = bits[fields["last_action", "card"].places()[1]]
    assert card_names(table.env.config)[shown.index(1)] == "R5"


def test_E14_an_empty_hint_to_an_empty_hand():
    table = position("Y1 Y3 |", fireworks="R3 Y2", deck="", information_tokens=2, empty_hints=True, **BOUQUET)
    assert {"hint 1 R", "hint 1 Y", "hint 1 1", "hint 1 2", "hint 1 3"} <= table.legal
    table.do("hint 1 R")
    assert (table.information_tokens, table.end_reason, table.current_player) == (1, None, 1)


@pytest.mark.parametrize("color", "RYGWB")
def test_E15_a_multicolored_card_is_none_of_the_five_colors(color):
    table = deal("M1 R1 | Y1", choreography=True, multicolor="all_colors").do(f"play 0 as {color}")
    assert (table.fireworks["M"], table.life_tokens) == (0, 2)


def test_E15_finished_suits_may_be_announced():
    table = position("R1 Y1 Y2 Y3 Y4 | G1 G2 G3 G4 G5", fireworks="R5", choreography=True)
    assert "play 0 as R" in table.legal


def test_E15_an_announced_K1_brings_two_tokens():
    table = position(
        "K1 Y1 Y2 Y3 Y4 | G1 G2 G3 G4 G5", fireworks="K2", information_tokens=3, choreography=True, black_powder=True
    ).do("play 0 as K")
    assert table.information_tokens == 5


def test_E16_while_a_tile_waits_only_its_player_has_a_mask():
    table = completes_red("d").do("play 0")
    masks = [table.env.observe(agent)["action_mask"] for agent in table.env.possible_agents]
    assert [bool(mask.any()) for mask in masks] == [True, False]


def test_N6_with_fewer_ranks_black_runs_from_the_highest():
    table = deal("K3 K2 K1 | R1", colors=2, ranks=3, hand_size=3, black_powder=True)
    assert [all_cards(table)[f"K{rank}"] for rank in (1, 2, 3)] == [1, 2, 3]
    assert table.score == -3
    assert table.do("play 0").fireworks["K"] == 1


def test_N6_one_multicolored_card_of_each_rank_there_is():
    box = all_cards(deal(colors=2, ranks=3, hand_size=3, multicolor="own_color"))
    assert {card: count for card, count in box.items() if card[0] == "M"} == {"M1": 1, "M2": 1, "M3": 1}


def test_N7_K_is_black_powder_and_nothing_else():
    assert not any(card[0] == "K" for card in all_cards(deal()))
    assert PRESETS["first_edition_2010"] == PRESETS["standard"]
    assert all("K" not in deal(multicolor=kind).fireworks for kind in ("own_color", "all_colors"))


def test_N7_every_extension_and_the_full_combination_have_presets():
    fields = ("multicolor", "black_powder", "flamboyants", "final_bouquet", "choreography")
    on = {name: {field for field in fields if getattr(config, field)} for name, config in PRESETS.items()}
    for field in fields:
        assert {field} in on.values()
    assert set(fields) in on.values()
    assert {PRESETS["avalanche_5"].multicolor, PRESETS["avalanche_10"].multicolor} == {"own_color", "all_colors"}
