"""The panels of Ikebana's table as SVG: round, deck and drawn card at the top, then a row per player."""

from collections.abc import Sequence

from hanabako.drawing.svg import Symbols, group, rect, text
from hanabako.words.notation import player_name
from ikebana_env.drawing.artwork import CARD_HEIGHT, CARD_WIDTH, back, card_on_table, empty_place
from ikebana_env.drawing.table_view import TableView, describe_turn

__all__ = ["DECK", "DRAWN", "WIDTH", "discard_place", "table_height", "table_layers"]

WIDTH, MARGIN = 1000, 16
HEADER, ROW = 118, 136
CARD_GAP = 8
BOUQUET_X, DISCARD_X, PRESTIGE_X = 176, 620, 800  # columns of a player's row
DRAWN, DECK = (DISCARD_X, 9), (DISCARD_X + 92, 9)
MOST_UNDER_TOP = 3  # buried cards whose edges are drawn


def table_height(view: TableView) -> int:
    """Return the height of the picture, whose width is `WIDTH`."""
    return HEADER + len(view.players) * (ROW + MARGIN // 2) + MARGIN


def row_top(player: int) -> int:
    """Return the top of a player's row."""
    return HEADER + player * (ROW + MARGIN // 2)


def discard_place(player: int) -> tuple[int, int]:
    """Return the upper left corner of the top card of a player's discard."""
    return DISCARD_X, row_top(player) + 18


def table_layers(view: TableView, symbols: Symbols) -> list[str]:
    """Return the picture as layers, so that a replay stores equal layers once."""
    layers = [rect(0, 0, WIDTH, table_height(view), class_="ik-table"), *_header(view, symbols)]
    for player in range(len(view.players)):
        layers += _player(view, player, symbols)
    return layers


def _header(view: TableView, symbols: Symbols) -> list[str]:
    """Draw the round, the deck, the drawn card, and the decision."""
    final = ", final bouquet" if view.final_bouquet and view.round == view.rounds else ""
    title = f"Round {view.round} of {view.rounds}{final}"
    drawn = f"refused {view.refusals}" if view.refusals else ""
    return [
        text(title, MARGIN, 40, 13, "ik-ink", bold=True, symbols=symbols),
        text(describe_turn(view), MARGIN, 70, 10, "ik-soft", symbols=symbols),
        text(drawn, MARGIN, 94, 9, "ik-soft", symbols=symbols),
        text("drawn", DISCARD_X - 12, 62, 9, "ik-soft", anchor="end", symbols=symbols),
        group(card_on_table(view.drawn, symbols) if view.drawn else empty_place(symbols), x=DRAWN[0], y=DRAWN[1]),
        group(back(symbols) if view.deck_size else empty_place(symbols), x=DECK[0], y=DECK[1]),
        text("deck", PRESTIGE_X, 46, 9, "ik-soft", symbols=symbols),
        text(str(view.deck_size), PRESTIGE_X, 76, 16, "ik-ink", symbols=symbols),
    ]


def _player(view: TableView, player: int, symbols: Symbols) -> list[str]:
    """Draw a player's row: name and gains, bouquet, discard, prestige."""
    own, top = view.players[player], row_top(player)
    is_to_move = view.end_reason is None and player == view.current_player
    gains = " + ".join(str(row[player]) for row in view.gains)
    notes = [player_name(player), f"gains {gains}" if gains else "", _appraisal(view, player)]
    layers = [rect(MARGIN, top, WIDTH - 2 * MARGIN, ROW, 8, class_="ik-turn" if is_to_move else "ik-panel")]
    for line, words in enumerate(notes):
        style = "ik-soft" if line else "ik-ink"
        layers.append(text(words, 2 * MARGIN, top + 40 + 28 * line, 8.5, style, bold=not line, symbols=symbols))
    for slot in range(5):
        card = card_on_table(own.bouquet[slot], symbols) if slot < len(own.bouquet) else empty_place(symbols)
        layers.append(group(card, x=BOUQUET_X + slot * (CARD_WIDTH + CARD_GAP), y=top + 18))
    x, y = discard_place(player)
    layers.append(group(_pile(own.discard, symbols), x=x, y=y))
    layers.append(text("prestige", PRESTIGE_X, top + 48, 9, "ik-soft", symbols=symbols))
    layers.append(text(str(own.prestige), PRESTIGE_X, top + 88, 20, "ik-ink", bold=True, symbols=symbols))
    return layers


def _appraisal(view: TableView, player: int) -> str:
    """Return the points of a complete bouquet as text."""
    found = view.players[player].appraisal
    if found is None:
        return ""
    final = " x 2" if view.final_bouquet and view.round == view.rounds else ""
    return f"{found.points} x {found.multiplier}{final}"


def _pile(cards: Sequence[str], symbols: Symbols) -> str:
    """Draw a discard: its top card, the edges of some cards below, and its height."""
    if not cards:
        return empty_place(symbols)
    under = min(len(cards) - 1, MOST_UNDER_TOP)
    edges = [
        rect(6 * (under - k), -4 * (under - k), CARD_WIDTH, CARD_HEIGHT, 7, class_="ik-under") for k in range(under)
    ]
    height = text(str(len(cards)), CARD_WIDTH + 6 * under + 10, 58, 9, "ik-soft", symbols=symbols)
    return "".join([*edges, card_on_table(cards[-1], symbols), height])
