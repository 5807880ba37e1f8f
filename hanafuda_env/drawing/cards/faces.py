"""The 48 cards as vector drawings: the month's flower, with the animal, ribbon or light on the card.

    face("1-1")      # crane and sun among pines, `WIDTH` by `HEIGHT`

Each drawing has only a few shapes and needs no font. `python -m hanafuda_env.drawing.cards.faces cards.svg` draws the
deck, with the name of each month's flower in English and Latin. The colors are those of printed decks, and are the same
in both color schemes.
"""

from collections.abc import Sequence
from pathlib import Path

from hanabako.drawing.svg import document, element, group, number, rect, stylesheet, text
from hanabako.files import write_text
from hanafuda_env.drawing.cards.january_to_june import april, february, january, june, march, may
from hanafuda_env.drawing.cards.july_to_december import august, december, july, november, october, september
from hanafuda_env.drawing.cards.names import FLOWERS, MONTH_NAMES, describe_card, kind_of
from hanafuda_env.drawing.cards.pen import BLACK, PAPER
from hanafuda_env.words.notation import str_to_card

__all__ = ["CLASSES", "HEIGHT", "WIDTH", "face"]

MONTHS = (january, february, march, april, may, june, july, august, september, october, november, december)
WIDTH, HEIGHT = 60, 96
EDGE = 1.8  # the drawing is cut off at this distance from the edge, and the frame covers the cut

CLASSES = {"kk-paper": f"fill:{PAPER}", "kk-frame": f"fill:none;stroke:{BLACK};stroke-width:2.4"}


def face(card: str) -> str:
    """Draw a card, `WIDTH` by `HEIGHT`. Raises ``ValueError`` if there is no such card."""
    str_to_card(card)
    month, _, k = card.partition("-")
    paper = rect(1.2, 1.2, WIDTH - 2.4, HEIGHT - 2.4, 4, class_="kk-paper")
    inside = {"x": EDGE, "y": EDGE, "width": WIDTH - 2 * EDGE, "height": HEIGHT - 2 * EDGE}
    window = element("svg", MONTHS[int(month) - 1](int(k)), viewBox=" ".join(map(number, inside.values())), **inside)
    return paper + window + rect(1.2, 1.2, WIDTH - 2.4, HEIGHT - 2.4, 4, class_="kk-frame")


# --- The deck on one page ---------------------------------------------------------------------------------------------


def deck_svg() -> str:
    """Draw all 48 cards: two months per row, each with its name, its flower and the flower's Latin name."""
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


def draw_deck(out: Path, /) -> None:
    """Draw the deck as an SVG file.

    Args:
        out: the file to write.
    """
    write_text(out, deck_svg())


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line."""
    import tyro  # imported here, because only the command line needs it

    tyro.cli(draw_deck, args=arguments, prog="python -m hanafuda_env.drawing.cards.faces")


if __name__ == "__main__":
    main()
