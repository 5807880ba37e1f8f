"""What every field, action and observation bit means, and the tables of ``README.md`` beside this file.

    python -m hanabi_env.rule_card                                    # write the tables into README.md
    python -m hanabi_env.rule_card --check                            # only say whether they are up to date
    python -m hanabi_env.rule_card --show mini players=3 derived=true  # actions and bits of any other table

`observation_fields` and `action_blocks` say the same to a program.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import Any

from hanabako.pages.generated import update
from hanabako.pages.rule_card import (
    Block,
    Field,
    card_parser,
    changed_fields,
    config_table,
    ends_table,
    fields_of,
    fields_table,
    span,
    table,
)
from hanabako.words.checks import parse_setting
from hanabi_env.config import PRESETS, STANDARD, HanabiConfig, make_config
from hanabi_env.engine.observation import event_kinds, index_table
from hanabi_env.engine.state import NO_TILE, TILES, Rules
from hanabi_env.hanablive import options_of, variant_of
from hanabi_env.words.notation import END_NAMES, action_words

README = Path(__file__).resolve().parent / "README.md"
PLAYERS = range(2, 6)
NOTHING = "–"


# --- The observation, field by field ----------------------------------------------------------------------------------


EVENT_KINDS = "one-hot: play, discard, color hint, rank hint"
FLAMBOYANT_KINDS = ", chosen card, shuffle back, play from discard"
OTHERS = "card of another hand"
EVERYBODY = "card of any hand"


def blocks(rules: Rules) -> dict[str, list[Block]]:
    """Every section as its blocks, whether the table's observation has it or not."""
    others, everybody = (rules.players - 1) * rules.hand_size, rules.players * rules.hand_size
    cards = rules.suits * rules.ranks
    return {
        "hands": [
            Block(others, OTHERS, (("card", cards, "one-hot; zeros where there is none"),)),
            Block(1, "", (("short hand", rules.players, "a bit a player from the observer: the hand lacks a card"),)),
        ],
        "board": [
            Block(
                1,
                "",
                (
                    ("deck", rules.deck_size - everybody, "thermometer: cards left to draw"),
                    ("fireworks", cards, "per suit the number of cards played, one-hot; zeros before the first"),
                    ("information tokens", rules.max_information_tokens, "thermometer"),
                    ("lives", rules.max_life_tokens, "thermometer"),
                ),
            )
        ],
        "discards": [
            Block(
                1, "", (("discards", rules.deck_size, "per suit and rank a thermometer, as long as there are copies"),)
            )
        ],
        "last_action": [
            Block(
                rules.history,
                "step, the last one first" if rules.history > 1 else "",
                (
                    ("who acted", rules.players, "one-hot from the observer"),
                    ("what", event_kinds(rules), EVENT_KINDS + FLAMBOYANT_KINDS * rules.flamboyants),
                    ("receiver", rules.players, "of a hint, one-hot from the observer"),
                    ("color", rules.colors, "of a color hint, one-hot"),
                    ("rank", rules.ranks, "of a rank hint, one-hot"),
                    ("touched", rules.hand_size, "by a hint: a bit a slot of the receiver"),
                    ("slot", rules.hand_size, "of a played or discarded card, one-hot"),
                    ("card", cards, "that card, one-hot" + ", or the card chosen for a tile" * rules.flamboyants),
                    ("scored", 1, "the played card joined its firework"),
                    ("gave a token", 1, "the play brought an information token"),
                    ("announced", rules.choreography * rules.suits, "suit of an announced play, one-hot"),
                ),
            )
        ],
        "card_knowledge": [
            Block(
                everybody,
                EVERYBODY,
                (
                    ("plausible", cards, "the set of cards that hints leave open"),
                    ("color", rules.colors, "named by hints that touched the card"),
                    ("rank", rules.ranks, "named by hints that touched the card"),
                ),
            )
        ],
        "tiles": [
            Block(
                1,
                "",
                (
                    ("face down", TILES, "the set of tiles (a) to (f) that nobody has turned over"),
                    ("pending", NO_TILE - 2, "one-hot: tile (c), (d), (e), (f), or the choice of (e)"),
                    ("turns to play", rules.players, "of the last round, thermometer"),
                ),
            )
        ],
        "belief": [Block(everybody, EVERYBODY, (("possible", cards, "plausible, less what counting excludes"),))],
        "derived": [
            Block(
                others,
                OTHERS,
                (
                    ("playable", 1, "the card fits now"),
                    ("dead", 1, "the card can never be played any more"),
                ),
            ),
            Block(
                everybody,
                EVERYBODY,
                (
                    ("surely playable", 1, "every possible card is playable"),
                    ("surely dead", 1, "every possible card is dead"),
                ),
            ),
            Block(1, "", (("all copies seen", cards, "set of cards, by what the observer sees"),)),
            Block(1, "", (("all copies public", cards, "set of cards, by what everybody sees"),)),
        ],
    }


def observation_fields(config: HanabiConfig) -> list[Field]:
    """The fields of the observation of this table, in the order in which they begin."""
    rules = config.rules()
    return fields_of(blocks(rules), index_table(rules))


# --- The actions, block by block --------------------------------------------------------------------------------------


def action_blocks(config: HanabiConfig) -> dict[str, range]:
    """The pattern of every block of actions (``hint OFFSET COLOR``) and the actions that it holds, in order."""
    found: dict[str, range] = {}
    for pattern, run in groupby(enumerate(action_words(config)), key=lambda item: _pattern(item[1])):
        numbers = [action for action, _ in run]
        found[pattern] = range(numbers[0], numbers[-1] + 1)
    return found


def _pattern(words: str) -> str:
    """An action's words with the kind of each value in its place."""
    verb, *values = words.split()
    if verb in ("play", "discard") and values[0].isdigit():
        return f"{verb} SLOT" + (" as SUIT" if len(values) > 1 else "")
    if verb == "hint":
        return "hint OFFSET RANK" if values[1].isdigit() else "hint OFFSET COLOR"
    if verb == "choose":
        return "choose CARD"
    return words


# --- Tables -----------------------------------------------------------------------------------------------------------


def presets_table() -> str:
    """What every preset changes, and what hanab.live calls it."""
    rows = [
        (f"`{name}`", changed_fields(config, STANDARD), config.deck_size, config.max_score, _name_on_the_site(config))
        for name, config in PRESETS.items()
    ]
    return table(("preset", "differs from `standard` by", "cards", "highest score", "on hanab.live"), rows)


def _name_on_the_site(config: HanabiConfig) -> str:
    try:
        return ", ".join([variant_of(config), *options_of(config)])
    except ValueError:
        return NOTHING


def groups() -> list[tuple[list[str], list[HanabiConfig | None]]]:
    """Presets of equal sizes together, and their config for every number of players (None: the deck is too small)."""
    found: dict[Any, tuple[list[str], list[HanabiConfig | None]]] = {}
    for name, config in PRESETS.items():
        tables = [with_players(config, players) for players in PLAYERS]
        sizes = tuple(t and (action_words(t), tuple(index_table(t.rules()))) for t in tables)
        found.setdefault(sizes, ([], tables))[0].append(name)
    return list(found.values())


def with_players(config: HanabiConfig, players: int) -> HanabiConfig | None:
    """The same table for another number of players; None where their hands do not fit the deck."""
    try:
        return replace(config, players=players)
    except ValueError:
        return None


def sizes_table() -> str:
    """Actions and bits of every preset."""
    rows = [(", ".join(f"`{name}`" for name in names), *map(_sizes, tables)) for names, tables in groups()]
    return table(("preset", *(f"{players} players" for players in PLAYERS)), rows)


def _sizes(config: HanabiConfig | None) -> str:
    return NOTHING if config is None else f"{config.rules().num_actions} actions, {config.observation_bits} bits"


def index_tables() -> str:
    """Per group of presets where every block of actions and every section lies."""
    return "\n\n".join(
        f"#### {', '.join(f'`{name}`' for name in names)}\n\n{index_of(tables)}" for names, tables in groups()
    )


def index_of(tables: Sequence[HanabiConfig | None]) -> str:
    """One group's table, a column per number of players."""
    shown = [config for config in tables if config is not None]
    patterns = list(dict.fromkeys(pattern for config in shown for pattern in action_blocks(config)))
    sections = list(dict.fromkeys(name for config in shown for name, _, _ in index_table(config.rules())))
    rows = [
        ("**actions**", *(f"**{config.rules().num_actions}**" for config in shown)),
        *((f"`{pattern}`", *(_actions_span(config, pattern) for config in shown)) for pattern in patterns),
        ("**observation**", *(f"**{config.observation_bits}**" for config in shown)),
        *((f"`{section}`", *(_section_span(config, section) for config in shown)) for section in sections),
        *((words, *(_more_bits(config, words) for config in shown)) for words in observation_options(shown[0])),
    ]
    return table(("", *(f"{config.players} players" for config in shown)), rows)


def observation_options(config: HanabiConfig) -> dict[str, dict[str, Any]]:
    """What may be changed of an observation: the words of the table and the fields of the config."""
    return {
        '`observation_type="minimal"`': {"observation_type": "minimal"},
        "`history`, each step more": {"history": config.rules().history + 1},
        "`belief=True`": {"belief": True},
        "`derived=True`": {"derived": True},
    }


def _actions_span(config: HanabiConfig, pattern: str) -> str:
    numbers = action_blocks(config).get(pattern)
    return span(numbers.start, len(numbers)) if numbers else NOTHING


def _section_span(config: HanabiConfig, section: str) -> str:
    places = {name: (first, length) for name, first, length in index_table(config.rules())}
    return span(*places[section]) if section in places else NOTHING


def _more_bits(config: HanabiConfig, option: str) -> str:
    more = replace(config, **observation_options(config)[option]).observation_bits - config.observation_bits
    return f"+{more}" if more >= 0 else f"−{-more}"


def actions_table(config: HanabiConfig) -> str:
    """Every action of one table by its number."""
    rows = [
        (f"`{pattern}`", span(numbers.start, len(numbers)), ", ".join(action_words(config)[i] for i in numbers))
        for pattern, numbers in action_blocks(config).items()
    ]
    return table(("block", "actions", "in words"), rows)


def generated() -> Iterator[tuple[str, str]]:
    """Name and text of every marked part of the README."""
    yield "config", config_table(STANDARD)
    yield "presets", presets_table()
    yield "sizes", sizes_table()
    yield "actions", actions_table(STANDARD)
    yield "fields", fields_table(observation_fields(replace(STANDARD, belief=True, derived=True)))
    yield "index", index_tables()
    yield "ends", ends_table(END_NAMES)


# --- The command ------------------------------------------------------------------------------------------------------


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the tables of the rule card from the code, or show those of any other table."""
    parser = card_parser("hanabi_env.rule_card", main.__doc__)
    parser.add_argument("--show", nargs="+", metavar=("PRESET", "FIELD=VALUE"), help="print a table's actions and bits")
    options = parser.parse_args(arguments)
    if options.show:
        preset, *settings = options.show
        try:
            config = make_config(preset=preset, **dict(map(parse_setting, settings)))
        except ValueError as error:
            parser.error(str(error))
        print(actions_table(config), fields_table(observation_fields(config)), sep="\n\n")
        return
    update(README, generated(), options.check, parser.prog)


if __name__ == "__main__":
    main()
