"""The generated parts of `ikebana_env/README.md`: see `docs.build.rule_card`."""

from collections.abc import Iterator
from dataclasses import replace

from docs.build.rule_card import (
    bits_markdown,
    changed_fields,
    config_markdown,
    ends_markdown,
    span,
    table,
)
from ikebana_env.config import PRESETS, STANDARD, IkebanaConfig
from ikebana_env.engine.layout import layout
from ikebana_env.engine.observation import section_index
from ikebana_env.words.notation import END_NAMES, action_words

PLAYERS = range(2, 6)


def presets_markdown() -> str:
    """Return a table of what every preset changes."""
    rows = [(f"`{name}`", changed_fields(config, STANDARD)) for name, config in PRESETS.items()]
    return table(("preset", "differs from `standard` by"), rows)


def actions_markdown() -> str:
    """Return a table of all actions by number."""
    words = action_words(replace(STANDARD, players=max(PLAYERS)))
    return table(("action", "in words"), [(number, f"`{word}`") for number, word in enumerate(words)])


def index_markdown() -> str:
    """Return a table of the indices of every section, with a column per number of players."""
    configs = [replace(STANDARD, players=players, perfect_recall=True, derived=True) for players in PLAYERS]
    places = [
        {name: span(first, length) for name, first, length in section_index(config.rules())} for config in configs
    ]
    rows = [
        ("**actions**", *(f"**{config.rules().num_actions}**" for config in configs)),
        ("**observation**", *(f"**{with_options(config).observation_bits}**" for config in configs)),
        *((f"`{section}`", *(place[section] for place in places)) for section in ("players", "turn")),
        ("**with `derived`**", *(f"**{with_options(config, derived=True).observation_bits}**" for config in configs)),
        ("`derived`", *(span(*section_of(with_options(config, derived=True), "derived")) for config in configs)),
        ("**with both options**", *(f"**{config.observation_bits}**" for config in configs)),
        ("`buried`", *(place["buried"] for place in places)),
        ("`derived`", *(place["derived"] for place in places)),
    ]
    return table(("", *(f"{players} players" for players in PLAYERS)), rows)


def with_options(config: IkebanaConfig, perfect_recall: bool = False, derived: bool = False) -> IkebanaConfig:
    """Return the same game with another observation."""
    return replace(config, perfect_recall=perfect_recall, derived=derived)


def section_of(config: IkebanaConfig, name: str) -> tuple[int, int]:
    """Return the first bit and the length of a section."""
    return next((first, length) for section, first, length in section_index(config.rules()) if section == name)


def generated() -> Iterator[tuple[str, str]]:
    """Yield the name and text of every generated part of the README."""
    yield "config", config_markdown(STANDARD)
    yield "presets", presets_markdown()
    yield "actions", actions_markdown()
    yield "fields", bits_markdown(layout(with_options(STANDARD, True, True).rules()).fields)
    yield "index", index_markdown()
    yield "ends", ends_markdown(END_NAMES)
