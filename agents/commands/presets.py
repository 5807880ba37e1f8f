"""List the presets of the games: for each, the fields of the config that differ from the first preset.

    hanabako presets hanabi

Command lines take fields in the same form: --config colors=3 hand_size=4.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Annotated

import tyro

from hanabako.games import game_named, game_names

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
    usual = presets[first]
    yield f"{game}: {', '.join(f'{own.name}={written(getattr(usual, own.name))}' for own in fields(usual))}"
    for name, config in presets.items():
        pairs = {own.name: getattr(config, own.name) for own in fields(config)}
        changed = [f"{field}={written(value)}" for field, value in pairs.items() if value != getattr(usual, field)]
        yield f"  {name:<24}{' '.join(changed) or ('the default' if name == first else f'as {first}')}"


def written(value: object) -> str:
    """Return a value as it is written in ``name=value``."""
    return value if isinstance(value, str) else json.dumps(value, separators=(",", ":"))
