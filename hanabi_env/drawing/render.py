"""Pictures of Hanabi: SVG for notebooks and pages, pixels, text, and the replay of a whole game.

    view = view_of(env.unwrapped.to_dict(), env.unwrapped.config, seat=0)   # or seat=None: every card
    table_svg(view); table_rgb(view); table_ansi(view)
    replay(config, [Snapshot(position, "play 0", {"play 0": 0.9, ...}), ..., Snapshot(last_position)]).save("game.html")

Suits differ in color and in shape, so that readers need not distinguish colors: heart, star, triangle, diamond, moon;
flower (multicolor), keg (black powder). The suits and ranks that hints have not excluded are below every card. A card
that this seat cannot see shows which cards it can still be.
`hanabako draw hanabi table.svg --seed 7` draws a game of bots.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from hanabako.drawing.replay import Frame, Replay, Snapshot, check_actions, frame_of, of_a_record
from hanabako.drawing.svg import Symbols, Theme, document, rasterize
from hanabi_env.config import HanabiConfig
from hanabi_env.drawing.artwork import style
from hanabi_env.drawing.panels import eyes, table_layers
from hanabi_env.drawing.places import WIDTH, table_height
from hanabi_env.drawing.table_view import TableView, describe_move, describe_score, describe_turn, table_ansi, view_of
from hanabi_env.words.notation import str_to_action

__all__ = ["Snapshot", "replay", "table_ansi", "table_rgb", "table_svg", "view_of"]


@of_a_record
def table_svg(view: TableView, theme: Theme = "auto") -> str:
    """Return the table as a complete SVG. The theme `auto` follows the reader's color scheme."""
    symbols = Symbols("hb")
    layers = table_layers(view, symbols)
    return document(
        WIDTH,
        table_height(view),
        *layers,
        style=style(theme),
        symbols=symbols,
        title=f"Hanabi, {eyes(view)}",
        description=f"{describe_move(view.last_move)}; {describe_turn(view)}; score {describe_score(view)}.",
    )


def table_rgb(view: TableView, width: int = WIDTH, theme: Theme = "light") -> NDArray[np.uint8]:
    """Return the table as pixels, uint8 (height, width, 3). Needs the extra `render`."""
    return rasterize(table_svg(view, theme), width)


# --- A whole game -----------------------------------------------------------------------------------------------------


@of_a_record
def replay(
    config: HanabiConfig, snapshots: Sequence[Snapshot], title: str = "Hanabi", wording: str = "english"
) -> Replay:
    """Return the page of a game: every turn from every player's view, with the verdicts in a booklet's ``wording``.

    Raises:
        ValueError: there is no snapshot, a snapshot cannot be drawn, or no booklet has this ``wording``.
    """
    check_actions(snapshots, lambda now: str_to_action(config, str(now.action)))
    symbols = Symbols("hb")
    last = view_of(snapshots[-1].position, config, None, wording)
    rating = last.verdict
    return Replay(
        title=title,
        width=WIDTH,
        height=table_height(last),
        style=style(),
        symbols=symbols,
        frames=[_frame(config, snapshot, symbols, wording) for snapshot in snapshots],
        subtitle=f"{config.players} players, score {describe_score(last)}{', ' + rating if rating else ''}",
    )


def _frame(config: HanabiConfig, now: Snapshot, symbols: Symbols, wording: str) -> Frame:
    return frame_of(
        now,
        config.players,
        look=lambda seat: view_of(now.position, config, seat, wording),
        draw=lambda view: table_layers(view, symbols),
        write=table_ansi,
        tell=_caption,
    )


def _caption(view: TableView) -> str:
    ending = f"; {describe_turn(view)}" if view.end_reason is not None else ""
    return describe_move(view.last_move) + ending
