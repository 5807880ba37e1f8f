"""The drawing tools of the flower cards: colors, a few shapes, and functions that place a drawing."""

from hanabako.drawing.svg import element, group, number

PAPER = "#f7f0dc"
RED, DEEP, ROSE, PINK = "#c8321f", "#8e1f18", "#e2756b", "#f2b8b5"
GREEN, MOSS, LEAF = "#2f5a35", "#5d7f3a", "#86a84b"
VIOLET, LILAC, BLUE, SKY = "#5c3f7d", "#a58bc4", "#3c4f94", "#a9c3cf"
BROWN, BARK, TAN, GOLD, YELLOW = "#6b4226", "#46301f", "#c08a4e", "#e0a526", "#f0cf55"
WHITE, GRAY, BLACK = "#fffdf6", "#8d8a86", "#1c1a1d"


def numbers(*values: float) -> str:
    """Return the numbers of an SVG path as text."""
    return " ".join(map(number, values))


def fill(d: str, color: str, edge: str | None = None, width: float = 0.7) -> str:
    """Draw a filled area."""
    return element("path", d=d, fill=color, stroke=edge, stroke_width=width if edge else None, stroke_linejoin="round")


def line(d: str, color: str, width: float = 1.0) -> str:
    """Draw a stroke."""
    return element("path", d=d, fill="none", stroke=color, stroke_width=width, stroke_linecap="round")


def disk(x: float, y: float, radius: float, color: str, edge: str | None = None) -> str:
    """Draw a circle."""
    return element("circle", cx=x, cy=y, r=radius, fill=color, stroke=edge, stroke_width=0.7 if edge else None)


def oval(x: float, y: float, rx: float, ry: float, color: str, turn: float = 0) -> str:
    """Draw an ellipse, rotated about its center."""
    turned = f"rotate({number(turn)} {number(x)} {number(y)})" if turn else None
    return element("ellipse", cx=x, cy=y, rx=rx, ry=ry, fill=color, transform=turned)


def around(x: float, y: float, count: int, drawing: str) -> str:
    """Repeat a drawing ``count`` times, evenly around a point."""
    turns = (f"rotate({number(360 * i / count)})" for i in range(count))
    return group(*(element("g", drawing, transform=turn) for turn in turns), x=x, y=y)


def at(drawing: str, x: float, y: float, scale: float = 1, turn: float = 0, mirrored: bool = False) -> str:
    """Move a drawing to (x, y), rotate and scale it; ``mirrored`` swaps left and right."""
    steps = f"translate({number(x)} {number(y)})"
    steps += f"rotate({number(turn)})" if turn else ""
    steps += f"scale({number(-scale if mirrored else scale)} {number(scale)})"
    return element("g", drawing, transform=steps)
