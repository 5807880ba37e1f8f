"""The generated parts of `hanabi_env/README.md`: tables of all config fields, actions and observation bits.

    python -m docs.build.rule_cards.hanabi                                     # write them into README.md
    python -m docs.build.rule_cards.hanabi --check                             # only say whether they are up to date
    python -m docs.build.rule_cards.hanabi --show mini players=3 derived=True  # print those of another config

Code finds the same information in `hanabi_env.engine.layout`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

from docs.build.rule_card import (
    bits_markdown,
    changed_fields,
    config_markdown,
    ends_markdown,
    markdown_rows,
    span,
)
from hanabako.generated import update
from hanabako.program import in_a_sentence
from hanabako.words.checks import parse_setting
from hanabi_env.config import PRESETS, STANDARD, HanabiConfig, make_config
from hanabi_env.engine.layout import layout
from hanabi_env.engine.observation import section_index
from hanabi_env.hanablive import options_of, variant_of
from hanabi_env.words.notation import END_NAMES, action_words

COMMAND = "python -m docs.build.rule_cards.hanabi"
README = Path(__file__).resolve().parents[3] / "hanabi_env" / "README.md"
PLAYERS = range(2, 6)
NOTHING = "–"


def presets_markdown() -> str:
    """Return a table of what every preset changes, and its name on hanab.live."""
    rows = [
        (f"`{name}`", changed_fields(config, STANDARD), config.deck_size, config.max_score, _name_on_the_site(config))
        for name, config in PRESETS.items()
    ]
    return markdown_rows(("preset", "differs from `standard` by", "cards", "highest score", "on hanab.live"), rows)


def _name_on_the_site(config: HanabiConfig) -> str:
    try:
        return ", ".join([variant_of(config), *options_of(config)])
    except ValueError:
        return NOTHING


def groups() -> list[tuple[list[str], list[HanabiConfig | None]]]:
    """Return groups of presets of equal sizes, and their configs by number of players (None: the deck is too small)."""
    found: dict[Any, tuple[list[str], list[HanabiConfig | None]]] = {}
    for name, config in PRESETS.items():
        configs = [with_players(config, players) for players in PLAYERS]
        sizes = tuple(c and (action_words(c), tuple(section_index(c.rules()))) for c in configs)
        found.setdefault(sizes, ([], configs))[0].append(name)
    return list(found.values())


def with_players(config: HanabiConfig, players: int) -> HanabiConfig | None:
    """Return the same game for another number of players; None if their hands do not fit the deck."""
    try:
        return replace(config, players=players)
    except ValueError:
        return None


def sizes_markdown() -> str:
    """Return a table of the numbers of actions and bits of every preset."""
    rows = [(", ".join(f"`{name}`" for name in names), *map(_sizes, configs)) for names, configs in groups()]
    table = markdown_rows(("preset", *(f"{players} players" for players in PLAYERS)), rows)
    most = max(extended_games(), key=lambda config: config.rules().num_actions)
    return f"{table}\n\nWith the booklets' hands the most are {_sizes(most)}: {changed_fields(most, STANDARD)}."


def extended_games() -> Iterator[HanabiConfig]:
    """Yield the standard game with every combination of the extensions that add actions or bits (V7)."""
    switch = (False, True)
    for players, multicolor, *on in product(PLAYERS, (None, "own_color", "all_colors"), switch, switch, switch):
        black_powder, flamboyants, choreography = on
        yield HanabiConfig(
            players=players,
            multicolor=multicolor,
            black_powder=black_powder,
            flamboyants=flamboyants,
            choreography=choreography,
        )


def _sizes(config: HanabiConfig | None) -> str:
    return NOTHING if config is None else f"{config.rules().num_actions} actions, {config.observation_bits} bits"


def index_markdown() -> str:
    """Return a table per group of presets with the indices of every block of actions and every section."""
    return "\n\n".join(
        f"#### {', '.join(f'`{name}`' for name in names)}\n\n{index_of(configs)}" for names, configs in groups()
    )


def index_of(configs: Sequence[HanabiConfig | None]) -> str:
    """Return the table of one group, with a column per number of players."""
    shown = [config for config in configs if config is not None]
    patterns = list(dict.fromkeys(pattern for config in shown for pattern in action_spans(config)))
    sections = list(dict.fromkeys(name for config in shown for name, _, _ in section_index(config.rules())))
    rows = [
        ("**actions**", *(f"**{config.rules().num_actions}**" for config in shown)),
        *((f"`{pattern}`", *(action_spans(config).get(pattern, NOTHING) for config in shown)) for pattern in patterns),
        ("**observation**", *(f"**{config.observation_bits}**" for config in shown)),
        *((f"`{section}`", *(_section_span(config, section) for config in shown)) for section in sections),
        *((words, *(_more_bits(config, words) for config in shown)) for words in observation_options(shown[0])),
    ]
    return markdown_rows(("", *(f"{config.players} players" for config in shown)), rows)


def observation_options(config: HanabiConfig) -> dict[str, dict[str, Any]]:
    """Return the options of an observation: the text for the page, and the fields of the config."""
    return {
        '`observation_type="minimal"`': {"observation_type": "minimal"},
        f"`history`, each step above {config.rules().history}": {"history": config.rules().history + 1},
        "`belief=True`": {"belief": True},
        "`derived=True`": {"derived": True},
    }


def action_spans(config: HanabiConfig) -> dict[str, str]:
    """Return the first and last action of every pattern (``hint OFFSET COLOR``), in order."""
    return {block.name: span(block.first, block.bits) for block in layout(config.rules()).actions}


def _section_span(config: HanabiConfig, section: str) -> str:
    places = {name: (first, length) for name, first, length in section_index(config.rules())}
    return span(*places[section]) if section in places else NOTHING


def _more_bits(config: HanabiConfig, option: str) -> str:
    more = replace(config, **observation_options(config)[option]).observation_bits - config.observation_bits
    return f"+{more}" if more >= 0 else f"−{-more}"


def actions_markdown(config: HanabiConfig) -> str:
    """Return a table of all actions of one config by number."""
    words = action_words(config)
    rows = [
        (f"`{block.name}`", span(block.first, block.bits), ", ".join(words[block.first : block.first + block.bits]))
        for block in layout(config.rules()).actions
    ]
    return markdown_rows(("block", "actions", "in words"), rows)


def generated() -> Iterator[tuple[str, str]]:
    """Yield the name and text of every generated part of the README."""
    yield "config", config_markdown(STANDARD)
    yield "presets", presets_markdown()
    yield "sizes", sizes_markdown()
    yield "actions", actions_markdown(STANDARD)
    yield "fields", bits_markdown(layout(replace(STANDARD, belief=True, derived=True).rules()).fields)
    yield "index", index_markdown()
    yield "ends", ends_markdown(END_NAMES)


# --- The command ------------------------------------------------------------------------------------------------------


def write_card(check: bool = False, show: tuple[str, ...] = ()) -> None:
    """Write the generated parts of the rule card from the code, or print the actions and bits of another config.

    Args:
        check: only say whether README.md is up to date.
        show: print the actions and bits of a PRESET with any FIELD=VALUE instead; a value is written as in JSON or in
            Python (belief=true, belief=True), a word as it is.

    Raises:
        ValueError: there is no such config.
    """
    if not show:
        update(README, generated(), check, COMMAND)
        return
    preset, *settings = show
    config = make_config(preset=preset, **dict(map(parse_setting, settings)))
    print(actions_markdown(config), bits_markdown(layout(config.rules()).fields), sep="\n\n")


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line."""
    import tyro

    with in_a_sentence("rule_card"):
        tyro.cli(write_card, args=arguments, prog=COMMAND)


if __name__ == "__main__":
    main()
