"""The generated parts of `hanafuda_env/README.md`: tables of all config fields, actions and observation bits.

    python -m docs.build.rule_cards.koikoi            # write them into README.md
    python -m docs.build.rule_cards.koikoi --check    # only say whether they are up to date

`hanabako presets koikoi --index PRESET` prints actions and bits of every preset.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

from docs.build.rule_card import bits_markdown, changed_fields, config_markdown, markdown_rows
from hanabako.generated import update
from hanabako.program import in_a_sentence
from hanafuda_env.config import DOCUMENT, PRESETS, KoiKoiConfig
from hanafuda_env.drawing.cards.names import FLOWERS, MONTH_NAMES, PICTURES, kind_of
from hanafuda_env.drawing.table_view import YAKU_WORDS
from hanafuda_env.engine.actions import NUM_ACTIONS, STOP
from hanafuda_env.engine.cards import CARDS
from hanafuda_env.engine.layout import layout
from hanafuda_env.engine.state import PHASE_PLAY
from hanafuda_env.engine.yaku import YAKU_NAMES, YAKU_NEED
from hanafuda_env.words.notation import CARD_NAMES, REASON_NAMES, action_to_str

COMMAND = "python -m docs.build.rule_cards.koikoi"
README = Path(__file__).resolve().parents[3] / "hanafuda_env" / "README.md"


def cards_markdown() -> str:
    """Return a table of all cards, one row per month."""
    rows = []
    for month in range(12):
        names = CARD_NAMES[4 * month : 4 * month + 4]
        common, latin = FLOWERS[month]
        rows.append((f"{month + 1}", f"{MONTH_NAMES[month]}: {common}, *{latin}*", *map(_card_words, names)))
    return markdown_rows(("month", "flower", "-1", "-2", "-3", "-4"), rows)


def _card_words(card: str) -> str:
    kind = kind_of(card)
    return f"{PICTURES[card]}, {kind}" if card in PICTURES else kind


def yaku_markdown() -> str:
    """Return a table of the twelve yaku with their points in every preset."""
    rows = []
    for k, name in enumerate(YAKU_NAMES):
        points = (f"{preset.points[k]}" + (" +1" if preset.extra[k] else "") for preset in PRESETS.values())
        rows.append((f"`{name}`", YAKU_WORDS[name], YAKU_NEED[k], *points))
    return markdown_rows(("id", "yaku", "cards", *(f"`{name}`" for name in PRESETS)), rows)


def presets_markdown() -> str:
    """Return a table of what every preset changes."""
    rows = [(f"`{name}`", changed_fields(config, DOCUMENT)) for name, config in PRESETS.items()]
    return markdown_rows(("preset", "differs from `document` by"), rows)


def actions_markdown() -> str:
    """Return a table of all actions by number."""
    rows = [(f"0–{CARDS - 1}", "`play 1-1` ... `play 12-4` in the phase `play`, else `take 1-1` ... `take 12-4`")]
    rows += [(f"{action}", f"`{action_to_str(PHASE_PLAY, action)}`") for action in range(STOP, NUM_ACTIONS)]
    return markdown_rows(("action", "in words"), rows)


def generated() -> Iterator[tuple[str, str]]:
    """Yield the name and text of every generated part of the README."""
    yield "cards", cards_markdown()
    yield "yaku", yaku_markdown()
    yield "config", config_markdown(DOCUMENT)
    yield "presets", presets_markdown()
    yield "actions", actions_markdown()
    fields = layout(KoiKoiConfig(history=1).rules()).fields
    yield "fields", bits_markdown(field for field in fields if field.section != "their yaku")
    yield (
        "reasons",
        markdown_rows(("`reason`", "number"), [(f"`{name}`", number) for number, name in REASON_NAMES.items()]),
    )


def write_card(check: bool = False) -> None:
    """Write the generated parts of the rule card from the code.

    Args:
        check: only say whether README.md is up to date.
    """
    update(README, generated(), check, COMMAND)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line."""
    import tyro

    with in_a_sentence("rule_card"):
        tyro.cli(write_card, args=arguments, prog=COMMAND)


if __name__ == "__main__":
    main()
