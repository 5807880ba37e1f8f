"""The figures on a card besides its flower: a ribbon, an animal, a person, a thing or a light."""

from hanabako.drawing.svg import element
from hanafuda_env.drawing.cards.pen import (
    BARK,
    BLACK,
    BLUE,
    BROWN,
    DEEP,
    GOLD,
    GRAY,
    GREEN,
    RED,
    ROSE,
    TAN,
    WHITE,
    YELLOW,
    around,
    at,
    disk,
    fill,
    line,
    oval,
)

# --- Ribbons and people ----------------------------------------------------------------------------------------------


def ribbon(color: str, has_poem: bool = False) -> str:
    """A ribbon across the card; in the first three months it has a poem."""
    band = fill("M17 20l24-3 2 28-4 14 3 20-23 3-3-18 4-17z", color, BLACK, 0.9)
    sheen = line("M21 24l-1 20M40 21l2 24", WHITE, 0.5)
    strokes = "M30 27v6m-2.5-4h5M29 37c3-1 4 1 1 3s-2 4 2 3M30 49v7m-3-5l6-1M29 62c3 0 4 2 1 4s0 4 3 3"
    return band + sheen + (line(strokes, BLACK, 1.3) if has_poem else "")


def rain_man() -> str:
    """A nobleman under an umbrella, looking at the frog that jumps at a willow twig."""
    shade = fill("M-22-14C-20-28 18-30 22-14-10-10-18-9-22-14z", BLUE, BLACK, 0.7)
    ribs = line("M0-26l-14 12M0-26l-4 14M0-26l6 13M0-26l14 12M0-29v4", BLACK, 0.7)
    stick = line("M0-25L3 8", BARK, 1.4)
    robe = fill("M-6-4c4-3 10-3 13 1l7 26c-8 4-20 4-28 0z", RED, BLACK, 0.7)
    folds = line("M-2 0l-6 24M4-1l2 26M0 12l10 3", DEEP, 0.8) + fill("M-3-4l4 8 4-8z", WHITE, BLACK, 0.4)
    head = disk(1, -8, 4.4, "#f1cfa8", BLACK) + fill("M-4-10c0-6 9-7 10-1-3-1-7-1-10 1z", BLACK)
    feet = fill("M-10 23h6v3h-8zM6 23h6l2 3h-8z", BLACK)
    return shade + ribs + feet + robe + folds + head + stick


# --- Animals ----------------------------------------------------------------------------------------------------------


def crane() -> str:
    """A crane with its head up to the left and folded wings."""
    tail = fill("M4 6c5 0 9 3 11 8l-6-2 2 4-5-3-1 3c-3-4-4-8-1-10z", BLACK)
    body = fill("M-9 2c3-6 12-7 17 0 2 4 0 8-5 9-7 1-12-3-12-9z", WHITE, BLACK, 0.6)
    wing = line("M-5 3c4 1 8 3 11 7M-2 1c4 1 7 3 9 6", GRAY, 0.7)
    neck = line("M-7 4c-5-4-1-9-4-14", WHITE, 3.2) + line("M-9 1c-3-4 0-7-2-10", BLACK, 1.5)
    head = oval(-11.5, -11, 2.6, 2, WHITE) + fill("M-14-13c1-2 4-2 5 0z", RED) + fill("M-13.5-11.5l-6 1.5 6 .6z", GOLD)
    legs = line("M-1 11l-2 13m4-13l1 13m-5 0h4m1 0h3", BLACK, 0.9)
    return tail + legs + neck + body + wing + head + disk(-11.8, -11.3, 0.5, BLACK)


def bird(back: str, belly: str, beak: str) -> str:
    """A small sitting bird that looks left."""
    tail = fill("M9 3l14 7-3 2-13-4z", back, BLACK, 0.5)
    body = fill("M-12-3c2-7 12-8 18 0 5 6 4 10-2 11C-4 9-14 5-12-3z", belly, BLACK, 0.5)
    wing = fill("M-4-3c6-3 13 2 18 10-9 1-17-2-18-10z", back, BLACK, 0.5)
    head = disk(-9, -6, 5.2, back, BLACK) + fill("M-13.5-7l-5 1.6 4.8 1.4z", beak)
    return tail + body + wing + head + disk(-10.6, -7, 0.9, WHITE) + disk(-10.8, -7, 0.5, BLACK)


def cuckoo() -> str:
    """A cuckoo that flies down to the left."""
    far = fill("M2-2c2-10 8-15 17-18-1 8-4 15-10 20z", BROWN, BLACK, 0.5)
    tail = fill("M10 2l16 2-4 3 3 3-15-3z", BROWN, BLACK, 0.5)
    body = fill("M-15 1c4-6 16-8 26-1-2 7-14 10-26 1z", WHITE, BLACK, 0.5) + line(
        "M-4 3l2 3m2-4l2 4m2-4l2 3", GRAY, 0.8
    )
    near = fill("M-3-2c0-9 3-16 10-22 3 8 3 16-2 23z", RED, BLACK, 0.5)
    head = disk(-14, 0, 4.4, BROWN, BLACK) + fill("M-18-.5l-5 2 5 1.4z", GOLD)
    return far + tail + body + near + head + disk(-15.4, -0.8, 0.9, YELLOW)


def butterfly(wing: str, spot: str) -> str:
    """A butterfly with spread wings, seen from above."""
    half = (
        fill("M0 0C4-10 14-12 15-5 15 0 8 3 0 1z", wing, BLACK, 0.5)
        + fill("M0 1c6 0 12 4 9 9C6 13 1 8 0 2z", spot, BLACK, 0.5)
        + disk(10, -5, 1.8, spot)
    )
    body = oval(0, 1, 1.2, 5.5, BLACK) + line("M0-4c-1-4-3-6-5-7M0-4c1-4 3-6 5-7", BLACK, 0.6)
    return half + at(half, 0, 0, 1, mirrored=True) + body


def boar() -> str:
    """A boar that runs to the left."""
    body = fill("M-18 4c0-8 8-14 18-13 10 0 18 4 20 12 1 6-3 9-9 9-8 1-16 2-22-1-4-1-7-3-7-7z", BROWN, BLACK, 0.7)
    mane = line("M-8-8l-2-4m6 3l-1-4m6 3v-4m5 4l1-4m4 6l2-4", BLACK, 1.1)
    head = fill("M-12-4c-6 0-12 4-15 10l3 4c6 0 11-2 14-6z", BROWN, BLACK, 0.7)
    snout = oval(-26, 8, 1.6, 2.4, ROSE, 40) + fill("M-21 10l-3-5 4 3z", WHITE, BLACK, 0.4)
    ear = fill("M-12-4l1-6 4 5z", BARK, BLACK, 0.5)
    legs = "".join(fill(f"M{x} 11l{s} 8h3l1-8z", BARK, BLACK, 0.5) for x, s in ((-11, -3), (-5, 1), (8, -1), (13, 3)))
    bristles = line("M-4-2l4 2m2-4l4 2m2 2l4 2m-10 2l4 2m4-6l4 1", BLACK, 0.6)
    return (
        legs
        + body
        + mane
        + head
        + snout
        + ear
        + bristles
        + line("M20 0c3-1 4-4 3-6", BLACK, 1)
        + disk(-17, 0, 0.9, RED)
    )


def goose(x: float, y: float, scale: float) -> str:
    """A goose that flies to the left."""
    wings = fill("M0 0C-5-8-12-9-18-7-12-5-8-1-3 3zM1 0C5-9 12-11 18-10 13-6 9-2 4 3z", BROWN, BLACK, 0.5)
    body = oval(1, 2, 7, 2.6, TAN, -8) + line("M-5 2c-4 0-6 2-9 2", TAN, 2) + disk(-14, 4, 1.6, BROWN)
    return at(wings + body, x, y, scale)


def deer() -> str:
    """A standing deer that looks back to the right."""
    legs = "".join(
        fill(f"M{x} 10l{s} 17h2.400l2-17z", TAN, BLACK, 0.5) for x, s in ((-13, -1), (-8, 1), (6, -1), (11, 0))
    )
    body = fill("M-17 2c-1-7 5-10 12-9 6 0 12-1 17-5l5 8c1 8-2 13-9 15-8 2-16 2-21 0-3-2-4-5-4-9z", TAN, BLACK, 0.6)
    neck = fill("M8-3c2-6 3-11 2-16l8 1c-1 8 0 14-2 20z", TAN, BLACK, 0.6)
    head = fill("M9-20c-1-5 4-8 8-6l8 4c1 2 0 4-2 4-5 1-11 1-14-2z", TAN, BLACK, 0.6)
    antlers = line("M13-26c-3-4-3-8-1-12m-1 6l-4-3m9 8c1-4 4-7 5-11m-2 5l5-1", BROWN, 1.3)
    spots = "".join(disk(x, y, 1, WHITE) for x, y in ((-10, 0), (-5, -2), (0, -1), (-7, 4), (4, 1), (-1, 5)))
    ear = fill("M10-22l-5-3 3 5z", TAN, BLACK, 0.5)
    tail = fill("M-17 1c-3-1-5 1-5 4 3 1 5 0 6-2z", WHITE, BLACK, 0.5)
    return legs + tail + body + neck + antlers + ear + head + spots + disk(17, -22.5, 0.9, BLACK)


def frog() -> str:
    """A frog that jumps to the right."""
    return fill("M0 0c1-4 7-5 9-1l3 4-4-1-2 3-1-3-4 2z", GREEN, BLACK, 0.4)


def swallow() -> str:
    """A swallow that dives to the left."""
    wings = fill("M0 0C6-10 16-14 24-12 18-6 12 0 4 4zM-2 2c-2 8 0 16 6 22 3-8 3-16 0-22z", BLACK, GRAY, 0.5)
    tail = fill("M8 4l20 10-12-2 8 8-18-13z", BLACK, GRAY, 0.5)
    body = fill("M-12 2c3-5 14-6 22 2-6 6-18 6-22-2z", YELLOW, BLACK, 0.5)
    head = disk(-11, 1, 4.2, RED, BLACK) + fill("M-15 0l-5 1.500 5 1.500z", GOLD)
    return tail + wings + body + head + disk(-12.4, 0, 0.8, WHITE)


def phoenix() -> str:
    """A phoenix with a long tail that flies to the left."""
    colors = (RED, GOLD, BLUE)
    plumes = "".join(
        fill(
            f"M8 4C{20 + 2 * i} {8 + 7 * i} {18 - 4 * i} {26 + 5 * i} {26 - 9 * i} {36 + 4 * i}"
            f" {12 - 6 * i} {28 + 4 * i} {8 - 3 * i} {14 + 4 * i} 4 6z",
            color,
            BLACK,
            0.5,
        )
        for i, color in enumerate(colors)
    )
    wing = fill("M-2-2C4-16 16-24 26-22 24-18 25-16 22-14 23-11 21-9 18-8 18-4 14-1 8 3z", GOLD, BLACK, 0.6)
    bars = line("M4-4C10-12 16-16 22-19M7-1C12-7 16-11 21-13", RED, 1.2)
    far = fill("M-6-2C-10-12-6-20 2-25c1 8 1 14-2 20z", RED, BLACK, 0.6)
    body = fill("M-12 0c2-7 14-8 22 2-2 7-16 9-22-2z", YELLOW, BLACK, 0.6) + line("M-6 1l2 3m2-5l2 4m2-3l2 3", RED, 0.8)
    neck = fill("M-12 2c-6-2-8-8-6-14l5 1c-1 5 1 8 6 9z", GREEN, BLACK, 0.5)
    head = (
        disk(-16, -13, 3.6, RED, BLACK)
        + fill("M-19-14l-5 2 5 1.500z", GOLD)
        + line("M-15-16c1-4 4-6 7-6M-15-16c0-4 1-7 4-9", GOLD, 1)
    )
    return plumes + far + body + wing + bars + neck + head + disk(-16.8, -13.6, 0.8, BLACK)


# --- Things and the weather -------------------------------------------------------------------------------------------


def bridge() -> str:
    """A bridge of planks with three bends."""
    posts = line("M14 86v7M30 78v8M44 68v7", BARK, 1.8)
    planks = "".join(
        fill(d, TAN, BLACK, 0.8)
        for d in ("M3.500 86l22-12 8 5-22 13z", "M20 74l14-14 9 4-14 15z", "M34 64l21-11 1.500 8-15 10z")
    )
    return posts + planks + line("M10 86l18-10M27 73l11-11M41 65l14-8", BROWN, 0.5)


def sake_cup() -> str:
    """A sake cup with the sign for long life."""
    cup = fill("M10 52h40c0 13-9 20-16 21v6h8v4H18v-4h8v-6C19 72 10 65 10 52z", RED, BLACK, 0.9)
    rim = element("ellipse", cx=30, cy=52, rx=20, ry=5.2, fill=DEEP, stroke=BLACK, stroke_width=0.8)
    return cup + rim + line("M30 60v10m-5-7h10m-9 4h8", GOLD, 1.4)


def storm() -> str:
    """A red night and its cloud."""
    night = fill("M2.400 5.400a3 3 0 0 1 3-3H54.600a3 3 0 0 1 3 3V90.600a3 3 0 0 1-3 3H5.400a3 3 0 0 1-3-3z", RED)
    return night + fill("M2.400 3h55.200v30c-6 6-14 2-18 8s-14 4-18-2-14 0-19.200-8z", BLACK)


def lightning() -> str:
    """A bolt of lightning, and the thunder god's drum."""
    bolt = fill("M34 26L22 52h9l-7 24 20-32h-10l9-18z", YELLOW, BLACK, 0.8)
    drum = around(15, 74, 6, element("circle", cy=-6.5, r=2.6, fill=BLACK, stroke=YELLOW, stroke_width=0.6))
    return bolt + drum + disk(15, 74, 4, YELLOW, BLACK)
