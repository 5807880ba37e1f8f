"""Pictures of Ikebana: SVG for notebooks and pages, pixels, text, and the replay of a whole game.

    view = view_of(env.unwrapped.to_dict(), env.unwrapped.config, seat=0)   # or seat=None: every card
    table_svg(view); table_rgb(view); table_ansi(view)
    replay(config, [Snapshot(position, "draw", {"draw": 0.9, ...}), ..., Snapshot(last_position)]).save("game.html")

`hanabako draw ikebana table.svg --seed 7` draws a game of bots.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from hanabako.drawing.replay import Frame, Replay, Snapshot, check_actions, frame_of, of_a_record
from hanabako.drawing.svg import Symbols, Theme, document, rasterize
from ikebana_env.config import IkebanaConfig
from ikebana_env.drawing.artwork import style
from ikebana_env.drawing.panels import WIDTH, table_height, table_layers
from ikebana_env.drawing.table_view import TableView, describe_move, describe_turn, table_ansi, view_of
from ikebana_env.words.notation import str_to_action

__all__ = ["Snapshot", "replay", "table_ansi", "table_rgb", "table_svg", "view_of"]


@of_a_record
def table_svg(view: TableView, theme: Theme = "auto") -> str:
    """Return the table as an SVG document; the theme ``"auto"`` follows the reader's color scheme."""
    symbols = Symbols("ik")
    layers = table_layers(view, symbols)
    return document(
        WIDTH,
        table_height(view),
        *layers,
        style=style(theme),
        title=f"Ikebana, {len(view.players)} players: {describe_turn(view)}",
        description=table_ansi(view),
        symbols=symbols,
    )


def table_rgb(view: TableView, width: int | None = None) -> NDArray[np.uint8]:
    """Return the table as pixels, uint8 (height, width, 3)."""
    return rasterize(table_svg(view, "light"), width)


# --- A whole game -----------------------------------------------------------------------------------------------------


@of_a_record
def replay(config: IkebanaConfig, snapshots: Sequence[Snapshot], title: str = "Ikebana") -> Replay:
    """Return the page of a game: every turn from every player's view.

    Raises:
        ValueError: there is no snapshot, or a snapshot cannot be drawn.
    """
    check_actions(snapshots, lambda now: str_to_action(config, str(now.action)))
    symbols = Symbols("ik")
    last = view_of(snapshots[-1].position, config)
    captions = ["the deal"] + [describe_move(now.position, now.action or "") for now in snapshots[:-1]]
    return Replay(
        title=title,
        width=WIDTH,
        height=table_height(last),
        style=style(),
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
