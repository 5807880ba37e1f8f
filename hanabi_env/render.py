"""Pictures of the table: SVG for notebooks and pages, pixels, text, and the replay of a whole game.

    view = view_of(env.unwrapped.to_dict(), env.unwrapped.config, seat=0)   # or seat=None: every card
    table_svg(view); table_rgb(view); table_ansi(view)
    replay(config, [Snapshot(position, "play 0", {"play 0": 0.9, ...}), ..., Snapshot(last_position)]).save("game.html")

Suits differ in color and in shape, so that no color need be told from another: heart, star, triangle, diamond, moon;
flower (multicolor), keg (black powder). Under every card stand the suits and ranks that hints leave open to its holder;
a card that these eyes cannot see shows which cards it can still be. `python -m hanabi_env.render table.svg --seed 7`
draws a game in progress.
"""

import argparse
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from env_core.replay import Frame, Replay, Snapshot
from env_core.svg import (
    Symbols,
    Theme,
    document,
    element,
    group,
    number,
    rasterize,
    rect,
    stylesheet,
    text,
    text_width,
    wrap,
    write_text,
)
from hanabi_env.config import PRESETS, HanabiConfig, make_config
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

__all__ = ["Snapshot", "replay", "table_ansi", "table_layers", "table_rgb", "table_svg", "view_of"]

WIDTH = 1000
MARGIN, GAP = 16, 12
CARD_WIDTH, CARD_HEIGHT, CARD_GAP = 76, 106, 8
MARKS_HEIGHT = 40  # what hints say, under a card
HEADER = 48
BAND = 188  # score, fireworks and discards
STATUS_WIDTH, FIREWORKS_WIDTH = 216, 440
COLUMNS_OF_HANDS = {2: 2, 3: 3, 4: 2, 5: 3}
LEAST_SCALE = 0.6  # of a card in a hand; larger hands take another line
MOST_DRAWN_TOKENS = 12  # above that, one token and the number

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
    layers = [_backdrop(view, symbols), *_header(view, symbols), *_status(view, symbols)]
    layers += [_firework(view, suit, symbols) for suit in view.suits]
    layers += [_fallen(view, suit, symbols) for suit in view.suits]
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


def _hand_lines(view: TableView) -> int:
    """Large hands of research tables take several lines, so that their cards stay readable."""
    cards, lines = view.config.cards_in_hand, 1
    while _scale_of_line(view, cards, lines) < LEAST_SCALE and lines < cards:
        lines += 1
    return lines


def _cards_in_line(view: TableView) -> int:
    return -(-view.config.cards_in_hand // _hand_lines(view))


def _scale_of_line(view: TableView, cards: int, lines: int) -> float:
    columns = COLUMNS_OF_HANDS[view.config.players]
    inner = (WIDTH - 2 * MARGIN - (columns - 1) * GAP) / columns - 32
    return inner / (-(-cards // lines) * (CARD_WIDTH + CARD_GAP) - CARD_GAP)


def _hand_scale(view: TableView) -> float:
    """Hands are drawn as large as their panels allow, and never larger than life."""
    return min(1.0, _scale_of_line(view, view.config.cards_in_hand, _hand_lines(view)))


def _line_height(view: TableView) -> float:
    return (CARD_HEIGHT + MARKS_HEIGHT) * _hand_scale(view) + 18


def _hand_height(view: TableView) -> float:
    return round(38 + _hand_lines(view) * _line_height(view))


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


def _backdrop(view: TableView, symbols: Symbols) -> str:
    """What never changes during a game."""
    players = range(view.config.players)
    return "".join(
        [
            rect(0, 0, WIDTH, table_height(view), class_="hb-table"),
            *map(_panel, (_STATUS, _FIREWORKS, _DISCARDS)),
            *(_panel(_hand_box(view, player)) for player in players),
            *(_slot_numbers(view, player, symbols) for player in players),
            _label("fireworks", _FIREWORKS),
            _label("discards", _DISCARDS),
            *(_discard_places(view, suit, symbols) for suit in view.suits),
        ]
    )


def _eyes(view: TableView) -> str:
    return "every card shown" if view.seat is None else f"as {player_name(view.seat)} sees it"


def _header(view: TableView, symbols: Symbols) -> list[str]:
    last = view.last_move
    chip, x = "", MARGIN + 4.0
    if last is not None and last.card is not None:
        chip = _chip(last.card, symbols, x, 14)
        x += 46
    right = _FIREWORKS.x + FIREWORKS_WIDTH - 16
    return [
        chip + text(describe_move(last), x, 32, 11, "hb-ink", bold=True, symbols=symbols),
        text(_eyes(view), WIDTH - MARGIN - 4, 31, 8.5, "hb-soft", anchor="end", symbols=symbols),
        text(_news(view), right, _FIREWORKS.y + 23, 7.5, "hb-ink", anchor="end", bold=True, symbols=symbols),
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
    x, y, config = _STATUS.x + 16, _STATUS.y, view.config
    return [
        _score(view, x, y, symbols),
        _verdict(view, x, y + 70, symbols),
        _deck(view, symbols),
        _token_row(view.information_tokens, config.max_information_tokens, "information", x + 7, y + 129, symbols),
        _token_row(view.life_tokens, config.max_life_tokens, "life", x + 7, y + 159, symbols),
        _tiles(view),
    ]


def _score(view: TableView, x: float, y: float, symbols: Symbols) -> str:
    score = str(view.score)
    after = x + text_width(score, 27) + 14
    mention = text("black powder", after, y + 31, 6.5, "hb-soft", symbols=symbols) if view.config.black_powder else ""
    return "".join(
        [
            text(score, x, y + 46, 27, "hb-ink", bold=True, symbols=symbols),
            text(f"of {view.max_score}", after, y + 46, 9.5, "hb-soft", symbols=symbols),
            mention,
        ]
    )


def _verdict(view: TableView, x: float, y: float, symbols: Symbols) -> str:
    """The booklet's word for the show, and below what the crowd thinks."""
    word, _, crowd = verdict(view.config, view.score, view.end_reason).partition(":")
    lines = wrap(crowd, STATUS_WIDTH - 32, 6.8)[:2]
    return text(word, x, y, 9, "hb-ink", bold=True, symbols=symbols) + "".join(
        text(line, x, y + 18 + 15 * i, 6.8, "hb-soft", symbols=symbols) for i, line in enumerate(lines)
    )


def _deck(view: TableView, symbols: Symbols) -> str:
    x, y = _STATUS.x + STATUS_WIDTH - 16 - 42, _STATUS.y + 14
    height = min(view.deck_size, 3)
    pile = symbols.use(f"deck-{height}", lambda: _pile(height), x, y)
    count = text(str(view.deck_size), x + 21, y + 25, 13, "hb-ink", anchor="middle", bold=True, symbols=symbols)
    if view.next_card is not None:
        return pile + count + _chip(view.next_card, symbols, x + 3, y + 31)
    return pile + count + text("deck", x + 21, y + 43, 6, "hb-soft", anchor="middle", symbols=symbols)


def _pile(height: int) -> str:
    if height == 0:
        return rect(0, 0, 42, 56, 6, class_="hb-slot")
    return "".join(rect(-2 * i, 2 * i, 42, 56, 6, class_="hb-back") for i in reversed(range(height)))


def _token_row(count: int, most: int, kind: str, x: float, y: float, symbols: Symbols) -> str:
    """One mark a token, hollow where it is spent, then the number."""
    shown = most if most <= MOST_DRAWN_TOKENS else 1
    pitch = min(18.5, 150 / max(shown, 1))
    draw = _TOKENS[kind]
    marks = [
        symbols.use(f"{kind}-{int(i < count)}", lambda there=i < count: draw(there), x + i * pitch, y)
        for i in range(shown)
    ]
    words = str(count) if most <= MOST_DRAWN_TOKENS else f"{count} of {most}"
    class_ = "hb-ink" if count else "hb-soft"
    return "".join(marks) + text(words, x + shown * pitch + 1, y + 4.5, 9, class_, bold=True, symbols=symbols)


def _information_token(there: bool) -> str:
    if not there:
        return element("circle", r=6.5, class_="hb-spent")
    return element("circle", r=7, class_="hb-token") + text("i", 0, 3.6, 7, "hb-on-B", anchor="middle", bold=True)


def _life_token(there: bool) -> str:
    """A fuse's flame."""
    flame = "M0-9c1 4 6 5.5 6 10.5a6 6 0 0 1-12 0c0-3 2-4 2.5-6.5c1.5.8 1.8 2 1.8 3c1.2-1.8 2-4 1.7-7z"
    return element("path", class_="hb-life" if there else "hb-spent", d=flame)


_TOKENS: dict[str, Callable[[bool], str]] = {"information": _information_token, "life": _life_token}


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
    pips = [_pip(suit, x, radius, symbols) for x, state in zip(places, code, strict=True) if state == "2"]
    gone = [
        element("circle", cx=x, r=2.6, class_="hb-gone") for x, state in zip(places, code, strict=True) if state == "1"
    ]
    return "".join(pips + gone) + _dots([x for x, state in zip(places, code, strict=True) if state == "0"])


def _pip(suit: str, x: float, radius: float, symbols: Symbols) -> str:
    """A suit's mark in its own color, drawn once a size."""
    name = f"{suit}-{number(radius).replace('.', '_')}"
    return symbols.use(name, lambda: _shape(suit, 0, 0, radius, f"hb-{suit}"), x)


def _dots(places: Sequence[float]) -> str:
    """Small points where something is excluded."""
    return element("path", class_="hb-dot", d="".join(f"M{number(x)} 0h.01" for x in places)) if places else ""


def _marks(card: CardView, view: TableView, symbols: Symbols) -> str:
    """Under the card: suits and ranks that hints leave its holder.

    A frame marks what a hint named, a dashed one the only thing that hints about other cards have left.
    """
    all_ranks = "".join(map(str, range(1, view.config.ranks + 1)))
    suits = "".join(suit for suit in view.suits if suit in card.suits())
    ranks = "".join(rank for rank in all_ranks if rank in card.ranks())
    told = "".join(suit for suit in suits if suit in card.hinted)
    told_rank = "".join(rank for rank in ranks if rank in card.hinted)
    y = CARD_HEIGHT + 12
    return symbols.use(
        f"{view.suits}-{suits}-{told}", lambda: _suit_marks(view.suits, suits, told, symbols), 0, y
    ) + symbols.use(f"{all_ranks}-{ranks}-{told_rank}", lambda: _rank_marks(all_ranks, ranks, told_rank), 0, y + 17)


def _mark_places(count: int) -> list[float]:
    pitch = min(14.5, (CARD_WIDTH - 2) / count)
    return [CARD_WIDTH / 2 + pitch * (i - (count - 1) / 2) for i in range(count)]


def _suit_marks(suits: str, left: str, told: str, symbols: Symbols) -> str:
    places = dict(zip(suits, _mark_places(len(suits)), strict=True))
    radius = 5 if len(suits) < 6 else 4.2
    return _mark_row(places, left, told, [_pip(suit, places[suit], radius, symbols) for suit in left])


def _rank_marks(ranks: str, left: str, told: str) -> str:
    places = dict(zip(ranks, _mark_places(len(ranks)), strict=True))
    digits = [text(rank, places[rank], 4, 8, "hb-ink", anchor="middle", bold=True) for rank in left]
    return _mark_row(places, left, told, digits)


def _mark_row(places: Mapping[str, float], left: str, told: str, marks: list[str]) -> str:
    """Marks of what is left, dots where something is excluded, frames; faint where nobody said anything."""
    frames = [_outline(places[mark], None) for mark in told]
    if len(left) == 1 < len(places) and not told:
        frames = [_outline(places[left], "2.5 2.5")]
    excluded = _dots([x for mark, x in places.items() if mark not in left])
    nothing_known = len(left) == len(places) and not told
    return element("g", *marks, *frames, excluded, class_="hb-faint" if nothing_known else None)


def _outline(x: float, dashes: str | None) -> str:
    return rect(x - 8, -8, 16, 16, 5, class_="hb-known", stroke_dasharray=dashes)


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
    ring = symbols.use("ring", _ring) if grown else ""
    y = _FIREWORKS.y + 34 + (140 - 132 * scale) / 2
    return group(card, ring, _steps(view, suit, symbols), x=x, y=y, scale=scale)


def _empty_firework(suit: str) -> str:
    outline = rect(1, 1, CARD_WIDTH - 2, CARD_HEIGHT - 2, 9, class_="hb-slot", stroke_dasharray="5 5")
    return outline + element("g", _shape(suit, CARD_WIDTH / 2, CARD_HEIGHT / 2, 15, f"hb-{suit}"), class_="hb-faint")


def _steps(view: TableView, suit: str, symbols: Symbols) -> str:
    played, reachable, ranks = view.fireworks[suit], view.reachable(suit), view.config.ranks
    name = f"steps-{suit}{played}{reachable}{ranks}"
    return symbols.use(name, lambda: _draw_steps(suit, played, reachable, ranks, symbols), 0, CARD_HEIGHT + 18)


def _draw_steps(suit: str, played: int, reachable: int, ranks: int, symbols: Symbols) -> str:
    steps = []
    for i, x in enumerate(_mark_places(ranks)):
        if i < played:
            steps.append(_pip(suit, x, 5.4, symbols))
        elif i < reachable:
            steps.append(element("circle", cx=x, r=3, class_="hb-spent"))
        else:
            steps.append(element("path", d=f"M{number(x - 3.5)}-3.5l7 7m0-7l-7 7", class_="hb-gone"))
    return "".join(steps)


@dataclass(frozen=True)
class Tray:
    """The discard panel: a row a suit, and in it a place for every copy, lowest rank first."""

    pitch: float
    row_height: float
    scale: float
    starts: dict[int, float]
    """Where the places of a rank begin."""


def _tray(view: TableView) -> Tray:
    ranks = range(1, view.config.ranks + 1)
    widest = {rank: max(view.copies.get(f"{suit}{rank}", 0) for suit in view.suits) for rank in ranks}
    gaps = 4 * (len(ranks) - 1)
    pitch = min(22.0, (_DISCARDS.width - 56 - gaps) / sum(widest.values()))
    row_height = min(29.0, 146 / len(view.suits))
    starts, x = {}, _DISCARDS.x + 42
    for rank in ranks:
        starts[rank] = x
        x += widest[rank] * pitch + 4
    return Tray(pitch, row_height, min(1.0, (pitch - 1.5) / 20, (row_height - 3) / 24), starts)


def _tray_row(view: TableView, tray: Tray, suit: str) -> float:
    return _DISCARDS.y + 34 + tray.row_height * view.suits.index(suit)


def _discard_places(view: TableView, suit: str, symbols: Symbols) -> str:
    tray = _tray(view)
    y = _tray_row(view, tray, suit)
    width, height = 20 * tray.scale - 1.5, 24 * tray.scale - 1.5
    return _shape(suit, _DISCARDS.x + 24, y + 12 * tray.scale, 8 * tray.scale, f"hb-{suit}") + "".join(
        symbols.use(
            f"place-{number(width)}x{number(height)}",
            lambda: rect(0.75, 0.75, width, height, 4 * tray.scale, class_="hb-slot"),
            left + copy * tray.pitch,
            y,
        )
        for rank, left in tray.starts.items()
        for copy in range(view.copies.get(f"{suit}{rank}", 0))
    )


def _fallen(view: TableView, suit: str, symbols: Symbols) -> str:
    """The discards of a suit; each fills the first free place of its rank."""
    tray = _tray(view)
    y = _tray_row(view, tray, suit)
    last = view.last_move
    newest = last.card if last is not None and not last.scored else None
    parts = []
    for rank, left in tray.starts.items():
        card = f"{suit}{rank}"
        fallen = view.discards.count(card)
        parts += [_small_card(card, symbols, left + copy * tray.pitch, y, tray.scale) for copy in range(fallen)]
        if card == newest and fallen:
            x = left + (fallen - 1) * tray.pitch - 2
            parts.append(rect(x, y - 2, 20 * tray.scale + 4, 24 * tray.scale + 4, 5, class_="hb-ring"))
    return "".join(parts)


# --- Hands ------------------------------------------------------------------------------------------------------------


def _slot_place(view: TableView, player: int, slot: int) -> tuple[float, float]:
    box, pitch = _hand_box(view, player), (CARD_WIDTH + CARD_GAP) * _hand_scale(view)
    line, place = divmod(slot, _cards_in_line(view))
    width = _cards_in_line(view) * pitch - CARD_GAP * _hand_scale(view)
    return box.x + (box.width - width) / 2 + place * pitch, box.y + 50 + line * _line_height(view)


def _slot_numbers(view: TableView, player: int, symbols: Symbols) -> str:
    places = [_slot_place(view, player, slot) for slot in range(view.config.cards_in_hand)]
    middle = CARD_WIDTH * _hand_scale(view) / 2
    return "".join(
        text(str(slot), x + middle, y - 7, 6.5, "hb-soft", anchor="middle", symbols=symbols)
        for slot, (x, y) in enumerate(places)
    )


def _hand(view: TableView, player: int, symbols: Symbols) -> list[str]:
    layers = [_hand_title(view, player, symbols)]
    last = view.last_move
    touched = last.touched if last is not None and last.target == player else ()
    for slot, card in enumerate(view.hands[player]):
        x, y = _slot_place(view, player, slot)
        ring = symbols.use("ring", _ring) if slot in touched else ""
        layers.append(group(_card(card, view, symbols), ring, x=x, y=y, scale=_hand_scale(view)))
    return layers


def _ring() -> str:
    """Around a card: the last move was about it."""
    return rect(-3.5, -3.5, CARD_WIDTH + 7, CARD_HEIGHT + 7, 12, class_="hb-ring")


def _hand_title(view: TableView, player: int, symbols: Symbols) -> str:
    box = _hand_box(view, player)
    to_move = view.end_reason is None and player == view.current_player
    left = box.x + (34 if to_move else 16)
    name = text(player_name(player), left, box.y + 25, 9, "hb-ink", bold=True, symbols=symbols)
    if not to_move:
        return name
    arrow = element("path", d=f"M{number(box.x + 17)} {number(box.y + 14)}l10 6.5-10 6.5z", class_="hb-solid")
    words = describe_turn(view).removeprefix(player_name(player)).lstrip()
    right = box.x + box.width - 16
    note = text(words, right, box.y + 25, 7.5, "hb-soft", anchor="end", symbols=symbols)
    return _panel(box, "hb-turn") + arrow + name + note


# --- A whole game -----------------------------------------------------------------------------------------------------


def replay(config: HanabiConfig, snapshots: Sequence[Snapshot], title: str = "Hanabi") -> Replay:
    """The page of a game: every turn as everybody's eyes see it.

    Raises:
        ValueError: no snapshot at all.
    """
    if not snapshots:
        raise ValueError("a replay needs at least one snapshot")
    symbols = Symbols("hb")
    last = view_of(snapshots[-1].position, config)
    rating = verdict(config, last.score, last.end_reason)
    return Replay(
        title=title,
        width=WIDTH,
        height=table_height(last),
        style=style(),
        symbols=symbols,
        frames=[_frame(config, snapshot, symbols) for snapshot in snapshots],
        subtitle=f"{config.players} players, score {describe_score(last)}{', ' + rating if rating else ''}",
    )


def _frame(config: HanabiConfig, now: Snapshot, symbols: Symbols) -> Frame:
    eyes = {"omniscient": None} | {player_name(player): player for player in range(config.players)}
    views = {name: view_of(now.position, config, seat) for name, seat in eyes.items()}
    everything = views["omniscient"]
    ending = f"; {describe_turn(everything)}" if everything.end_reason is not None else ""
    return Frame(
        pictures={name: table_layers(view, symbols) for name, view in views.items()},
        texts={name: table_ansi(view) for name, view in views.items()},
        caption=describe_move(everything.last_move) + ending,
        choice=now.action,
        probabilities=now.probabilities,
    )


# --- python -m hanabi_env.render --------------------------------------------------------------------------------------


def sample_game(config: HanabiConfig, seed: int, moves: int) -> list[Snapshot]:
    """A game to look at, up to ``moves`` moves: its players see all cards, play what fits and hint at random."""
    from hanabi_env.hanabi_v0 import raw_env

    env, rng, snapshots = raw_env(config=config), random.Random(seed), []
    env.reset(seed=seed)
    while True:
        position = env.to_dict()
        if position["end_reason"] is not None or len(snapshots) == moves:
            return [*snapshots, Snapshot(position)]
        legal = np.flatnonzero(env.observe(env.agent_selection)["action_mask"])
        action = _sample_action(position, [env.action_to_str(int(action)) for action in legal], rng)
        snapshots.append(Snapshot(position, action))
        env.step(env.str_to_action(action))


def _sample_action(position: Mapping[str, Any], legal: Sequence[str], rng: random.Random) -> str:
    hand = position["hands"][position["current_player"]]
    fitting = [f"play {slot}" for slot, card in enumerate(hand) if int(card[1:]) == position["fireworks"][card[0]] + 1]
    hints = [action for action in legal if action.startswith("hint")]
    if fitting and rng.random() < 0.6:
        return fitting[0]
    return rng.choice(hints) if hints and rng.random() < 0.7 else next((a for a in legal if "discard" in a), legal[0])


def main(arguments: Sequence[str] | None = None) -> None:
    """Draw a sample game: a position as ``.svg``, or the whole game as an ``.html`` replay."""
    parser = argparse.ArgumentParser(prog="python -m hanabi_env.render", description=main.__doc__)
    parser.add_argument("out", type=Path, help="file to write: .svg or .html")
    parser.add_argument("--preset", default="standard", choices=PRESETS)
    parser.add_argument("--players", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--moves", type=int, default=1000, help="stop after so many moves")
    parser.add_argument("--seat", type=int, help="whose eyes; by default every card is shown")
    options = parser.parse_args(arguments)
    config = make_config(preset=options.preset, players=options.players)
    snapshots = sample_game(config, options.seed, options.moves)
    view = view_of(snapshots[-1].position, config, options.seat)
    if options.out.suffix == ".svg":
        write_text(options.out, table_svg(view))
    elif options.out.suffix == ".html":
        replay(config, snapshots).save(options.out)
    else:
        parser.error(f"out must end in .svg or .html, got {options.out}")


if __name__ == "__main__":
    main()
