"""One test per row of the variants (V1-V7). Rulings are in `test_variant_rulings`, the base game in `test_rules`."""

import itertools
from collections import Counter
from types import SimpleNamespace
from typing import Any

import pytest

from hanabako.words.notation import members
from hanabi_env import PRESETS, HanabiConfig
from hanabi_env.engine import cards
from hanabi_env.words.notation import card_names, ranks_in_order
from tests.conftest import ROOT

from .table import Table, deal, position
from .test_rules import all_cards


def hints(table: Table) -> set[str]:
    return {words for words in table.legal if words.startswith("hint")}


# --- V1: a multicolored suit of five cards, a color of its own --------------------------------------------------------


def test_V1_the_sixth_suit_has_one_card_of_each_rank():
    box = all_cards(deal(multicolor="own_color"))
    assert {card: count for card, count in box.items() if card[0] == "M"} == {f"M{rank}": 1 for rank in range(1, 6)}
    assert box.total() == 55


def test_V1_multicolored_is_a_color_that_hints_name():
    table = deal("| M1 M2 R1 Y1 B1", multicolor="own_color")
    assert {"hint 1 M", "hint 1 R", "hint 1 Y", "hint 1 B"} <= hints(table)
    table.do("hint 1 M")
    assert [set(known) == {f"M{rank}" for rank in range(1, 6)} for known in table.knowledge[1]] == [True, True] + [
        False
    ] * 3
    assert not any(card[0] == "M" for card in table.knowledge[1][2])


def test_V1_other_colors_do_not_touch_it():
    table = deal("| M1 M2 R1 Y1 B1", multicolor="own_color").do("hint 1 R")
    assert set(table.knowledge[1][0]) == {f"{color}{rank}" for color in "YGWBM" for rank in range(1, 6)}


def test_V1_six_fireworks_and_thirty_points():
    table = position(
        "M5 R1 R1 Y1 Y1 | G1 G1 W1 W1 B1", fireworks="R5 Y5 G5 W5 B5 M4", multicolor="own_color", information_tokens=0
    )
    assert (table.score, table.env.config.max_score) == (29, 30)
    table.do("play 0")
    assert (table.score, table.end_reason, table.information_tokens) == (30, "complete", 1)


# --- V2: a multicolored suit of ten cards, touched by every color -----------------------------------------------------


def test_V2_the_sixth_suit_is_like_the_others():
    box = all_cards(deal(multicolor="all_colors"))
    assert [box[f"M{rank}"] for rank in range(1, 6)] == [3, 2, 2, 2, 1]
    assert box.total() == 60


@pytest.mark.parametrize("color", "RYGWB")
def test_V2_every_color_touches_multicolored_cards(color):
    table = deal(f"| M1 {color}2 M3 {color}4 {'Y' if color == 'R' else 'R'}5", multicolor="all_colors")
    table.do(f"hint 1 {color}")
    can_be = {f"{suit}{rank}" for suit in (color, "M") for rank in range(1, 6)}
    assert [set(known) == can_be for known in table.knowledge[1]] == [True, True, True, True, False]
    assert not can_be & set(table.knowledge[1][4])


def test_V2_multicolored_cards_alone_make_every_color_nameable_but_multicolored():
    table = deal("| M1 M1 M2 M3 M4", multicolor="all_colors")
    assert hints(table) == {f"hint 1 {named}" for named in "RYGWB1234"}
    with pytest.raises(ValueError, match="hint 1 M"):
        table.env.str_to_action("hint 1 M")


def test_V2_two_colors_single_out_a_multicolored_card():
    table = deal("| M1 R2 Y3 G4 B5", multicolor="all_colors").do("hint 1 R", "hint 1 1", "hint 1 Y")
    assert set(table.knowledge[1][0]) == {f"M{rank}" for rank in range(1, 6)}


# --- V3: black powder -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("distribution", "copies"), [("mirrored", [1, 2, 2, 2, 3]), ("standard", [3, 2, 2, 2, 1])])
def test_V3_ten_black_cards(distribution, copies):
    box = all_cards(deal(black_powder=True, black_distribution=distribution))
    assert [box[f"K{rank}"] for rank in range(1, 6)] == copies


def test_V3_black_is_played_downwards():
    table = deal("K1 K5 K4 R2 R3 | Y1 Y1 Y2 Y3 Y4", black_powder=True).do("play 1", "play 0", "play 1")
    assert (table.fireworks["K"], table.life_tokens, table.discards) == (2, 3, [])
    table.do("hint 1 1", "play 0")  # K1 before its turn
    assert (table.fireworks["K"], table.life_tokens, table.discards) == (2, 2, ["K1"])


@pytest.mark.parametrize("ranks", [1, 2, 5])
def test_V3_the_direction_of_a_suit_is_one_fact(ranks):
    """The rules for one card, the rules for sets of cards and the texts use the same direction."""
    config = HanabiConfig(colors=2, ranks=ranks, hand_size=1, black_powder=True)
    rules, names = config.rules(), card_names(config)
    for suit, letter in enumerate("RYK"):
        order = [names.index(f"{letter}{rank}") for rank in ranks_in_order(config, letter)]
        assert [cards.place_of(rules, suit, cards.rank_of(rules, card)) for card in order] == list(range(ranks))
        assert sorted(order, reverse=letter == "K") == order
        for played in range(ranks + 1):
            fireworks = [played if k == suit else 0 for k in range(3)]
            lying = cards.played_set(rules, SimpleNamespace(fireworks=fireworks))
            assert members(range(len(names)), lying) == sorted(order[:played])
            assert members(range(len(names)), cards.following(rules, lying)) == sorted(order[1 : played + 1])


def test_V3_completing_black_returns_a_token():
    table = position("K1 R2 R3 R4 R5 | Y1 Y2 Y3 Y4 Y5", fireworks="K2", black_powder=True, information_tokens=2)
    table.do("play 0")
    assert (table.fireworks["K"], table.information_tokens) == (5, 3)


def test_V3_no_color_touches_black_and_black_cannot_be_named():
    table = deal("| K5 K5 K5 K4 K4", black_powder=True)
    assert hints(table) == {"hint 1 4", "hint 1 5"}
    table.do("hint 1 5")
    fives = {f"{suit}5" for suit in "RYGWBK"}
    assert [set(known) == fives for known in table.knowledge[1]] == [True, True, True, False, False]


def test_V3_a_color_hint_says_that_the_others_may_be_black():
    table = deal("| K5 R1 Y1 G1 W1", black_powder=True).do("hint 1 R")
    assert set(table.knowledge[1][1]) == {f"R{rank}" for rank in range(1, 6)}
    assert {f"K{rank}" for rank in range(1, 6)} <= set(table.knowledge[1][0])


def test_V3_every_missing_black_card_costs_a_point():
    table = deal("R1 K5 K4 R2 R3 | Y1 Y1 Y2 Y3 Y4", black_powder=True)
    assert table.score == -5
    table.do("play 0", "play 0", "play 0")  # R1, Y1, K5
    assert (table.score, table.rewards) == (-2, [1, 1, 1])


def test_V3_the_score_has_no_floor():
    """Five missing black cards cost five points if the deck runs out with nothing played."""
    table = position(
        "R2 R3 R4 R4 R5 | Y2 Y3 Y4 Y4 Y5", deck="", turns_to_play=1, information_tokens=1, black_powder=True
    )
    table.do("discard 0")
    assert (table.end_reason, table.score) == ("deck", -5)


@pytest.mark.parametrize(("top", "end"), [("K2", "complete"), ("K3", None)])
def test_V3_complete_only_with_black_for_the_usual_maximum(top, end):
    card = "K1" if top == "K2" else "K2"
    table = position(f"{card} R1 R1 Y1 Y1 | G1 G1 W1 W1 B1", fireworks=f"R5 Y5 G5 W5 B5 {top}", black_powder=True)
    table.do("play 0")
    assert (table.end_reason, table.score) == (end, 25 if end else 24)
    assert table.env.config.max_score == 25


# --- V4: flamboyant fives ---------------------------------------------------------------------------------------------


def completes_red(tiles: str, **wanted: Any) -> Table:
    """Return a position in which player 0 holds R5 and R4 is played; ``tiles`` come first, then the others."""
    settings = {"fireworks": "R4", "discards": "", "information_tokens": 3, "flamboyants": True, **wanted}
    rest = "".join(tile for tile in "abcdef" if tile not in tiles)
    return position("R5 Y1 Y2 Y3 Y4 | G1 G2 W3 B4 B5", tiles=tiles + rest, **settings)


def test_V4_six_tiles_lie_face_down():
    assert sorted(deal(flamboyants=True).bonus_tiles) == list("abcdef")
    assert deal(flamboyants=True, tiles="fedcba").bonus_tiles == list("fedcba")
    assert deal().bonus_tiles == []


def test_V4_their_order_is_drawn_anew_every_game():
    env = deal(flamboyants=True).env
    first = Counter()
    for episode in range(60):
        env.reset(seed=3 if episode == 0 else None)
        first[env.to_dict()["bonus_tiles"][0]] += 1
    assert set(first) == set("abcdef")  # a fair shuffle misses a letter once in 9,000 runs; the seed is fixed


def test_V4_a_completing_five_reveals_a_tile_and_brings_no_token_of_its_own():
    table = completes_red("c").do("play 0")
    assert (table.fireworks["R"], table.bonus_tiles, table.pending) == (5, list("abdef"), "c")
    assert table.information_tokens == 3


@pytest.mark.parametrize(("tokens", "after"), [(3, 4), (8, 8)])
def test_V4_a_brings_an_information_token_up_to_the_maximum(tokens, after):
    table = completes_red("a", information_tokens=tokens).do("play 0")
    assert (table.information_tokens, table.pending, table.current_player) == (after, None, 1)


@pytest.mark.parametrize(("lives", "after"), [(1, 2), (2, 3), (3, 3)])
@pytest.mark.parametrize(("tokens", "more"), [(0, 1), (3, 4), (8, 8)])
def test_V4_b_turns_an_error_back_and_brings_a_token_each_up_to_its_maximum(lives, after, tokens, more):
    table = completes_red("b", life_tokens=lives, information_tokens=tokens).do("play 0")
    assert (table.life_tokens, table.information_tokens) == (after, more)


@pytest.mark.parametrize(
    ("tile", "allowed"),
    [("c", {"hint 1 G", "hint 1 W", "hint 1 B"}), ("d", {f"hint 1 {rank}" for rank in range(1, 6)})],
)
@pytest.mark.parametrize("tokens", [0, 1, 3, 8])
def test_V4_c_and_d_are_a_free_hint_before_the_draw(tile, allowed, tokens):
    table = completes_red(tile, information_tokens=tokens).do("play 0")
    coming = table.deck
    assert (table.current_player, len(table.hands[0])) == (0, 4)
    assert table.legal == allowed
    table.do("hint 1 B" if tile == "c" else "hint 1 4")
    assert (table.information_tokens, table.pending, table.current_player) == (tokens, None, 1)
    assert (table.hands[0][-1], table.deck) == (coming[0], coming[1:])
    assert all("B4" in known and "G1" not in known for known in table.knowledge[1][3:4])


def test_V4_e_shuffles_a_discarded_card_into_the_deck():
    table = completes_red("e", discards="W1 B3 W1 Y5").do("play 0")
    before = Counter(table.deck)
    assert table.legal == {"choose W1", "choose B3", "choose Y5"}
    table.do("choose Y5")
    assert table.discards == ["W1", "B3", "W1"]
    assert Counter([*table.deck, table.hands[0][-1]]) == before + Counter(["Y5"])
    assert (table.current_player, table.pending) == (1, None)


def test_V4_f_plays_a_discarded_card():
    table = completes_red("f", discards="W1 B3 Y1").do("play 0")
    assert table.legal == {"choose W1", "choose Y1"}
    table.do("choose Y1")
    assert (table.fireworks["Y"], table.discards, table.current_player) == (1, ["W1", "B3"], 1)
    assert table.rewards == [1, 1]


def test_V4_a_five_played_by_f_reveals_another_tile():
    table = completes_red("fa", fireworks="R4 W4", discards="W5").do("play 0", "choose W5")
    assert (table.fireworks["W"], table.bonus_tiles, table.information_tokens) == (5, list("bcde"), 4)
    assert table.current_player == 1


@pytest.mark.parametrize(("tile", "discards"), [("e", ""), ("f", ""), ("f", "W2 B3")])
def test_V4_with_nothing_to_choose_the_effect_is_lost(tile, discards):
    table = completes_red(tile, discards=discards).do("play 0")
    assert (table.pending, table.current_player, table.bonus_tiles) == (None, 1, [t for t in "abcdef" if t != tile])
    assert table.information_tokens == 3


def test_V4_completing_black_brings_its_token_and_no_tile():
    table = position(
        "K1 Y1 Y2 Y3 Y4 | G1 G2 W3 B4 B5",
        fireworks="K2",
        black_powder=True,
        flamboyants=True,
        tiles="abcdef",
        information_tokens=3,
    ).do("play 0")
    assert (table.information_tokens, len(table.bonus_tiles)) == (4, 6)


# --- V5: the final bouquet --------------------------------------------------------------------------------------------

BOUQUET = {"final_bouquet": True, "colors": 2, "ranks": 3, "hand_size": 2}  # R and Y, 1 1 1 2 2 3 each


def test_V5_the_game_goes_on_after_the_last_card_and_hands_shrink():
    table = position("R3 Y2 | Y3 Y1", fireworks="R2 Y1", deck="R1", information_tokens=0, **BOUQUET)
    table.do("play 0")
    assert (table.hands[0], table.deck, table.turns_to_play) == (["Y2", "R1"], [], None)
    table.do("discard 1", "discard 1", "hint 1 Y", "play 0")
    assert (table.hands, table.end_reason) == ([[], ["Y3"]], None)
    table.do("play 0")
    assert (table.end_reason, table.score) == ("complete", 6)


@pytest.mark.parametrize(
    ("move", "fields", "end", "lives"),
    [
        ("play 1", {"fireworks": "R2 Y1", "life_tokens": 1}, "lives", 0),
        ("discard 0", {"fireworks": "R1 Y1", "information_tokens": 2}, "indispensable", 3),
        ("play 0", {"fireworks": "R1 Y1"}, "indispensable", 2),
        ("play 0 as Y", {"fireworks": "R2 Y1", "choreography": True}, "indispensable", 2),
    ],
)
def test_V5_a_third_error_and_the_loss_of_an_indispensable_card_lose_everything(move, fields, end, lives):
    table = position("R3 Y1 | Y3 Y2", **fields, **BOUQUET)
    score = table.score
    table.do(move)
    assert (table.end_reason, table.life_tokens, table.score, table.rewards) == (end, lives, 0, [-score])


@pytest.mark.parametrize(
    ("fireworks", "discards", "end"),
    [
        ("K4", "K3", "indispensable"),  # the next black card
        ("", "K3", "indispensable"),  # one that comes later
        ("K3", "", None),  # one copy was played
        ("K4", "", None),  # one copy is left
    ],
)
def test_V5_the_last_copy_of_a_black_card_is_indispensable_until_it_is_played(fireworks, discards, end):
    hands = "K3 Y1 Y2 Y3 Y4 | G1 G2 W3 B4 B5"
    wanted = {"fireworks": fireworks, "discards": discards, "black_powder": True, "final_bouquet": True}
    assert position(hands, information_tokens=3, **wanted).do("discard 0").end_reason == end


def test_V5_V3_the_only_black_one_is_indispensable():
    hands = "K1 Y1 Y2 Y3 Y4 | G1 G2 W3 B4 B5"
    table = position(hands, fireworks="K2", information_tokens=3, black_powder=True, final_bouquet=True)
    assert table.do("discard 0").end_reason == "indispensable"


def test_V5_a_second_copy_or_a_played_card_is_dispensable():
    table = position("R2 Y1 | Y3 Y2", fireworks="R1 Y1", information_tokens=2, **BOUQUET)
    table.do("discard 0", "hint 1 1", "discard 0")
    assert (table.end_reason, Counter(table.discards)) == (None, Counter(["R2", "Y1"]))


def test_V5_what_a_tile_took_back_is_available_again():
    """A card may be discarded after (e) took its other copy out of the discard."""
    table = completes_red("e", final_bouquet=True, discards="W3").do("play 0", "choose W3", "discard 2")
    assert (table.discards, table.end_reason) == (["W3"], None)
    table = completes_red("d", final_bouquet=True, discards="W3").do("play 0", "hint 1 1", "discard 2")
    assert table.end_reason == "indispensable"


def test_V5_a_player_with_no_card_and_no_token_is_stuck():
    """E5: the game ends as soon as the turn would pass to that player."""
    last = {"fireworks": "R3 Y2", "deck": "", "information_tokens": 0, **BOUQUET}
    table = position("Y1 Y3 |", **last).do("play 0")
    assert (table.end_reason, table.life_tokens, table.score, table.rewards) == ("stuck", 2, 0, [-5])
    table = position("Y1 Y3 |", **last).do("discard 0")  # the discard gains a token, which is enough for a hint
    assert (table.end_reason, table.legal) == (None, {"hint 1 Y", "hint 1 3"})


# --- V6: the well-rehearsed choreography ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("move", "played", "tokens", "lives", "discards"),
    [
        ("play 0 as R", 1, 7, 3, []),
        ("play 0 as B", 0, 6, 2, ["R1"]),  # a wrong announcement loses even a card that fits
        ("play 0", 1, 6, 3, []),  # announcing is optional
        ("play 1 as R", 0, 6, 2, ["R2"]),  # the right color of a card that does not fit is an error
    ],
)
def test_V6_a_right_announcement_brings_a_token_and_a_wrong_one_is_an_error(move, played, tokens, lives, discards):
    table = deal("R1 R2 R3 R4 R5 | Y1 Y1 Y2 Y3 Y4", choreography=True).do("hint 1 1", "hint 1 1", move)
    assert (table.fireworks["R"], table.information_tokens, table.life_tokens) == (played, tokens, lives)
    assert table.discards == discards


@pytest.mark.parametrize(("tokens", "after"), [(2, 4), (7, 8), (8, 8)])
def test_V6_two_tokens_for_an_announced_completion(tokens, after):
    table = position(
        "R5 Y1 Y2 Y3 Y4 | G1 G2 G3 G4 G5", fireworks="R4", information_tokens=tokens, choreography=True
    ).do("play 0 as R")
    assert (table.fireworks["R"], table.information_tokens) == (5, after)


def test_V6_any_slot_with_any_suit_in_play():
    table = deal(choreography=True, multicolor="all_colors", black_powder=True)
    announced = {f"play {slot} as {suit}" for slot in range(5) for suit in "RYGWBMK"}
    assert {words for words in table.legal if " as " in words} == announced


@pytest.mark.parametrize("card", ["M1", "K5"])
def test_V6_multicolored_and_black_can_be_announced(card):
    table = deal(f"{card} R1 | Y1", choreography=True, multicolor="all_colors", black_powder=True)
    table.do("hint 1 1", "hint 1 1", f"play 0 as {card[0]}")
    assert (table.fireworks[card[0]], table.information_tokens) == (1, 7)


def test_V6_with_V4_the_tile_replaces_only_the_completions_token():
    table = completes_red("c", choreography=True).do("play 0 as R")
    assert (table.information_tokens, table.pending) == (4, "c")


# --- V7 and the options of the first edition --------------------------------------------------------------------------


def test_V7_every_combination_is_a_game_of_no_more_actions_than_the_card_says():
    switches: dict[str, list[Any]] = {
        "multicolor": [None, "own_color", "all_colors"],
        "black_powder": [False, True],
        "flamboyants": [False, True],
        "final_bouquet": [False, True],
        "choreography": [False, True],
        "black_distribution": ["mirrored", "standard"],
        "empty_hints": [False, True],
        "max_life_tokens": [1, 3],
        "max_information_tokens": [8, 10],
        "players": [2, 3, 4, 5],
    }
    most = 0
    for values in itertools.product(*switches.values()):
        config = HanabiConfig(**dict(zip(switches, values, strict=True)))
        assert config.deck_size == 50 + {None: 0, "own_color": 5, "all_colors": 10}[config.multicolor] + (
            10 if config.black_powder else 0
        )
        assert config.max_score == (30 if config.multicolor else 25)
        most = max(most, config.rules().num_actions)
    assert f"up to {most} with extensions" in (ROOT / "hanabi_env" / "README.md").read_text(encoding="utf-8")


def test_V7_a_turn_of_all_extensions_at_once():
    """An announced M5 gains its token; its tile plays K1, which completes black and gains another token."""
    table = position(
        "M5 Y1 Y2 Y3 Y4 | G1 G2 W3 B4 B5",
        fireworks="M4 K2",
        discards="R1 K1",
        information_tokens=3,
        tiles="fabcde",
        multicolor="all_colors",
        black_powder=True,
        flamboyants=True,
        choreography=True,
    ).do("play 0 as M")
    assert (table.information_tokens, table.pending, table.legal) == (4, "f", {"choose R1", "choose K1"})
    table.do("choose K1")
    assert (table.information_tokens, table.fireworks["K"], len(table.bonus_tiles)) == (5, 5, 5)
    assert table.score == 5


def test_H16_and_H17_have_presets():
    assert (PRESETS["harder"].max_life_tokens, PRESETS["easier"].max_information_tokens) == (1, 10)
