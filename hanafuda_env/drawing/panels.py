"""The panels of Koi-Koi's table as SVG: their positions and contents.

The picture consists of layers (`table_layers`). The player whose view it is sits at the bottom. Captured cards are
sorted by kind, with the progress towards each yaku beside them.
"""

from hanabako.drawing.svg import Symbols, element, rect, text
from hanabako.words.notation import counted, player_name
from hanafuda_env.drawing.artwork import CARD_HEIGHT, CARD_WIDTH, card_on_table
from hanafuda_env.drawing.cards.names import MONTH_NAMES, month_of_card
from hanafuda_env.drawing.table_view import YAKU_WORDS, TableView, YakuView, describe_news, describe_phase

__all__ = [
    "FIELD_SCALE",
    "HAND_SCALE",
    "HEIGHT",
    "WIDTH",
    "eyes",
    "field_places",
    "hand_place",
    "scores",
    "table_layers",
]

WIDTH, HEIGHT = 1000, 664
MARGIN, GAP = 16, 12
PLAYER_HEIGHT = 206
FIELD_Y = MARGIN + PLAYER_HEIGHT + GAP
FIELD_HEIGHT = HEIGHT - 2 * (MARGIN + PLAYER_HEIGHT + GAP)
HAND_SCALE, PILE_SCALE, FIELD_SCALE = 0.86, 0.6, 0.92
HAND_WIDTH = 452
YAKU_WIDTH = 196


def table_layers(view: TableView, symbols: Symbols) -> list[str]:
    """Return the picture as small SVG pieces, each of which depends on little of the view.

    Most pieces do not change from turn to turn, so a replay stores them once.
    """
    layers = [_backdrop(), *_middle(view, symbols)]
    for player in range(2):
        layers += _player(view, player, player_top(view, player), symbols)
    return [layer for layer in layers if layer]


def player_top(view: TableView, player: int) -> float:
    """Return the top of a player's panel. The player whose view it is sits at the bottom."""
    below = 0 if view.seat is None else view.seat
    return HEIGHT - MARGIN - PLAYER_HEIGHT if player == below else MARGIN


def hand_place(view: TableView, player: int, k: int) -> tuple[float, float]:
    """Return the upper left corner of a card of a hand."""
    return MARGIN + 16 + k * (CARD_WIDTH * HAND_SCALE + 3), player_top(view, player) + 58


def eyes(view: TableView) -> str:
    """Return whose view the picture shows, as text."""
    return "every card shown" if view.seat is None else f"as {player_name(view.seat)} sees it"


def scores(view: TableView) -> str:
    """Return both players' points as text."""
    mine, theirs = view.position["scores"]
    return f"{player_name(0)} {mine}, {player_name(1)} {theirs}"


def _backdrop() -> str:
    """Return the parts that never change during a game."""
    wide = WIDTH - 2 * MARGIN
    return "".join(
        [
            rect(0, 0, WIDTH, HEIGHT, class_="kk-table"),
            rect(MARGIN, MARGIN, wide, PLAYER_HEIGHT, 12, class_="kk-panel"),
            rect(MARGIN, HEIGHT - MARGIN - PLAYER_HEIGHT, wide, PLAYER_HEIGHT, 12, class_="kk-panel"),
        ]
    )


# --- The middle of the table ------------------------------------------------------------------------------------------


def _middle(view: TableView, symbols: Symbols) -> list[str]:
    """Draw the deck and news on the left, the field, and the pending card on the right."""
    return [_deck(view, symbols), _news(view, symbols), *_field(view, symbols), _pending(view, symbols)]


def _deck(view: TableView, symbols: Symbols) -> str:
    x, y = MARGIN + 12, FIELD_Y + 26
    pile = min(view.deck_size, 3)
    backs = "".join(card_on_table(None, symbols, x + 3 * k, y - 3 * k, 0.75) for k in range(pile))
    if view.next_card is not None:
        backs = card_on_table(None, symbols, x, y, 0.75) + card_on_table(view.next_card, symbols, x + 6, y - 6, 0.75)
    words = text(f"{view.deck_size} left", x + 24, y + 90, 7.5, "kk-soft", anchor="middle", symbols=symbols)
    return backs + words


def _news(view: TableView, symbols: Symbols) -> str:
    """Draw the round, turn, last turn and next decision, in four texts around the field."""
    position = view.position
    round_ = f"round {position['round']} of {view.config.rounds}, turn {position['turn']}"
    y = FIELD_Y + FIELD_HEIGHT - 10
    return "".join(
        [
            text(round_, MARGIN + 4, FIELD_Y + 10, 8, "kk-ink", bold=True, symbols=symbols),
            text(eyes(view), WIDTH - MARGIN - 4, FIELD_Y + 10, 7.5, "kk-soft", anchor="end", symbols=symbols),
            text(describe_phase(view), WIDTH - MARGIN - 4, y, 8, "kk-ink", anchor="end", bold=True, symbols=symbols),
            text(describe_news(view), MARGIN + 4, y, 8, "kk-soft", symbols=symbols),
        ]
    )


def _field(view: TableView, symbols: Symbols) -> list[str]:
    """Draw the cards between the players, under their months' names; new ones have a ring."""
    laid, columns = _just_laid(view), {}
    for card, (x, _) in field_places(view).items():
        columns.setdefault(x, card)
    months = [_month(card, symbols, x, FIELD_Y + 13, FIELD_SCALE) for x, card in columns.items()]
    return months + [
        card_on_table(card, symbols, x, y, FIELD_SCALE, new=card in laid) for card, (x, y) in field_places(view).items()
    ]


def _month(card: str | None, symbols: Symbols, x: float, y: float, scale: float) -> str:
    """Return the name of a card's month, centered on the card; nothing for a hidden card."""
    name = "" if card is None else MONTH_NAMES[month_of_card(card) - 1]
    return text(name, x + CARD_WIDTH * scale / 2, y, 5.5, "kk-soft", anchor="middle", symbols=symbols)


def field_places(view: TableView) -> dict[str, tuple[float, float]]:
    """Return the upper left corner of each card on the field. Cards of a month share a column."""
    columns: dict[str, list[str]] = {}
    for card in view.position["field"]:
        columns.setdefault(card.partition("-")[0], []).append(card)
    count = len(columns)
    pitch = min(CARD_WIDTH * FIELD_SCALE + 8, (WIDTH - 300) / max(count, 1))
    left = WIDTH / 2 - pitch * count / 2
    found = {}
    for place, cards in enumerate(columns.values()):
        step = min(34.0, (FIELD_HEIGHT - 46 - CARD_HEIGHT * FIELD_SCALE) / max(len(cards) - 1, 1))
        for k, card in enumerate(cards):
            found[card] = left + place * pitch, FIELD_Y + 20 + k * step
    return found


def _just_laid(view: TableView) -> set[str]:
    """Return the cards played or drawn in the present or last turn, which may have stayed on the field."""
    turn = view.last_turn
    return set() if turn is None else {turn[key] for key in ("played", "drawn") if turn.get(key)}


def _pending(view: TableView, symbols: Symbols) -> str:
    card = view.position["pending"]
    if not card:
        return ""
    x = WIDTH - MARGIN - 70
    note = text("takes what?", x + 24, FIELD_Y + 116, 7, "kk-soft", anchor="middle", symbols=symbols)
    return card_on_table(card, symbols, x, FIELD_Y + 26, 0.8, new=True) + note


# --- A player ---------------------------------------------------------------------------------------------------------


def _player(view: TableView, player: int, y: float, symbols: Symbols) -> list[str]:
    return [
        _title(view, player, y, symbols),
        *_hand(view, player, symbols),
        *_piles(view, player, y, symbols),
        *_yaku(view, player, y, symbols),
    ]


def _title(view: TableView, player: int, y: float, symbols: Symbols) -> str:
    position = view.position
    to_move = position["phase"] != "end" and position["current_player"] == player
    x = MARGIN + 16
    frame = arrow = ""
    if to_move:
        frame = rect(MARGIN, y, WIDTH - 2 * MARGIN, PLAYER_HEIGHT, 12, class_="kk-turn")
        arrow = element("path", d=f"M{x} {y + 13}l10 6.5-10 6.5z", class_="kk-solid")
        x += 18
    name = player_name(player) + (", dealer" if position["dealer"] == player else "")
    calls = position["koikoi_called"][player]
    score = position["scores"][player]
    facts = [counted(score, "point")]
    facts += [f"base {position['base'][player]}"] * bool(position["base"][player])
    facts += [f"Koi-Koi x{calls}" if calls > 1 else "Koi-Koi"] * bool(calls)
    right = MARGIN + HAND_WIDTH
    return "".join(
        [
            frame,
            arrow,
            text(name, x, y + 25, 9, "kk-ink", bold=True, symbols=symbols),
            text(", ".join(facts), right, y + 25, 8.5, "kk-ink", anchor="end", symbols=symbols),
        ]
    )


def _hand(view: TableView, player: int, symbols: Symbols) -> list[str]:
    layers = []
    for k, card in enumerate(view.hands[player]):
        x, y = hand_place(view, player, k)
        layers.append(card_on_table(card, symbols, x, y, HAND_SCALE))
        layers.append(_month(card, symbols, x, y + CARD_HEIGHT * HAND_SCALE + 12, HAND_SCALE))
    return layers


def _piles(view: TableView, player: int, y: float, symbols: Symbols) -> list[str]:
    """Draw the captured cards in rows by kind: brights and animals, ribbons, chaff."""
    left, width = MARGIN + HAND_WIDTH + 26, WIDTH - 2 * MARGIN - HAND_WIDTH - YAKU_WIDTH - 40
    rows = [(view.pile(player, "bright"), view.pile(player, "animal")), (view.pile(player, "ribbon"),)]
    rows.append((view.pile(player, "chaff"),))
    last = view.last_turn
    new = set(last["captured"]) if last is not None and last["player"] == player else set()
    layers = []
    for row, kinds in enumerate(rows):
        count = sum(map(len, kinds))
        gap = 8.0 if len(kinds) > 1 and all(kinds) else 0.0
        card_width = CARD_WIDTH * PILE_SCALE
        pitch = min(card_width + 2, (width - gap - card_width) / max(count - 1, 1))
        x = left
        for cards in kinds:
            for card in cards:
                layers.append(card_on_table(card, symbols, x, y + 10 + row * 63, PILE_SCALE, new=card in new))
                x += pitch
            x += gap if cards else 0
    return layers


def _yaku(view: TableView, player: int, y: float, symbols: Symbols) -> list[str]:
    """Draw a line per yaku: a mark per card that it needs, filled if captured, dashed if out of reach."""
    left = WIDTH - MARGIN - YAKU_WIDTH
    return [_yaku_line(yaku, player, left, y + 18 + 15.6 * k, symbols) for k, yaku in enumerate(view.yaku)]


def _yaku_line(yaku: YakuView, player: int, x: float, y: float, symbols: Symbols) -> str:
    made, possible = yaku.made[player], yaku.possible[player]
    class_ = "kk-ink" if made or possible else "kk-soft"
    have = min(yaku.have[player], yaku.need)
    marks = []
    for k in range(yaku.need):
        kind = "kk-full" if k < have else "kk-open" if possible else "kk-lost"
        marks.append(element("circle", cx=x + 118 + 7.2 * k, cy=y - 3, r=2.8, class_=kind))
    more = yaku.have[player] - yaku.need
    name = YAKU_WORDS[yaku.name]
    words = text(name, x, y, 6.2, class_, bold=made, symbols=symbols)
    extra = text(f"+{more}", x + 120 + 7.2 * yaku.need, y, 6.2, "kk-ink", symbols=symbols) if made and more > 0 else ""
    return words + "".join(marks) + extra
