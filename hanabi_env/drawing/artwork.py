"""The drawings of Hanabi's cards: the suits' colors and marks, cards face up, face down or partly known, bonus tiles.

Suits differ in color and in shape, so that readers need not distinguish colors. Repeated drawings are symbols (see
`hanabako.drawing.svg.Symbols`), which `render.py` puts on the table.
"""

from collections.abc import Mapping, Sequence

from hanabako.drawing.svg import Symbols, Theme, element, group, number, rect, stylesheet, text
from hanabi_env.drawing.table_view import CardView, TableView

CARD_WIDTH, CARD_HEIGHT, CARD_GAP = 76, 106, 8

# Fill and edge of a suit, and the ink of a numeral on it: Okabe and Ito's hues, dark enough for white numerals.
SUIT_COLORS = {
    "R": ("#cf4520", "#8f2a10", "#ffffff"),
    "Y": ("#f4c430", "#a87d00", "#2a2410"),
    "G": ("#0b8560", "#045840", "#ffffff"),
    "W": ("#fbfaf5", "#8b909c", "#30343f"),
    "B": ("#2350a0", "#15336b", "#ffffff"),
    "M": ("#5b3f8c", "#38245c", "#ffffff"),
    "K": ("#2b2d36", "#777c8a", "#ffffff"),
}
# Edges that set the darker suits off from a dark table.
NIGHT_EDGES = {"R": "#ee8f74", "G": "#3fb892", "B": "#7fa6ee", "M": "#a98be0", "K": "#9aa0b0"}

# Outlines around the origin, about 20 units wide.
SUIT_SHAPES = {
    "R": "M0 9.5c-6-5-10-8.5-10-13a5.2 5.2 0 0 1 10-2.4a5.2 5.2 0 0 1 10 2.4c0 4.5-4 8-10 13z",
    "Y": "M0-10.5l3 6.8 7.4.7-5.6 4.9 1.7 7.2-6.5-3.8-6.5 3.8 1.7-7.2-5.6-4.9 7.4-.7z",
    "G": "M0-9.5l10.5 18h-21z",
    "W": "M0-11l8.5 11-8.5 11-8.5-11z",
    "B": "M4-9.5a10 10 0 1 0 5.5 13.5a8.2 8.2 0 0 1-5.5-13.5z",
    "K": "M-8.5-8.5h17v17h-17z",
}
_PETALS = "RYGWB"

_CLASSES = {
    "hb-table": "fill:#f3f0e8",
    "hb-panel": "fill:#fdfcf9;stroke:#e2ddd0",
    "hb-turn": "fill:none;stroke:#3c4252;stroke-width:2",
    "hb-ink": "stroke:#262a34",
    "hb-soft": "stroke:#656b79",
    "hb-solid": "fill:#262a34",
    "hb-dot": "stroke:#c9c5ba;stroke-width:2.4;stroke-linecap:round",
    "hb-slot": "fill:none;stroke:#d6d1c4;stroke-width:1.5",
    "hb-back": "fill:#ecebf1;stroke:#bdbccb;stroke-width:1.5",
    "hb-weave": "fill:none;stroke:#d3d2de;stroke-width:1.5",
    "hb-known": "fill:none;stroke:#3c4252;stroke-width:1.4",
    "hb-ring": "fill:none;stroke:#9a4fd3;stroke-width:3.5",
    "hb-token": "fill:#3f7fc4;stroke:#27588f;stroke-width:1.2",
    "hb-tile": "fill:#8a5a2b;stroke:#5c3a17;stroke-width:1.2",
    "hb-life": "fill:#e0662b;stroke:#a33d0c;stroke-width:1.2",
    "hb-spent": "fill:none;stroke:#c4c0b4;stroke-width:1.5",
    "hb-gone": "fill:none;stroke:#a7a294;stroke-width:1.5;stroke-linecap:round",
    "hb-faint": "opacity:.3",
} | {
    f"hb-{name}": declarations
    for suit, (fill, edge, ink) in SUIT_COLORS.items()
    for name, declarations in (
        (suit, f"fill:{fill};stroke:{edge};stroke-width:1.6;stroke-linejoin:round"),
        (f"on-{suit}", f"stroke:{ink}"),
        (f"mark-{suit}", f"fill:{ink}"),
    )
}
_DARK = {
    "hb-table": "fill:#14161e",
    "hb-panel": "fill:#1d202b;stroke:#2c3040",
    "hb-turn": "fill:none;stroke:#c9ccd6;stroke-width:2",
    "hb-ink": "stroke:#eceae4",
    "hb-soft": "stroke:#979dab",
    "hb-solid": "fill:#eceae4",
    "hb-dot": "stroke:#4a4f60;stroke-width:2.4;stroke-linecap:round",
    "hb-slot": "fill:none;stroke:#373c4d;stroke-width:1.5",
    "hb-back": "fill:#2a2e3c;stroke:#4b5166;stroke-width:1.5",
    "hb-weave": "fill:none;stroke:#3b4052;stroke-width:1.5",
    "hb-known": "fill:none;stroke:#c9ccd6;stroke-width:1.4",
    "hb-ring": "fill:none;stroke:#c58af2;stroke-width:3.5",
    "hb-spent": "fill:none;stroke:#4a4f60;stroke-width:1.5",
    "hb-gone": "fill:none;stroke:#6b7185;stroke-width:1.5;stroke-linecap:round",
    "hb-faint": "opacity:.42",
} | {
    f"hb-{suit}": f"fill:{SUIT_COLORS[suit][0]};stroke:{edge};stroke-width:1.6;stroke-linejoin:round"
    for suit, edge in NIGHT_EDGES.items()
}


def style(theme: Theme = "auto") -> str:
    """Return the CSS of every Hanabi picture."""
    return stylesheet(_CLASSES, _DARK, theme)


# --- Cards ------------------------------------------------------------------------------------------------------------


def shape(suit: str, x: float, y: float, radius: float, class_: str) -> str:
    """Draw the mark of a suit; `radius` is about half its width."""
    place = f"translate({number(x)} {number(y)})scale({radius / 10:.3g})"
    if suit != "M":
        return element("path", class_=class_, transform=place, d=SUIT_SHAPES[suit])
    petals = [
        element("circle", cy=-6, r=4.8, class_=f"hb-{petal}", transform=f"rotate({72 * i})" if i else None)
        for i, petal in enumerate(_PETALS)
    ]
    return element("g", *petals, element("circle", r=2.6, class_="hb-mark-M"), transform=place)


def face(card: str) -> str:
    """Draw a card face up."""
    suit, rank = card[0], card[1:]
    ribbon = _rainbow(0, 0, CARD_WIDTH) if suit == "M" else ""
    return "".join(
        [
            rect(0, 0, CARD_WIDTH, CARD_HEIGHT, 9, class_=f"hb-{suit}"),
            ribbon,
            text(rank, CARD_WIDTH / 2, 59, 41, f"hb-on-{suit}", anchor="middle", bold=True),
            shape(suit, CARD_WIDTH / 2, 83, 11.5, f"hb-mark-{suit}"),
        ]
    )


def _rainbow(x: float, y: float, width: float) -> str:
    """Draw the five colors along the upper edge of a multicolor card."""
    step = (width - 18) / len(_PETALS)
    return "".join(
        element(
            "path",
            d=f"M{number(x + 9 + i * step)} {number(y + 6)}h{number(step)}",
            stroke=SUIT_COLORS[suit][0],
            stroke_width=4,
        )
        for i, suit in enumerate(_PETALS)
    )


def small_card(card: str, symbols: Symbols, x: float, y: float, scale: float = 1.0) -> str:
    """Draw a card of the discard, 20 by 24."""

    def draw() -> str:
        return rect(0, 0, 20, 24, 4, class_=f"hb-{card[0]}") + text(
            card[1:], 10, 17.5, 11, f"hb-on-{card[0]}", anchor="middle", bold=True
        )

    if scale == 1:
        return symbols.use(f"small-{card}", draw, x, y)
    return group(symbols.use(f"small-{card}", draw), x=x, y=y, scale=scale)


def chip(card: str, symbols: Symbols, x: float, y: float) -> str:
    """Draw a card for a line of text, 36 by 22: its rank and the mark of its suit."""

    def draw() -> str:
        rank = text(card[1:], 11, 16.2, 10.5, f"hb-on-{card[0]}", anchor="middle", bold=True)
        return rect(0, 0, 36, 22, 5, class_=f"hb-{card[0]}") + rank + shape(card[0], 25, 11, 6, f"hb-mark-{card[0]}")

    return symbols.use(f"chip-{card}", draw, x, y)


def speech(suit: str, symbols: Symbols, x: float, y: float) -> str:
    """Draw an announced suit (V6): its mark in a speech bubble, 30 by 22."""

    def draw() -> str:
        bubble = "M5 0h20a5 5 0 0 1 5 5v10a5 5 0 0 1-5 5h-16l-7 5 1.5-6a5 5 0 0 1-3.5-4.5v-9.5a5 5 0 0 1 5-5z"
        return element("path", d=bubble, class_="hb-panel") + shape(suit, 15, 10, 6, f"hb-{suit}")

    return symbols.use(f"speech-{suit}", draw, x, y)


def bonus_tile(letter: str, is_face_down: bool, symbols: Symbols, x: float, y: float) -> str:
    """Draw a face-down tile (V4), or a hollow one if it is revealed, 15 by 18."""

    def draw() -> str:
        back = rect(0, 0, 15, 18, 3.5, class_="hb-tile" if is_face_down else "hb-slot")
        return back + text(letter, 7.5, 12.8, 8, "hb-on-B" if is_face_down else "hb-soft", anchor="middle", bold=True)

    return symbols.use(f"tile-{letter}{int(is_face_down)}", draw, x, y)


def card_of_hand(card: CardView, view: TableView, symbols: Symbols) -> str:
    """Draw a card of a hand and its hints, at the origin."""
    return _card_face(card, view, symbols) + _marks(card, view, symbols)


def _card_face(card: CardView, view: TableView, symbols: Symbols) -> str:
    name = card.card
    if name is not None:
        return symbols.use(name, lambda: face(name))
    if len(card.possible) == 1:
        (sure,) = card.possible
        return symbols.use(f"sure-{sure}", lambda: _sure_face(sure))
    return symbols.use("back", _back) + _possibilities(card, view, symbols)


def _back() -> str:
    return rect(0, 0, CARD_WIDTH, CARD_HEIGHT, 9, class_="hb-back")


def _sure_face(card: str) -> str:
    """Draw a hidden card that can only be one card."""
    rank = text(card[1:], CARD_WIDTH / 2, 59, 41, "hb-soft", anchor="middle")
    return _back() + rank + shape(card[0], CARD_WIDTH / 2, 83, 11.5, f"hb-{card[0]}")


def _possibilities(card: CardView, view: TableView, symbols: Symbols) -> str:
    """Draw the possible cards of a hidden card: one row per suit, one column per rank.

    A possible card has the suit's mark. A card that hints allow, but whose copies are all seen elsewhere, has a ring.
    """
    suits, ranks = view.suits, view.config.ranks
    row_height = min(21.0, 82 / len(suits))
    top = 20 + (82 - row_height * len(suits)) / 2
    rows = [symbols.use(f"head-{ranks}", lambda: _rank_heads(ranks))]
    for i, suit in enumerate(suits):
        code = "".join(
            "2" if f"{suit}{rank}" in card.possible else "1" if f"{suit}{rank}" in card.plausible else "0"
            for rank in range(1, ranks + 1)
        )
        row = symbols.use(
            f"{suit}{code}x{len(suits)}",
            lambda s=suit, c=code: _possibility_row(s, c, row_height, symbols),
            y=round(top + row_height * (i + 0.5)),
        )
        rows.append(row)
    return "".join(rows)


def _rank_columns(ranks: int) -> list[float]:
    pitch = min(19.0, 66 / ranks)
    return [CARD_WIDTH / 2 + pitch * (i - (ranks - 1) / 2) for i in range(ranks)]


def _rank_heads(ranks: int) -> str:
    return "".join(
        text(str(rank), x, 15, 6, "hb-soft", anchor="middle") for rank, x in enumerate(_rank_columns(ranks), start=1)
    )


def _possibility_row(suit: str, code: str, row_height: float, symbols: Symbols) -> str:
    places = _rank_columns(len(code))
    pitch = places[1] - places[0] if len(places) > 1 else row_height
    radius = round(0.42 * min(pitch, row_height), 1)
    pips = [pip(suit, x, radius, symbols) for x, state in zip(places, code, strict=True) if state == "2"]
    gone = [
        element("circle", cx=x, r=2.6, class_="hb-gone") for x, state in zip(places, code, strict=True) if state == "1"
    ]
    return "".join(pips + gone) + _dots([x for x, state in zip(places, code, strict=True) if state == "0"])


def pip(suit: str, x: float, radius: float, symbols: Symbols) -> str:
    """Draw a suit's mark in its own color, as one symbol per size."""
    name = f"{suit}-{number(radius).replace('.', '_')}"
    return symbols.use(name, lambda: shape(suit, 0, 0, radius, f"hb-{suit}"), x)


def _dots(places: Sequence[float]) -> str:
    """Draw small points for excluded suits or ranks."""
    return element("path", class_="hb-dot", d="".join(f"M{number(x)} 0h.01" for x in places)) if places else ""


def _marks(card: CardView, view: TableView, symbols: Symbols) -> str:
    """Draw the suits and ranks that hints have not excluded, under the card.

    A frame marks a suit or rank that a hint named. A dashed frame marks the only one that hints about other cards left.
    """
    all_ranks = "".join(map(str, range(1, view.config.ranks + 1)))
    suits = "".join(suit for suit in view.suits if suit in card.suits())
    ranks = "".join(rank for rank in all_ranks if rank in card.ranks())
    hinted = "".join(suit for suit in suits if suit in card.hinted)
    hinted_rank = "".join(rank for rank in ranks if rank in card.hinted)
    y = CARD_HEIGHT + 12
    return symbols.use(
        f"{view.suits}-{suits}-{hinted}", lambda: _suit_marks(view.suits, suits, hinted, symbols), 0, y
    ) + symbols.use(f"{all_ranks}-{ranks}-{hinted_rank}", lambda: _rank_marks(all_ranks, ranks, hinted_rank), 0, y + 17)


def mark_places(count: int) -> list[float]:
    """Return the horizontal positions of ``count`` marks below a card."""
    pitch = min(14.5, (CARD_WIDTH - 2) / count)
    return [CARD_WIDTH / 2 + pitch * (i - (count - 1) / 2) for i in range(count)]


def _suit_marks(suits: str, left: str, hinted: str, symbols: Symbols) -> str:
    places = dict(zip(suits, mark_places(len(suits)), strict=True))
    radius = 5 if len(suits) < 6 else 4.2
    return _mark_row(places, left, hinted, [pip(suit, places[suit], radius, symbols) for suit in left])


def _rank_marks(ranks: str, left: str, hinted: str) -> str:
    places = dict(zip(ranks, mark_places(len(ranks)), strict=True))
    digits = [text(rank, places[rank], 4, 8, "hb-ink", anchor="middle", bold=True) for rank in left]
    return _mark_row(places, left, hinted, digits)


def _mark_row(places: Mapping[str, float], left: str, hinted: str, marks: list[str]) -> str:
    """Draw marks of what is left, dots for what is excluded, and frames; all faint if no hint says anything."""
    width = min(16.0, (CARD_WIDTH - 2) / len(places) + 2)
    frames = [_outline(places[mark], width, None) for mark in hinted]
    if len(left) == 1 < len(places) and not hinted:
        frames = [_outline(places[left], width, "2.5 2.5")]
    excluded = _dots([x for mark, x in places.items() if mark not in left])
    nothing_known = len(left) == len(places) and not hinted
    return element("g", *marks, *frames, excluded, class_="hb-faint" if nothing_known else None)


def _outline(x: float, width: float, dashes: str | None) -> str:
    return rect(x - width / 2, -8, width, 16, 5, class_="hb-known", stroke_dasharray=dashes)


def ring() -> str:
    """Draw a ring around a card that the last action was about."""
    return rect(-3.5, -3.5, CARD_WIDTH + 7, CARD_HEIGHT + 7, 12, class_="hb-ring")
