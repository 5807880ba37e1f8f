"""The cards of Ikebana, and the colors of its pictures.

A card shows as many flowers as its value. Each color has its own flower, so that readers need not distinguish colors:
lily (black), camellia (red), clover (green), bellflower (blue), daisy (yellow). A joker's flower has a petal of each
color.
"""

from hanabako.drawing.svg import Symbols, Theme, element, group, rect, stylesheet, text
from ikebana_env.drawing.table_view import HIDDEN

__all__ = ["CARD_HEIGHT", "CARD_WIDTH", "back", "card_on_table", "empty_place", "style"]

CARD_WIDTH, CARD_HEIGHT = 72, 100

# Fill and edge of a flower: Okabe and Ito's hues.
COLORS = {
    "K": ("#3a3d49", "#15171d"),
    "R": ("#d5502b", "#8f2a10"),
    "G": ("#0b9a6d", "#045840"),
    "B": ("#3a6fc4", "#15336b"),
    "Y": ("#efb92a", "#a87d00"),
}
JOKER_PETALS = "KRGBY"

# A petal that points up from the origin, about 10 units long, and how many make a flower.
PETALS = {
    "K": (6, "M0 0C-3.4-3-3-7.5 0-10.5C3-7.5 3.4-3 0 0z"),
    "R": (5, "M0 0C-5.5-2-5.5-9.5 0-9.6C5.5-9.5 5.5-2 0 0z"),
    "G": (4, "M0 0C-7-3-6-10-2.6-10C-1-10 0-8.6 0-8C0-8.6 1-10 2.6-10C6-10 7-3 0 0z"),
    "B": (5, "M0 0C-3.6-1.5-5-5-3.8-7L0-10.8L3.8-7C5-5 3.6-1.5 0 0z"),
    "Y": (10, "M0 0C-2-3-2.2-9.6 0-10C2.2-9.6 2-3 0 0z"),
    "J": (5, "M0 0C-4.8-2-5-9.8 0-10C5-9.8 4.8-2 0 0z"),
}

# The positions of the flowers on a card of each value.
PLACES = {
    1: ((36, 56),),
    2: ((24, 40), (48, 74)),
    3: ((36, 34), (22, 70), (50, 70)),
    4: ((23, 40), (49, 40), (23, 74), (49, 74)),
    5: ((21, 36), (51, 36), (36, 57), (21, 79), (51, 79)),
}

_CLASSES = {
    "ik-table": "fill:#f1eee6",
    "ik-panel": "fill:#fdfcf9;stroke:#e2ddd0",
    "ik-turn": "fill:#fdfcf9;stroke:#3c4252;stroke-width:2",
    "ik-ink": "stroke:#262a34",
    "ik-soft": "stroke:#656b79",
    "ik-solid": "fill:#262a34",
    "ik-card": "fill:#fffefb;stroke:#bfb9a9;stroke-width:1.3",
    "ik-under": "fill:#e9e5da;stroke:#bfb9a9;stroke-width:1.1",
    "ik-slot": "fill:none;stroke:#d6d1c4;stroke-width:1.5;stroke-dasharray:5 5",
    "ik-back": "fill:#dfe5dc;stroke:#a9b8a6;stroke-width:1.4",
    "ik-leaf": "fill:none;stroke:#9fb29b;stroke-width:1.6;stroke-linecap:round",
    "ik-numeral": "stroke:#262a34",
    "ik-heart": "fill:#fff3c4;stroke:#a87d00;stroke-width:.8",
} | {
    f"ik-{color}": f"fill:{fill};stroke:{edge};stroke-width:.8;stroke-linejoin:round"
    for color, (fill, edge) in COLORS.items()
}
_DARK = {
    "ik-table": "fill:#14161e",
    "ik-panel": "fill:#1d202b;stroke:#2c3040",
    "ik-turn": "fill:#1d202b;stroke:#c9ccd6;stroke-width:2",
    "ik-ink": "stroke:#eceae4",
    "ik-soft": "stroke:#979dab",
    "ik-solid": "fill:#eceae4",
    "ik-slot": "fill:none;stroke:#3d4354;stroke-width:1.5;stroke-dasharray:5 5",
    "ik-under": "fill:#3a3f4f;stroke:#565d70;stroke-width:1.1",
    "ik-back": "fill:#2a332d;stroke:#52634f;stroke-width:1.4",
    "ik-leaf": "fill:none;stroke:#5d7458;stroke-width:1.6;stroke-linecap:round",
    "ik-card": "fill:#efede6;stroke:#8d8878;stroke-width:1.3",
}


def style(theme: Theme = "auto") -> str:
    """Return the CSS of every picture of Ikebana."""
    return stylesheet(_CLASSES, _DARK, theme)


def empty_place(symbols: Symbols) -> str:
    """Draw the outline of a missing card."""
    return symbols.use("slot", lambda: rect(0, 0, CARD_WIDTH, CARD_HEIGHT, 7, class_="ik-slot"))


def back(symbols: Symbols) -> str:
    """Draw the back of a card, with a twig."""
    twig = "M36 84C34 62 37 40 36 20M36 66C28 64 24 58 22 50M36 54C44 52 48 46 50 38M36 40C30 38 27 33 26 27"

    def draw() -> str:
        return rect(0, 0, CARD_WIDTH, CARD_HEIGHT, 7, class_="ik-back") + element("path", d=twig, class_="ik-leaf")

    return symbols.use("back", draw)


def card_on_table(card: str, symbols: Symbols) -> str:
    """Draw a card, given by its name, with as many flowers as its value."""
    if card == HIDDEN:
        return back(symbols)
    color, value = card[0], int(card[1])

    def draw() -> str:
        face = rect(0, 0, CARD_WIDTH, CARD_HEIGHT, 7, class_="ik-card")
        numeral = text(str(value), 7, 18, 9, "ik-numeral", bold=True)
        scale = {1: 2.3, 2: 1.6, 3: 1.35}.get(value, 1.15)
        flowers = [
            group(symbols.use(f"flower-{color}", lambda: _flower(color)), x=x, y=y, scale=scale)
            for x, y in PLACES[value]
        ]
        return "".join([face, numeral, *flowers])

    return symbols.use(f"card-{card}", draw)


def _flower(color: str) -> str:
    """Draw a flower around the origin, about 20 units wide."""
    count, path = PETALS[color]
    petals = [
        element(
            "path",
            d=path,
            class_=f"ik-{JOKER_PETALS[k] if color == 'J' else color}",
            transform=f"rotate({360 * k // count})" if k else None,
        )
        for k in range(count)
    ]
    return "".join([*petals, element("circle", r=2.6, class_="ik-heart")])
