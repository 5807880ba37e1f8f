"""The cards of the second half of the year: a month's flower, alone or with a figure or ribbon.

A month's function draws its card ``k``, 1 to 4.
"""

import math
from collections.abc import Sequence

from hanabako.drawing.svg import element, number
from hanafuda_env.drawing.cards import figures
from hanafuda_env.drawing.cards.pen import (
    BARK,
    BLACK,
    BLUE,
    BROWN,
    DEEP,
    GOLD,
    GRAY,
    GREEN,
    LEAF,
    LILAC,
    MOSS,
    RED,
    SKY,
    TAN,
    VIOLET,
    WHITE,
    YELLOW,
    around,
    at,
    disk,
    fill,
    line,
    oval,
)

# --- July: bush clover ------------------------------------------------------------------------------------------------


def _clover(stems: Sequence[tuple[str, Sequence[tuple[float, float]]]]) -> str:
    """Arching stems with leaves in threes and small blossoms."""
    parts = []
    for d, places in stems:
        parts.append(line(d, BROWN, 1.1))
        for i, (x, y) in enumerate(places):
            color = RED if i % 2 else VIOLET
            parts += [
                oval(x + dx, y + dy, 3.1, 2.2, MOSS if i % 3 else GREEN, a)
                for dx, dy, a in ((-3, 1, 20), (3, 1, -20), (0, -2.6, 90))
            ]
            parts.append(disk(x, y + 2.6, 1.9, color, BLACK))
    return "".join(parts)


def july(k: int) -> str:
    """Bush clover: boar, ribbon, two plain."""
    left = ("M8 92C8 60 18 40 34 12", [(33, 16), (26, 27), (20, 39), (15, 52), (11, 66), (9, 80)])
    right = ("M30 92c4-24 10-40 24-56", [(50, 42), (44, 52), (39, 64), (34, 77)])
    if k == 1:
        top = ("M6 30C20 24 40 22 54 8", [(12, 28), (24, 24), (36, 20), (47, 13)])
        low = ("M6 60c8-12 26-18 46-22", [(14, 50), (28, 43), (44, 39)])
        return _clover([top, low]) + at(figures.boar(), 33, 71, 1.02)
    if k == 2:
        return _clover([left, right]) + figures.ribbon(RED)
    third = ("M52 92C50 70 40 54 22 44", [(27, 47), (38, 56), (46, 70)])
    return _clover([left, right] if k == 3 else [left, third])


# --- August: pampas; September: chrysanthemum -------------------------------------------------------------------------


def _hill(sky: str = "") -> str:
    """The dark hill of grass; ``sky`` is the drawing above it."""
    hill = fill("M2.400 62C16 46 42 44 57.600 60V90a3 3 0 0 1-3 3H5.400a3 3 0 0 1-3-3z", BLACK)
    grass = "".join(
        f"M{number(x)} {number(90 - (i % 3) * 6)}q{number(2 + i % 2)}-{number(9 + i % 4)} {number(6)}-{number(13)}"
        for i, x in enumerate(range(5, 52, 4))
    )
    plumes = "".join(f"M{x} {y}q3-8 8-10" for x, y in ((8, 58), (16, 53), (26, 50), (36, 51), (45, 55)))
    return sky + hill + line(grass, GRAY, 0.7) + line(plumes, TAN, 1.2)


def august(k: int) -> str:
    """Pampas grass: full moon, geese, two plain."""
    red_sky = fill("M2.400 5.400a3 3 0 0 1 3-3H54.600a3 3 0 0 1 3 3V66H2.400z", RED)
    if k == 1:
        return _hill(red_sky + disk(30, 31, 21, WHITE, GRAY))
    if k == 2:
        return _hill(figures.goose(19, 18, 0.85) + figures.goose(42, 27, 0.75) + figures.goose(24, 38, 0.7))
    reeds = line("M14 60C18 40 16 24 22 12M32 54c2-14 6-26 14-36M46 60c0-12 4-20 8-26", MOSS, 0.9)
    heads = "".join(
        line(f"M{x} {y}q{dx} 1 {dx * 2} 6M{x} {y + 4}q{dx} 1 {dx * 2} 6M{x - 1} {y + 8}q{dx} 1 {dx * 2} 6", TAN, 1.2)
        for x, y, dx in ((22, 12, -4), (46, 18, 4), (54, 34, -4))
    )
    return _hill(reeds + heads) if k == 3 else _hill(at(reeds + heads, 60, 0, 1, mirrored=True))


def _chrysanthemum(x: float, y: float, radius: float, color: str) -> str:
    """A chrysanthemum: two rings of narrow petals around a heart."""
    look = {"fill": color, "stroke": BLACK, "stroke_width": 0.35}

    def petals(count: int, length: float) -> str:
        return around(x, y, count, element("ellipse", cy=-length * 0.62, rx=radius * 0.15, ry=length * 0.38, **look))

    return petals(16, radius) + petals(10, radius * 0.6) + disk(x, y, radius * 0.2, GOLD, BROWN)


def _chrysanthemum_leaf(x: float, y: float, turn: float) -> str:
    """A chrysanthemum leaf with lobes and a stalk."""
    leaf = fill("M0 0c-5-2-7-5-7-9l3 1c-2-4-1-7 1-9l2 2c0-3 1-5 2-6 2 3 3 5 2 8l3-1c1 4 0 8-6 14z", GREEN, BLACK, 0.4)
    return at(leaf + line("M0 0c0-6 0-10 1-16", LEAF, 0.6), x, y, 1.05, turn)


def september(k: int) -> str:
    """Chrysanthemum: sake cup, blue ribbon, two plain."""
    leaves = "".join(
        _chrysanthemum_leaf(*place) for place in ((12, 56, -50), (50, 52, 50), (14, 90, -20), (46, 90, 30), (30, 58, 5))
    )
    stem = line("M30 92c2-18-4-30 0-56M30 70c8-6 12-8 15-16", MOSS, 1.4)
    if k == 1:
        top = _chrysanthemum_leaf(12, 40, -60) + _chrysanthemum_leaf(48, 40, 60)
        low = _chrysanthemum_leaf(10, 92, -30) + _chrysanthemum_leaf(50, 92, 30)
        return top + low + _chrysanthemum(19, 22, 13, YELLOW) + _chrysanthemum(43, 28, 11, RED) + figures.sake_cup()
    if k == 2:
        return (
            stem
            + leaves
            + _chrysanthemum(20, 26, 14, YELLOW)
            + _chrysanthemum(42, 66, 13, YELLOW)
            + figures.ribbon(BLUE)
        )
    if k == 3:
        return stem + leaves + _chrysanthemum(22, 26, 15, YELLOW) + _chrysanthemum(42, 60, 12, RED)
    return stem + leaves + _chrysanthemum(38, 28, 15, RED) + _chrysanthemum(18, 62, 12, YELLOW)


# --- October: maple; November: willow ---------------------------------------------------------------------------------


def _maple_leaf(x: float, y: float, scale: float, turn: float, color: str = RED) -> str:
    """A maple leaf with seven points and veins."""
    leaf = "M0 9L-2 3-8 8-6.500 3-12 3-8-1-13-5-7-5-8-11-3-7 0-14 3-7 8-11 7-5 13-5 8-1 12 3 6.500 3 8 8 2 3z"
    veins = line("M0 10V-9M0 4L-8-6M0 4L8-6M0 5L-8 2M0 5L8 2", DEEP if color == RED else BROWN, 0.6)
    return at(fill(leaf, color, BLACK, 0.5) + veins, x, y, scale, turn)


def _maples(leaves: Sequence[tuple[float, float, float, float]]) -> str:
    """Twigs with leaves (x, y, scale, turn) in two colors."""
    twigs = line("M4 12C20 16 34 30 56 30M30 24C26 44 36 60 28 92M30 56c8 2 16 8 26 8", BARK, 1.5)
    colors = (RED, GOLD, RED)
    return twigs + "".join(_maple_leaf(*leaf, colors[i % 3]) for i, leaf in enumerate(leaves))


def october(k: int) -> str:
    """Maple: deer, blue ribbon, two plain."""
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
        ) + at(figures.deer(), 28, 62, 1.08)
    if k == 2:
        return _maples(places) + figures.ribbon(BLUE)
    return _maples(places if k == 3 else [(60 - x, 100 - y, scale, turn) for x, y, scale, turn in places])


def _willow(xs: Sequence[float], color: str = MOSS) -> str:
    """Hanging twigs with narrow leaves."""
    parts = []
    for i, x in enumerate(xs):
        length = 52 + 9 * (i % 3)
        parts.append(
            line(f"M{number(x)} 4q{number(3 - 6 * (i % 2))} {number(length / 2)} 0 {number(length)}", GREEN, 0.9)
        )
        for j in range(3, length // 7):
            y, side = 4 + 7 * j, 1 if j % 2 else -1
            parts.append(
                oval(
                    x + 2.4 * side + (1.5 - 3 * (i % 2)) * math.sin(math.pi * y / length), y, 3.2, 1.1, color, 60 * side
                )
            )
    return "".join(parts)


def november(k: int) -> str:
    """Willow: rain man, swallow, ribbon, lightning."""
    if k == 1:
        water = fill("M3 84c10-5 18 3 28-1s18-2 26 0v7a3 3 0 0 1-3 3H6a3 3 0 0 1-3-3z", SKY) + line(
            "M6 88c6-2 10 2 16 0s12-1 18 0", BLUE, 0.8
        )
        return _willow([8, 15, 52]) + water + at(figures.rain_man(), 33, 56, 1.02) + at(figures.frog(), 7, 80, 1)
    if k == 2:
        return _willow([9, 18, 27, 36, 45, 53]) + at(figures.swallow(), 27, 64, 1)
    if k == 3:
        return _willow([9, 18, 27, 36, 45, 53]) + figures.ribbon(RED)
    return figures.storm() + _willow([10, 47, 54], LEAF) + figures.lightning()


# --- December: paulownia ----------------------------------------------------------------------------------------------


def _spike(x: float, y: float, count: int) -> str:
    """An upright spike of bells."""
    bells = []
    for i in range(count):
        width = 1.6 + 0.7 * i
        bells += [oval(x + s * width, y + 4.6 * i, 2.6, 2.1, LILAC if i % 2 else VIOLET, 30 * s) for s in (-1, 1)]
    return (
        line(f"M{number(x)} {number(y - 3)}v{number(4.6 * count + 4)}", MOSS, 1)
        + disk(x, y - 3, 1.8, VIOLET)
        + "".join(bells)
    )


def _broad_leaf(x: float, y: float, scale: float, turn: float = 0) -> str:
    """A paulownia leaf with five lobes and veins."""
    leaf = fill(
        "M0 12C-14 14-18 2-15-8-11-6-9-7-7-11-5-7-3-8 0-16 3-8 5-7 7-11 9-7 11-6 15-8 18 2 14 14 0 12z",
        MOSS,
        BLACK,
        0.6,
    )
    return at(
        leaf + line("M0 12V-10M0 8C-5 4-9 0-12-4M0 8C5 4 9 0 12-4M0 3l-5-8M0 3l5-8", GREEN, 0.8), x, y, scale, turn
    )


def december(k: int) -> str:
    """Paulownia: phoenix, three plain."""
    leaves = _broad_leaf(16, 76, 0.95, -12) + _broad_leaf(44, 76, 0.95, 12) + _broad_leaf(30, 82, 0.8)
    if k == 1:
        low = _broad_leaf(14, 82, 0.7, -14) + _broad_leaf(46, 82, 0.7, 14) + _spike(30, 66, 4)
        return low + at(figures.phoenix(), 30, 36, 1.05)
    spikes = _spike(30, 20, 9) + _spike(15, 36, 6) + _spike(45, 36, 6)
    ground = ""
    if k == 2:
        ground = fill("M2.400 70h55.200V90.600a3 3 0 0 1-3 3H5.400a3 3 0 0 1-3-3z", YELLOW)
    if k == 4:
        spikes = _spike(20, 18, 9) + _spike(42, 26, 8)
    return ground + spikes + leaves
