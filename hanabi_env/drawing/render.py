"""Pictures of the table: SVG for notebooks and pages, pixels, text, and the replay of a whole game.

    view = view_of(env.unwrapped.to_dict(), env.unwrapped.config, seat=0)   # or seat=None: every card
    table_svg(view); table_rgb(view); table_ansi(view)
    replay(config, [Snapshot(position, "play 0", {"play 0": 0.9, ...}), ..., Snapshot(last_position)]).save("game.html")

Suits differ in color and in shape, so that no color need be told from another: heart, star, triangle, diamond, moon;
flower (multicolor), keg (black powder). Under every card stand the suits and ranks that hints leave open to its holder;
a card that these eyes cannot see shows which cards it can still be. `python -m hanabi_env.drawing.render table.svg --seed 7`
draws a game in progress.
"""

import random
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hanabako.drawing.replay import Frame, Replay, Snapshot, frame_of
from hanabako.drawing.sample import play_game, sample_parser, write_sample
from hanabako.drawing.svg import Symbols, Theme, document, rasterize
from hanabi_env.config import PRESETS, HanabiConfig, make_config
from hanabi_env.drawing.artwork import style
from hanabi_env.drawing.panels import WIDTH, eyes, table_height, table_layers
from hanabi_env.drawing.table_view import TableView, describe_move, describe_score, describe_turn, table_ansi, view_of
from hanabi_env.words.ratings import SCALES

__all__ = ["Snapshot", "replay", "table_ansi", "table_rgb", "table_svg", "view_of"]


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
        title=f"Hanabi, {eyes(view)}",
        description=f"{describe_move(view.last_move)}; {describe_turn(view)}; score {describe_score(view)}.",
    )


def table_rgb(view: TableView, width: int = WIDTH, theme: Theme = "light") -> NDArray[np.uint8]:
    """The table as pixels, uint8 (height, width, 3). Needs the extra `render`."""
    return rasterize(table_svg(view, theme), width)


# --- A whole game -----------------------------------------------------------------------------------------------------


def replay(
    config: HanabiConfig, snapshots: Sequence[Snapshot], title: str = "Hanabi", wording: str = "english"
) -> Replay:
    """The page of a game: every turn as everybody's eyes see it, with the verdicts in a booklet's ``wording``.

    Raises:
        ValueError: no snapshot at all, or no booklet has this ``wording``.
    """
    if not snapshots:
        raise ValueError("a replay needs at least one snapshot")
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


# --- python -m hanabi_env.drawing.render --------------------------------------------------------------------------------------


def sample_game(config: HanabiConfig, seed: int, moves: int) -> list[Snapshot]:
    """A game to look at, up to ``moves`` moves: its players see all cards, play what fits and hint at random."""
    from hanabi_env.hanabi_v0 import raw_env

    return play_game(raw_env(config=config), seed, moves, _sample_action)


def _sample_action(position: Mapping[str, Any], legal: Sequence[str], rng: random.Random) -> str:
    hand, fireworks = position["hands"][position["current_player"]], position["fireworks"]
    ranks = max(int(card[1:]) for known in position["knowledge"] for slot in known for card in slot)
    fitting = []
    for slot, card in enumerate(hand):
        played = fireworks[card[0]]
        if int(card[1:]) == (ranks - played if card[0] == "K" else played + 1):  # V3: black counts down
            fitting += [f"play {slot} as {card[0]}", f"play {slot}"]
    fitting = [action for action in fitting if action in legal]
    hints = [action for action in legal if action.startswith("hint")]
    if fitting and rng.random() < 0.6:
        return fitting[0]
    if hints and rng.random() < 0.7:
        return rng.choice(hints)
    return next((action for action in legal if action.startswith(("discard", "choose", "shuffle"))), legal[0])


def main(arguments: Sequence[str] | None = None) -> None:
    """Draw a sample game: a position as ``.svg``, or the whole game as an ``.html`` replay."""
    parser = sample_parser("hanabi_env.drawing.render", main.__doc__, PRESETS)
    parser.add_argument("--players", type=int, default=2)
    parser.add_argument("--wording", default="english", choices=SCALES, help="the booklet whose verdicts are shown")
    options = parser.parse_args(arguments)
    config = make_config(preset=options.preset, players=options.players)
    snapshots = sample_game(config, options.seed, options.moves)
    view = view_of(snapshots[-1].position, config, options.seat, options.wording)
    write_sample(
        parser, options.out, lambda: table_svg(view), lambda: replay(config, snapshots, wording=options.wording)
    )


if __name__ == "__main__":
    main()
