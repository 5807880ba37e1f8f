"""A seat's view of a table, in words too, shows nothing hidden and everything public."""

import dataclasses
import random
import re
from collections import Counter
from typing import Any

import pytest

from hanabi_env.config import HanabiConfig
from hanabi_env.drawing.render import table_ansi, table_svg
from hanabi_env.drawing.table_view import describe_move, describe_turn, view_of
from tests.reference.hanabi_plain import PlainHanabi

from .shown_games import EXTREMES, VARIANTS, exchanged, final, game, position_of, table_name


@pytest.mark.parametrize("fields", [{}, {"players": 4}, *VARIANTS], ids=table_name)
def test_H20_exchanging_hidden_cards_changes_nothing_a_seat_is_shown(fields: dict[str, Any]) -> None:
    config, rng = HanabiConfig(**fields), random.Random(1)
    for snapshot in game(config, seed=2, moves=30)[::6]:
        position = dict(snapshot.position)
        for seat in range(config.players):
            other = exchanged(position, seat, rng)
            assert other["hands"][seat] != position["hands"][seat]
            mine, theirs = view_of(position, config, seat), view_of(other, config, seat)
            assert mine == theirs
            assert table_svg(mine) == table_svg(theirs)
            assert table_ansi(mine) == table_ansi(theirs)
            assert table_svg(view_of(position, config)) != table_svg(view_of(other, config)), "omniscient eyes see it"


def test_possible_cards_are_the_plausible_ones_of_which_a_copy_may_be_left() -> None:
    config = HanabiConfig()
    snapshots = game(config, seed=3, moves=60)
    assert len(snapshots) > 40
    for snapshot in snapshots:
        position = snapshot.position
        view = view_of(position, config, 0)
        unseen = Counter(position["deck"]) + Counter(position["hands"][0])
        for card, truth in zip(view.hands[0], position["hands"][0], strict=True):
            assert card.possible == {name for name in card.plausible if unseen[name]}
            assert truth in card.possible


@pytest.mark.parametrize("seat", [-1, 2, True, "player_0"])
def test_nobody_sits_at_a_seat_that_is_not_there(seat: Any) -> None:
    with pytest.raises(ValueError, match="seat must be None or from 0 to 1, got"):
        view_of(final(HanabiConfig(), moves=1), HanabiConfig(), seat)


def small_board() -> tuple[HanabiConfig, PlainHanabi]:
    config = HanabiConfig(colors=2, ranks=3, hand_size=2, max_information_tokens=3)
    return config, PlainHanabi(config, ["R1", "R2", "Y1", "Y3", "R1", "R1", "Y1", "Y1", "R2", "Y2", "Y2", "R3"])


def test_the_table_in_words() -> None:
    config, table = small_board()
    table.move("play 0")
    table.move("hint 1 R")
    assert table_ansi(view_of(position_of(table, "hint 1 R"), config, 0)) == (
        "Hanabi: score 1 of 6\n"
        "  last       player_1 tells player_0 red: slots 0, 1\n"
        "  turn       player_0 to move\n"
        "  tokens     information 2/3   lives 3/3   deck 7\n"
        "  fireworks  R1  Y-\n"
        "  discards   -\n"
        "> player_0 (you) ??*  ??*\n"
        "                 R.   R.\n"
        "                 123  123\n"
        "  player_1       Y1   Y3\n"
        "                 RY   RY\n"
        "                 123  123\n"
    )


@pytest.mark.parametrize("fields", EXTREMES + VARIANTS, ids=table_name)
def test_the_text_is_plain_ascii_unless_color_is_asked_for(fields: dict[str, Any]) -> None:
    config = HanabiConfig(**fields)
    view = view_of(final(config, seed=8, moves=30), config, 0)
    plain, colored = table_ansi(view), table_ansi(view, color=True)
    assert plain.isascii()
    assert "\033" not in plain
    assert re.sub(r"\033\[[\d;]*m", "", colored).split() == plain.split()


@pytest.mark.parametrize(
    ("action", "sentence"),
    [
        ("play 1", "player_0 plays R2 from slot 1, which does not fit"),
        ("play 0", "player_0 plays R1 from slot 0"),
        ("hint 1 3", "player_0 tells player_1 rank 3: slot 1"),
        ("hint 1 Y", "player_0 tells player_1 yellow: slots 0, 1"),
    ],
)
def test_a_move_is_a_sentence(action: str, sentence: str) -> None:
    config, table = small_board()
    assert describe_move(view_of(position_of(table, None), config).last_move) == "the game begins"
    table.move(action)
    view = view_of(position_of(table, action), config)
    assert describe_move(view.last_move) == sentence
    assert describe_turn(view) == "player_1 to move"


def test_the_last_round_and_the_end_are_announced() -> None:
    config = HanabiConfig(colors=1, ranks=2, hand_size=2)
    table = PlainHanabi(config, ["R1", "R1", "R2", "R1"])
    view = view_of(position_of(table, None), config)
    assert describe_turn(view) == "player_0 to move, 2 turns left"
    table.move("play 0")
    table.move("play 1")
    after = view_of(position_of(table, "play 1"), config)
    assert describe_turn(after) == "the end: the deck is empty and the last round is over"
    lost = dataclasses.replace(after, end_reason="lives")
    assert table_ansi(lost).startswith("Hanabi: score 1 of 2, lost\n")
