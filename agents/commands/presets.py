"""List the presets of the games: for each, the fields of the config that differ from the first preset.

    hanabako presets hanabi                                                      # all presets of a game
    hanabako presets hanabi --index mini                                         # its actions and bits by index
    hanabako presets hanabi --index mini --config players=3 derived=true         # of the same game with other fields

Command lines take fields in the same form: --config colors=3 hand_size=4.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any

import tyro

from hanabako.engine.layout import Field
from hanabako.games import game_in_words, game_named, game_names, game_of, make_config, settings_of


@dataclass(frozen=True)
class Args:
    """List the presets of the games."""

    game: Annotated[tyro.conf.Positional[str | None], tyro.conf.arg(metavar="[GAME]")] = None
    """hanabi, ikebana or koikoi; by default all of them."""
    index: str | None = None
    """Instead of the list, the actions and observation bits of this preset of GAME by index."""
    config: tuple[str, ...] = ()
    """With --index, fields of the config that differ from the preset's, as name=value."""


def run(args: Args) -> None:
    """Print the presets, or the index of one."""
    if args.index is not None or args.config:
        if args.game is None or args.index is None:
            raise ValueError("name the game and the preset: hanabako presets GAME --index PRESET")
        print("\n".join(index(make_config(args.game, args.index, settings=args.config))))
        return
    for game in game_names() if args.game is None else [args.game]:
        print("\n".join(lines(game)))


def lines(game: str) -> Iterator[str]:
    """Yield the name and default fields of a game, then one line per preset."""
    presets, first = game_named(game).presets, game_named(game).first_preset
    usual = settings_of(presets[first])
    yield f"{game}: {', '.join(usual.values())}"
    for name, config in presets.items():
        changed = [text for field, text in settings_of(config).items() if text != usual[field]]
        yield f"  {name:<24}{' '.join(changed) or ('the default' if name == first else f'as {first}')}"


def index(config: Any) -> Iterator[str]:
    """Yield the actions and the observation's fields of a config, one line each: index, section, name and meaning."""
    layout = game_of(config).layout(config)
    yield f"{game_in_words(config)}: {config.rules().num_actions} actions, {config.observation_bits} bits"
    for field in (*layout.actions, *layout.fields):
        meaning = "; per ".join(words for words in (field.meaning, field.per) if words)
        yield f"  {indices(field):<32}{field.section:<16}{field.name:<22}{meaning}".rstrip()


def indices(field: Field) -> str:
    """Return the first and last index of a field, of at most three of its repetitions."""
    spans = [f"{at.start}" if at.stop == at.start + 1 else f"{at.start}-{at.stop - 1}" for at in field.places()]
    return ", ".join(spans) if len(spans) < 3 else f"{spans[0]}, {spans[1]} ... {spans[-1]}"
