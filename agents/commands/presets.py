"""List the presets of the games: for each, the fields of the config that differ from the first preset.

    hanabako presets hanabi

Command lines take fields in the same form: --config colors=3 hand_size=4.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated

import tyro

from hanabako.games import game_named, game_names, settings_of

__all__ = ["Args", "lines", "run"]


@dataclass(frozen=True)
class Args:
    """List the presets of the games."""

    game: Annotated[tyro.conf.Positional[str | None], tyro.conf.arg(metavar="[GAME]")] = None
    """hanabi, ikebana or koikoi; by default all of them."""


def run(args: Args) -> None:
    """Print the presets.

    Raises:
        ValueError: there is no such game.
    """
    for game in game_names() if args.game is None else [args.game]:
        print("\n".join(lines(game)))


def lines(game: str) -> Iterator[str]:
    """Yield the name and default fields of a game, then one line per preset.

    Raises:
        ValueError: there is no such game.
    """
    presets, first = game_named(game).presets, game_named(game).first_preset
    usual = settings_of(presets[first])
    yield f"{game}: {', '.join(usual.values())}"
    for name, config in presets.items():
        changed = [text for field, text in settings_of(config).items() if text != usual[field]]
        yield f"  {name:<24}{' '.join(changed) or ('the default' if name == first else f'as {first}')}"
