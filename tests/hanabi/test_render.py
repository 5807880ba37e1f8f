"""Pictures of the Hanabi table show everything public, in colors and shapes that every kind of eyes can tell apart."""

import re
from collections import Counter
from itertools import combinations
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from hanabi_env.config import HanabiConfig
from hanabi_env.drawing.artwork import SUIT_COLORS, SUIT_SHAPES, style
from hanabi_env.drawing.places import table_height
from hanabi_env.drawing.render import replay, table_ansi, table_svg
from hanabi_env.drawing.table_view import describe_turn, view_of
from hanabi_env.hanabi_v0 import raw_env
from hanabi_env.words.ratings import score_words

from .shown_games import EXTREMES, VARIANTS, final, game, table_name


@pytest.mark.parametrize("fields", EXTREMES + VARIANTS, ids=table_name)
@pytest.mark.parametrize("moves", [0, 15, 200])
def test_every_table_is_a_sound_picture(fields: dict[str, Any], moves: int) -> None:
    config = HanabiConfig(**fields)
    position = final(config, seed=4, moves=moves)
    for seat in (None, config.players - 1):
        view = view_of(position, config, seat)
        root = ElementTree.fromstring(table_svg(view))
        ids = [node.get("id") for node in root.iter() if node.get("id")]
        used = {node.get("href", "#")[1:] for node in root.iter() if node.tag.endswith("}use")}
        assert len(ids) == len(set(ids))
        assert used <= set(ids), "every reference has its drawing"
        assert not list(root.iter("{http://www.w3.org/2000/svg}text")), "words need no font"
        classes = {name for node in root.iter() for name in (node.get("class") or "").split()}
        assert classes <= set(re.findall(r"\.([\w-]+)\{", style())), "every class has its colors"
        width, height = map(float, (root.get("viewBox") or "").split()[2:])
        assert (width, height) == (1000, table_height(view))
        for x, y in re.findall(r"translate\(([-\d.]+) ([-\d.]+)\)", table_svg(view)):
            assert -20 <= float(x) <= width
            assert -20 <= float(y) <= height


def test_one_name_is_one_drawing_in_all_pictures() -> None:
    """An id stands for the same drawing in all pictures: in a notebook, the first one of an id is used by all."""
    drawings: dict[str, str] = {}
    for fields in EXTREMES + VARIANTS:
        config = HanabiConfig(**fields)
        position = final(config, seed=5, moves=25)
        for seat in (None, 0):
            for drawing in re.findall(
                r'<g id="[^"]+">.*?(?=<g id=|</defs>)', table_svg(view_of(position, config, seat))
            ):
                name = drawing.split('"')[1]
                assert drawings.setdefault(name, drawing) == drawing, name


def uses(svg: str, name: str) -> int:
    return len(re.findall(rf'href="#hb-{name}"', svg))


def test_H18_the_picture_counts_what_lies_on_the_table() -> None:
    config = HanabiConfig(players=4)
    for snapshot in game(config, seed=6)[::7]:
        position = snapshot.position
        svg = table_svg(view_of(position, config))
        assert uses(svg, r"small-\w\d") == len(position["discards"])
        shown = Counter(re.findall(r'href="#hb-([RYGWB]\d)"', svg))
        tops = [f"{suit}{count}" for suit, count in position["fireworks"].items() if count]
        assert shown == Counter(card for hand in position["hands"] for card in hand) + Counter(tops)
        assert uses(svg, "information-1") == position["information_tokens"]
        assert uses(svg, "information-0") == 8 - position["information_tokens"]
        assert uses(svg, "life-1") == position["life_tokens"]


def take(position: dict[str, Any], card: str) -> bool:
    """Remove a card, whether it is in the deck or a hand; hands keep their length."""
    place = next(cards for cards in (position["deck"], *position["hands"]) if card in cards)
    place[place.index(card)] = position["deck"][-1]
    position["deck"].pop()
    return True


def test_V3_black_powder_counts_down_and_is_mentioned() -> None:
    config = HanabiConfig(black_powder=True)
    position = final(config, moves=0)
    for card in ("K5", "K4"):
        take(position, card)
    view = view_of(position | {"fireworks": position["fireworks"] | {"K": 2}, "score": -3}, config)
    assert view.top("K") == "K4"
    assert view.max_score == 25
    assert score_words(config, -3) == "-3 black powder"
    assert "score -3 black powder of 25" in table_ansi(view)


def test_V4_tiles_are_shown_as_far_as_they_are_public() -> None:
    """There are six letters: tiles that may still come, tiles that were revealed, and a ring around the pending one."""
    config = HanabiConfig(flamboyants=True)
    position = final(config, moves=0) | {"bonus_tiles": list("fdb"), "pending": "c"}
    svg = table_svg(view_of(position, config, 0))
    assert [uses(svg, f"tile-{letter}1") for letter in "abcdef"] == [0, 1, 0, 1, 0, 1]
    assert [uses(svg, f"tile-{letter}0") for letter in "abcdef"] == [1, 0, 1, 0, 1, 0]
    assert svg.count('class="hb-ring"') == 1
    assert describe_turn(view_of(position, config)) == "player_0 to choose, tile c: a free color hint"
    assert "tiles bdf" in table_ansi(view_of(position, config))


def test_V6_an_announcement_is_a_speech_bubble() -> None:
    config = HanabiConfig(choreography=True, multicolor="all_colors")
    move = {"player": 0, "action": "play 0 as M", "card": "M1", "scored": True, "gave_token": True}
    svg = table_svg(view_of(final(config, moves=0) | {"last_move": move}, config))
    assert uses(svg, "speech-M") == 1
    assert "announced as multicolor, for a token" in svg


# --- The replay -------------------------------------------------------------------------------------------------------


def test_a_replay_shows_every_turn_through_all_eyes() -> None:
    config = HanabiConfig(players=3)
    snapshots = game(config, seed=9)
    page = replay(config, snapshots)
    assert len(page.frames) == len(snapshots)
    assert list(page.frames[0].pictures) == ["omniscient", "player_0", "player_1", "player_2"]
    assert page.frames[0].caption == "the game begins"
    assert page.frames[0].choice == snapshots[0].action
    assert "; the end: " in page.frames[-1].caption
    assert page.subtitle.startswith("3 players, score ")
    markup = page.symbols.markup()
    for frame in page.frames[::5]:
        for layers in frame.pictures.values():
            assert all(f'id="{name}"' in markup for name in re.findall(r'href="#([^"]+)"', "".join(layers)))


def test_the_environment_shows_itself_in_a_notebook() -> None:
    config = HanabiConfig(players=4)
    env = raw_env(config=config)
    env.reset(seed=1)
    assert env._repr_svg_() == table_svg(view_of(env.to_dict(), config))


# Machado, Oliveira and Fernandes (2009), severity 1, for linear RGB.
DEFICIENCIES = {
    "protan": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deutan": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "tritan": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
    "none": np.eye(3).tolist(),
}


def linear(color: str) -> np.ndarray:
    srgb = np.array([int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)])
    return np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4)


def lab(rgb: np.ndarray) -> np.ndarray:
    to_xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
    xyz = to_xyz @ np.clip(rgb, 0, 1) / np.array([0.9505, 1.0, 1.089])
    f = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def contrast(first: str, second: str) -> float:
    dark, light = sorted(float(np.dot([0.2126, 0.7152, 0.0722], linear(color))) for color in (first, second))
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("deficiency", DEFICIENCIES)
def test_suits_differ_for_every_kind_of_eyes(deficiency: str) -> None:
    seen = {suit: lab(np.array(DEFICIENCIES[deficiency]) @ linear(fill)) for suit, (fill, _, _) in SUIT_COLORS.items()}
    for one, other in combinations("RYGWB", 2):
        assert np.linalg.norm(seen[one] - seen[other]) > 20, f"{one} and {other}"


def test_suits_differ_without_any_color() -> None:
    assert len(set(SUIT_SHAPES.values())) == len(SUIT_SHAPES) == len(SUIT_COLORS) - 1, "M's flower is drawn apart"


@pytest.mark.parametrize("suit", SUIT_COLORS)
def test_numerals_stand_out_from_their_card(suit: str) -> None:
    fill, _, ink = SUIT_COLORS[suit]
    assert contrast(fill, ink) >= 4.5


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_words_stand_out_in_both_themes(theme: Any) -> None:
    colors = dict(re.findall(r"\.(hb-[\w-]+)\{(?:fill|stroke):(#\w+)", style(theme)))
    for ground in ("hb-table", "hb-panel"):
        assert contrast(colors["hb-ink"], colors[ground]) >= 7
        assert contrast(colors["hb-soft"], colors[ground]) >= 4.5
