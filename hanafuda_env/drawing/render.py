"""Pictures of the table: SVG for notebooks and pages, pixels, text, and the replay of a whole game.

    view = view_of(env.unwrapped.to_dict(), env.unwrapped.config, seat=0)   # or seat=None: every card
    table_svg(view); table_rgb(view); table_ansi(view)
    replay(config, [Snapshot(position, "play 3-1", {"play 3-1": 0.9, ...}), ...]).save("game.html")

Whose eyes it is sits below. The cards are drawn in `hanafuda_env.drawing.faces`; captured ones lie sorted by kind, and beside
them stand the yaku in the making. `python -m hanafuda_env.drawing.render table.svg --seed 7` draws a game in progress.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from hanabako.drawing.replay import Frame, Replay, Snapshot, frame_of
from hanabako.drawing.sample import play_game, sample_parser, write_sample
from hanabako.drawing.svg import Symbols, Theme, document, element, group, rasterize, rect, stylesheet, text
from hanabako.words.notation import player_name
from hanafuda_env.config import PRESETS, KoiKoiConfig, make_config
from hanafuda_env.drawing import faces
from hanafuda_env.drawing.table_view import (
    YAKU_WORDS,
    TableView,
    YakuView,
    describe_news,
    describe_phase,
    table_ansi,
    view_of,
)

__all__ = ["Snapshot", "replay", "table_ansi", "table_layers", "table_rgb", "table_svg", "view_of"]

WIDTH, HEIGHT = 1000, 664
MARGIN, GAP = 16, 12
PLAYER_HEIGHT = 206
FIELD_Y = MARGIN + PLAYER_HEIGHT + GAP
FIELD_HEIGHT = HEIGHT - 2 * (MARGIN + PLAYER_HEIGHT + GAP)
CARD_W, CARD_H = faces.WIDTH, faces.HEIGHT
HAND_SCALE, PILE_SCALE, FIELD_SCALE = 0.86, 0.6, 0.92
HAND_WIDTH = 452
YAKU_WIDTH = 196

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
    """The CSS of every Koi-Koi picture. The cards keep their colors by day and by night."""
    return stylesheet(_CLASSES, _DARK, theme)


def table_svg(view: TableView, theme: Theme = "auto") -> str:
    """The table as a complete SVG. `auto` follows the reader's color scheme."""
    symbols = Symbols("kk")
    layers = table_layers(view, symbols)
    return document(
        WIDTH,
        HEIGHT,
        *layers,
        style=style(theme),
        symbols=symbols,
        title=f"Koi-Koi, {_eyes(view)}",
        description=f"{describe_phase(view)}; {_scores(view)}.",
    )


def table_rgb(view: TableView, width: int = WIDTH, theme: Theme = "light") -> NDArray[np.uint8]:
    """The table as pixels, uint8 (height, width, 3). Needs the extra `render`."""
    return rasterize(table_svg(view, theme), width)


def table_layers(view: TableView, symbols: Symbols) -> list[str]:
    """The picture in small pieces, each depending on little of the view.

    Most stay the same from turn to turn, so a replay stores them once.
    """
    below = 0 if view.seat is None else view.seat
    layers = [_backdrop(), *_middle(view, symbols)]
    for player in range(2):
        y = HEIGHT - MARGIN - PLAYER_HEIGHT if player == below else MARGIN
        layers += _player(view, player, y, symbols)
    return [layer for layer in layers if layer]


def _eyes(view: TableView) -> str:
    return "every card shown" if view.seat is None else f"as {player_name(view.seat)} sees it"


def _scores(view: TableView) -> str:
    mine, theirs = view.position["scores"]
    return f"{player_name(0)} {mine}, {player_name(1)} {theirs}"


def _backdrop() -> str:
    """What never changes during a game."""
    wide = WIDTH - 2 * MARGIN
    return "".join(
        [
            rect(0, 0, WIDTH, HEIGHT, class_="kk-table"),
            rect(MARGIN, MARGIN, wide, PLAYER_HEIGHT, 12, class_="kk-panel"),
            rect(MARGIN, HEIGHT - MARGIN - PLAYER_HEIGHT, wide, PLAYER_HEIGHT, 12, class_="kk-panel"),
        ]
    )


# --- Cards ------------------------------------------------------------------------------------------------------------


def _card(card: str | None, symbols: Symbols, x: float, y: float, scale: float, new: bool = False) -> str:
    """A card, or its back where it is not seen; ``new`` puts a ring around it."""
    drawn = symbols.use("back", _back) if card is None else symbols.use(f"c{card}", lambda: faces.face(card))
    ring = symbols.use("ring", _ring) if new else ""
    return group(drawn, ring, x=x, y=y, scale=scale)


def _back() -> str:
    weave = "".join(f"M{x} 8v{CARD_H - 16}" for x in range(12, CARD_W - 8, 9))
    weave += "".join(f"M8 {y}h{CARD_W - 16}" for y in range(12, CARD_H - 8, 9))
    return rect(0, 0, CARD_W, CARD_H, 5, class_="kk-back") + element("path", d=weave, class_="kk-weave")


def _ring() -> str:
    return rect(-3, -3, CARD_W + 6, CARD_H + 6, 8, class_="kk-new")


# --- The middle of the table ------------------------------------------------------------------------------------------


def _middle(view: TableView, symbols: Symbols) -> list[str]:
    """Deck and news on the left, the field, and on the right the pending card."""
    return [_deck(view, symbols), _news(view, symbols), *_field(view, symbols), _pending(view, symbols)]


def _deck(view: TableView, symbols: Symbols) -> str:
    x, y = MARGIN + 12, FIELD_Y + 26
    pile = min(view.deck_size, 3)
    backs = "".join(_card(None, symbols, x + 3 * k, y - 3 * k, 0.75) for k in range(pile))
    if view.next_card is not None:
        backs = _card(None, symbols, x, y, 0.75) + _card(view.next_card, symbols, x + 6, y - 6, 0.75)
    words = text(f"{view.deck_size} left", x + 24, y + 90, 7.5, "kk-soft", anchor="middle", symbols=symbols)
    return backs + words


def _news(view: TableView, symbols: Symbols) -> str:
    """Round, turn, what just happened and what comes now, in four lines under the field."""
    position = view.position
    round_ = f"round {position['round']} of {view.config.rounds}, turn {position['turn']}"
    y = FIELD_Y + FIELD_HEIGHT - 10
    return "".join(
        [
            text(round_, MARGIN + 4, FIELD_Y + 10, 8, "kk-ink", bold=True, symbols=symbols),
            text(_eyes(view), WIDTH - MARGIN - 4, FIELD_Y + 10, 7.5, "kk-soft", anchor="end", symbols=symbols),
            text(describe_phase(view), WIDTH - MARGIN - 4, y, 8, "kk-ink", anchor="end", bold=True, symbols=symbols),
            text(describe_news(view), MARGIN + 4, y, 8, "kk-soft", symbols=symbols),
        ]
    )


def _field(view: TableView, symbols: Symbols) -> list[str]:
    """A column a month, so that what can be taken together lies together; the newest card has a ring."""
    columns: dict[str, list[str]] = {}
    for card in view.position["field"]:
        columns.setdefault(card.partition("-")[0], []).append(card)
    laid = _just_laid(view)
    count = len(columns)
    pitch = min(CARD_W * FIELD_SCALE + 8, (WIDTH - 300) / max(count, 1))
    left = WIDTH / 2 - pitch * count / 2
    layers = []
    for place, cards in enumerate(columns.values()):
        step = min(34.0, (FIELD_HEIGHT - 46 - CARD_H * FIELD_SCALE) / max(len(cards) - 1, 1))
        for k, card in enumerate(cards):
            y = FIELD_Y + 20 + k * step
            layers.append(_card(card, symbols, left + place * pitch, y, FIELD_SCALE, new=card in laid))
    return layers


def _just_laid(view: TableView) -> set[str]:
    """Cards of the present or last turn that stayed on the field."""
    turn = view.last_turn
    return set() if turn is None else {turn[key] for key in ("played", "drawn") if turn.get(key)}


def _pending(view: TableView, symbols: Symbols) -> str:
    card = view.position["pending"]
    if not card:
        return ""
    x = WIDTH - MARGIN - 70
    note = text("takes what?", x + 24, FIELD_Y + 116, 7, "kk-soft", anchor="middle", symbols=symbols)
    return _card(card, symbols, x, FIELD_Y + 26, 0.8, new=True) + note


# --- A player ---------------------------------------------------------------------------------------------------------


def _player(view: TableView, player: int, y: float, symbols: Symbols) -> list[str]:
    return [
        _title(view, player, y, symbols),
        *_hand(view, player, y, symbols),
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
    facts = [f"{score} {'point' if score == 1 else 'points'}"]
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


def _hand(view: TableView, player: int, y: float, symbols: Symbols) -> list[str]:
    pitch = CARD_W * HAND_SCALE + 3
    top = y + 58
    return [_card(card, symbols, MARGIN + 16 + k * pitch, top, HAND_SCALE) for k, card in enumerate(view.hands[player])]


def _piles(view: TableView, player: int, y: float, symbols: Symbols) -> list[str]:
    """The captured cards in rows by kind: brights and animals, ribbons, chaff."""
    left, width = MARGIN + HAND_WIDTH + 26, WIDTH - 2 * MARGIN - HAND_WIDTH - YAKU_WIDTH - 40
    rows = [(view.pile(player, "bright"), view.pile(player, "animal")), (view.pile(player, "ribbon"),)]
    rows.append((view.pile(player, "chaff"),))
    last = view.last_turn
    new = set(last["captured"]) if last is not None and last["player"] == player else set()
    layers = []
    for row, kinds in enumerate(rows):
        count = sum(map(len, kinds))
        gap = 8.0 if len(kinds) > 1 and all(kinds) else 0.0
        card_width = CARD_W * PILE_SCALE
        pitch = min(card_width + 2, (width - gap - card_width) / max(count - 1, 1))
        x = left
        for cards in kinds:
            for card in cards:
                layers.append(_card(card, symbols, x, y + 10 + row * 63, PILE_SCALE, new=card in new))
                x += pitch
            x += gap if cards else 0
    return layers


def _yaku(view: TableView, player: int, y: float, symbols: Symbols) -> list[str]:
    """A line a yaku: a mark for every card it needs, filled where it is captured, dashed where it is out of reach."""
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


# --- A whole game -----------------------------------------------------------------------------------------------------


def replay(config: KoiKoiConfig, snapshots: Sequence[Snapshot], title: str = "Koi-Koi") -> Replay:
    """The page of a game: every step as everybody's eyes see it.

    Raises:
        ValueError: no snapshot at all.
    """
    if not snapshots:
        raise ValueError("a replay needs at least one snapshot")
    symbols = Symbols("kk")
    last = view_of(snapshots[-1].position, config)
    return Replay(
        title=title,
        width=WIDTH,
        height=HEIGHT,
        style=style(),
        symbols=symbols,
        frames=[_frame(config, snapshot, symbols) for snapshot in snapshots],
        subtitle=f"{config.rounds} rounds, {_scores(last)}",
    )


def _frame(config: KoiKoiConfig, now: Snapshot, symbols: Symbols) -> Frame:
    return frame_of(
        now,
        config.players,
        look=lambda seat: view_of(now.position, config, seat),
        draw=lambda view: table_layers(view, symbols),
        write=table_ansi,
        tell=lambda view: "; ".join(filter(None, (describe_news(view), describe_phase(view)))),
    )


# --- python -m hanafuda_env.drawing.render ------------------------------------------------------------------------------------


def sample_game(config: KoiKoiConfig, seed: int, moves: int) -> list[Snapshot]:
    """A game to look at, up to ``moves`` moves: its players do anything that is legal."""
    from hanafuda_env.koikoi_v0 import raw_env

    return play_game(raw_env(config=config), seed, moves, lambda _, legal, rng: rng.choice(legal))


def main(arguments: Sequence[str] | None = None) -> None:
    """Draw a sample game: a position as ``.svg``, or the whole game as an ``.html`` replay."""
    parser = sample_parser("hanafuda_env.drawing.render", main.__doc__, PRESETS)
    options = parser.parse_args(arguments)
    config = make_config(preset=options.preset)
    snapshots = sample_game(config, options.seed, options.moves)
    view = view_of(snapshots[-1].position, config, options.seat)
    write_sample(parser, options.out, lambda: table_svg(view), lambda: replay(config, snapshots))


if __name__ == "__main__":
    main()
