"""The generated parts of `hanabi_env/README.md`: see `docs.build.rule_card`."""

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
from hanabi_env.config import PRESETS, STANDARD, HanabiConfig
from hanabi_env.engine.layout import layout
from hanabi_env.hanablive import options_of, variant_of
from hanabi_env.words.notation import END_NAMES, action_words

NOTHING = "–"


def presets_markdown() -> str:
    """Return a table of what every preset changes, its sizes, and its name on hanab.live."""
    rows = []
    for name, config in PRESETS.items():
        sizes = config.rules().num_actions, config.observation_bits, config.deck_size, config.max_score
        rows.append((f"`{name}`", changed_fields(config, STANDARD), *sizes, _name_on_the_site(config)))
    head = ("preset", "differs from `standard` by", "actions", "bits", "cards", "best score", "on hanab.live")
    return table(head, rows)


def _name_on_the_site(config: HanabiConfig) -> str:
    try:
        return ", ".join([variant_of(config), *options_of(config)])
    except ValueError:
        return NOTHING


def actions_markdown(config: HanabiConfig) -> str:
    """Return a table of all actions of one config by number."""
    words = action_words(config)
    rows = [
        (f"`{block.name}`", span(block.first, block.bits), ", ".join(words[block.first : block.first + block.bits]))
        for block in layout(config.rules()).actions
    ]
    return table(("block", "actions", "in words"), rows)


def generated() -> Iterator[tuple[str, str]]:
    """Yield the name and text of every generated part of the README."""
    yield "config", config_markdown(STANDARD)
    yield "presets", presets_markdown()
    yield "actions", actions_markdown(STANDARD)
    yield "fields", bits_markdown(layout(replace(STANDARD, belief=True, derived=True).rules()).fields)
    yield "ends", ends_markdown(END_NAMES)
