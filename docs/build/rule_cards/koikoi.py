"""The generated parts of `hanafuda_env/README.md`: see `docs.build.rule_card`."""

from collections.abc import Iterator

from docs.build.rule_card import bits_markdown, changed_fields, config_markdown, table
from hanafuda_env.config import DOCUMENT, PRESETS, KoiKoiConfig
from hanafuda_env.drawing.cards.names import FLOWERS, MONTH_NAMES, PICTURES, kind_of
from hanafuda_env.drawing.table_view import YAKU_WORDS
from hanafuda_env.engine.actions import NUM_ACTIONS, STOP
from hanafuda_env.engine.cards import CARDS
from hanafuda_env.engine.layout import layout
from hanafuda_env.engine.state import PHASE_PLAY
from hanafuda_env.engine.yaku import YAKU_NAMES, YAKU_NEED
from hanafuda_env.words.notation import CARD_NAMES, REASON_NAMES, action_to_str


def cards_markdown() -> str:
    """Return a table of all cards, one row per month."""
    rows = []
    for month in range(12):
        names = CARD_NAMES[4 * month : 4 * month + 4]
        common, latin = FLOWERS[month]
        rows.append((f"{month + 1}", f"{MONTH_NAMES[month]}: {common}, *{latin}*", *map(_card_words, names)))
    return table(("month", "flower", "-1", "-2", "-3", "-4"), rows)


def _card_words(card: str) -> str:
    kind = kind_of(card)
    return f"{PICTURES[card]}, {kind}" if card in PICTURES else kind


def yaku_markdown() -> str:
    """Return a table of the twelve yaku with their points in every preset."""
    rows = []
    for k, name in enumerate(YAKU_NAMES):
        points = (f"{preset.points[k]}" + (" +1" if preset.extra[k] else "") for preset in PRESETS.values())
        rows.append((f"`{name}`", YAKU_WORDS[name], YAKU_NEED[k], *points))
    return table(("id", "yaku", "cards", *(f"`{name}`" for name in PRESETS)), rows)


def presets_markdown() -> str:
    """Return a table of what every preset changes."""
    rows = [(f"`{name}`", changed_fields(config, DOCUMENT)) for name, config in PRESETS.items()]
    return table(("preset", "differs from `document` by"), rows)


def actions_markdown() -> str:
    """Return a table of all actions by number."""
    rows = [(f"0–{CARDS - 1}", "`play 1-1` ... `play 12-4` in the phase `play`, else `take 1-1` ... `take 12-4`")]
    rows += [(f"{action}", f"`{action_to_str(PHASE_PLAY, action)}`") for action in range(STOP, NUM_ACTIONS)]
    return table(("action", "in words"), rows)


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
        table(("`reason`", "number"), [(f"`{name}`", number) for number, name in REASON_NAMES.items()]),
    )
