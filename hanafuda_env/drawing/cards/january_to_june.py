"""The cards of the first half of the year: a month's flower, alone or with a figure or ribbon.

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
    DEEP,
    GOLD,
    GREEN,
    LEAF,
    LILAC,
    MOSS,
    PINK,
    RED,
    ROSE,
    VIOLET,
    WHITE,
    YELLOW,
    around,
    at,
    disk,
    fill,
    line,
    numbers,
    oval,
)

# --- January: pine ----------------------------------------------------------------------------------------------------


def _fan(x: float, y: float, radius: float) -> str:
    """A tuft of needles, seen from the side."""
    d = f"M{number(x - radius)} {number(y)}a{number(radius)} {number(radius)} 0 0 1 {number(2 * radius)} 0z"
    rays = "".join(
        f"M{number(x)} {number(y)}L{number(x + radius * math.cos(a))} {number(y - radius * math.sin(a))}"
        for a in (0.35 + 0.35 * i for i in range(8))
    )
    return fill(d, GREEN, BLACK, 0.6) + line(rays, LEAF, 0.55)


def _pines(places: Sequence[tuple[float, float, float]]) -> str:
    """A trunk with a tuft at every position (x, y, radius)."""
    trunk = line("M4 94C18 84 20 74 32 70S48 54 56 46M31 71C26 62 22 48 24 20M25 50C32 44 40 40 46 26", BARK, 2.4)
    twigs = "".join(f"M{number(x)} {number(y)}l{number((28 - x) * 0.3)} {number(r * 0.8)}" for x, y, r in places)
    return trunk + line(twigs, BARK, 1.2) + "".join(_fan(*place) for place in places)


def january(k: int) -> str:
    """Pine: crane and sun, poetry ribbon, two plain."""
    if k == 1:
        sun = disk(41, 22, 13, RED)
        return (
            sun
            + _pines([(14, 62, 9), (50, 60, 8), (26, 90, 11), (46, 90, 10), (10, 88, 6)])
            + at(figures.crane(), 31, 54, 1.15)
        )
    tufts = [(15, 40, 10), (42, 30, 11), (30, 60, 12), (48, 62, 8), (18, 86, 11), (43, 88, 12)]
    if k == 2:
        return _pines(tufts) + figures.ribbon(RED, has_poem=True)
    return _pines(
        tufts if k == 3 else [(30, 24, 12), (14, 46, 9), (46, 50, 10), (24, 72, 13), (48, 80, 9), (12, 90, 8)]
    )


# --- February: plum; March: cherry ------------------------------------------------------------------------------------


def _blossom(x: float, y: float, radius: float, petal: str, heart: str, notched: bool = False) -> str:
    """Five petals around a heart; a cherry's are notched."""
    r = radius
    one = element("circle", cy=-r * 0.62, r=r * 0.5, fill=petal, stroke=DEEP, stroke_width=0.35)
    if notched:
        left = f"C{numbers(-r, -r * 0.5, -r * 0.6, -r * 1.1, -r * 0.2, -r)}L{numbers(0, -r * 0.8)}"
        right = f"L{numbers(r * 0.2, -r)}C{numbers(r * 0.6, -r * 1.1, r, -r * 0.5, 0, 0)}"
        one = fill(f"M0 0{left}{right}z", petal, DEEP, 0.35)
    stamens = around(x, y, 7, line(f"M0 0v{number(-r * 0.5)}", heart, 0.5))
    return around(x, y, 5, one) + stamens + disk(x, y, r * 0.2, heart)


def _plums(places: Sequence[tuple[float, float, float]]) -> str:
    """Boughs with a blossom at every position (x, y, radius)."""
    wood = line("M8 92c4-18 16-22 18-36s14-18 20-34M25 60c10-2 18 0 26-8M20 74c-6-4-9-10-9-18", BARK, 2.4)
    buds = "".join(disk(x, y, 2, RED, DEEP) for x, y in ((48, 18), (52, 51), (10, 55), (30, 40)))
    return wood + buds + "".join(_blossom(x, y, r, RED, YELLOW) for x, y, r in places)


def february(k: int) -> str:
    """Plum: bush warbler, poetry ribbon, two plain."""
    places = [(44, 24, 7), (20, 34, 8), (40, 44, 8), (16, 58, 7), (36, 66, 8), (22, 82, 8), (48, 82, 6.5)]
    if k == 1:
        return _plums([(44, 16, 6), (15, 44, 7), (43, 62, 7.5), (20, 80, 8), (46, 84, 7)]) + at(
            figures.bird(MOSS, YELLOW, GOLD), 28, 34, 1.1
        )
    if k == 2:
        return _plums(places) + figures.ribbon(RED, has_poem=True)
    return _plums(places if k == 3 else [(40, 30, 9), (18, 44, 8), (42, 60, 7.5), (20, 70, 8), (40, 84, 8)])


def _cherries(places: Sequence[tuple[float, float, float]]) -> str:
    """Boughs with a blossom at every position (x, y, radius)."""
    wood = line("M56 8C42 18 26 16 6 26M50 44c-14 6-28 4-42 14M52 80c-14 2-24-2-40 8", BARK, 1.8)
    leaves = "".join(
        oval(x, y, 4.5, 1.8, MOSS, a) for x, y, a in ((12, 14, 30), (50, 30, -30), (10, 72, 20), (50, 62, 30))
    )
    return wood + leaves + "".join(_blossom(x, y, r, PINK, DEEP, notched=True) for x, y, r in places)


def _curtain() -> str:
    """The curtain of a cherry-viewing party, with crests."""
    cloth = fill("M3.5 56c8 4 18 5 26.500 2s18-3 26.500 0v33H3.500z", VIOLET, BLACK, 0.8)
    stripes = "".join(fill(f"M{x} 58.500h6v33h-6z", WHITE) for x in (9, 24, 39))
    crests = "".join(_blossom(x, 77, 4.2, PINK, DEEP, notched=True) for x in (19.5, 34.5, 49))
    hem = fill("M3.500 53c9 4 18 5 26.500 2s18-3 26.500 0v5c-9-3-18-2-26.500 1s-18 2-26.500-2z", RED, BLACK, 0.7)
    return cloth + stripes + crests + hem


def march(k: int) -> str:
    """Cherry: curtain, poetry ribbon, two plain."""
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
        return "".join(_blossom(x, y, r, PINK, DEEP, notched=True) for x, y, r in crowd) + _curtain()
    if k == 2:
        return _cherries(places) + figures.ribbon(RED, has_poem=True)
    return _cherries(places if k == 3 else [(x, 98 - y, r) for x, y, r in places])


# --- April: wisteria; May: iris ---------------------------------------------------------------------------------------


def _raceme(x: float, y: float, length: int) -> str:
    """A hanging bunch of flowers, narrower below."""
    rows = []
    for i in range(length):
        width = 5.2 * (1 - i / (length + 1)) + 0.8
        rows += [
            oval(x + s * width * 0.6, y + 4.4 * i, width * 0.62, 2.3, VIOLET if (i + s) % 2 else LILAC) for s in (-1, 1)
        ]
    return line(f"M{number(x)} {number(y - 5)}v{number(4.4 * length + 3)}", MOSS, 0.8) + "".join(rows)


def _wisteria(bunches: Sequence[tuple[float, float, int]]) -> str:
    """A vine with hanging bunches (x, y, length)."""
    vine = line("M4 10C18 4 30 16 56 8", BARK, 2.2) + line("M12 9c-3 6 2 8-3 13M46 10c3 5-1 8 3 12", MOSS, 0.9)
    leaves = "".join(
        oval(x, y, 5, 1.9, GREEN, a)
        for x, y, a in ((10, 17, 50), (20, 15, -40), (33, 17, 40), (44, 15, -40), (52, 17, 60))
    )
    return vine + leaves + "".join(_raceme(*bunch) for bunch in bunches)


def april(k: int) -> str:
    """Wisteria: cuckoo, ribbon, two plain."""
    if k == 1:
        moon = disk(43, 27, 9.5, RED)
        return (
            moon
            + _wisteria([(10, 26, 9), (50, 50, 9), (24, 62, 6), (36, 66, 5)])
            + at(figures.cuckoo(), 31, 49, 0.95, -12)
        )
    bunches = [(11, 24, 12), (24, 22, 14), (38, 24, 13), (50, 22, 10)]
    if k == 2:
        return _wisteria(bunches) + figures.ribbon(RED)
    return _wisteria(bunches if k == 3 else [(12, 22, 9), (28, 26, 15), (45, 22, 12)])


def _iris_flower(x: float, y: float, scale: float = 1) -> str:
    """An iris flower with three kinds of petals: standing, hanging, and a middle one."""
    falls = "".join(
        fill(f"M0 2C{s * 4} -2 {s * 11} 0 {s * 11} 8c{s * -5} 2 {s * -9} 0 {s * -11} -6z", VIOLET, BLACK, 0.4)
        for s in (-1, 1)
    )
    middle = fill("M0 0c5 3 5 10 0 14-5-4-5-11 0-14z", BLUE, BLACK, 0.4) + line("M0 3v6", YELLOW, 1.3)
    standards = "".join(
        fill(f"M0 2C{s * -1} -4 {s * 2} -10 {s * 6} -11c{s * 2} 6 0 11 {s * -6} 13z", LILAC, BLACK, 0.4)
        for s in (-1, 1)
    )
    return at(standards + falls + middle, x, y, scale)


def _blades(xs: Sequence[float], top: float = 34) -> str:
    """Tall leaves side by side."""
    drawn = []
    for i, x in enumerate(xs):
        tip = (x + (x - 30) * 0.15, top + 4 * (i % 3))
        left = f"M{numbers(x - 2, 92)}C{numbers(x - 2, 70, x + 1, top + 12, *tip)}"
        right = f"C{numbers(x + 3, top + 18, x + 3, 70, x + 2.5, 92)}"
        drawn.append(fill(f"{left}{right}z", GREEN if i % 2 else MOSS, BLACK, 0.4))
    return "".join(drawn)


def may(k: int) -> str:
    """Iris: plank bridge, ribbon, two plain."""
    if k == 1:
        water = line("M5 66c4-2 7 2 11 0M40 82c4-2 7 2 11 0M36 90c4-2 7 2 11 0", BLUE, 0.8)
        flowers = _iris_flower(16, 26) + _iris_flower(43, 32, 0.9)
        return water + _blades([10, 17, 47, 53], 26) + figures.bridge() + flowers
    flowers = _iris_flower(18, 26) + _iris_flower(43, 36) + _iris_flower(25, 52, 0.9)
    leaves = _blades([9, 16, 23, 30, 37, 44, 51])
    if k == 2:
        return leaves + flowers + figures.ribbon(RED)
    if k == 3:
        return leaves + flowers
    return leaves + _iris_flower(31, 22, 1.15) + _iris_flower(15, 44, 0.9) + _iris_flower(46, 50, 0.9)


# --- June: peony ------------------------------------------------------------------------------------------------------


def _peony(x: float, y: float, radius: float) -> str:
    """A peony: three rings of petals around a heart."""
    r = radius
    rings = [(8, r, r * 0.42, RED), (7, r * 0.66, r * 0.36, ROSE), (5, r * 0.34, r * 0.28, PINK)]
    petals = (
        around(x, y, count, element("circle", cy=-far * 0.72, r=size, fill=color, stroke=DEEP, stroke_width=0.5))
        for count, far, size, color in rings
    )
    return "".join(petals) + disk(x, y, r * 0.2, YELLOW, GOLD)


def _peony_leaf(x: float, y: float, turn: float, scale: float = 1) -> str:
    """A peony leaf with three lobes."""
    leaf = fill(
        "M0 0c-6-4-8-10-5-17 2 3 3 4 5 5-1-5 0-9 3-12 3 4 3 8 1 13 2-1 4-2 6-4 1 7-3 12-10 15z", GREEN, BLACK, 0.5
    )
    return at(leaf + line("M0 0c0-6 1-12 2-18M0-2c-3-3-4-6-4-9M1-4c3-2 5-5 7-8", LEAF, 0.6), x, y, scale, turn)


def june(k: int) -> str:
    """Peony: butterflies, blue ribbon, two plain."""
    if k == 1:
        low = _peony_leaf(12, 74, -40) + _peony_leaf(50, 74, 45) + _peony_leaf(30, 94, 0, 0.7) + _peony(30, 72, 17)
        return (
            low
            + at(figures.butterfly(YELLOW, RED), 20, 24, 0.95, -20)
            + at(figures.butterfly(LILAC, YELLOW), 42, 40, 0.8, 25)
        )
    leaves = _peony_leaf(12, 50, -50) + _peony_leaf(50, 44, 50) + _peony_leaf(14, 92, -20) + _peony_leaf(48, 92, 25)
    stem = line("M30 92c-2-20 2-30 0-50", MOSS, 1.6)
    if k == 2:
        return stem + leaves + _peony(30, 28, 17) + _peony(30, 70, 12) + figures.ribbon(BLUE)
    if k == 3:
        return stem + leaves + _peony(30, 34, 19) + _peony(40, 74, 11)
    return stem + leaves + _peony(20, 26, 13) + _peony(38, 56, 17)
