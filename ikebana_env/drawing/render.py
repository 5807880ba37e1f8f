"""Pictures of the table: SVG for notebooks and pages, pixels, text, and the replay of a whole game.

    view = view_of(env.unwrapped.to_dict(), env.unwrapped.config, seat=0)   # or seat=None: every card
    table_svg(view); table_rgb(view); table_ansi(view)
    replay(config, [Snapshot(position, "draw", {"draw": 0.9, ...}), ..., Snapshot(last_position)]).save("game.html")

A card shows as many flowers as its value; colors differ in the flower too, so that none need be told from another:
lily (black), camellia (red), clover (green), bellflower (blue), daisy (yellow), and a joker's flower has a petal of
each. ``python -m ikebana_env.drawing.render table.svg --seed 7`` draws a game in progress.
"""

import random
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hanabako.drawing.replay import Frame, Replay, Snapshot, frame_of
from hanabako.drawing.sample import play_game, sample_parser, write_sample
from hanabako.drawing.svg import Symbols, Theme, document, element, group, rasterize, rect, stylesheet, text
from hanabako.words.notation import player_name
from ikebana_env.config import PRESETS, IkebanaConfig, make_config
from ikebana_env.drawing.table_view import HIDDEN, TableView, describe_move, describe_turn, table_ansi, view_of

__all__ = ["Snapshot", "replay", "table_ansi", "table_layers", "table_rgb", "table_svg", "view_of"]

WIDTH, MARGIN = 1000, 16
HEADER, ROW = 118, 136
CARD_WIDTH, CARD_HEIGHT, CARD_GAP = 72, 100, 8
BOUQUET_X, DISCARD_X, PRESTIGE_X = 176, 620, 800  # columns of a player's row
MOST_UNDER_TOP = 3  # buried cards whose edges are drawn

# Fill and edge of a flower: Okabe and Ito's hues.
COLORS = {
    "K": ("#3a3d49", "#15171d"),
    "R": ("#d5502b", "#8f2a10"),
    "G": ("#0b9a6d", "#045840"),
    "B": ("#3a6fc4", "#15336b"),
    "Y": ("#efb92a", "#a87d00"),
}
JOKER_PETALS = "KRGBY"

# A petal that points up from the origin, about 10 units long, and how many make a flower.
PETALS = {
    "K": (6, "M0 0C-3.4-3-3-7.5 0-10.5C3-7.5 3.4-3 0 0z"),
    "R": (5, "M0 0C-5.5-2-5.5-9.5 0-9.6C5.5-9.5 5.5-2 0 0z"),
    "G": (4, "M0 0C-7-3-6-10-2.6-10C-1-10 0-8.6 0-8C0-8.6 1-10 2.6-10C6-10 7-3 0 0z"),
    "B": (5, "M0 0C-3.6-1.5-5-5-3.8-7L0-10.8L3.8-7C5-5 3.6-1.5 0 0z"),
    "Y": (10, "M0 0C-2-3-2.2-9.6 0-10C2.2-9.6 2-3 0 0z"),
    "J": (5, "M0 0C-4.8-2-5-9.8 0-10C5-9.8 4.8-2 0 0z"),
}

# Where the flowers of a value stand on a card.
PLACES = {
    1: ((36, 56),),
    2: ((24, 40), (48, 74)),
    3: ((36, 34), (22, 70), (50, 70)),
    4: ((23, 40), (49, 40), (23, 74), (49, 74)),
    5: ((21, 36), (51, 36), (36, 57), (21, 79), (51, 79)),
}

_CLASSES = {
    "ik-table": "fill:#f1eee6",
    "ik-panel": "fill:#fdfcf9;stroke:#e2ddd0",
    "ik-turn": "fill:#fdfcf9;stroke:#3c4252;stroke-width:2",
    "ik-ink": "stroke:#262a34",
    "ik-soft": "stroke:#656b79",
    "ik-solid": "fill:#262a34",
    "ik-card": "fill:#fffefb;stroke:#bfb9a9;stroke-width:1.3",
    "ik-under": "fill:#e9e5da;stroke:#bfb9a9;stroke-width:1.1",
    "ik-slot": "fill:none;stroke:#d6d1c4;stroke-width:1.5;stroke-dasharray:5 5",
    "ik-back": "fill:#dfe5dc;stroke:#a9b8a6;stroke-width:1.4",
    "ik-leaf": "fill:none;stroke:#9fb29b;stroke-width:1.6;stroke-linecap:round",
    "ik-numeral": "stroke:#262a34",
    "ik-heart": "fill:#fff3c4;stroke:#a87d00;stroke-width:.8",
} | {
    f"ik-{color}": f"fill:{fill};stroke:{edge};stroke-width:.8;stroke-linejoin:round"
    for color, (fill, edge) in COLORS.items()
}
_DARK = {
    "ik-table": "fill:#14161e",
    "ik-panel": "fill:#1d202b;stroke:#2c3040",
    "ik-turn": "fill:#1d202b;stroke:#c9ccd6;stroke-width:2",
    "ik-ink": "stroke:#eceae4",
    "ik-soft": "stroke:#979dab",
    "ik-solid": "fill:#eceae4",
    "ik-slot": "fill:none;stroke:#3d4354;stroke-width:1.5;stroke-dasharray:5 5",
    "ik-under": "fill:#3a3f4f;stroke:#565d70;stroke-width:1.1",
    "ik-back": "fill:#2a332d;stroke:#52634f;stroke-width:1.4",
    "ik-leaf": "fill:none;stroke:#5d7458;stroke-width:1.6;stroke-linecap:round",
    "ik-card": "fill:#efede6;stroke:#8d8878;stroke-width:1.3",
}


# --- The whole table --------------------------------------------------------------------------------------------------


def table_svg(view: TableView, theme: Theme = "auto") -> str:
    """The table as an SVG document; ``theme`` ``"auto"`` follows the reader's color scheme."""
    symbols = Symbols("ik")
    layers = table_layers(view, symbols)
    return document(
        WIDTH,
        table_height(view),
        *layers,
        style=stylesheet(_CLASSES, _DARK, theme),
        title=f"Ikebana, {len(view.players)} players: {describe_turn(view)}",
        description=table_ansi(view),
        symbols=symbols,
    )


def table_rgb(view: TableView, width: int | None = None) -> NDArray[np.uint8]:
    """The table as pixels, uint8 (height, width, 3)."""
    return rasterize(table_svg(view, "light"), width)


def table_height(view: TableView) -> int:
    """Of the picture."""
    return HEADER + len(view.players) * (ROW + MARGIN // 2) + MARGIN


def table_layers(view: TableView, symbols: Symbols) -> list[str]:
    """The picture in layers, so that a replay stores equal ones once."""
    layers = [rect(0, 0, WIDTH, table_height(view), class_="ik-table"), *_header(view, symbols)]
    for player in range(len(view.players)):
        layers += _player(view, player, symbols)
    return layers


def _header(view: TableView, symbols: Symbols) -> list[str]:
    """Round, deck, drawn card, and what there is to decide."""
    final = ", final bouquet" if view.final_bouquet and view.round == view.rounds else ""
    title = f"Round {view.round} of {view.rounds}{final}"
    drawn = f"refused {view.refusals}" if view.refusals else ""
    return [
        text(title, MARGIN, 40, 13, "ik-ink", bold=True, symbols=symbols),
        text(describe_turn(view), MARGIN, 70, 10, "ik-soft", symbols=symbols),
        text(drawn, MARGIN, 94, 9, "ik-soft", symbols=symbols),
        text("drawn", DISCARD_X - 12, 62, 9, "ik-soft", anchor="end", symbols=symbols),
        group(_card(view.drawn, symbols) if view.drawn else _slot(symbols), x=DISCARD_X, y=9),
        group(_back(symbols) if view.deck_size else _slot(symbols), x=DISCARD_X + 92, y=9),
        text("deck", PRESTIGE_X, 46, 9, "ik-soft", symbols=symbols),
        text(str(view.deck_size), PRESTIGE_X, 76, 16, "ik-ink", symbols=symbols),
    ]


def _player(view: TableView, player: int, symbols: Symbols) -> list[str]:
    """A row: name and gains, bouquet, discard, prestige."""
    own, top = view.players[player], HEADER + player * (ROW + MARGIN // 2)
    is_to_move = view.end_reason is None and player == view.current_player
    gains = " + ".join(str(row[player]) for row in view.gains)
    notes = [player_name(player), f"gains {gains}" if gains else "", _appraisal(view, player)]
    layers = [rect(MARGIN, top, WIDTH - 2 * MARGIN, ROW, 8, class_="ik-turn" if is_to_move else "ik-panel")]
    for line, words in enumerate(notes):
        style = "ik-soft" if line else "ik-ink"
        layers.append(text(words, 2 * MARGIN, top + 40 + 28 * line, 8.5, style, bold=not line, symbols=symbols))
    for slot in range(5):
        card = _card(own.bouquet[slot], symbols) if slot < len(own.bouquet) else _slot(symbols)
        layers.append(group(card, x=BOUQUET_X + slot * (CARD_WIDTH + CARD_GAP), y=top + 18))
    layers.append(group(_pile(own.discard, symbols), x=DISCARD_X, y=top + 18))
    layers.append(text("prestige", PRESTIGE_X, top + 48, 9, "ik-soft", symbols=symbols))
    layers.append(text(str(own.prestige), PRESTIGE_X, top + 88, 20, "ik-ink", bold=True, symbols=symbols))
    return layers


def _appraisal(view: TableView, player: int) -> str:
    """What a complete bouquet earned."""
    found = view.players[player].appraisal
    if found is None:
        return ""
    final = " x 2" if view.final_bouquet and view.round == view.rounds else ""
    return f"{found.points} x {found.multiplier}{final}"


# --- Cards ------------------------------------------------------------------------------------------------------------


def _pile(cards: Sequence[str], symbols: Symbols) -> str:
    """A discard: its top, the edges of some cards below, and its height."""
    if not cards:
        return _slot(symbols)
    under = min(len(cards) - 1, MOST_UNDER_TOP)
    edges = [
        rect(6 * (under - k), -4 * (under - k), CARD_WIDTH, CARD_HEIGHT, 7, class_="ik-under") for k in range(under)
    ]
    height = text(str(len(cards)), CARD_WIDTH + 6 * under + 10, 58, 9, "ik-soft", symbols=symbols)
    return "".join([*edges, _card(cards[-1], symbols), height])


def _slot(symbols: Symbols) -> str:
    """A place where no card lies."""
    return symbols.use("slot", lambda: rect(0, 0, CARD_WIDTH, CARD_HEIGHT, 7, class_="ik-slot"))


def _back(symbols: Symbols) -> str:
    """A card that these eyes cannot see: a twig."""
    twig = "M36 84C34 62 37 40 36 20M36 66C28 64 24 58 22 50M36 54C44 52 48 46 50 38M36 40C30 38 27 33 26 27"

    def draw() -> str:
        return rect(0, 0, CARD_WIDTH, CARD_HEIGHT, 7, class_="ik-back") + element("path", d=twig, class_="ik-leaf")

    return symbols.use("back", draw)


def _card(card: str, symbols: Symbols) -> str:
    """A card by its word: as many flowers as its value."""
    if card == HIDDEN:
        return _back(symbols)
    color, value = card[0], int(card[1])

    def draw() -> str:
        face = rect(0, 0, CARD_WIDTH, CARD_HEIGHT, 7, class_="ik-card")
        numeral = text(str(value), 7, 18, 9, "ik-numeral", bold=True)
        scale = {1: 2.3, 2: 1.6, 3: 1.35}.get(value, 1.15)
        flowers = [
            group(symbols.use(f"flower-{color}", lambda: _flower(color)), x=x, y=y, scale=scale)
            for x, y in PLACES[value]
        ]
        return "".join([face, numeral, *flowers])

    return symbols.use(f"card-{card}", draw)


def _flower(color: str) -> str:
    """A flower around the origin, about 20 units wide."""
    count, path = PETALS[color]
    petals = [
        element(
            "path",
            d=path,
            class_=f"ik-{JOKER_PETALS[k] if color == 'J' else color}",
            transform=f"rotate({360 * k // count})" if k else None,
        )
        for k in range(count)
    ]
    return "".join([*petals, element("circle", r=2.6, class_="ik-heart")])


# --- A whole game -----------------------------------------------------------------------------------------------------


def replay(config: IkebanaConfig, snapshots: Sequence[Snapshot], title: str = "Ikebana") -> Replay:
    """The page of a game: every turn as everybody's eyes see it.

    Raises:
        ValueError: no snapshot at all.
    """
    if not snapshots:
        raise ValueError("a replay needs at least one snapshot")
    symbols = Symbols("ik")
    last = view_of(snapshots[-1].position, config)
    captions = ["the deal"] + [describe_move(now.position, now.action or "") for now in snapshots[:-1]]
    return Replay(
        title=title,
        width=WIDTH,
        height=table_height(last),
        style=stylesheet(_CLASSES, _DARK),
        symbols=symbols,
        frames=[_frame(config, now, words, symbols) for now, words in zip(snapshots, captions, strict=True)],
        subtitle=f"{config.players} players, {describe_turn(last)}",
    )


def _frame(config: IkebanaConfig, now: Snapshot, caption: str, symbols: Symbols) -> Frame:
    return frame_of(
        now,
        config.players,
        look=lambda seat: view_of(now.position, config, seat),
        draw=lambda view: table_layers(view, symbols),
        write=table_ansi,
        tell=lambda view: f"{caption}; {describe_turn(view)}" if view.end_reason is not None else caption,
    )


# --- python -m ikebana_env.drawing.render -------------------------------------------------------------------------------------


def sample_game(config: IkebanaConfig, seed: int, moves: int) -> list[Snapshot]:
    """A game to look at, up to ``moves`` moves: its players like values that they have."""
    from ikebana_env.ikebana_v0 import raw_env

    return play_game(raw_env(config=config), seed, moves, sample_action)


def sample_action(position: Mapping[str, Any], legal: Sequence[str], rng: random.Random) -> str:
    """Buy or keep a card of a value that the bouquet has, refuse others while it is cheap."""
    player, players = position["current_player"], len(position["bouquets"])
    values = {card[1] for card in position["bouquets"][player]}
    for action in legal:
        verb, *offset = action.split()
        if verb == "buy" and position["discards"][(player + int(offset[0])) % players][-1][1] in values:
            return action
    if "refuse" in legal and position["drawn"][1] not in values and rng.random() < 0.7 / (1 + position["refusals"]):
        return "refuse"
    return legal[0]


def main(arguments: Sequence[str] | None = None) -> None:
    """Draw a sample game: a position as ``.svg``, or the whole game as an ``.html`` replay."""
    parser = sample_parser("ikebana_env.drawing.render", main.__doc__, PRESETS)
    parser.add_argument("--players", type=int, default=3)
    options = parser.parse_args(arguments)
    config = make_config(preset=options.preset, players=options.players)
    snapshots = sample_game(config, options.seed, options.moves)
    view = view_of(snapshots[-1].position, config, options.seat)
    write_sample(parser, options.out, lambda: table_svg(view), lambda: replay(config, snapshots))


if __name__ == "__main__":
    main()
