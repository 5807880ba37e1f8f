"""Pictures of the table: SVG for notebooks and pages, pixels, text, and the replay of a whole game.

    view = view_of(env.unwrapped.to_dict(), env.unwrapped.config, seat=0)   # or seat=None: every card
    table_svg(view); table_rgb(view); table_ansi(view)

Suits differ in color and in shape, so that no color need be told from another: heart, star, triangle, diamond, moon;
flower (multicolor), keg (black powder). Under every card stand the suits and ranks that hints leave open to its holder;
a card that these eyes cannot see shows which cards it can still be. `python -m hanabi_env.render table.svg --seed 7`
draws a game in progress.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from env_core.svg import Symbols, Theme, document, element, group, number, rasterize, rect, stylesheet, text, wrap
from hanabi_env.ratings import verdict
from hanabi_env.table import (
    CardView,
    TableView,
    describe_move,
    describe_score,
    describe_turn,
    player_name,
    table_ansi,
    view_of,
)

__all__ = ["table_ansi", "table_layers", "table_rgb", "table_svg", "view_of"]

WIDTH = 1000
MARGIN, GAP = 16, 12
CARD_WIDTH, CARD_HEIGHT, CARD_GAP = 76, 106, 8
MARKS_HEIGHT = 40  # what hints say, under a card
HEADER = 48
BAND = 188  # score, fireworks and discards
STATUS_WIDTH, FIREWORKS_WIDTH = 216, 440
COLUMNS_OF_HANDS = {2: 2, 3: 3, 4: 2, 5: 3}
MOST_DRAWN_TOKENS = 12  # above that, one token and the number

# Fill and edge of a suit, and the ink of a numeral on it: Okabe and Ito's hues, dark enough for white numerals.
SUIT_COLORS = {
    "R": ("#cf4520", "#8f2a10", "#ffffff"),
    "Y": ("#f4c430", "#a87d00", "#2a2410"),
    "G": ("#0b8560", "#045840", "#ffffff"),
    "W": ("#fbfaf5", "#8b909c", "#30343f"),
    "B": ("#1f6db5", "#124577", "#ffffff"),
    "M": ("#5b3f8c", "#38245c", "#ffffff"),
    "K": ("#2b2d36", "#777c8a", "#ffffff"),
}

# Outlines around the origin, about 20 units wide.
SUIT_SHAPES = {
    "R": "M0 9.5c-6-5-10-8.5-10-13a5.2 5.2 0 0 1 10-2.4a5.2 5.2 0 0 1 10 2.4c0 4.500-4 8-10 13z",
    "Y": "M0-10.5l3 6.800 7.400.7-5.600 4.900 1.700 7.200-6.500-3.800-6.500 3.800 1.700-7.200-5.600-4.900 7.400-.7z",
    "G": "M0-9.500l10.500 18h-21z",
    "W": "M0-11l8.500 11-8.500 11-8.500-11z",
    "B": "M4-9.500a10 10 0 1 0 5.500 13.500a8.200 8.200 0 0 1-5.500-13.500z",
    "K": "M-8.500-8.500h17v17h-17z",
}
_PETALS = "RYGWB"

_CLASSES = {
    "hb-table": "fill:#f3f0e8",
    "hb-panel": "fill:#fdfcf9;stroke:#e2ddd0",
    "hb-turn": "fill:#fdfcf9;stroke:#3c4252;stroke-width:2",
    "hb-ink": "stroke:#262a34",
    "hb-soft": "stroke:#747a88",
    "hb-solid": "fill:#262a34",
    "hb-dot": "fill:#c9c5ba",
    "hb-slot": "fill:none;stroke:#d6d1c4;stroke-width:1.5",
    "hb-back": "fill:#ecebf1;stroke:#bdbccb;stroke-width:1.5",
    "hb-weave": "fill:none;stroke:#d3d2de;stroke-width:1.5",
    "hb-known": "fill:none;stroke:#3c4252;stroke-width:1.4",
    "hb-ring": "fill:none;stroke:#9a4fd3;stroke-width:3.5",
    "hb-token": "fill:#3f7fc4;stroke:#27588f;stroke-width:1.2",
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
    "hb-turn": "fill:#1d202b;stroke:#c9ccd6;stroke-width:2",
    "hb-ink": "stroke:#eceae4",
    "hb-soft": "stroke:#979dab",
    "hb-solid": "fill:#eceae4",
    "hb-dot": "fill:#4a4f60",
    "hb-slot": "fill:none;stroke:#373c4d;stroke-width:1.5",
    "hb-back": "fill:#2a2e3c;stroke:#4b5166;stroke-width:1.5",
    "hb-weave": "fill:none;stroke:#3b4052;stroke-width:1.5",
    "hb-known": "fill:none;stroke:#c9ccd6;stroke-width:1.4",
    "hb-ring": "fill:none;stroke:#c58af2;stroke-width:3.5",
    "hb-spent": "fill:none;stroke:#4a4f60;stroke-width:1.5",
    "hb-gone": "fill:none;stroke:#6b7185;stroke-width:1.5;stroke-linecap:round",
}


def style(theme: Theme = "auto") -> str:
    """The CSS of every Hanabi picture."""
    return stylesheet(_CLASSES, _DARK, theme)


def table_svg(view: TableView, theme: Theme = "auto") -> str:
    """The table as a complete SVG. `auto` follows the reader's color scheme."""
    symbols = Symbols("hb")
    layers = table_layers(view, symbols)
    return document(
        WIDTH,
        table_height(view),
        *layers,
        style=style(theme),
        symbols=symbols,
        title=f"Hanabi, {_eyes(view)}",
        description=f"{describe_move(view.last_move)}; {describe_turn(view)}; score {describe_score(view)}.",
    )


def table_rgb(view: TableView, width: int = WIDTH, theme: Theme = "light") -> NDArray[np.uint8]:
    """The table as pixels, uint8 (height, width, 3). Needs the extra `render`."""
    return rasterize(table_svg(view, theme), width)


def table_layers(view: TableView, symbols: Symbols) -> list[str]:
    """The picture in small pieces, each depending on little of the view.

    Most stay the same from turn to turn, so a replay stores them once.
    """
    layers = [_backdrop(view), *_header(view, symbols), *_status(view, symbols)]
    layers += [_firework(view, suit, symbols) for suit in view.suits]
    layers += [_discard_row(view, suit, symbols) for suit in view.suits]
    for player in range(len(view.hands)):
        layers += _hand(view, player, symbols)
    return [layer for layer in layers if layer]


# --- Layout -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Box:
    """A panel of the picture."""

    x: float
    y: float
    width: float
    height: float


def _hand_scale(view: TableView) -> float:
    """Hands are drawn as large as their panels allow, and never larger than life."""
    columns = COLUMNS_OF_HANDS[view.config.players]
    inner = (WIDTH - 2 * MARGIN - (columns - 1) * GAP) / columns - 32
    return min(1.0, inner / (view.config.cards_in_hand * (CARD_WIDTH + CARD_GAP) - CARD_GAP))


def _hand_height(view: TableView) -> float:
    return round(48 + (CARD_HEIGHT + MARKS_HEIGHT) * _hand_scale(view) + 8)


def _hand_box(view: TableView, player: int) -> Box:
    columns = COLUMNS_OF_HANDS[view.config.players]
    width = (WIDTH - 2 * MARGIN - (columns - 1) * GAP) / columns
    row, column = divmod(player, columns)
    in_row = min(columns, view.config.players - row * columns)
    left = (WIDTH - in_row * width - (in_row - 1) * GAP) / 2
    height = _hand_height(view)
    return Box(left + column * (width + GAP), HEADER + BAND + GAP + row * (height + GAP), width, height)


def table_height(view: TableView) -> float:
    """Height of the picture; it is `WIDTH` wide."""
    last = _hand_box(view, view.config.players - 1)
    return last.y + last.height + MARGIN


_STATUS = Box(MARGIN, HEADER, STATUS_WIDTH, BAND)
_FIREWORKS = Box(MARGIN + STATUS_WIDTH + GAP, HEADER, FIREWORKS_WIDTH, BAND)
_DISCARDS = Box(
    _FIREWORKS.x + FIREWORKS_WIDTH + GAP, HEADER, WIDTH - MARGIN - GAP - _FIREWORKS.x - FIREWORKS_WIDTH, BAND
)


def _panel(box: Box, class_: str = "hb-panel") -> str:
    return rect(box.x, box.y, box.width, box.height, 12, class_=class_)


def _label(words: str, box: Box) -> str:
    return text(words, box.x + 16, box.y + 23, 7.5, "hb-soft")


def _backdrop(view: TableView) -> str:
    """What never changes during a game."""
    hands = [_panel(_hand_box(view, player)) for player in range(view.config.players)]
    return "".join(
        [
            rect(0, 0, WIDTH, table_height(view), class_="hb-table"),
            *map(_panel, (_STATUS, _FIREWORKS, _DISCARDS)),
            _label("fireworks", _FIREWORKS),
            _label("discards", _DISCARDS),
            *hands,
        ]
    )


def _eyes(view: TableView) -> str:
    return "every card shown" if view.seat is None else f"as {player_name(view.seat)} sees it"


def _header(view: TableView, symbols: Symbols) -> list[str]:
    sentence = describe_move(view.last_move)
    last = view.last_move
    chip, x = "", MARGIN + 4.0
    if last is not None and last.card is not None:
        chip = _chip(last.card, symbols, x, 14)
        x += 46
    return [
        chip + text(sentence, x, 32, 11, "hb-ink", bold=True),
        text(_eyes(view), WIDTH - MARGIN - 4, 31, 8.5, "hb-soft", anchor="end"),
        text(
            _news(view), _FIREWORKS.x + FIREWORKS_WIDTH - 16, _FIREWORKS.y + 23, 7.5, "hb-ink", anchor="end", bold=True
        ),
    ]


def _news(view: TableView) -> str:
    """What is special about this turn: the end, or the last round."""
    if view.end_reason is not None:
        return describe_turn(view)
    if view.turns_to_play is not None:
        return f"last round: {view.turns_to_play} {'turn' if view.turns_to_play == 1 else 'turns'} left"
    return ""


# --- Score, tokens, deck ----------------------------------------------------------------------------------------------


def _status(view: TableView, symbols: Symbols) -> list[str]:
    x, y = _STATUS.x + 16, _STATUS.y
    return [_score(view, x, y), _deck(view, symbols), *_tokens(view, x, y), _tiles(view)]


def _score(view: TableView, x: float, y: float) -> str:
    big = text(str(view.score), x, y + 46, 27, "hb-ink", bold=True)
    small_x = x + 27 * 0.85 * len(str(view.score)) + 8
    parts = [big, text(f"of {view.max_score}", small_x, y + 46, 9.5, "hb-soft")]
    if view.config.black_powder:
        parts.append(text("black powder", small_x, y + 31, 6.5, "hb-soft"))
    word, _, rest = verdict(view.config, view.score, view.end_reason).partition(":")
    parts.append(text(word, x, y + 70, 9, "hb-ink", bold=True))
    for i, line in enumerate(wrap(rest, STATUS_WIDTH - 32, 6.8)[:2]):
        parts.append(text(line, x, y + 88 + 15 * i, 6.8, "hb-soft"))
    return "".join(parts)


def _deck(view: TableView, symbols: Symbols) -> str:
    x, y = _STATUS.x + STATUS_WIDTH - 16 - 42, _STATUS.y + 14
    if not view.deck_size:
        card = rect(x, y, 42, 56, 6, class_="hb-slot")
    else:
        card = "".join(
            rect(x - d, y + d, 42, 56, 6, class_="hb-back") for d in ((4, 2, 0) if view.deck_size > 1 else (0,))
        )
    parts = [card, text(str(view.deck_size), x + 21, y + 25, 13, "hb-ink", anchor="middle", bold=True)]
    if view.next_card is not None:
        parts.append(_chip(view.next_card, symbols, x + 3, y + 31))
    else:
        parts.append(text("deck", x + 21, y + 43, 6, "hb-soft", anchor="middle"))
    return "".join(parts)


def _tokens(view: TableView, x: float, y: float) -> list[str]:
    config = view.config
    return [
        _token_row(view.information_tokens, config.max_information_tokens, _information_token, x + 7, y + 129),
        _token_row(view.life_tokens, config.max_life_tokens, _life_token, x + 7, y + 159),
    ]


def _token_row(count: int, most: int, draw: Callable[[float, float, bool], str], x: float, y: float) -> str:
    """One mark a token, hollow where it is spent, then the number."""
    shown = most if most <= MOST_DRAWN_TOKENS else 1
    pitch = min(18.5, 150 / shown)
    marks = [draw(x + i * pitch, y, i < count) for i in range(shown)]
    words = str(count) if most <= MOST_DRAWN_TOKENS else f"{count} of {most}"
    anchored = x + shown * pitch + 1
    return "".join(marks) + text(words, anchored, y + 4.5, 9, "hb-ink" if count else "hb-soft", bold=True)


def _information_token(x: float, y: float, there: bool) -> str:
    if not there:
        return element("circle", cx=x, cy=y, r=6.5, class_="hb-spent")
    letter = text("i", x, y + 3.6, 7, "hb-on-B", anchor="middle", bold=True)
    return element("circle", cx=x, cy=y, r=7, class_="hb-token") + letter


def _life_token(x: float, y: float, there: bool) -> str:
    """A fuse's flame."""
    flame = (
        "M0-9c1 4 6 5.500 6 10.500a6 6 0 0 1-12 0c0-3 2-4 2.500-6.500c1.500.8 1.800 2 1.800 3c1.200-1.800 2-4 1.700-7z"
    )
    return element(
        "path", class_="hb-life" if there else "hb-spent", transform=f"translate({number(x)} {number(y)})", d=flame
    )


def _tiles(view: TableView) -> str:
    """Bonus tiles still face down, and the one being resolved (V4)."""
    if not view.config.flamboyants:
        return ""
    words = f"tiles {view.bonus_tiles}" + (f" \N{MIDDLE DOT} {view.pending}" if view.pending else "")
    return text(words, _STATUS.x + STATUS_WIDTH - 16, _STATUS.y + 164, 7, "hb-ink", anchor="end")


# --- Cards ------------------------------------------------------------------------------------------------------------


def _shape(suit: str, x: float, y: float, radius: float, class_: str) -> str:
    """The mark of a suit; `radius` is about half its width."""
    place = f"translate({number(x)} {number(y)})scale({radius / 10:.3g})"
    if suit != "M":
        return element("path", class_=class_, transform=place, d=SUIT_SHAPES[suit])
    petals = [
        element("circle", cy=-6, r=4.8, class_=f"hb-{petal}", transform=f"rotate({72 * i})" if i else None)
        for i, petal in enumerate(_PETALS)
    ]
    return element("g", *petals, element("circle", r=2.6, class_="hb-mark-M"), transform=place)


def _face(card: str) -> str:
    suit, rank = card[0], card[1:]
    ribbon = _rainbow(0, 0, CARD_WIDTH) if suit == "M" else ""
    return "".join(
        [
            rect(0, 0, CARD_WIDTH, CARD_HEIGHT, 9, class_=f"hb-{suit}"),
            ribbon,
            text(rank, CARD_WIDTH / 2, 59, 41, f"hb-on-{suit}", anchor="middle", bold=True),
            _shape(suit, CARD_WIDTH / 2, 83, 11.5, f"hb-mark-{suit}"),
        ]
    )


def _rainbow(x: float, y: float, width: float) -> str:
    """The five colors along the upper edge of a multicolor card."""
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


def _small_card(card: str, symbols: Symbols, x: float, y: float, scale: float = 1.0) -> str:
    """A card of the discard: 20 by 24."""

    def draw() -> str:
        return rect(0, 0, 20, 24, 4, class_=f"hb-{card[0]}") + text(
            card[1:], 10, 17.5, 11, f"hb-on-{card[0]}", anchor="middle", bold=True
        )

    if scale == 1:
        return symbols.use(f"small-{card}", draw, x, y)
    return group(symbols.use(f"small-{card}", draw), x=x, y=y, scale=scale)


def _chip(card: str, symbols: Symbols, x: float, y: float) -> str:
    """A card in a line of words, 36 by 22: its rank and the mark of its suit."""

    def draw() -> str:
        rank = text(card[1:], 11, 16.2, 10.5, f"hb-on-{card[0]}", anchor="middle", bold=True)
        return rect(0, 0, 36, 22, 5, class_=f"hb-{card[0]}") + rank + _shape(card[0], 25, 11, 6, f"hb-mark-{card[0]}")

    return symbols.use(f"chip-{card}", draw, x, y)


def _card(card: CardView, view: TableView, symbols: Symbols) -> str:
    """A card of a hand with what hints say of it, at the origin."""
    return _card_face(card, view, symbols) + _marks(card, view, symbols)


def _card_face(card: CardView, view: TableView, symbols: Symbols) -> str:
    name = card.card
    if name is not None:
        return symbols.use(name, lambda: _face(name))
    if len(card.possible) == 1:
        (sure,) = card.possible
        return symbols.use(f"sure-{sure}", lambda: _sure_face(sure))
    return symbols.use("back", _back) + _possibilities(card, view, symbols)


def _back() -> str:
    return rect(0, 0, CARD_WIDTH, CARD_HEIGHT, 9, class_="hb-back")


def _sure_face(card: str) -> str:
    """A card nobody showed these eyes, but which can be one only."""
    rank = text(card[1:], CARD_WIDTH / 2, 59, 41, "hb-soft", anchor="middle")
    return _back() + rank + _shape(card[0], CARD_WIDTH / 2, 83, 11.5, f"hb-{card[0]}")


def _possibilities(card: CardView, view: TableView, symbols: Symbols) -> str:
    """One row a suit, one column a rank.

    The suit's mark stands where the card may be that one, a ring where hints allow it but every copy is in sight.
    """
    suits, ranks = view.suits, view.config.ranks
    row_height = min(21.0, 82 / len(suits))
    top = 20 + (82 - row_height * len(suits)) / 2
    size = f"{len(suits)}x{ranks}"
    rows = [symbols.use(f"head-{ranks}", lambda: _rank_heads(ranks))]
    for i, suit in enumerate(suits):
        code = "".join(
            "2" if f"{suit}{rank}" in card.possible else "1" if f"{suit}{rank}" in card.plausible else "0"
            for rank in range(1, ranks + 1)
        )
        y = top + row_height * (i + 0.5)
        rows.append(
            symbols.use(f"row-{size}-{suit}{code}", lambda s=suit, c=code: _possibility_row(s, c, row_height), 0, y)
        )
    return "".join(rows)


def _rank_columns(ranks: int) -> list[float]:
    pitch = min(19.0, 66 / ranks)
    return [CARD_WIDTH / 2 + pitch * (i - (ranks - 1) / 2) for i in range(ranks)]


def _rank_heads(ranks: int) -> str:
    return "".join(
        text(str(rank), x, 15, 6, "hb-soft", anchor="middle") for rank, x in enumerate(_rank_columns(ranks), start=1)
    )


def _possibility_row(suit: str, code: str, row_height: float) -> str:
    places = _rank_columns(len(code))
    pitch = places[1] - places[0] if len(places) > 1 else row_height
    radius = 0.42 * min(pitch, row_height)
    marks = {
        "2": lambda x: _shape(suit, x, 0, radius, f"hb-{suit}"),
        "1": lambda x: element("circle", cx=x, r=2.6, class_="hb-gone"),
        "0": lambda x: element("circle", cx=x, r=1.2, class_="hb-dot"),
    }
    return "".join(marks[state](x) for state, x in zip(code, places, strict=True))


def _marks(card: CardView, view: TableView, symbols: Symbols) -> str:
    """Under the card: suits and ranks that hints leave its holder; a frame around the only one left."""
    suits = "".join(suit for suit in view.suits if suit in card.suits())
    ranks = "".join(str(rank) for rank in range(1, view.config.ranks + 1) if str(rank) in card.ranks())
    y = CARD_HEIGHT + 12
    return symbols.use(f"suits-{view.suits}-{suits}", lambda: _suit_marks(view.suits, suits), 0, y) + symbols.use(
        f"ranks-{view.config.ranks}-{ranks}", lambda: _rank_marks(view.config.ranks, ranks), 0, y + 17
    )


def _mark_places(count: int) -> list[float]:
    pitch = min(14.5, (CARD_WIDTH - 2) / count)
    return [CARD_WIDTH / 2 + pitch * (i - (count - 1) / 2) for i in range(count)]


def _suit_marks(suits: str, left: str) -> str:
    nothing_known = len(left) == len(suits) > 1
    places = _mark_places(len(suits))
    radius = 5 if len(suits) < 6 else 4.2
    marks = [
        _shape(suit, x, 0, radius, f"hb-{suit}") + _frame(x, left == suit)
        if suit in left
        else element("circle", cx=x, r=1.2, class_="hb-dot")
        for suit, x in zip(suits, places, strict=True)
    ]
    return element("g", *marks, class_="hb-faint" if nothing_known else None)


def _rank_marks(ranks: int, left: str) -> str:
    nothing_known = len(left) == ranks > 1
    marks = [
        text(str(rank), x, 4, 8, "hb-ink", anchor="middle", bold=True) + _frame(x, left == str(rank))
        if str(rank) in left
        else element("circle", cx=x, r=1.2, class_="hb-dot")
        for rank, x in enumerate(_mark_places(ranks), start=1)
    ]
    return element("g", *marks, class_="hb-faint" if nothing_known else None)


def _frame(x: float, only: bool) -> str:
    return rect(x - 8, -8, 16, 16, 5, class_="hb-known") if only else ""


# --- Fireworks and discards -------------------------------------------------------------------------------------------


def _firework(view: TableView, suit: str, symbols: Symbols) -> str:
    """The card on top, and a step for every card: played, to come, or crossed out because its last copy is gone."""
    count = len(view.suits)
    scale = min(1.0, (FIREWORKS_WIDTH - 32) / (count * (CARD_WIDTH + CARD_GAP) - CARD_GAP))
    pitch = (CARD_WIDTH + CARD_GAP) * scale
    x = _FIREWORKS.x + (FIREWORKS_WIDTH - count * pitch + CARD_GAP * scale) / 2 + pitch * view.suits.index(suit)
    top = view.top(suit)
    card = (
        symbols.use(top, lambda: _face(top))
        if top is not None
        else symbols.use(f"empty-{suit}", lambda: _empty_firework(suit))
    )
    last = view.last_move
    grown = last is not None and bool(last.scored) and last.card is not None and last.card[0] == suit
    ring = rect(-3.5, -3.5, CARD_WIDTH + 7, CARD_HEIGHT + 7, 12, class_="hb-ring") if grown else ""
    y = _FIREWORKS.y + 34 + (140 - 132 * scale) / 2
    return group(card, ring, _steps(view, suit), x=x, y=y, scale=scale)


def _empty_firework(suit: str) -> str:
    outline = rect(1, 1, CARD_WIDTH - 2, CARD_HEIGHT - 2, 9, class_="hb-slot", stroke_dasharray="5 5")
    return outline + element("g", _shape(suit, CARD_WIDTH / 2, CARD_HEIGHT / 2, 15, f"hb-{suit}"), class_="hb-faint")


def _steps(view: TableView, suit: str) -> str:
    played, reachable, ranks = view.fireworks[suit], view.reachable(suit), view.config.ranks
    y = CARD_HEIGHT + 18
    steps = []
    for i, x in enumerate(_mark_places(ranks)):
        if i < played:
            steps.append(_shape(suit, x, y, 5.4, f"hb-{suit}"))
        elif i < reachable:
            steps.append(element("circle", cx=x, cy=y, r=3, class_="hb-spent"))
        else:
            steps.append(element("path", d=f"M{number(x - 3.5)} {y - 3.5}l7 7m0-7l-7 7", class_="hb-gone"))
    return "".join(steps)


def _discard_row(view: TableView, suit: str, symbols: Symbols) -> str:
    """One place for every copy, lowest rank first; a fallen copy fills the first place of its rank."""
    widest = {r: max(view.copies.get(f"{s}{r}", 0) for s in view.suits) for r in range(1, view.config.ranks + 1)}
    places = sum(widest.values())
    pitch = min(22.0, (_DISCARDS.width - 32 - 24 - 4 * (view.config.ranks - 1)) / places)
    row_height = min(29.0, 146 / len(view.suits))
    scale = min(1.0, (pitch - 1.5) / 20, (row_height - 3) / 24)
    y = _DISCARDS.y + 34 + row_height * view.suits.index(suit)
    parts = [_shape(suit, _DISCARDS.x + 24, y + 12 * scale, min(8, 8 * row_height / 26), f"hb-{suit}")]
    last = view.last_move
    newest = last.card if last is not None and last.card is not None and not last.scored else None
    x = _DISCARDS.x + 42
    for rank, width in widest.items():
        card = f"{suit}{rank}"
        fallen = view.discards.count(card)
        parts += [
            _discard_place(card, copy < fallen, symbols, x + copy * pitch, y, scale)
            for copy in range(view.copies.get(card, 0))
        ]
        if card == newest and fallen:
            left = x + (fallen - 1) * pitch - 2
            parts.append(rect(left, y - 2, 20 * scale + 4, 24 * scale + 4, 5, class_="hb-ring"))
        x += width * pitch + 4
    return "".join(parts)


def _discard_place(card: str, fallen: bool, symbols: Symbols, x: float, y: float, scale: float) -> str:
    if fallen:
        return _small_card(card, symbols, x, y, scale)
    width, height = 20 * scale - 1.5, 24 * scale - 1.5
    name = f"place-{number(width)}x{number(height)}"
    return symbols.use(name, lambda: rect(0.75, 0.75, width, height, 4 * scale, class_="hb-slot"), x, y)


# --- Hands ------------------------------------------------------------------------------------------------------------


def _hand(view: TableView, player: int, symbols: Symbols) -> list[str]:
    box, scale = _hand_box(view, player), _hand_scale(view)
    pitch = (CARD_WIDTH + CARD_GAP) * scale
    left = box.x + (box.width - view.config.cards_in_hand * pitch + CARD_GAP * scale) / 2
    layers = [_hand_title(view, player, box)]
    last = view.last_move
    for slot, card in enumerate(view.hands[player]):
        touched = last is not None and last.target == player and slot in last.touched
        ring = rect(-3.5, -3.5, CARD_WIDTH + 7, CARD_HEIGHT + 7, 12, class_="hb-ring") if touched else ""
        number_above = text(str(slot), CARD_WIDTH / 2, -8, 6.5 / max(scale, 0.6), "hb-soft", anchor="middle")
        layers.append(
            group(number_above, _card(card, view, symbols), ring, x=left + slot * pitch, y=box.y + 50, scale=scale)
        )
    return layers


def _hand_title(view: TableView, player: int, box: Box) -> str:
    to_move = view.end_reason is None and player == view.current_player
    name = text(player_name(player), box.x + (34 if to_move else 16), box.y + 25, 9, "hb-ink", bold=True)
    if not to_move:
        return name
    arrow = element("path", d=f"M{number(box.x + 17)} {number(box.y + 14)}l10 6.500-10 6.500z", class_="hb-solid")
    words = describe_turn(view).removeprefix(player_name(player)).lstrip()
    note = text(words, box.x + box.width - 16, box.y + 25, 7.5, "hb-soft", anchor="end")
    return _panel(box, "hb-turn") + arrow + name + note
