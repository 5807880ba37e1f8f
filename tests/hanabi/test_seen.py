"""Bits of the observation that show the rules to players, by the name of their field, under the rule's number."""

from typing import Any

import pytest

from hanabi_env.engine.layout import layout
from hanabi_env.words.notation import card_names, color_letters, suit_letters

from .table import Table, deal, position
from .test_variant_rules import completes_red


def rows(table: Table, player: int, section: str, name: str) -> list[list[int]]:
    bits = table.bits(player)
    [field] = [f for f in layout(table.env.config.rules()).fields if (f.section, f.name) == (section, name)]
    return [bits[place] for place in field.places()]


def named(names: Any, row: list[int]) -> list[Any]:
    return [name for name, bit in zip(names, row, strict=True) if bit]


def partners(table: Table, flag: str) -> str:
    """Return those of player 1's cards that player 0's bits mark as dead, or as playable."""
    return " ".join(named(table.hands[1], [bit for row in rows(table, 0, "derived", flag) for bit in row]))


@pytest.mark.parametrize(
    ("hand", "fireworks", "discards", "dead"),
    [
        ("R2 R3 R4 R5 Y5", "", "R1 R1 R1", "R2 R3 R4 R5"),
        ("R1 R3 R4 R5 Y5", "", "R2 R2", "R3 R4 R5"),
        ("R1 R2 R3 R5 Y5", "", "R4 R4", "R5"),
        ("R2 R3 R4 R5 Y5", "", "R1 R1 R2 R3", ""),
        ("R1 R2 R3 R4 R5", "R2", "", "R1 R2"),
        ("R1 R2 R3 R5 Y5", "R2", "R4 R4", "R1 R2 R5"),
    ],
)
def test_H10_a_card_is_dead_once_played_or_once_a_lower_one_is_lost(hand, fireworks, discards, dead):
    table = position(f"B1 B1 B2 B2 B3 | {hand}", fireworks=fireworks, discards=discards, derived=True)
    assert partners(table, "dead") == dead


@pytest.mark.parametrize(
    ("hand", "fireworks", "discards", "dead", "playable"),
    [
        ("K4 K3 K2 K1 Y1", "", "K5 K5 K5", "K4 K3 K2 K1", "Y1"),
        ("K5 K4 K3 K1 Y5", "", "K2 K2", "K1", "K5"),
        ("K5 K4 K3 K2 K1", "K4", "", "K5 K4", "K3"),
        ("K5 K4 K2 K1 Y5", "K4", "K3 K3", "K5 K4 K2 K1", ""),
    ],
)
def test_V3_a_black_card_is_dead_once_a_higher_one_is_lost(hand, fireworks, discards, dead, playable):
    wanted = {"fireworks": fireworks, "discards": discards, "derived": True, "black_powder": True}
    table = position(f"B1 B1 B2 B2 B3 | {hand}", **wanted)
    assert (partners(table, "dead"), partners(table, "playable")) == (dead, playable)


def test_H20_nothing_is_counted_that_only_a_players_own_hand_shows():
    """A copy that only the player's own hand shows does not change the bits that this player sees."""
    options: dict[str, Any] = {"belief": True, "derived": True}
    mine = deal("R5 Y5 G5 W1 W1 | B1 B2 B3 B4 B5", **options)
    others = deal("R1 R2 R3 Y1 Y2 | B1 B2 B3 B4 B5", **options)
    assert mine.bits(0) == others.bits(0)
    assert set(named(card_names(mine.env.config), rows(mine, 1, "derived", "all copies seen")[0])) == {"R5", "Y5", "G5"}


def test_H10_cards_on_the_fireworks_count_as_seen():
    table = position(
        "Y1 Y2 Y3 Y4 Y5 | G1 G2 G3 G4 G5", fireworks="R3 B5", discards="R1 R1 R2", derived=True, belief=True
    )
    everybody = ["R1", "R2", "B5"]  # one more copy each of R3 and B1 to B4 is left
    cards = card_names(table.env.config)
    assert named(cards, rows(table, 0, "derived", "all copies public")[0]) == everybody
    assert named(cards, rows(table, 0, "derived", "all copies seen")[0]) == ["R1", "R2", "G5", "B5"]
    possible = [[card for card in cards if card not in row] for row in (["R1", "R2", "G5", "B5"], everybody)]
    assert [named(cards, row) for row in rows(table, 0, "belief", "possible")] == [possible[0]] * 5 + [possible[1]] * 5


@pytest.mark.parametrize(("kind", "multicolor"), [("own_color", ["M"]), ("all_colors", [])])
def test_H20_the_seer_is_told_the_color_of_cards_that_have_one(kind: str, multicolor: list[str]):
    """V1's multicolor is a color, V2's is not, and neither is black (V3)."""
    table = deal("K5 M4 R3 K1 B2 | Y1", observation_type="seer", multicolor=kind, black_powder=True)
    letters, cards = color_letters(table.env.config), card_names(table.env.config)
    found = [named(letters, row) for row in rows(table, 0, "card_knowledge", "color")][:5]
    assert found == [[], multicolor, ["R"], [], ["B"]]
    assert [named("12345", row) for row in rows(table, 0, "card_knowledge", "rank")][:5] == [list(r) for r in "54312"]
    assert [named(cards, row) for row in rows(table, 0, "card_knowledge", "plausible")][:5] == [
        [card] for card in table.hands[0]
    ]


def told(table: Table) -> tuple[bool, int]:
    """Return whether the last step gained a token, by the position and by the next player's bit."""
    [bit] = rows(table, 1, "last_action", "gave a token")[0]
    return table.last_move["gave_token"], bit


@pytest.mark.parametrize(
    ("move", "tokens", "gave"),
    [
        ("play 0", 3, True),  # H11
        ("play 0", 8, False),  # all tokens are there
        ("play 0 as R", 7, True),  # V6; H11's token is lost
        ("play 0 as R", 8, False),
        ("play 0 as Y", 3, False),
        ("play 1", 3, False),
        ("play 1 as Y", 3, True),
        ("play 2 as Y", 3, False),  # the right suit, but the card does not fit
    ],
)
def test_H11_V6_a_play_tells_whether_it_won_a_token(move: str, tokens: int, gave: bool):
    hands = "R5 Y1 Y3 Y3 Y4 | G1 G2 G3 G4 G5"
    table = position(hands, fireworks="R4", information_tokens=tokens, choreography=True).do(move)
    assert told(table) == (gave, gave)


def test_H8_a_discard_always_wins_a_token_and_has_no_bit_for_it():
    assert told(position("R1 R2 R3 R4 R5 | Y1 Y2 Y3 Y4 Y5", information_tokens=7).do("discard 0")) == (True, 0)


def test_V4_a_tiles_token_is_not_the_cards():
    assert told(completes_red("a").do("play 0")) == (False, 0)


@pytest.mark.parametrize(
    ("tile", "card", "scored", "gave"),
    [("f", "W1", True, False), ("f", "K1", True, True), ("e", "W1", False, False)],
)
def test_V4_a_chosen_card_scores_if_it_is_played(tile: str, card: str, scored: bool, gave: bool):
    table = completes_red(tile, fireworks="R4 K2", discards="W1 K1", black_powder=True).do("play 0", f"choose {card}")
    assert (table.last_move["card"], table.last_move["scored"]) == (card, scored)
    assert [row == [1] for row in rows(table, 1, "last_action", "scored")[:2]] == [scored, True]
    assert told(table) == (gave, gave)


def test_V6_what_was_announced_is_seen_and_forgotten_with_the_next_step():
    table = deal("R1 R2 R3 R4 B1 | Y1 Y1 Y2 Y3 Y4", choreography=True)
    table.do("play 4 as B")
    assert named(suit_letters(table.env.config), rows(table, 1, "last_action", "announced")[0]) == ["B"]
    assert table.last_move["action"] == "play 4 as B"
    table.do("play 0")
    assert named(suit_letters(table.env.config), rows(table, 0, "last_action", "announced")[0]) == []
    assert table.last_move["action"] == "play 0"


@pytest.mark.parametrize(("turns", "bits"), [(2, [1, 1]), (1, [1, 0])])
def test_V4_everybody_sees_how_many_turns_are_left(turns: int, bits: list[int]):
    hands = "R1 R2 R3 R4 R5 | Y1 Y2 Y3 Y4 Y5" if turns == 2 else "R1 R2 R3 R4 R5 | Y1 Y2 Y3 Y4"
    table = position(hands, deck="", turns_to_play=turns, information_tokens=3, flamboyants=True, tiles="abcdef")
    assert [rows(table, player, "tiles", "turns to play") for player in (0, 1)] == [[bits]] * 2


def test_V4_before_the_last_round_no_turns_are_counted():
    assert rows(deal(flamboyants=True), 0, "tiles", "turns to play") == [[0, 0]]
