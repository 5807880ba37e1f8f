"""The 48 cards as vector drawings: every month its flower, with the animal, ribbon or light that is on the card.

    face("1-1")      # the crane under the sun among the pines, `WIDTH` by `HEIGHT`

The drawings are made of a few shapes each and need no font. `python -m hanafuda_env.faces cards.svg` draws the deck, a
row a month with the flower's name in English and Latin. Colors are those of printed decks and the same by day and night.
"""

import argparse
import math
from collections.abc import Callable, Sequence
from pathlib import Path

from env_core.svg import document, element, group, number, rect, stylesheet, text, write_text
from hanafuda_env.notation import str_to_card
from hanafuda_env.table import FLOWERS, MONTH_NAMES, describe_card, kind_of

__all__ = ["CLASSES", "HEIGHT", "WIDTH", "face"]

WIDTH, HEIGHT = 60, 96

PAPER = "#f7f0dc"
RED, DEEP, ROSE, PINK = "#c8321f", "#8e1f18", "#e2756b", "#f2b8b5"
GREEN, MOSS, LEAF = "#2f5a35", "#5d7f3a", "#86a84b"
VIOLET, LILAC, BLUE, SKY = "#5c3f7d", "#a58bc4", "#3c4f94", "#a9c3cf"
BROWN, BARK, TAN, GOLD, YELLOW = "#6b4226", "#46301f", "#c08a4e", "#e0a526", "#f0cf55"
WHITE, GRAY, BLACK = "#fffdf6", "#8d8a86", "#1c1a1d"

EDGE = 1.8  # what of the drawing lies beyond is cut off, the frame covers the cut

CLASSES = {"kk-paper": f"fill:{PAPER}", "kk-frame": f"fill:none;stroke:{BLACK};stroke-width:2.4"}


def face(card: str) -> str:
    """A card, `WIDTH` by `HEIGHT`. ``ValueError`` where there is no such card."""
    str_to_card(card)
    month, _, k = card.partition("-")
    paper = rect(1.2, 1.2, WIDTH - 2.4, HEIGHT - 2.4, 4, class_="kk-paper")
    inside = {"x": EDGE, "y": EDGE, "width": WIDTH - 2 * EDGE, "height": HEIGHT - 2 * EDGE}
    window = element("svg", _MONTHS[int(month) - 1](int(k)), viewBox=" ".join(map(number, inside.values())), **inside)
    return paper + window + rect(1.2, 1.2, WIDTH - 2.4, HEIGHT - 2.4, 4, class_="kk-frame")


# --- A pen ------------------------------------------------------------------------------------------------------------


def _fill(d: str, color: str, edge: str | None = None, width: float = 0.7) -> str:
    return element("path", d=d, fill=color, stroke=edge, stroke_width=width if edge else None, stroke_linejoin="round")


def _line(d: str, color: str, width: float = 1.0) -> str:
    return element("path", d=d, fill="none", stroke=color, stroke_width=width, stroke_linecap="round")


def _disk(x: float, y: float, radius: float, color: str, edge: str | None = None) -> str:
    return element("circle", cx=x, cy=y, r=radius, fill=color, stroke=edge, stroke_width=0.7 if edge else None)


def _oval(x: float, y: float, rx: float, ry: float, color: str, turn: float = 0) -> str:
    turned = f"rotate({number(turn)} {number(x)} {number(y)})" if turn else None
    return element("ellipse", cx=x, cy=y, rx=rx, ry=ry, fill=color, transform=turned)


def _ring(x: float, y: float, count: int, draw: Callable[[float], str]) -> str:
    """``draw(angle)`` around a point, ``count`` times, evenly."""
    return group(
        *(element("g", draw(0), transform=f"rotate({number(360 * i / count)})") for i in range(count)), x=x, y=y
    )


def _at(drawing: str, x: float, y: float, scale: float = 1, turn: float = 0, mirrored: bool = False) -> str:
    steps = f"translate({number(x)} {number(y)})"
    steps += f"rotate({number(turn)})" if turn else ""
    steps += f"scale({number(-scale if mirrored else scale)} {number(scale)})"
    return element("g", drawing, transform=steps)


def _ribbon(color: str, has_poem: bool = False) -> str:
    """A ribbon across the card; on the three first months it carries a poem."""
    band = _fill("M17 20l24-3 2 28-4 14 3 20-23 3-3-18 4-17z", color, BLACK, 0.9)
    sheen = _line("M21 24l-1 20M40 21l2 24", WHITE, 0.5)
    strokes = "M30 27v6m-2.5-4h5M29 37c3-1 4 1 1 3s-2 4 2 3M30 49v7m-3-5l6-1M29 62c3 0 4 2 1 4s0 4 3 3"
    return band + sheen + (_line(strokes, BLACK, 1.3) if has_poem else "")


# --- January: pine ----------------------------------------------------------------------------------------------------


def _fan(x: float, y: float, radius: float) -> str:
    """A tuft of needles, seen from the side."""
    d = f"M{number(x - radius)} {number(y)}a{number(radius)} {number(radius)} 0 0 1 {number(2 * radius)} 0z"
    rays = "".join(
        f"M{number(x)} {number(y)}L{number(x + radius * math.cos(a))} {number(y - radius * math.sin(a))}"
        for a in (0.35 + 0.35 * i for i in range(8))
    )
    return _fill(d, GREEN, BLACK, 0.6) + _line(rays, LEAF, 0.55)


def _pines(places: Sequence[tuple[float, float, float]]) -> str:
    trunk = _line("M4 94C18 84 20 74 32 70S48 54 56 46M31 71C26 62 22 48 24 20M25 50C32 44 40 40 46 26", BARK, 2.4)
    twigs = "".join(f"M{number(x)} {number(y)}l{number((28 - x) * 0.3)} {number(r * 0.8)}" for x, y, r in places)
    return trunk + _line(twigs, BARK, 1.2) + "".join(_fan(*place) for place in places)


def _crane() -> str:
    """Head up to the left, wings folded."""
    tail = _fill("M4 6c5 0 9 3 11 8l-6-2 2 4-5-3-1 3c-3-4-4-8-1-10z", BLACK)
    body = _fill("M-9 2c3-6 12-7 17 0 2 4 0 8-5 9-7 1-12-3-12-9z", WHITE, BLACK, 0.6)
    wing = _line("M-5 3c4 1 8 3 11 7M-2 1c4 1 7 3 9 6", GRAY, 0.7)
    neck = _line("M-7 4c-5-4-1-9-4-14", WHITE, 3.2) + _line("M-9 1c-3-4 0-7-2-10", BLACK, 1.5)
    head = (
        _oval(-11.5, -11, 2.6, 2, WHITE) + _fill("M-14-13c1-2 4-2 5 0z", RED) + _fill("M-13.5-11.5l-6 1.5 6 .6z", GOLD)
    )
    legs = _line("M-1 11l-2 13m4-13l1 13m-5 0h4m1 0h3", BLACK, 0.9)
    return tail + legs + neck + body + wing + head + _disk(-11.8, -11.3, 0.5, BLACK)


def _january(k: int) -> str:
    if k == 1:
        sun = _disk(41, 22, 13, RED)
        return (
            sun
            + _pines([(14, 62, 9), (50, 60, 8), (26, 90, 11), (46, 90, 10), (10, 88, 6)])
            + _at(_crane(), 31, 54, 1.15)
        )
    tufts = [(15, 40, 10), (42, 30, 11), (30, 60, 12), (48, 62, 8), (18, 86, 11), (43, 88, 12)]
    if k == 2:
        return _pines(tufts) + _ribbon(RED, has_poem=True)
    return _pines(
        tufts if k == 3 else [(30, 24, 12), (14, 46, 9), (46, 50, 10), (24, 72, 13), (48, 80, 9), (12, 90, 8)]
    )


# --- February: plum; March: cherry ------------------------------------------------------------------------------------


def _blossom(x: float, y: float, radius: float, petal: str, heart: str, notched: bool = False) -> str:
    """Five petals around a heart; a cherry's are notched."""

    def one(_: float) -> str:
        if notched:
            r = radius
            return _fill(
                f"M0 0C{number(-r)} {number(-r * 0.5)} {number(-r * 0.6)} {number(-r * 1.1)} {number(-r * 0.2)} {number(-r)}L0 {number(-r * 0.8)}L{number(r * 0.2)} {number(-r)}C{number(r * 0.6)} {number(-r * 1.1)} {number(r)} {number(-r * 0.5)} 0 0z",
                petal,
                DEEP,
                0.35,
            )
        return element("circle", cy=-radius * 0.62, r=radius * 0.5, fill=petal, stroke=DEEP, stroke_width=0.35)

    stamens = _ring(x, y, 7, lambda _: _line(f"M0 0v{number(-radius * 0.5)}", heart, 0.5))
    return _ring(x, y, 5, one) + stamens + _disk(x, y, radius * 0.2, heart)


def _plums(places: Sequence[tuple[float, float, float]]) -> str:
    wood = _line("M8 92c4-18 16-22 18-36s14-18 20-34M25 60c10-2 18 0 26-8M20 74c-6-4-9-10-9-18", BARK, 2.4)
    buds = "".join(_disk(x, y, 2, RED, DEEP) for x, y in ((48, 18), (52, 51), (10, 55), (30, 40)))
    return wood + buds + "".join(_blossom(x, y, r, RED, YELLOW) for x, y, r in places)


def _bird(back: str, belly: str, beak: str) -> str:
    """A small bird that sits, looking left."""
    tail = _fill("M9 3l14 7-3 2-13-4z", back, BLACK, 0.5)
    body = _fill("M-12-3c2-7 12-8 18 0 5 6 4 10-2 11C-4 9-14 5-12-3z", belly, BLACK, 0.5)
    wing = _fill("M-4-3c6-3 13 2 18 10-9 1-17-2-18-10z", back, BLACK, 0.5)
    head = _disk(-9, -6, 5.2, back, BLACK) + _fill("M-13.5-7l-5 1.6 4.8 1.4z", beak)
    return tail + body + wing + head + _disk(-10.6, -7, 0.9, WHITE) + _disk(-10.8, -7, 0.5, BLACK)


def _february(k: int) -> str:
    places = [(44, 24, 7), (20, 34, 8), (40, 44, 8), (16, 58, 7), (36, 66, 8), (22, 82, 8), (48, 82, 6.5)]
    if k == 1:
        return _plums([(44, 16, 6), (15, 44, 7), (43, 62, 7.5), (20, 80, 8), (46, 84, 7)]) + _at(
            _bird(MOSS, YELLOW, GOLD), 28, 34, 1.1
        )
    if k == 2:
        return _plums(places) + _ribbon(RED, has_poem=True)
    return _plums(places if k == 3 else [(40, 30, 9), (18, 44, 8), (42, 60, 7.5), (20, 70, 8), (40, 84, 8)])


def _cherries(places: Sequence[tuple[float, float, float]]) -> str:
    wood = _line("M56 8C42 18 26 16 6 26M50 44c-14 6-28 4-42 14M52 80c-14 2-24-2-40 8", BARK, 1.8)
    leaves = "".join(
        _oval(x, y, 4.5, 1.8, MOSS, a) for x, y, a in ((12, 14, 30), (50, 30, -30), (10, 72, 20), (50, 62, 30))
    )
    return wood + leaves + "".join(_blossom(x, y, r, PINK, DEEP, notched=True) for x, y, r in places)


def _march(k: int) -> str:
    places = [
        (16, 18, 9),
        (40, 14, 9),
        (29, 32, 9),
        (48, 38, 8),
        (13, 46, 8.5),
        (33, 54, 9),
        (17, 70, 9),
        (46, 66, 9),
        (32, 84, 9),
    ]
    if k == 1:
        crowd = [(14, 14, 8), (32, 11, 8), (49, 15, 8), (22, 27, 8), (42, 29, 8), (11, 36, 7), (30, 42, 8), (50, 42, 7)]
        curtain = _fill("M3.5 56c8 4 18 5 26.500 2s18-3 26.500 0v33H3.500z", VIOLET, BLACK, 0.8)
        stripes = "".join(_fill(f"M{x} 58.500h6v33h-6z", WHITE) for x in (9, 24, 39))
        hem = _fill("M3.500 53c9 4 18 5 26.500 2s18-3 26.500 0v5c-9-3-18-2-26.500 1s-18 2-26.500-2z", RED, BLACK, 0.7)
        crests = "".join(_blossom(x, 77, 4.2, PINK, DEEP, notched=True) for x in (19.5, 34.5, 49))
        return (
            "".join(_blossom(x, y, r, PINK, DEEP, notched=True) for x, y, r in crowd) + curtain + stripes + crests + hem
        )
    if k == 2:
        return _cherries(places) + _ribbon(RED, has_poem=True)
    return _cherries(places if k == 3 else [(x, 98 - y, r) for x, y, r in places])


# --- April: wisteria; May: iris ---------------------------------------------------------------------------------------


def _raceme(x: float, y: float, length: int) -> str:
    """A hanging bunch of flowers, narrower below."""
    rows = []
    for i in range(length):
        width = 5.2 * (1 - i / (length + 1)) + 0.8
        rows += [
            _oval(x + s * width * 0.6, y + 4.4 * i, width * 0.62, 2.3, VIOLET if (i + s) % 2 else LILAC)
            for s in (-1, 1)
        ]
    return _line(f"M{number(x)} {number(y - 5)}v{number(4.4 * length + 3)}", MOSS, 0.8) + "".join(rows)


def _wisteria(bunches: Sequence[tuple[float, float, int]]) -> str:
    vine = _line("M4 10C18 4 30 16 56 8", BARK, 2.2) + _line("M12 9c-3 6 2 8-3 13M46 10c3 5-1 8 3 12", MOSS, 0.9)
    leaves = "".join(
        _oval(x, y, 5, 1.9, GREEN, a)
        for x, y, a in ((10, 17, 50), (20, 15, -40), (33, 17, 40), (44, 15, -40), (52, 17, 60))
    )
    return vine + leaves + "".join(_raceme(*bunch) for bunch in bunches)


def _cuckoo() -> str:
    """In flight, down to the left."""
    far = _fill("M2-2c2-10 8-15 17-18-1 8-4 15-10 20z", BROWN, BLACK, 0.5)
    tail = _fill("M10 2l16 2-4 3 3 3-15-3z", BROWN, BLACK, 0.5)
    body = _fill("M-15 1c4-6 16-8 26-1-2 7-14 10-26 1z", WHITE, BLACK, 0.5) + _line(
        "M-4 3l2 3m2-4l2 4m2-4l2 3", GRAY, 0.8
    )
    near = _fill("M-3-2c0-9 3-16 10-22 3 8 3 16-2 23z", RED, BLACK, 0.5)
    head = _disk(-14, 0, 4.4, BROWN, BLACK) + _fill("M-18-.5l-5 2 5 1.4z", GOLD)
    return far + tail + body + near + head + _disk(-15.4, -0.8, 0.9, YELLOW)


def _april(k: int) -> str:
    if k == 1:
        moon = _disk(43, 27, 9.5, RED)
        return (
            moon + _wisteria([(10, 26, 9), (50, 50, 9), (24, 62, 6), (36, 66, 5)]) + _at(_cuckoo(), 31, 49, 0.95, -12)
        )
    bunches = [(11, 24, 12), (24, 22, 14), (38, 24, 13), (50, 22, 10)]
    if k == 2:
        return _wisteria(bunches) + _ribbon(RED)
    return _wisteria(bunches if k == 3 else [(12, 22, 9), (28, 26, 15), (45, 22, 12)])


def _iris_flower(x: float, y: float, scale: float = 1) -> str:
    falls = "".join(
        _fill(f"M0 2C{s * 4} -2 {s * 11} 0 {s * 11} 8c{s * -5} 2 {s * -9} 0 {s * -11} -6z", VIOLET, BLACK, 0.4)
        for s in (-1, 1)
    )
    middle = _fill("M0 0c5 3 5 10 0 14-5-4-5-11 0-14z", BLUE, BLACK, 0.4) + _line("M0 3v6", YELLOW, 1.3)
    standards = "".join(
        _fill(f"M0 2C{s * -1} -4 {s * 2} -10 {s * 6} -11c{s * 2} 6 0 11 {s * -6} 13z", LILAC, BLACK, 0.4)
        for s in (-1, 1)
    )
    return _at(standards + falls + middle, x, y, scale)


def _blades(xs: Sequence[float], top: float = 34) -> str:
    return "".join(
        _fill(
            f"M{number(x - 2)} 92C{number(x - 2)} 70 {number(x + 1)} {number(top + 12)} {number(x + (x - 30) * 0.15)} {number(top + 4 * (i % 3))}C{number(x + 3)} {number(top + 18)} {number(x + 3)} 70 {number(x + 2.5)} 92z",
            GREEN if i % 2 else MOSS,
            BLACK,
            0.4,
        )
        for i, x in enumerate(xs)
    )


def _may(k: int) -> str:
    if k == 1:
        planks = "".join(
            _fill(d, TAN, BLACK, 0.8)
            for d in ("M3.500 86l22-12 8 5-22 13z", "M20 74l14-14 9 4-14 15z", "M34 64l21-11 1.500 8-15 10z")
        )
        grain = _line("M10 86l18-10M27 73l11-11M41 65l14-8", BROWN, 0.5)
        posts = _line("M14 86v7M30 78v8M44 68v7", BARK, 1.8)
        water = _line("M5 66c4-2 7 2 11 0M40 82c4-2 7 2 11 0M36 90c4-2 7 2 11 0", BLUE, 0.8)
        return (
            water
            + _blades([10, 17, 47, 53], 26)
            + posts
            + planks
            + grain
            + _iris_flower(16, 26)
            + _iris_flower(43, 32, 0.9)
        )
    flowers = _iris_flower(18, 26) + _iris_flower(43, 36) + _iris_flower(25, 52, 0.9)
    blades = _blades([9, 16, 23, 30, 37, 44, 51])
    if k == 2:
        return blades + flowers + _ribbon(RED)
    if k == 3:
        return blades + flowers
    return blades + _iris_flower(31, 22, 1.15) + _iris_flower(15, 44, 0.9) + _iris_flower(46, 50, 0.9)


# --- June: peony; July: bush clover -----------------------------------------------------------------------------------


def _peony(x: float, y: float, radius: float) -> str:
    r = radius
    rows = [(8, r, r * 0.42, RED), (7, r * 0.66, r * 0.36, ROSE), (5, r * 0.34, r * 0.28, PINK)]
    petals = [
        _ring(
            x,
            y,
            n,
            lambda _, d=d, s=s, c=c: element("circle", cy=-d * 0.72, r=s, fill=c, stroke=DEEP, stroke_width=0.5),
        )
        for n, d, s, c in rows
    ]
    return "".join(petals) + _disk(x, y, r * 0.2, YELLOW, GOLD)


def _peony_leaf(x: float, y: float, turn: float, scale: float = 1) -> str:
    leaf = _fill(
        "M0 0c-6-4-8-10-5-17 2 3 3 4 5 5-1-5 0-9 3-12 3 4 3 8 1 13 2-1 4-2 6-4 1 7-3 12-10 15z", GREEN, BLACK, 0.5
    )
    return _at(leaf + _line("M0 0c0-6 1-12 2-18M0-2c-3-3-4-6-4-9M1-4c3-2 5-5 7-8", LEAF, 0.6), x, y, scale, turn)


def _butterfly(wing: str, spot: str) -> str:
    half = (
        _fill("M0 0C4-10 14-12 15-5 15 0 8 3 0 1z", wing, BLACK, 0.5)
        + _fill("M0 1c6 0 12 4 9 9C6 13 1 8 0 2z", spot, BLACK, 0.5)
        + _disk(10, -5, 1.8, spot)
    )
    body = _oval(0, 1, 1.2, 5.5, BLACK) + _line("M0-4c-1-4-3-6-5-7M0-4c1-4 3-6 5-7", BLACK, 0.6)
    return half + _at(half, 0, 0, 1, mirrored=True) + body


def _june(k: int) -> str:
    if k == 1:
        low = _peony_leaf(12, 74, -40) + _peony_leaf(50, 74, 45) + _peony_leaf(30, 94, 0, 0.7) + _peony(30, 72, 17)
        return low + _at(_butterfly(YELLOW, RED), 20, 24, 0.95, -20) + _at(_butterfly(LILAC, YELLOW), 42, 40, 0.8, 25)
    leaves = _peony_leaf(12, 50, -50) + _peony_leaf(50, 44, 50) + _peony_leaf(14, 92, -20) + _peony_leaf(48, 92, 25)
    stem = _line("M30 92c-2-20 2-30 0-50", MOSS, 1.6)
    if k == 2:
        return stem + leaves + _peony(30, 28, 17) + _peony(30, 70, 12) + _ribbon(BLUE)
    if k == 3:
        return stem + leaves + _peony(30, 34, 19) + _peony(40, 74, 11)
    return stem + leaves + _peony(20, 26, 13) + _peony(38, 56, 17)


def _clover(stems: Sequence[tuple[str, Sequence[tuple[float, float]]]]) -> str:
    """Arching stems with leaves in threes and small blossoms."""
    parts = []
    for d, places in stems:
        parts.append(_line(d, BROWN, 1.1))
        for i, (x, y) in enumerate(places):
            color = RED if i % 2 else VIOLET
            parts += [
                _oval(x + dx, y + dy, 3.1, 2.2, MOSS if i % 3 else GREEN, a)
                for dx, dy, a in ((-3, 1, 20), (3, 1, -20), (0, -2.6, 90))
            ]
            parts.append(_disk(x, y + 2.6, 1.9, color, BLACK))
    return "".join(parts)


def _boar() -> str:
    """Running to the left."""
    body = _fill("M-18 4c0-8 8-14 18-13 10 0 18 4 20 12 1 6-3 9-9 9-8 1-16 2-22-1-4-1-7-3-7-7z", BROWN, BLACK, 0.7)
    mane = _line("M-8-8l-2-4m6 3l-1-4m6 3v-4m5 4l1-4m4 6l2-4", BLACK, 1.1)
    head = _fill("M-12-4c-6 0-12 4-15 10l3 4c6 0 11-2 14-6z", BROWN, BLACK, 0.7)
    snout = _oval(-26, 8, 1.6, 2.4, ROSE, 40) + _fill("M-21 10l-3-5 4 3z", WHITE, BLACK, 0.4)
    ear = _fill("M-12-4l1-6 4 5z", BARK, BLACK, 0.5)
    legs = "".join(_fill(f"M{x} 11l{s} 8h3l1-8z", BARK, BLACK, 0.5) for x, s in ((-11, -3), (-5, 1), (8, -1), (13, 3)))
    bristles = _line("M-4-2l4 2m2-4l4 2m2 2l4 2m-10 2l4 2m4-6l4 1", BLACK, 0.6)
    return (
        legs
        + body
        + mane
        + head
        + snout
        + ear
        + bristles
        + _line("M20 0c3-1 4-4 3-6", BLACK, 1)
        + _disk(-17, 0, 0.9, RED)
    )


def _july(k: int) -> str:
    left = ("M8 92C8 60 18 40 34 12", [(33, 16), (26, 27), (20, 39), (15, 52), (11, 66), (9, 80)])
    right = ("M30 92c4-24 10-40 24-56", [(50, 42), (44, 52), (39, 64), (34, 77)])
    if k == 1:
        top = ("M6 30C20 24 40 22 54 8", [(12, 28), (24, 24), (36, 20), (47, 13)])
        low = ("M6 60c8-12 26-18 46-22", [(14, 50), (28, 43), (44, 39)])
        return _clover([top, low]) + _at(_boar(), 33, 71, 1.02)
    if k == 2:
        return _clover([left, right]) + _ribbon(RED)
    third = ("M52 92C50 70 40 54 22 44", [(27, 47), (38, 56), (46, 70)])
    return _clover([left, right] if k == 3 else [left, third])


# --- August: pampas; September: chrysanthemum -------------------------------------------------------------------------


def _hill(sky: str = "") -> str:
    """The dark hill of grass; ``sky`` is what is above it."""
    hill = _fill("M2.400 62C16 46 42 44 57.600 60V90a3 3 0 0 1-3 3H5.400a3 3 0 0 1-3-3z", BLACK)
    grass = "".join(
        f"M{number(x)} {number(90 - (i % 3) * 6)}q{number(2 + i % 2)}-{number(9 + i % 4)} {number(6)}-{number(13)}"
        for i, x in enumerate(range(5, 52, 4))
    )
    plumes = "".join(f"M{x} {y}q3-8 8-10" for x, y in ((8, 58), (16, 53), (26, 50), (36, 51), (45, 55)))
    return sky + hill + _line(grass, GRAY, 0.7) + _line(plumes, TAN, 1.2)


def _goose(x: float, y: float, scale: float) -> str:
    wings = _fill("M0 0C-5-8-12-9-18-7-12-5-8-1-3 3zM1 0C5-9 12-11 18-10 13-6 9-2 4 3z", BROWN, BLACK, 0.5)
    body = _oval(1, 2, 7, 2.6, TAN, -8) + _line("M-5 2c-4 0-6 2-9 2", TAN, 2) + _disk(-14, 4, 1.6, BROWN)
    return _at(wings + body, x, y, scale)


def _august(k: int) -> str:
    red_sky = _fill("M2.400 5.400a3 3 0 0 1 3-3H54.600a3 3 0 0 1 3 3V66H2.400z", RED)
    if k == 1:
        return _hill(red_sky + _disk(30, 31, 21, WHITE, GRAY))
    if k == 2:
        return _hill(_goose(19, 18, 0.85) + _goose(42, 27, 0.75) + _goose(24, 38, 0.7))
    reeds = _line("M14 60C18 40 16 24 22 12M32 54c2-14 6-26 14-36M46 60c0-12 4-20 8-26", MOSS, 0.9)
    heads = "".join(
        _line(f"M{x} {y}q{dx} 1 {dx * 2} 6M{x} {y + 4}q{dx} 1 {dx * 2} 6M{x - 1} {y + 8}q{dx} 1 {dx * 2} 6", TAN, 1.2)
        for x, y, dx in ((22, 12, -4), (46, 18, 4), (54, 34, -4))
    )
    return _hill(reeds + heads) if k == 3 else _hill(_at(reeds + heads, 60, 0, 1, mirrored=True))


def _chrysanthemum(x: float, y: float, radius: float, color: str) -> str:
    def petal(length: float) -> Callable[[float], str]:
        return lambda _: element(
            "ellipse",
            cy=-length * 0.62,
            rx=radius * 0.15,
            ry=length * 0.38,
            fill=color,
            stroke=BLACK,
            stroke_width=0.35,
        )

    return (
        _ring(x, y, 16, petal(radius)) + _ring(x, y, 10, petal(radius * 0.6)) + _disk(x, y, radius * 0.2, GOLD, BROWN)
    )


def _chrysanthemum_leaf(x: float, y: float, turn: float) -> str:
    leaf = _fill("M0 0c-5-2-7-5-7-9l3 1c-2-4-1-7 1-9l2 2c0-3 1-5 2-6 2 3 3 5 2 8l3-1c1 4 0 8-6 14z", GREEN, BLACK, 0.4)
    return _at(leaf + _line("M0 0c0-6 0-10 1-16", LEAF, 0.6), x, y, 1.05, turn)


def _september(k: int) -> str:
    leaves = "".join(
        _chrysanthemum_leaf(*place) for place in ((12, 56, -50), (50, 52, 50), (14, 90, -20), (46, 90, 30), (30, 58, 5))
    )
    stem = _line("M30 92c2-18-4-30 0-56M30 70c8-6 12-8 15-16", MOSS, 1.4)
    if k == 1:
        cup = _fill("M10 52h40c0 13-9 20-16 21v6h8v4H18v-4h8v-6C19 72 10 65 10 52z", RED, BLACK, 0.9)
        rim = element("ellipse", cx=30, cy=52, rx=20, ry=5.2, fill=DEEP, stroke=BLACK, stroke_width=0.8)
        sign = _line("M30 60v10m-5-7h10m-9 4h8", GOLD, 1.4)
        top = _chrysanthemum_leaf(12, 40, -60) + _chrysanthemum_leaf(48, 40, 60)
        low = _chrysanthemum_leaf(10, 92, -30) + _chrysanthemum_leaf(50, 92, 30)
        return top + low + _chrysanthemum(19, 22, 13, YELLOW) + _chrysanthemum(43, 28, 11, RED) + cup + rim + sign
    if k == 2:
        return stem + leaves + _chrysanthemum(20, 26, 14, YELLOW) + _chrysanthemum(42, 66, 13, YELLOW) + _ribbon(BLUE)
    if k == 3:
        return stem + leaves + _chrysanthemum(22, 26, 15, YELLOW) + _chrysanthemum(42, 60, 12, RED)
    return stem + leaves + _chrysanthemum(38, 28, 15, RED) + _chrysanthemum(18, 62, 12, YELLOW)


# --- October: maple; November: willow ---------------------------------------------------------------------------------


def _maple_leaf(x: float, y: float, scale: float, turn: float, color: str = RED) -> str:
    leaf = "M0 9L-2 3-8 8-6.500 3-12 3-8-1-13-5-7-5-8-11-3-7 0-14 3-7 8-11 7-5 13-5 8-1 12 3 6.500 3 8 8 2 3z"
    veins = _line("M0 10V-9M0 4L-8-6M0 4L8-6M0 5L-8 2M0 5L8 2", DEEP if color == RED else BROWN, 0.6)
    return _at(_fill(leaf, color, BLACK, 0.5) + veins, x, y, scale, turn)


def _maples(leaves: Sequence[tuple[float, float, float, float]]) -> str:
    twigs = _line("M4 12C20 16 34 30 56 30M30 24C26 44 36 60 28 92M30 56c8 2 16 8 26 8", BARK, 1.5)
    colors = (RED, GOLD, RED)
    return twigs + "".join(_maple_leaf(*leaf, colors[i % 3]) for i, leaf in enumerate(leaves))


def _deer() -> str:
    """Standing, looking back to the right."""
    legs = "".join(
        _fill(f"M{x} 10l{s} 17h2.400l2-17z", TAN, BLACK, 0.5) for x, s in ((-13, -1), (-8, 1), (6, -1), (11, 0))
    )
    body = _fill("M-17 2c-1-7 5-10 12-9 6 0 12-1 17-5l5 8c1 8-2 13-9 15-8 2-16 2-21 0-3-2-4-5-4-9z", TAN, BLACK, 0.6)
    neck = _fill("M8-3c2-6 3-11 2-16l8 1c-1 8 0 14-2 20z", TAN, BLACK, 0.6)
    head = _fill("M9-20c-1-5 4-8 8-6l8 4c1 2 0 4-2 4-5 1-11 1-14-2z", TAN, BLACK, 0.6)
    antlers = _line("M13-26c-3-4-3-8-1-12m-1 6l-4-3m9 8c1-4 4-7 5-11m-2 5l5-1", BROWN, 1.3)
    spots = "".join(_disk(x, y, 1, WHITE) for x, y in ((-10, 0), (-5, -2), (0, -1), (-7, 4), (4, 1), (-1, 5)))
    ear = _fill("M10-22l-5-3 3 5z", TAN, BLACK, 0.5)
    tail = _fill("M-17 1c-3-1-5 1-5 4 3 1 5 0 6-2z", WHITE, BLACK, 0.5)
    return legs + tail + body + neck + antlers + ear + head + spots + _disk(17, -22.5, 0.9, BLACK)


def _october(k: int) -> str:
    places = [
        (14, 18, 0.85, -20),
        (42, 24, 0.95, 20),
        (24, 42, 0.9, 10),
        (48, 52, 0.75, -30),
        (16, 64, 0.85, 30),
        (38, 74, 0.95, -10),
        (14, 86, 0.6, 0),
    ]
    if k == 1:
        return _maples(
            [(12, 14, 0.75, -20), (31, 12, 0.7, 30), (49, 16, 0.8, 10), (12, 36, 0.7, 20), (50, 84, 0.55, -20)]
        ) + _at(_deer(), 28, 62, 1.08)
    if k == 2:
        return _maples(places) + _ribbon(BLUE)
    return _maples(places if k == 3 else [(60 - x, 100 - y, scale, turn) for x, y, scale, turn in places])


def _willow(xs: Sequence[float], color: str = MOSS) -> str:
    """Hanging twigs with narrow leaves."""
    parts = []
    for i, x in enumerate(xs):
        length = 52 + 9 * (i % 3)
        parts.append(
            _line(f"M{number(x)} 4q{number(3 - 6 * (i % 2))} {number(length / 2)} 0 {number(length)}", GREEN, 0.9)
        )
        for j in range(3, length // 7):
            y, side = 4 + 7 * j, 1 if j % 2 else -1
            parts.append(
                _oval(
                    x + 2.4 * side + (1.5 - 3 * (i % 2)) * math.sin(math.pi * y / length), y, 3.2, 1.1, color, 60 * side
                )
            )
    return "".join(parts)


def _rain_man() -> str:
    """A nobleman under an umbrella, looking at the frog that jumps at a willow twig."""
    shade = _fill("M-22-14C-20-28 18-30 22-14-10-10-18-9-22-14z", BLUE, BLACK, 0.7)
    ribs = _line("M0-26l-14 12M0-26l-4 14M0-26l6 13M0-26l14 12M0-29v4", BLACK, 0.7)
    stick = _line("M0-25L3 8", BARK, 1.4)
    robe = _fill("M-6-4c4-3 10-3 13 1l7 26c-8 4-20 4-28 0z", RED, BLACK, 0.7)
    folds = _line("M-2 0l-6 24M4-1l2 26M0 12l10 3", DEEP, 0.8) + _fill("M-3-4l4 8 4-8z", WHITE, BLACK, 0.4)
    head = _disk(1, -8, 4.4, "#f1cfa8", BLACK) + _fill("M-4-10c0-6 9-7 10-1-3-1-7-1-10 1z", BLACK)
    feet = _fill("M-10 23h6v3h-8zM6 23h6l2 3h-8z", BLACK)
    return shade + ribs + feet + robe + folds + head + stick


def _swallow() -> str:
    """Diving to the left."""
    wings = _fill("M0 0C6-10 16-14 24-12 18-6 12 0 4 4zM-2 2c-2 8 0 16 6 22 3-8 3-16 0-22z", BLACK, GRAY, 0.5)
    tail = _fill("M8 4l20 10-12-2 8 8-18-13z", BLACK, GRAY, 0.5)
    body = _fill("M-12 2c3-5 14-6 22 2-6 6-18 6-22-2z", YELLOW, BLACK, 0.5)
    head = _disk(-11, 1, 4.2, RED, BLACK) + _fill("M-15 0l-5 1.500 5 1.500z", GOLD)
    return tail + wings + body + head + _disk(-12.4, 0, 0.8, WHITE)


def _november(k: int) -> str:
    if k == 1:
        water = _fill("M3 84c10-5 18 3 28-1s18-2 26 0v7a3 3 0 0 1-3 3H6a3 3 0 0 1-3-3z", SKY) + _line(
            "M6 88c6-2 10 2 16 0s12-1 18 0", BLUE, 0.8
        )
        frog = _fill("M0 0c1-4 7-5 9-1l3 4-4-1-2 3-1-3-4 2z", GREEN, BLACK, 0.4)
        return _willow([8, 15, 52]) + water + _at(_rain_man(), 33, 56, 1.02) + _at(frog, 7, 80, 1)
    if k == 2:
        return _willow([9, 18, 27, 36, 45, 53]) + _at(_swallow(), 27, 64, 1)
    if k == 3:
        return _willow([9, 18, 27, 36, 45, 53]) + _ribbon(RED)
    night = _fill("M2.400 5.400a3 3 0 0 1 3-3H54.600a3 3 0 0 1 3 3V90.600a3 3 0 0 1-3 3H5.400a3 3 0 0 1-3-3z", RED)
    cloud = _fill("M2.400 3h55.200v30c-6 6-14 2-18 8s-14 4-18-2-14 0-19.200-8z", BLACK)
    bolt = _fill("M34 26L22 52h9l-7 24 20-32h-10l9-18z", YELLOW, BLACK, 0.8)
    drum = _ring(15, 74, 6, lambda _: element("circle", cy=-6.5, r=2.6, fill=BLACK, stroke=YELLOW, stroke_width=0.6))
    return night + cloud + _willow([10, 47, 54], LEAF) + bolt + drum + _disk(15, 74, 4, YELLOW, BLACK)


# --- December: paulownia ----------------------------------------------------------------------------------------------


def _spike(x: float, y: float, count: int) -> str:
    """An upright spike of bells."""
    bells = []
    for i in range(count):
        width = 1.6 + 0.7 * i
        bells += [_oval(x + s * width, y + 4.6 * i, 2.6, 2.1, LILAC if i % 2 else VIOLET, 30 * s) for s in (-1, 1)]
    return (
        _line(f"M{number(x)} {number(y - 3)}v{number(4.6 * count + 4)}", MOSS, 1)
        + _disk(x, y - 3, 1.8, VIOLET)
        + "".join(bells)
    )


def _broad_leaf(x: float, y: float, scale: float, turn: float = 0) -> str:
    leaf = _fill(
        "M0 12C-14 14-18 2-15-8-11-6-9-7-7-11-5-7-3-8 0-16 3-8 5-7 7-11 9-7 11-6 15-8 18 2 14 14 0 12z",
        MOSS,
        BLACK,
        0.6,
    )
    return _at(
        leaf + _line("M0 12V-10M0 8C-5 4-9 0-12-4M0 8C5 4 9 0 12-4M0 3l-5-8M0 3l5-8", GREEN, 0.8), x, y, scale, turn
    )


def _phoenix() -> str:
    """In flight to the left, with a long tail."""
    colors = (RED, GOLD, BLUE)
    plumes = "".join(
        _fill(
            f"M8 4C{20 + 2 * i} {8 + 7 * i} {18 - 4 * i} {26 + 5 * i} {26 - 9 * i} {36 + 4 * i} {12 - 6 * i} {28 + 4 * i} {8 - 3 * i} {14 + 4 * i} 4 6z",
            color,
            BLACK,
            0.5,
        )
        for i, color in enumerate(colors)
    )
    wing = _fill("M-2-2C4-16 16-24 26-22 24-18 25-16 22-14 23-11 21-9 18-8 18-4 14-1 8 3z", GOLD, BLACK, 0.6)
    bars = _line("M4-4C10-12 16-16 22-19M7-1C12-7 16-11 21-13", RED, 1.2)
    far = _fill("M-6-2C-10-12-6-20 2-25c1 8 1 14-2 20z", RED, BLACK, 0.6)
    body = _fill("M-12 0c2-7 14-8 22 2-2 7-16 9-22-2z", YELLOW, BLACK, 0.6) + _line(
        "M-6 1l2 3m2-5l2 4m2-3l2 3", RED, 0.8
    )
    neck = _fill("M-12 2c-6-2-8-8-6-14l5 1c-1 5 1 8 6 9z", GREEN, BLACK, 0.5)
    head = (
        _disk(-16, -13, 3.6, RED, BLACK)
        + _fill("M-19-14l-5 2 5 1.500z", GOLD)
        + _line("M-15-16c1-4 4-6 7-6M-15-16c0-4 1-7 4-9", GOLD, 1)
    )
    return plumes + far + body + wing + bars + neck + head + _disk(-16.8, -13.6, 0.8, BLACK)


def _december(k: int) -> str:
    leaves = _broad_leaf(16, 76, 0.95, -12) + _broad_leaf(44, 76, 0.95, 12) + _broad_leaf(30, 82, 0.8)
    if k == 1:
        low = _broad_leaf(14, 82, 0.7, -14) + _broad_leaf(46, 82, 0.7, 14) + _spike(30, 66, 4)
        return low + _at(_phoenix(), 30, 36, 1.05)
    spikes = _spike(30, 20, 9) + _spike(15, 36, 6) + _spike(45, 36, 6)
    ground = ""
    if k == 2:
        ground = _fill("M2.400 70h55.200V90.600a3 3 0 0 1-3 3H5.400a3 3 0 0 1-3-3z", YELLOW)
    if k == 4:
        spikes = _spike(20, 18, 9) + _spike(42, 26, 8)
    return ground + spikes + leaves


_MONTHS = (
    _january,
    _february,
    _march,
    _april,
    _may,
    _june,
    _july,
    _august,
    _september,
    _october,
    _november,
    _december,
)


# --- The deck on one page ---------------------------------------------------------------------------------------------


def deck_svg() -> str:
    """All 48 cards: two months a row, each with its name, its flower and the flower's Latin name."""
    cell, label = (WIDTH + 6), 22
    width, height = 2 * (4 * cell + 26) + 6, 6 * (HEIGHT + label + 12) + 12
    parts = [rect(0, 0, width, height, class_="kk-table")]
    for month in range(12):
        column, row = month % 2, month // 2
        left, top = 16 + column * (4 * cell + 20), 10 + row * (HEIGHT + label + 12)
        common, latin = FLOWERS[month]
        parts.append(text(f"{MONTH_NAMES[month]}: {common}, {latin}", left, top + 12, 7, "kk-ink"))
        for k in range(1, 5):
            card = f"{month + 1}-{k}"
            title = element("title", f"{describe_card(card)} ({kind_of(card)})")
            parts.append(group(title, face(card), x=left + (k - 1) * cell, y=top + label))
    style = stylesheet({"kk-table": "fill:#e9e4d6", "kk-ink": "stroke:#2a2624"} | CLASSES)
    return document(width, height, *parts, style=style, title="The 48 flower cards")


def main(arguments: Sequence[str] | None = None) -> None:
    """Draw the deck as ``.svg``."""
    parser = argparse.ArgumentParser(prog="python -m hanafuda_env.faces", description=main.__doc__)
    parser.add_argument("out", type=Path, help="file to write")
    write_text(parser.parse_args(arguments).out, deck_svg())


if __name__ == "__main__":
    main()
