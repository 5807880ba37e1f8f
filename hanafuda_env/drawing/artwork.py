"""Koi-Koi's cards on the table, face up or face down, and the colors of its pictures."""

from hanabako.drawing.svg import Symbols, Theme, element, group, rect, stylesheet
from hanafuda_env.drawing.cards import faces

__all__ = ["CARD_HEIGHT", "CARD_WIDTH", "card_on_table", "style"]

CARD_WIDTH, CARD_HEIGHT = faces.WIDTH, faces.HEIGHT

_CLASSES = {
    "kk-table": "fill:#e9e4d6",
    "kk-panel": "fill:#f7f4ec;stroke:#d8d0bd",
    "kk-turn": "fill:none;stroke:#5a2a27;stroke-width:2",
    "kk-ink": "stroke:#2a2624",
    "kk-soft": "stroke:#75695e",
    "kk-solid": "fill:#5a2a27",
    "kk-back": "fill:#6d2f2c;stroke:#3e1715;stroke-width:1.6",
    "kk-weave": "fill:none;stroke:#8e4a44;stroke-width:1.4",
    "kk-slot": "fill:none;stroke:#cfc6b2;stroke-width:1.4",
    "kk-new": "fill:none;stroke:#d9822b;stroke-width:3",
    "kk-full": "fill:#b5372c",
    "kk-open": "fill:none;stroke:#b9ad97;stroke-width:1.4",
    "kk-lost": "fill:none;stroke:#d5ccba;stroke-width:1.2;stroke-dasharray:2 2",
} | faces.CLASSES
_DARK = {
    "kk-table": "fill:#191613",
    "kk-panel": "fill:#24201c;stroke:#3a342d",
    "kk-turn": "fill:none;stroke:#e0b08a;stroke-width:2",
    "kk-ink": "stroke:#efe9de",
    "kk-soft": "stroke:#a79c8d",
    "kk-solid": "fill:#e0b08a",
    "kk-slot": "fill:none;stroke:#463f37;stroke-width:1.4",
    "kk-open": "fill:none;stroke:#6b6155;stroke-width:1.4",
    "kk-lost": "fill:none;stroke:#463f37;stroke-width:1.2;stroke-dasharray:2 2",
}


def style(theme: Theme = "auto") -> str:
    """Return the CSS of every Koi-Koi picture. The cards have the same colors in both color schemes."""
    return stylesheet(_CLASSES, _DARK, theme)


def card_on_table(card: str | None, symbols: Symbols, x: float, y: float, scale: float, new: bool = False) -> str:
    """Draw a card, or the back of a hidden card (None); ``new`` adds a ring."""
    drawn = symbols.use("back", _back) if card is None else symbols.use(f"c{card}", lambda: faces.face(card))
    ring = symbols.use("ring", _ring) if new else ""
    return group(drawn, ring, x=x, y=y, scale=scale)


def _back() -> str:
    weave = "".join(f"M{x} 8v{CARD_HEIGHT - 16}" for x in range(12, CARD_WIDTH - 8, 9))
    weave += "".join(f"M8 {y}h{CARD_WIDTH - 16}" for y in range(12, CARD_HEIGHT - 8, 9))
    return rect(0, 0, CARD_WIDTH, CARD_HEIGHT, 5, class_="kk-back") + element("path", d=weave, class_="kk-weave")


def _ring() -> str:
    return rect(-3, -3, CARD_WIDTH + 6, CARD_HEIGHT + 6, 8, class_="kk-new")
