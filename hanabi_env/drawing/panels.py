"""The contents of the panels of Hanabi's table as SVG. Their positions are in `hanabi_env.drawing.places`.

The picture consists of layers (`table_layers`), small pieces that each depend on little of the view. From top to bottom
it shows the last action; score and tokens, fireworks and discards side by side; and a panel for each hand.
"""

from collections.abc import Callable
from dataclasses import dataclass

from hanabako.drawing.svg import Symbols, element, group, number, rect, text, text_width, wrap
from hanabako.words.notation import counted, player_name
from hanabi_env.drawing.artwork import (
    CARD_GAP,
    CARD_HEIGHT,
    CARD_WIDTH,
    bonus_tile,
    card_of_hand,
    chip,
    face,
    mark_places,
    pip,
    ring,
    shape,
    small_card,
    speech,
)
from hanabi_env.drawing.places import (
    DISCARDS,
    FIREWORKS,
    FIREWORKS_WIDTH,
    MARGIN,
    STATUS,
    STATUS_WIDTH,
    WIDTH,
    Box,
    hand_box,
    hand_scale,
    slot_place,
    table_height,
)
from hanabi_env.drawing.table_view import TableView, describe_move, describe_turn
from hanabi_env.words.notation import TILE_LETTERS
from hanabi_env.words.ratings import word_and_crowd

__all__ = ["eyes", "table_layers"]

MIDDLE_DOT = "\N{MIDDLE DOT}"
LEGEND = "under a card: the suits and ranks that it may still have; in a box: named by a hint"
MOST_DRAWN_TOKENS = 12  # above that, one token and the number


def table_layers(view: TableView, symbols: Symbols) -> list[str]:
    """Return the picture as small SVG pieces, each of which depends on little of the view.

    Most pieces do not change from turn to turn, so a replay stores them once.
    """
    layers = [_backdrop(view, symbols), *_header(view, symbols), *_status(view, symbols), *_tiles(view, symbols)]
    layers += [_firework(view, suit, symbols) for suit in view.suits]
    layers += [_fallen(view, suit, symbols) for suit in view.suits]
    for player in range(len(view.hands)):
        layers += _hand(view, player, symbols)
    return [layer for layer in layers if layer]


def _panel(box: Box, class_: str = "hb-panel") -> str:
    return rect(box.x, box.y, box.width, box.height, 12, class_=class_)


def _label(words: str, box: Box) -> str:
    return text(words, box.x + 16, box.y + 23, 7.5, "hb-soft")


def _backdrop(view: TableView, symbols: Symbols) -> str:
    """Return the parts that never change during a game."""
    players = range(view.config.players)
    return "".join(
        [
            rect(0, 0, WIDTH, table_height(view), class_="hb-table"),
            text(LEGEND, MARGIN + 4, table_height(view) - 6, 7, "hb-soft", symbols=symbols),
            *map(_panel, (STATUS, FIREWORKS, DISCARDS)),
            *(_panel(hand_box(view, player)) for player in players),
            *(_slot_numbers(view, player, symbols) for player in players),
            _label("fireworks", FIREWORKS),
            _label("discards", DISCARDS),
            *(_discard_places(view, suit, symbols) for suit in view.suits),
        ]
    )


def eyes(view: TableView) -> str:
    """Return whose view the picture shows, and the rules that no other part of the picture shows."""
    eyes = "every card shown" if view.seat is None else f"as {player_name(view.seat)} sees it"
    rules = {"final bouquet": view.config.final_bouquet, "choreography": view.config.choreography}
    return f" {MIDDLE_DOT} ".join([*(name for name, is_on in rules.items() if is_on), eyes])


def _header(view: TableView, symbols: Symbols) -> list[str]:
    last = view.last_move
    signs, x = "", MARGIN + 4.0
    if last is not None and last.card is not None:
        signs = chip(last.card, symbols, x, 14)
        x += 46
    if last is not None and last.announced is not None:
        signs += speech(last.announced, symbols, x, 14)
        x += 40
    right = FIREWORKS.x + FIREWORKS_WIDTH - 16
    return [
        signs + text(describe_move(last), x, 32, 11, "hb-ink", bold=True, symbols=symbols),
        text(eyes(view), WIDTH - MARGIN - 4, 31, 8.5, "hb-soft", anchor="end", symbols=symbols),
        text(_news(view), right, FIREWORKS.y + 23, 7.5, "hb-ink", anchor="end", bold=True, symbols=symbols),
    ]


def _news(view: TableView) -> str:
    """Return the news of this turn: the end, or the last round."""
    if view.end_reason is not None:
        return describe_turn(view)
    if view.turns_to_play is not None:
        return f"last round: {counted(view.turns_to_play, 'turn')} left"
    return ""


# --- Score, tokens, deck ----------------------------------------------------------------------------------------------


def _status(view: TableView, symbols: Symbols) -> list[str]:
    x, y, config = STATUS.x + 16, STATUS.y, view.config
    return [
        _score(view, x, y, symbols),
        _verdict(view, x, y + 70, symbols),
        _deck(view, symbols),
        _token_row(view.information_tokens, config.max_information_tokens, "information", x + 7, y + 129, symbols),
        _token_row(view.life_tokens, config.max_life_tokens, "life", x + 7, y + 159, symbols),
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
    """Draw the booklet's word for the show, and the crowd's reaction below."""
    word, crowd = word_and_crowd(view.verdict)
    lines = wrap(crowd, STATUS_WIDTH - 32, 6.8)[:2]
    return text(word, x, y, 9, "hb-ink", bold=True, symbols=symbols) + "".join(
        text(line, x, y + 18 + 15 * i, 6.8, "hb-soft", symbols=symbols) for i, line in enumerate(lines)
    )


def _deck(view: TableView, symbols: Symbols) -> str:
    x, y = STATUS.x + STATUS_WIDTH - 16 - 42, STATUS.y + 14
    height = min(view.deck_size, 3)
    pile = symbols.use(f"deck-{height}", lambda: _pile(height), x, y)
    count = text(str(view.deck_size), x + 21, y + 25, 13, "hb-ink", anchor="middle", bold=True, symbols=symbols)
    if view.next_card is not None:
        return pile + count + chip(view.next_card, symbols, x + 3, y + 31)
    return pile + count + text("deck", x + 21, y + 43, 6, "hb-soft", anchor="middle", symbols=symbols)


def _pile(height: int) -> str:
    if height == 0:
        return rect(0, 0, 42, 56, 6, class_="hb-slot")
    return "".join(rect(-2 * i, 2 * i, 42, 56, 6, class_="hb-back") for i in reversed(range(height)))


def _token_row(count: int, most: int, kind: str, x: float, y: float, symbols: Symbols) -> str:
    """Draw one mark per token, hollow if it is spent, then the number."""
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
    """Draw a life token, the flame of a fuse."""
    flame = "M0-9c1 4 6 5.5 6 10.5a6 6 0 0 1-12 0c0-3 2-4 2.5-6.5c1.5.8 1.8 2 1.8 3c1.2-1.8 2-4 1.7-7z"
    return element("path", class_="hb-life" if there else "hb-spent", d=flame)


_TOKENS: dict[str, Callable[[bool], str]] = {"information": _information_token, "life": _life_token}


def _tiles(view: TableView, symbols: Symbols) -> list[str]:
    """Draw the face-down and the revealed bonus tiles, and a ring around the one that waits for a choice (V4)."""
    if not view.config.flamboyants:
        return []
    x, y = FIREWORKS.x + 84, FIREWORKS.y + 10
    places = {letter: x + 19 * i for i, letter in enumerate(TILE_LETTERS)}
    tiles = [bonus_tile(letter, letter in view.bonus_tiles, symbols, place, y) for letter, place in places.items()]
    if view.pending is not None:
        tiles.append(rect(places[view.pending[0]] - 2.5, y - 2.5, 20, 23, 5, class_="hb-ring"))
    return ["".join(tiles)]


# --- Fireworks and discards -------------------------------------------------------------------------------------------


def _firework(view: TableView, suit: str, symbols: Symbols) -> str:
    """Draw the top card, and a step per card: played, to come, or crossed out because its copies are discarded."""
    count = len(view.suits)
    scale = min(1.0, (FIREWORKS_WIDTH - 32) / (count * (CARD_WIDTH + CARD_GAP) - CARD_GAP))
    pitch = (CARD_WIDTH + CARD_GAP) * scale
    x = FIREWORKS.x + (FIREWORKS_WIDTH - count * pitch + CARD_GAP * scale) / 2 + pitch * view.suits.index(suit)
    top = view.top(suit)
    card = (
        symbols.use(top, lambda: face(top))
        if top is not None
        else symbols.use(f"empty-{suit}{view.config.ranks}", lambda: _empty_firework(suit, view.config.ranks))
    )
    last = view.last_move
    grown = last is not None and bool(last.scored) and last.card is not None and last.card[0] == suit
    mark = symbols.use("ring", ring) if grown else ""
    y = FIREWORKS.y + 34 + (140 - 132 * scale) / 2
    return group(card, mark, _steps(view, suit, symbols), x=x, y=y, scale=scale)


def _empty_firework(suit: str, ranks: int) -> str:
    """Draw the suit's mark on an empty firework; for black powder also that it descends (V3)."""
    outline = rect(1, 1, CARD_WIDTH - 2, CARD_HEIGHT - 2, 9, class_="hb-slot", stroke_dasharray="5 5")
    way = text(f"{ranks} to 1", CARD_WIDTH / 2, 86, 8, "hb-soft", anchor="middle") if suit == "K" else ""
    return (
        outline + way + element("g", shape(suit, CARD_WIDTH / 2, CARD_HEIGHT / 2, 15, f"hb-{suit}"), class_="hb-faint")
    )


def _steps(view: TableView, suit: str, symbols: Symbols) -> str:
    played, reachable, ranks = view.fireworks[suit], view.reachable(suit), view.config.ranks
    name = f"steps-{suit}{played}{reachable}{ranks}"
    return symbols.use(name, lambda: _draw_steps(suit, played, reachable, ranks, symbols), 0, CARD_HEIGHT + 18)


def _draw_steps(suit: str, played: int, reachable: int, ranks: int, symbols: Symbols) -> str:
    steps = []
    for i, x in enumerate(mark_places(ranks)):
        if i < played:
            steps.append(pip(suit, x, 5.4, symbols))
        elif i < reachable:
            steps.append(element("circle", cx=x, r=3, class_="hb-spent"))
        else:
            steps.append(element("path", d=f"M{number(x - 3.5)}-3.5l7 7m0-7l-7 7", class_="hb-gone"))
    return "".join(steps)


@dataclass(frozen=True)
class Tray:
    """The discard panel: a row per suit, with a space for every copy, lowest rank first."""

    pitch: float
    row_height: float
    scale: float
    starts: dict[int, float]
    """The horizontal position of the first space of each rank."""


def _tray(view: TableView) -> Tray:
    ranks = range(1, view.config.ranks + 1)
    widest = {rank: max(view.copies.get(f"{suit}{rank}", 0) for suit in view.suits) for rank in ranks}
    gaps = 4 * (len(ranks) - 1)
    pitch = min(22.0, (DISCARDS.width - 56 - gaps) / sum(widest.values()))
    row_height = min(29.0, 146 / len(view.suits))
    starts, x = {}, DISCARDS.x + 42
    for rank in ranks:
        starts[rank] = x
        x += widest[rank] * pitch + 4
    return Tray(pitch, row_height, min(1.0, (pitch - 1.5) / 20, (row_height - 3) / 24), starts)


def _tray_row(view: TableView, tray: Tray, suit: str) -> float:
    return DISCARDS.y + 34 + tray.row_height * view.suits.index(suit)


def _discard_places(view: TableView, suit: str, symbols: Symbols) -> str:
    tray = _tray(view)
    y = _tray_row(view, tray, suit)
    width, height = 20 * tray.scale - 1.5, 24 * tray.scale - 1.5
    return shape(suit, DISCARDS.x + 24, y + 12 * tray.scale, 8 * tray.scale, f"hb-{suit}") + "".join(
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
    """Draw the discards of a suit; each one fills the first free space of its rank."""
    tray = _tray(view)
    y = _tray_row(view, tray, suit)
    last = view.last_move
    newest = last.card if last is not None and last.is_discarded else None
    parts = []
    for rank, left in tray.starts.items():
        card = f"{suit}{rank}"
        fallen = view.discards.count(card)
        parts += [small_card(card, symbols, left + copy * tray.pitch, y, tray.scale) for copy in range(fallen)]
        if card == newest and fallen:
            x = left + (fallen - 1) * tray.pitch - 2
            parts.append(rect(x, y - 2, 20 * tray.scale + 4, 24 * tray.scale + 4, 5, class_="hb-ring"))
    return "".join(parts)


# --- Hands ------------------------------------------------------------------------------------------------------------


def _slot_numbers(view: TableView, player: int, symbols: Symbols) -> str:
    places = [slot_place(view, player, slot) for slot in range(view.config.cards_in_hand)]
    middle = CARD_WIDTH * hand_scale(view) / 2
    return "".join(
        text(str(slot), x + middle, y - 7, 6.5, "hb-soft", anchor="middle", symbols=symbols)
        for slot, (x, y) in enumerate(places)
    )


def _hand(view: TableView, player: int, symbols: Symbols) -> list[str]:
    layers = [_hand_title(view, player, symbols)]
    last = view.last_move
    touched = last.touched if last is not None and last.target == player else ()
    for slot, card in enumerate(view.hands[player]):
        x, y = slot_place(view, player, slot)
        mark = symbols.use("ring", ring) if slot in touched else ""
        layers.append(group(card_of_hand(card, view, symbols), mark, x=x, y=y, scale=hand_scale(view)))
    return layers


def _hand_title(view: TableView, player: int, symbols: Symbols) -> str:
    box = hand_box(view, player)
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
