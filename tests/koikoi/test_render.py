"""Pictures of Koi-Koi are well-formed, draw every card, and hide what a seat may not see."""

import re
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

from hanabako.agents.commands.draw import sample_game
from hanabako.drawing.svg import rasterize
from hanafuda_env import PRESETS, KoiKoiConfig, KoiKoiVectorEnv, koikoi_v0
from hanafuda_env.drawing.cards.faces import deck_svg, face, main
from hanafuda_env.drawing.cards.names import KINDS, describe_card, kind_of
from hanafuda_env.drawing.render import replay, table_ansi, table_svg, view_of
from tests.reference.koikoi_plain import BOX, KIND

from .table import position


def test_every_card_has_a_drawing_of_its_own():
    drawings = {card: face(card) for card in BOX}
    assert len(set(drawings.values())) == 48
    for drawing in drawings.values():
        ElementTree.fromstring(f'<svg xmlns="http://www.w3.org/2000/svg">{drawing}</svg>')
        assert "<text" not in drawing, "no font is needed"
    for wrong in ("13-1", "1-5", "moon"):
        with pytest.raises(ValueError, match="card"):
            face(wrong)


def test_kinds_are_those_of_the_rule_card():
    for card in BOX:
        assert kind_of(card) == KIND.get(card, "chaff")
    assert KINDS == ("bright", "animal", "ribbon", "chaff")
    assert describe_card("8-1") == "August, pampas grass with full moon"
    assert describe_card("11-4") == "November, willow with lightning"


def test_the_deck_on_a_page_names_every_flower(tmp_path):
    main([str(tmp_path / "cards.svg")])
    page = (tmp_path / "cards.svg").read_text(encoding="utf-8")
    assert page == deck_svg()
    assert page.count("<title>") == 49
    ElementTree.fromstring(page)


def test_a_seats_picture_shows_no_card_it_may_not_see():
    table = position("1-1 2-1 | 4-1 5-1", field="5-3 6-3").env.to_dict()
    config = PRESETS["document"]
    everything = table_svg(view_of(table, config))
    mine = table_svg(view_of(table, config, seat=0))
    assert 'id="kk-c4-1"' in everything and 'id="kk-c4-1"' not in mine
    assert 'id="kk-c1-1"' in mine
    assert f'id="kk-c{table["deck"][0]}"' in everything and f'id="kk-c{table["deck"][0]}"' not in mine
    words = table_ansi(view_of(table, config, seat=0))
    assert "??" in words and "4-1" not in words
    with pytest.raises(ValueError, match="seat"):
        view_of(table, config, seat=2)


def test_in_the_phase_of_the_swap_no_hand_is_shown():
    env = koikoi_v0.raw_env()
    env.reset(seed=3)
    view = view_of(env.to_dict(), env.config, seat=0)
    assert set(view.hands[0]) == set(view.hands[1]) == {None}


def test_yaku_in_the_making():
    table = position("1-1 2-1 | ", field="5-3 6-3", captured="3-1 8-1 | 11-1 11-2").env.to_dict()
    yaku = {line.name: line for line in view_of(table, PRESETS["document"]).yaku}
    assert (yaku["sanko"].have[0], yaku["sanko"].need, yaku["sanko"].made[0]) == (2, 3, False)
    assert yaku["ameshiko"].possible == (False, False)
    assert yaku["goko"].possible == (False, False)


@pytest.mark.slow
def test_pixels_and_replay():
    pytest.importorskip("resvg_py")
    assert len(np.unique(rasterize(deck_svg(), 600).reshape(-1, 3), axis=0)) > 100
    game = sample_game(PRESETS["koikoi_japan"], seed=2, moves=40)
    page = replay(PRESETS["koikoi_japan"], game).html()
    assert page.count('id="kk-c') <= 48
    assert re.search(r"seat|player_0", page)
    with pytest.raises(ValueError, match="snapshot"):
        replay(PRESETS["document"], [])


def test_an_illegal_move_has_no_winner():
    """K29: the game is not over by its rules, so the lead does not count."""
    envs = KoiKoiVectorEnv(1, rounds=2, hand_swap=False, autoreset_mode="Disabled")
    mask = envs.reset(seed=1)[0]["action_mask"]
    while len(set(envs.to_dict(0)["scores"])) == 1:
        mask = envs.step(mask.argmax(axis=1))[0]["action_mask"]
    envs.step(mask.argmin(axis=1))
    assert "the end: an illegal move" in table_ansi(view_of(envs.to_dict(0), KoiKoiConfig(rounds=2, hand_swap=False)))
