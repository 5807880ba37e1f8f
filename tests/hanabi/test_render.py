"""The Hanabi table in pictures and words: nothing hidden is shown, everything public is, at every size of table."""

import dataclasses
import random
import re
import sys
from collections import Counter
from collections.abc import Mapping
from itertools import combinations
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from hanabi_env.artwork import SUIT_COLORS, SUIT_SHAPES, style
from hanabi_env.config import HanabiConfig
from hanabi_env.hanabi_v0 import raw_env
from hanabi_env.ratings import SCALES, score_words, verdict, word_and_crowd
from hanabi_env.render import (
    Snapshot,
    main,
    replay,
    sample_game,
    table_ansi,
    table_height,
    table_rgb,
    table_svg,
)
from hanabi_env.table import describe_move, describe_turn, view_of
from tests.reference.hanabi_plain import PlainHanabi, box

EXTREMES: list[dict[str, Any]] = [
    {},
    {"players": 3},
    {"players": 4},
    {"players": 5},
    {"colors": 1, "ranks": 1, "hand_size": 1, "max_information_tokens": 0, "max_life_tokens": 1},
    {"colors": 1, "hand_size": 2, "max_information_tokens": 3, "max_life_tokens": 1},
    {"colors": 3, "ranks": 3, "hand_size": 3, "max_information_tokens": 5},
    {"colors": 5, "ranks": 1, "players": 5, "hand_size": 3},
    {"hand_size": 25, "max_information_tokens": 50, "max_life_tokens": 50},
    {"players": 5, "hand_size": 10, "max_life_tokens": 12},
]
VARIANTS: list[dict[str, Any]] = [
    {"multicolor": "own_color"},
    {"multicolor": "all_colors", "black_powder": True, "flamboyants": True, "players": 5},
    {"black_powder": True, "black_distribution": "standard", "choreography": True, "players": 4},
    {"final_bouquet": True, "empty_hints": True},
]


def table_name(fields: Mapping[str, Any]) -> str:
    return "-".join(f"{key}={value}" for key, value in fields.items()) or "standard"


def game(config: Any, seed: int = 0, moves: int = 100, likes_to_play: float = 0.4) -> list[Snapshot]:
    """A game of the plain-Python Hanabi, legal moves at random, with a taste for cards that fit."""
    rng = random.Random(seed)
    deck, tiles = box(config), list("abcdef")
    rng.shuffle(deck)
    rng.shuffle(tiles)
    table = PlainHanabi(config, deck, "".join(tiles) if config.flamboyants else "")
    positions, actions = [position_of(table, None)], []
    while table.end_reason is None and len(actions) < moves:
        actions.append(choose(table, rng, likes_to_play))
        shuffled = [*table.deck, actions[-1].removeprefix("choose ")]
        table.move(actions[-1], rng.sample(shuffled, len(shuffled)) if table.pending == "e" else None)
        positions.append(position_of(table, actions[-1]))
    return [
        Snapshot(position, action, probabilities_of(action) if action else {})
        for position, action in zip(positions, [*actions, None], strict=True)
    ]


def choose(table: PlainHanabi, rng: random.Random, likes_to_play: float) -> str:
    legal = sorted(table.legal_moves())
    hand = table.hands[table.current_player]
    fitting = [f"play {slot}" for slot, card in enumerate(hand) if table.is_playable(card)]
    fitting = [move for move in fitting if move in legal]
    careful = [move for move in legal if not move.startswith("play")]
    return rng.choice(fitting if fitting and rng.random() < likes_to_play else careful or legal)


def probabilities_of(action: str) -> dict[str, float]:
    others = [f"{verb} {slot}" for verb in ("play", "discard") for slot in range(5)]
    others += [f"hint 1 {what}" for what in "RYGWB12345"]
    return {move: 0.5 / len(others) for move in others} | {action: 0.5}


def position_of(table: PlainHanabi, action: str | None) -> dict[str, Any]:
    """The position with the keys that the environments' own `to_dict` adds."""
    event = table.events[-1] if action else None
    last = event and {
        "player": event.player,
        "action": action,
        "touched": list(event.touched),
        "card": event.card,
        "scored": event.scored if event.kind in ("play", "choose") else None,
        "gave_token": event.gained_token,
    }
    hinted = [[sorted(card.hinted_colors) + sorted(card.hinted_ranks) for card in hand] for hand in table.knowledge]
    return table.to_dict() | {"last_move": last, "hinted": hinted}


def final(config: Any, **options: Any) -> dict[str, Any]:
    return dict(game(config, **options)[-1].position)


def exchanged(position: dict[str, Any], seat: int, rng: random.Random) -> dict[str, Any]:
    """The position with the cards that ``seat`` cannot see exchanged at random."""
    hand, hidden = position["hands"][seat], position["hands"][seat] + position["deck"]
    rng.shuffle(hidden)
    hands = [hidden[: len(hand)] if player == seat else cards for player, cards in enumerate(position["hands"])]
    tiles = rng.sample(position["bonus_tiles"], len(position["bonus_tiles"]))
    return position | {"hands": hands, "deck": hidden[len(hand) :], "bonus_tiles": tiles}


# --- What is hidden ---------------------------------------------------------------------------------------------------


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


def test_a_view_of_a_seat_holds_no_card_of_its_own() -> None:
    config = HanabiConfig(players=3)
    view = view_of(final(config, moves=20), config, 1)
    assert all(card.card is None for card in view.hands[1])
    assert all(card.card is not None for player in (0, 2) for card in view.hands[player])
    assert view.next_card is None


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


@pytest.mark.parametrize("seat", [-1, 2, "player_0"])
def test_nobody_sits_at_a_seat_that_is_not_there(seat: Any) -> None:
    with pytest.raises(ValueError, match="seat must be None or from 0 to 1, got"):
        view_of(final(HanabiConfig(), moves=1), HanabiConfig(), seat)


# --- The picture ------------------------------------------------------------------------------------------------------


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
    """A notebook shows pictures of several tables in one page, where the first drawing of an id serves them all."""
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


def test_the_last_move_is_ringed() -> None:
    config = HanabiConfig()
    kinds = set()
    for snapshot in game(config, seed=7, likes_to_play=0.6):
        position = snapshot.position
        last, svg = position["last_move"], table_svg(view_of(position, config, 0))
        if last is None:
            continue
        kinds.add((last["action"].split()[0], last["scored"]))
        if last["action"].startswith("hint"):
            assert uses(svg, "ring") == len(last["touched"]) > 0
        elif last["scored"]:
            assert uses(svg, "ring") == 1
        else:
            assert svg.count('class="hb-ring"') == 1, "the card in the discard"
        assert uses(svg, rf"chip-{last['card']}") == (last["card"] is not None)
    assert {("hint", None), ("discard", None), ("play", True)} <= kinds


def test_a_firework_that_cannot_be_finished_is_crossed_out() -> None:
    config = HanabiConfig()
    position = final(config, moves=0)
    lost = [card for card in ("R3", "R3") if take(position, card)]
    view = view_of(position | {"discards": lost}, config)
    assert view.reachable("R") == 2
    assert view.reachable("Y") == 5
    assert uses(table_svg(view), "steps-R025") == 1


def take(position: dict[str, Any], card: str) -> bool:
    """Remove a card from wherever it lies; the hands stay as long as they are."""
    place = next(cards for cards in (position["deck"], *position["hands"]) if card in cards)
    place[place.index(card)] = position["deck"][-1]
    position["deck"].pop()
    return True


def test_hint_marks_tell_what_was_named_from_what_is_left() -> None:
    config = HanabiConfig(colors=2, ranks=2, hand_size=1)
    deck = ["R1", "Y1", *["R1", "R1", "R2", "Y1", "Y1", "Y2"]]
    table = PlainHanabi(config, deck)
    table.move("hint 1 Y")
    assert uses(table_svg(view_of(position_of(table, "hint 1 Y"), config, 1)), "RY-Y-Y") == 1
    without = {key: value for key, value in position_of(table, "hint 1 Y").items() if key != "hinted"}
    assert uses(table_svg(view_of(without, config, 1)), "RY-Y-") == 1


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


# --- Colors -----------------------------------------------------------------------------------------------------------

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
    """WCAG's ratio of luminances."""
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


# --- Pixels and text --------------------------------------------------------------------------------------------------


def test_pixels_have_the_size_asked_for() -> None:
    pytest.importorskip("resvg_py", reason="render: resvg-py is not installed")
    config = HanabiConfig(players=3)
    view = view_of(final(config, moves=10), config, 0)
    pixels = table_rgb(view, width=500)
    assert pixels.dtype == np.uint8
    assert pixels.shape == (round(table_height(view) / 2), 500, 3)
    assert len(np.unique(pixels.reshape(-1, 3), axis=0)) > 100
    assert np.array_equal(pixels, table_rgb(view, width=500))
    assert pixels.mean() > 150 > table_rgb(view, width=500, theme="dark").mean()


def test_pixels_without_the_extra_name_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    with pytest.raises(ImportError, match=r"hanabako\[render\]"):
        table_rgb(view_of(final(HanabiConfig(), moves=1), HanabiConfig()))


def small_table() -> tuple[HanabiConfig, PlainHanabi]:
    config = HanabiConfig(colors=2, ranks=3, hand_size=2, max_information_tokens=3)
    return config, PlainHanabi(config, ["R1", "R2", "Y1", "Y3", "R1", "R1", "Y1", "Y1", "R2", "Y2", "Y2", "R3"])


def test_the_table_in_words() -> None:
    config, table = small_table()
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
    config, table = small_table()
    assert describe_move(view_of(position_of(table, None), config).last_move) == "the game begins"
    table.move(action)
    view = view_of(position_of(table, action), config)
    assert describe_move(view.last_move) == sentence
    assert describe_turn(view) == "player_1 to move"


def test_discards_announcements_and_choices_are_sentences_too() -> None:
    def sentence(**move: Any) -> str:
        position = final(HanabiConfig(), moves=0) | {"last_move": {"player": 1, **move}}
        return describe_move(view_of(position, HanabiConfig()).last_move)

    assert sentence(action="discard 0", card="Y1") == "player_1 discards Y1 from slot 0"
    announced = "player_1 plays W2 from slot 0, announced as white"
    assert sentence(action="play 0 as W", card="W2", scored=True) == announced
    assert sentence(action="hint 1 B", touched=[]) == "player_1 tells player_0 blue: slots none"
    wrong = "player_1 plays W2 from slot 0, announced as blue, which is wrong"
    assert sentence(action="play 0 as B", card="W2", scored=False) == wrong
    late = "player_1 plays W2 from slot 0, announced as white, which does not fit"
    assert sentence(action="play 0 as W", card="W2", scored=False) == late
    paid = "player_1 plays W5 from slot 0, for a token"
    assert sentence(action="play 0", card="W5", scored=True, gave_token=True) == paid
    assert sentence(action="choose R3", card="R3", scored=True) == "player_1 plays R3 from the discard"
    assert sentence(action="choose R3", card="R3", scored=False) == "player_1 shuffles R3 back into the deck"
    assert sentence(action="shuffle back") == "player_1 will shuffle a discard back"
    assert sentence(action="play from discard") == "player_1 will play from the discard"


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


# --- Ratings ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wording", "word", "crowd"),
    [
        ("english", "mediocre", "a little scattered applause"),
        ("first_edition_2010", "médiocre", "à peine quelques applaudissements."),
        ("grands_feux", "Médiocre", "Quelques applaudissements polis résonnent dans l'assistance."),
        ("romanian_2013", "mediocră", "ici și colo aplauze răzlețe."),
    ],
)
def test_H15_pictures_speak_the_booklets_words(wording: str, word: str, crowd: str) -> None:
    config = HanabiConfig()
    position = final(config, moves=0) | {"score": 8}
    view = view_of(position, config, None, wording)
    assert word_and_crowd(view.verdict) == (word, crowd)
    assert table_ansi(view).splitlines()[0].endswith(view.verdict)
    assert table_svg(view) != table_svg(view_of(position, config)) or wording == "english"
    assert view.verdict in replay(config, [Snapshot(position)], wording=wording).subtitle


def test_H15_the_statistics_hold_every_booklets_words() -> None:
    config = HanabiConfig(max_life_tokens=1, hand_size=5)
    env = raw_env(config=config)
    env.reset(seed=0)
    while not all(env.terminations.values()):
        env.step(int(np.flatnonzero(env.observe(env.agent_selection)["action_mask"])[-1]))
    infos = env.infos["player_0"]
    assert infos["verdicts"].keys() == SCALES.keys()
    assert infos["verdicts"]["english"] == infos["verdict"]
    assert infos["verdicts"]["romanian_2013"] == verdict(config, infos["score"], infos["end_reason"], "romanian_2013")


def test_an_unknown_wording_is_refused() -> None:
    with pytest.raises(ValueError, match="wording must be one of 'english'"):
        view_of(final(HanabiConfig(), moves=0), HanabiConfig(), None, "latin")


def test_V4_tiles_are_shown_as_far_as_they_are_public() -> None:
    """Six letters: those that may still turn up, those that have, and a ring around the one that waits."""
    config = HanabiConfig(flamboyants=True)
    position = final(config, moves=0) | {"bonus_tiles": list("fdb"), "pending": "c"}
    svg = table_svg(view_of(position, config, 0))
    assert [uses(svg, f"tile-{letter}1") for letter in "abcdef"] == [0, 1, 0, 1, 0, 1]
    assert [uses(svg, f"tile-{letter}0") for letter in "abcdef"] == [1, 0, 1, 0, 1, 0]
    assert svg.count('class="hb-ring"') == 1
    assert describe_turn(view_of(position, config)) == "player_0 to choose, tile c: a free color hint"
    assert "tiles bdf" in table_ansi(view_of(position, config))


def test_V4_a_card_back_in_the_deck_is_not_ringed_in_the_discard() -> None:
    config = HanabiConfig(flamboyants=True)
    position = final(config, moves=0)
    take(position, "R1")
    move = {"player": 0, "action": "choose R1", "card": "R1", "scored": False}
    assert 'class="hb-ring"' not in table_svg(view_of(position | {"discards": ["R1"], "last_move": move}, config))


def test_V6_an_announcement_is_a_speech_bubble() -> None:
    config = HanabiConfig(choreography=True, multicolor="all_colors")
    move = {"player": 0, "action": "play 0 as M", "card": "M1", "scored": True, "gave_token": True}
    svg = table_svg(view_of(final(config, moves=0) | {"last_move": move}, config))
    assert uses(svg, "speech-M") == 1
    assert "announced as multicolor, for a token" in svg


@pytest.mark.parametrize(
    ("score", "word"),
    [
        (-5, "terrible"),
        (5, "terrible"),
        (6, "mediocre"),
        (10, "mediocre"),
        (11, "honorable"),
        (16, "excellent"),
        (20, "excellent"),
        (21, "extraordinary"),
        (24, "extraordinary"),
        (25, "legendary"),
    ],
)
def test_H15_every_score_has_its_verdict(score: int, word: str) -> None:
    assert verdict(HanabiConfig(), score, "deck").partition(":")[0] == word
    assert word in table_ansi(view_of(final(HanabiConfig(), moves=3) | {"score": score}, HanabiConfig()))


def test_V1_V2_a_multicolor_suit_extends_the_scale() -> None:
    for kind in ("own_color", "all_colors"):
        config = HanabiConfig(multicolor=kind)
        words = [verdict(config, score, "deck").split(":")[0] for score in (24, 25, 29, 30)]
        assert words == ["extraordinary", "legendary", "legendary", "divine"]


def test_E8_a_lost_game_is_lost_and_small_decks_have_no_scale() -> None:
    assert {verdict(HanabiConfig(), 12, reason) for reason in ("lives", "indispensable", "stuck")} == {"lost"}
    small = HanabiConfig(colors=3)
    assert verdict(small, 12, "deck") == verdict(small, 15, "complete") == ""
    assert verdict(small, 12, "lives") == "lost"


def test_V5_the_final_bouquet_is_perfect_or_lost() -> None:
    config = HanabiConfig(final_bouquet=True)
    assert verdict(config, 25, "complete") == "perfect"
    assert verdict(config, 20, "indispensable") == "lost"
    assert verdict(config, 20, None) == ""


def test_H15_the_booklets_keep_their_own_wordings() -> None:
    assert verdict(HanabiConfig(), 25, "complete", "first_edition_2010").startswith("légendaire : petits et grands")
    assert verdict(HanabiConfig(), 16, "deck", "grands_feux") == SCALES["grands_feux"].steps[3][1]
    assert verdict(HanabiConfig(), 25, "complete", "romanian_2013").startswith("lăudată")
    assert verdict(HanabiConfig(multicolor="own_color"), 25, "deck", "romanian_2013").startswith("legendară")
    highest = {name: [step for step, _ in scale.steps] for name, scale in SCALES.items()}
    assert set(map(tuple, highest.values())) == {(5, 10, 15, 20, 24, 25)}
    with pytest.raises(ValueError, match=r"wording must be one of 'english', .*got 'latin'"):
        verdict(HanabiConfig(), 3, None, "latin")


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


def test_a_replay_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one snapshot"):
        replay(HanabiConfig(), [])


def test_a_long_game_of_two_is_a_small_page() -> None:
    config = HanabiConfig()
    snapshots = max((game(config, seed=seed) for seed in range(10)), key=len)
    assert len(snapshots) > 65
    assert len(replay(config, snapshots).html().encode()) < 400_000 * len(snapshots) / 70


# --- With the environment itself --------------------------------------------------------------------------------------


def test_the_environments_positions_are_read(tmp_path: Path) -> None:
    config = HanabiConfig(players=3)
    snapshots = sample_game(config, seed=5, moves=1000)
    assert snapshots[-1].position["end_reason"] is not None
    page = replay(config, snapshots)
    assert "tells" in page.frames[1].caption or "plays" in page.frames[1].caption
    marked = [card for hand in view_of(snapshots[20].position, config).hands for card in hand if card.hinted]
    assert marked, "marks of hints arrive"


def test_the_environment_shows_itself_in_a_notebook() -> None:
    config = HanabiConfig(players=4)
    env = raw_env(config=config)
    env.reset(seed=1)
    assert env._repr_svg_() == table_svg(view_of(env.to_dict(), config))


@pytest.mark.parametrize("name", ["table.svg", "game.html"])
def test_the_command_draws_a_sample_game(tmp_path: Path, name: str) -> None:
    main([str(tmp_path / name), "--seed", "3", "--players", "2", "--moves", "12", "--seat", "0"])
    written = (tmp_path / name).read_text(encoding="utf-8")
    assert ("as player_0 sees it" in written) == (name == "table.svg")
    assert ("<!doctype html>" in written) == (name == "game.html")


def test_the_command_refuses_a_file_it_cannot_write(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    with pytest.raises(SystemExit):
        main([str(tmp_path / "table.bmp"), "--moves", "1"])
    assert "must end in .svg or .html" in capsys.readouterr().err


def test_the_readmes_picture_is_todays(tmp_path: Path) -> None:
    arguments = ["--seed", "11", "--moves", "32", "--seat", "1"]
    main([str(tmp_path / "hanabi.svg"), *arguments])
    committed = Path(__file__).parents[2] / "docs" / "hanabi.svg"
    again = f"draw it again: python -m hanabi_env.render docs/hanabi.svg {' '.join(arguments)}"
    assert committed.read_text(encoding="utf-8") == (tmp_path / "hanabi.svg").read_text(encoding="utf-8"), again
