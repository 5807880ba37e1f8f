"""Pictures of Koi-Koi: SVG for notebooks and pages, pixels, text, and the replay of a whole game.

    view = view_of(env.unwrapped.to_dict(), env.unwrapped.config, seat=0)   # or seat=None: every card
    table_svg(view); table_rgb(view); table_ansi(view)
    replay(config, [Snapshot(position, "play 3-1", {"play 3-1": 0.9, ...}), ...]).save("game.html")

`hanabako draw koikoi table.svg --seed 7` draws a game of bots.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from hanabako.drawing.replay import Frame, Replay, Snapshot, check_actions, frame_of, of_a_record
from hanabako.drawing.svg import Symbols, Theme, document, rasterize
from hanabako.words.notation import counted
from hanafuda_env.config import KoiKoiConfig
from hanafuda_env.drawing.artwork import style
from hanafuda_env.drawing.panels import HEIGHT, WIDTH, eyes, scores, table_layers
from hanafuda_env.drawing.table_view import TableView, describe_news, describe_phase, table_ansi, view_of
from hanafuda_env.words.notation import PHASES, str_to_action

__all__ = ["Snapshot", "replay", "table_ansi", "table_rgb", "table_svg", "view_of"]


@of_a_record
def table_svg(view: TableView, theme: Theme = "auto") -> str:
    """Return the table as a complete SVG. The theme `auto` follows the reader's color scheme."""
    symbols = Symbols("kk")
    layers = table_layers(view, symbols)
    return document(
        WIDTH,
        HEIGHT,
        *layers,
        style=style(theme),
        symbols=symbols,
        title=f"Koi-Koi, {eyes(view)}",
        description=f"{describe_phase(view)}; {scores(view)}.",
    )


def table_rgb(view: TableView, width: int = WIDTH, theme: Theme = "light") -> NDArray[np.uint8]:
    """Return the table as pixels, uint8 (height, width, 3). Needs the extra `render`."""
    return rasterize(table_svg(view, theme), width)


# --- A whole game -----------------------------------------------------------------------------------------------------


@of_a_record
def replay(config: KoiKoiConfig, snapshots: Sequence[Snapshot], title: str = "Koi-Koi") -> Replay:
    """Return the page of a game: every step from every player's view.

    Raises:
        ValueError: there is no snapshot, or a snapshot cannot be drawn.
    """
    check_actions(snapshots, lambda now: str_to_action(PHASES[now.position["phase"]], str(now.action)))
    symbols = Symbols("kk")
    last = view_of(snapshots[-1].position, config)
    return Replay(
        title=title,
        width=WIDTH,
        height=HEIGHT,
        style=style(),
        symbols=symbols,
        frames=[_frame(config, snapshot, symbols) for snapshot in snapshots],
        subtitle=f"{counted(config.rounds, 'round')}, {scores(last)}",
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
