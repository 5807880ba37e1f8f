"""The 48 cards as vector drawings: every month its flower, with what else is on the card."""

from env_core.svg import rect, text
from hanafuda_env.table import kind_of

WIDTH, HEIGHT = 60, 96

CLASSES = {
    "kk-paper": "fill:#faf6ea;stroke:#2b2622;stroke-width:1.6",
    "kk-label": "stroke:#2b2622",
}


def face(card: str) -> str:
    """A card, `WIDTH` by `HEIGHT`."""
    return rect(0, 0, WIDTH, HEIGHT, 5, class_="kk-paper") + text(
        f"{card} {kind_of(card)[0]}", WIDTH / 2, 50, 9, "kk-label", anchor="middle"
    )
