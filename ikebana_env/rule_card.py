"""What every field, action and observation bit means, and the tables of ``README.md`` beside this file.

    python -m ikebana_env.rule_card            # write the tables into README.md
    python -m ikebana_env.rule_card --check    # only say whether they are up to date

`observation_fields` says the same to a program.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

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
from ikebana_env.config import PRESETS, STANDARD, IkebanaConfig
from ikebana_env.engine.observation import (
    HEIGHT_BINARY,
    HEIGHT_ONES,
    MOST_BURIED,
    PRESTIGE_BINARY,
    PRESTIGE_EIGHTS,
    PRESTIGE_ONES,
    REFUSAL_BINARY,
    REFUSAL_ONES,
    index_table,
)
from ikebana_env.engine.state import BOUQUET_SIZE, COLORS, DECK_SIZE, KINDS, VALUES, Rules
from ikebana_env.words.notation import END_NAMES, action_words

README = Path(__file__).resolve().parent / "README.md"
PLAYERS = range(2, 6)
SET = "a bit a card of the box: K1 K1 K1 K2 K2 K3 K3 K4 K4 K5 R1 ... Y5 J1 J2 J3 J4 J5"
KIND = "one-hot over K1 ... K5 R1 ... Y5 J1 ... J5; zeros where there is none"


def blocks(rules: Rules) -> dict[str, list[Block]]:
    """Every section as its blocks, whether the table's observation has it or not."""
    player = (
        ("bouquet", DECK_SIZE, SET),
        ("top of the discard", KINDS, KIND),
        ("height of the discard", HEIGHT_ONES, "thermometer to 4"),
        ("height of the discard", HEIGHT_BINARY, "binary, lowest bit first"),
        ("prestige", PRESTIGE_ONES, "thermometer to 32"),
        ("prestige", PRESTIGE_EIGHTS, "thermometer in steps of eight: at least 40, 48 ... 184"),
        ("prestige", PRESTIGE_BINARY, "binary, lowest bit first"),
    )
    turn = (
        ("deck", DECK_SIZE, "thermometer: cards left to draw"),
        ("turn", BOUQUET_SIZE, "thermometer: cards in the bouquet of the player to move"),
        ("round", rules.rounds, "one-hot"),
        ("to move", rules.players, "one-hot from the observer"),
        ("began the round", rules.players, "one-hot from the observer"),
        ("is drawn", 1, "a drawn card is to be kept or refused"),
        ("refusals", REFUSAL_ONES, "of this turn, thermometer to 6"),
        ("refusals", REFUSAL_BINARY, "binary, lowest bit first"),
        ("drawn card", KINDS, "one-hot; zeros for all but the player who drew it"),
    )
    buried = (("owner", rules.players, "one-hot from the observer"), ("card", KINDS, "one-hot"))
    return {
        "players": [Block(rules.players, "player from the observer", player)],
        "turn": [Block(1, "", turn)],
        "derived": [
            Block(
                rules.players,
                "player from the observer",
                (
                    ("cards of a value", VALUES * BOUQUET_SIZE, "in the bouquet: a thermometer a value"),
                    ("jokers", BOUQUET_SIZE, "in the bouquet, thermometer"),
                    ("colors", COLORS, "in the bouquet: a bit a color"),
                ),
            ),
            Block(
                rules.players,
                "card on offer: the drawn one, then the top of every other discard",
                (
                    ("value", VALUES, "one-hot; zeros where there is none"),
                    ("color", COLORS + 1, "one-hot, the joker last"),
                    ("of that value", BOUQUET_SIZE, "in one's own bouquet, thermometer"),
                    ("of that color", 1, "one's own bouquet has it"),
                ),
            ),
        ],
        "buried": [Block(MOST_BURIED, "card under a top, pile by pile from the observer's, downwards", buried)],
    }


def observation_fields(config: IkebanaConfig) -> list[Field]:
    """The fields of the observation of this table, in the order in which they begin."""
    rules = config.rules()
    return fields_of(blocks(rules), index_table(rules))


# --- Tables -----------------------------------------------------------------------------------------------------------


def presets_table() -> str:
    """What every preset changes."""
    rows = [(f"`{name}`", changed_fields(config, STANDARD)) for name, config in PRESETS.items()]
    return table(("preset", "differs from `standard` by"), rows)


def actions_table() -> str:
    """Every action by its number."""
    words = action_words(replace(STANDARD, players=max(PLAYERS)))
    return table(("action", "in words"), [(number, f"`{word}`") for number, word in enumerate(words)])


def index_of_tables() -> str:
    """Where every section begins and ends, a column per number of players."""
    tables = [replace(STANDARD, players=players, perfect_recall=True, derived=True) for players in PLAYERS]
    places = [{name: span(first, length) for name, first, length in index_table(config.rules())} for config in tables]
    rows = [
        ("**actions**", *(f"**{config.rules().num_actions}**" for config in tables)),
        ("**observation**", *(f"**{with_options(config).observation_bits}**" for config in tables)),
        *((f"`{section}`", *(place[section] for place in places)) for section in ("players", "turn")),
        ("**with `derived`**", *(f"**{with_options(config, derived=True).observation_bits}**" for config in tables)),
        ("`derived`", *(span(*section_of(with_options(config, derived=True), "derived")) for config in tables)),
        ("**with both options**", *(f"**{config.observation_bits}**" for config in tables)),
        ("`buried`", *(place["buried"] for place in places)),
        ("`derived`", *(place["derived"] for place in places)),
    ]
    return table(("", *(f"{players} players" for players in PLAYERS)), rows)


def with_options(config: IkebanaConfig, perfect_recall: bool = False, derived: bool = False) -> IkebanaConfig:
    """The same table with another observation."""
    return replace(config, perfect_recall=perfect_recall, derived=derived)


def section_of(config: IkebanaConfig, name: str) -> tuple[int, int]:
    """First bit and length of a section."""
    return next((first, length) for section, first, length in index_table(config.rules()) if section == name)


def generated() -> Iterator[tuple[str, str]]:
    """Name and text of every marked part of the README."""
    yield "config", config_table(STANDARD)
    yield "presets", presets_table()
    yield "actions", actions_table()
    yield "fields", fields_table(observation_fields(with_options(STANDARD, True, True)))
    yield "index", index_of_tables()
    yield "ends", ends_table(END_NAMES)


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the tables of the rule card from the code."""
    parser = card_parser("ikebana_env.rule_card", main.__doc__)
    update(README, generated(), parser.parse_args(arguments).check, parser.prog)


if __name__ == "__main__":
    main()
