"""Pictures show what a seat may know, in text and as drawings."""

import xml.etree.ElementTree as ET
from typing import Any

import pytest

from hanabako.agents.commands.draw import sample_game
from ikebana_env import IkebanaConfig, ikebana_v0
from ikebana_env.drawing.render import replay, table_ansi, table_rgb, table_svg, view_of
from ikebana_env.drawing.table_view import describe_move, describe_turn

from .table import deal, start


@pytest.fixture(scope="module")
def middle() -> dict[str, Any]:
    bouquets, discards = ["K1", "J4", "Y2"], ["R5 G1", "B3", ""]
    return start(3, bouquets=bouquets, discards=discards, drawn="Y5", prestige=[2, 10, 6]).env.to_dict()


def test_text_shows_the_whole_table(middle):
    lines = table_ansi(view_of(middle, IkebanaConfig(players=3))).splitlines()
    assert lines[0] == "round 1 of 4, deck 48, drawn Y5, refusals 0"
    assert lines[1] == "> player_0  K1 -- -- -- --  prestige 2  gains -  discard R5 G1"
    assert lines[-1] == "player_0 keeps Y5, or refuses it for 1"


def test_seats_see_their_own_drawn_card_and_no_buried_one(middle):
    config = IkebanaConfig(players=3)
    own, other = (table_ansi(view_of(middle, config, seat)) for seat in (0, 1))
    assert "drawn Y5" in own and "drawn ??" in other and "Y5" not in other
    assert "discard ?? G1" in own and "R5" not in own
    assert "R5 G1" in table_ansi(view_of(middle, IkebanaConfig(players=3, perfect_recall=True), 2))
    with pytest.raises(ValueError, match="seat must be None or from 0 to 2, got 3"):
        view_of(middle, config, 3)


def test_svg_draws_what_is_seen_and_nothing_else(middle):
    config = IkebanaConfig(players=3)
    everything, other = (table_svg(view_of(middle, config, seat)) for seat in (None, 1))
    ET.fromstring(other)
    for card in ("K1", "J4", "Y2", "G1", "B3"):
        assert f"ik-card-{card}" in other
    assert "ik-card-Y5" in everything and "ik-card-Y5" not in other
    assert "ik-card-R5" not in everything, "it lies under another card"


def test_pixels_have_the_pictures_size(middle):
    pytest.importorskip("resvg_py")
    pixels = table_rgb(view_of(middle, IkebanaConfig(players=3)), width=500)
    assert pixels.shape[1:] == (500, 3)
    assert len({tuple(pixel) for pixel in pixels[::7, ::7].reshape(-1, 3).tolist()}) > 10


def test_moves_and_ends_in_sentences(middle):
    assert describe_move(middle, "refuse") == "player_0 refuses Y5 and pays 1 to player_1"
    assert describe_move(middle, "keep") == "player_0 keeps Y5"
    assert describe_move({**middle, "drawn": None}, "buy 1") == "player_0 buys B3 from player_1 for 3"
    table = deal("")
    while not table.is_over:
        table.do("draw", "keep")
    view = view_of(table.env.to_dict(), IkebanaConfig())
    assert describe_turn(view).startswith("player_")
    assert "x" in "".join(table_svg(view))


def test_a_replay_holds_every_turn_for_every_eye(tmp_path):
    config = IkebanaConfig(rounds=1)
    snapshots = sample_game(config, seed=3, moves=1000)
    page = replay(config, snapshots)
    assert list(page.frames[0].pictures) == ["omniscient", "player_0", "player_1"]
    assert len(page.frames) == len(snapshots)
    assert page.save(tmp_path / "game.html").read_text(encoding="utf-8").startswith("<!")
    with pytest.raises(ValueError, match="at least one snapshot"):
        replay(config, [])


def test_environments_render_themselves():
    env = ikebana_v0.raw_env(render_mode="ansi")
    env.reset(seed=1)
    assert env.render() == table_ansi(view_of(env.to_dict(), env.config))
    assert "<svg" in str(env._repr_svg_())
