"""What every field, action and observation bit means, and the tables of ``README.md`` beside this file.

    python -m hanafuda_env.rule_card            # write the tables into README.md
    python -m hanafuda_env.rule_card --check    # only say whether they are up to date

`observation_fields` says the same to a program.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

from hanabako.pages.generated import update
from hanabako.pages.rule_card import (
    Block,
    Field,
    card_parser,
    changed_fields,
    config_table,
    fields_of,
    fields_table,
    table,
)
from hanafuda_env.config import DOCUMENT, PRESETS, KoiKoiConfig
from hanafuda_env.drawing.table_view import FLOWERS, MONTH_NAMES, PICTURES, YAKU_WORDS, kind_of
from hanafuda_env.engine.actions import NUM_ACTIONS, STOP
from hanafuda_env.engine.cards import CARDS
from hanafuda_env.engine.observation import (
    BASE_BITS,
    CALLS_BITS,
    LEAD_BITS,
    MONTHS,
    ROUNDS_BITS,
    SCORE_BITS,
    index_table,
)
from hanafuda_env.engine.state import PHASE_END, PHASE_PLAY, TURNS, Rules
from hanafuda_env.engine.yaku import YAKU, YAKU_NAMES, YAKU_NEED
from hanafuda_env.words.notation import CARD_NAMES, PHASE_NAMES, REASON_NAMES, action_to_str

README = Path(__file__).resolve().parent / "README.md"
SET = "a bit a card, 1-1 1-2 ... 12-4"
PLANES = (
    ("my hand", "zeros in the phase of the swap"),
    ("field", ""),
    ("my captured cards", ""),
    ("their captured cards", ""),
    ("unseen", "in the deck or in a hand that I do not know"),
    ("their revealed cards", "K46"),
    ("pending", "has left the hand or the deck and lies nowhere yet"),
    ("choices", "legal actions that are cards"),
)


def blocks(rules: Rules) -> dict[str, list[Block]]:
    """Every section as its blocks."""
    planes = tuple((name, CARDS, "; ".join(filter(None, (SET, words)))) for name, words in PLANES)
    about_round = (
        ("phase", PHASE_END, f"one-hot over {', '.join(list(PHASE_NAMES.values())[:PHASE_END])}; zeros at the end"),
        ("to move", 1, "I am"),
        ("dealer", 1, "I am"),
        ("turn", TURNS, "thermometer, 1 to 16"),
        ("joker", 2, "who holds the Gaji's claim: I, they (K45)"),
        ("claimed month", MONTHS, "one-hot"),
    )
    counted = "captured cards that count, thermometer"
    steps = tuple((f"towards {YAKU_NAMES[k]}", int(YAKU_NEED[k]), counted) for k in range(YAKU))
    player = (
        *steps,
        ("within reach", YAKU, "a bit a yaku: the other has not taken what it needs"),
        ("base", BASE_BITS, "points of the pile after the last turn, thermometer to 20"),
        ("chain", CALLS_BITS, "K31, thermometer to 4"),
        ("Koi-Koi", CALLS_BITS, "calls in this round, thermometer to 4"),
        ("November", 2, "has played one from the hand; turned one up from the deck (K44)"),
    )
    scores = (
        ("rounds left", ROUNDS_BITS, "the present one too, thermometer to 12"),
        ("my lead", LEAD_BITS, "at least 1, 2, 4, 8 ... 128 points"),
        ("their lead", LEAD_BITS, "likewise"),
        ("my score", SCORE_BITS, "binary, lowest bit first, two's complement"),
        ("their score", SCORE_BITS, "likewise"),
    )
    turn = (
        ("played", CARDS, SET),
        ("drawn", CARDS, SET),
        ("captured", CARDS, SET),
        ("whose", 2, "mine, theirs"),
        ("joker", 1, "the Gaji was used as one"),
        ("Koi-Koi", 1, "was called"),
    )
    described = {
        "cards": [Block(1, "", planes)],
        "round": [Block(1, "", about_round)],
        "my yaku": [Block(1, "", player)],
        "their yaku": [Block(1, "", player)],
        "scores": [Block(1, "", scores)],
    }
    return described | {name: [Block(1, "", turn)] for name, _, _ in index_table(rules) if name not in described}


def observation_fields(config: KoiKoiConfig) -> list[Field]:
    """The fields of the observation of this table, in the order in which they begin."""
    rules = config.rules()
    return fields_of(blocks(rules), index_table(rules))


# --- Tables -----------------------------------------------------------------------------------------------------------


def cards_table() -> str:
    """The box: a row a month."""
    rows = []
    for month in range(12):
        names = CARD_NAMES[4 * month : 4 * month + 4]
        common, latin = FLOWERS[month]
        rows.append((f"{month + 1}", f"{MONTH_NAMES[month]}: {common}, *{latin}*", *map(_card_words, names)))
    return table(("month", "flower", "-1", "-2", "-3", "-4"), rows)


def _card_words(card: str) -> str:
    kind = kind_of(card)
    return f"{PICTURES[card]}, {kind}" if card in PICTURES else kind


def yaku_table() -> str:
    """The twelve yaku with their points in every preset."""
    rows = []
    for k, name in enumerate(YAKU_NAMES):
        points = (f"{preset.points[k]}" + (" +1" if preset.extra[k] else "") for preset in PRESETS.values())
        rows.append((f"`{name}`", YAKU_WORDS[name], YAKU_NEED[k], *points))
    return table(("id", "yaku", "cards", *(f"`{name}`" for name in PRESETS)), rows)


def presets_table() -> str:
    """What every preset changes."""
    rows = [(f"`{name}`", changed_fields(config, DOCUMENT)) for name, config in PRESETS.items()]
    return table(("preset", "differs from `document` by"), rows)


def actions_table() -> str:
    """Every action by its number."""
    rows = [(f"0–{CARDS - 1}", "`play 1-1` ... `play 12-4` in the phase `play`, else `take 1-1` ... `take 12-4`")]
    rows += [(f"{action}", f"`{action_to_str(PHASE_PLAY, action)}`") for action in range(STOP, NUM_ACTIONS)]
    return table(("action", "in words"), rows)


def generated() -> Iterator[tuple[str, str]]:
    """Name and text of every marked part of the README."""
    yield "cards", cards_table()
    yield "yaku", yaku_table()
    yield "config", config_table(DOCUMENT)
    yield "presets", presets_table()
    yield "actions", actions_table()
    yield "fields", fields_table(observation_fields(KoiKoiConfig(history=1)))
    yield "reasons", table(("`reason`", "number"), [(f"`{name}`", number) for number, name in REASON_NAMES.items()])


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the tables of the rule card from the code."""
    parser = card_parser("hanafuda_env.rule_card", main.__doc__)
    update(README, generated(), parser.parse_args(arguments).check, parser.prog)


if __name__ == "__main__":
    main()
