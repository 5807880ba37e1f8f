"""The site's variants and options, and the config fields that they correspond to."""

from collections.abc import Mapping
from typing import Any

from hanabako.words.checks import shown
from hanabi_env.config import HanabiConfig
from hanabi_env.words.notation import suit_letters

VARIANTS: dict[str, dict[str, Any]] = {
    "No Variant": {},
    "4 Suits": {"colors": 4},
    "3 Suits": {"colors": 3},
    "Black (6 Suits)": {"multicolor": "own_color"},
    "Black (5 Suits)": {"multicolor": "own_color", "colors": 4},
    "Rainbow (6 Suits)": {"multicolor": "all_colors"},
    "Rainbow (5 Suits)": {"multicolor": "all_colors", "colors": 4},
    "Rainbow (4 Suits)": {"multicolor": "all_colors", "colors": 3},
    "Rainbow (3 Suits)": {"multicolor": "all_colors", "colors": 2},
    "White Reversed (6 Suits)": {"black_powder": True},
    "White Reversed (5 Suits)": {"black_powder": True, "colors": 4},
    "White Reversed (4 Suits)": {"black_powder": True, "colors": 3},
    "White Reversed (3 Suits)": {"black_powder": True, "colors": 2},
    "White Reversed & Rainbow (6 Suits)": {"multicolor": "all_colors", "black_powder": True, "colors": 4},
    "White Reversed & Rainbow (5 Suits)": {"multicolor": "all_colors", "black_powder": True, "colors": 3},
    "White Reversed & Rainbow (4 Suits)": {"multicolor": "all_colors", "black_powder": True, "colors": 2},
}
"""The site's variants whose suits exist here, and their configuration fields. The site's Black suit is not black
powder, but V1's multicolor: five cards with their own color. Its White Reversed suit has no color, descends from 5 to
1, and is black powder (V3)."""

SUIT_FIELDS = ("colors", "multicolor", "black_powder")
HARMLESS_OPTIONS = ("variant", "numPlayers", "timed", "timeBase", "timePerTurn", "speedrun", "deckPlays", "tableName")
HARMLESS_OPTIONS += ("maxPlayers",)
OUR_OPTIONS = ("emptyClues", "allOrNothing", "oneExtraCard", "oneLessCard", "startingPlayer")


def options_in(game: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options that are on, and the variant, which some files name outside ``options``."""
    options = game.get("options") or {}
    if not isinstance(options, Mapping):
        raise ValueError(f"options must be an object, got {shown(options)}")  # noqa: TRY004
    options = {"variant": game.get("variant") or "No Variant", **{key: v for key, v in options.items() if v}}
    for name, value in options.items():
        if name not in (*HARMLESS_OPTIONS, *OUR_OPTIONS):
            raise ValueError(f"the game uses the option {shown(name)[1:-1]} ({shown(value)}), which we do not have")
    return options


def config_of(players: int, options: Mapping[str, Any]) -> HanabiConfig:
    """Return the config of a game with these players and options."""
    variant = options["variant"]
    if not isinstance(variant, str) or variant not in VARIANTS:
        raise ValueError(f"the game's variant is {shown(variant)}; available here are {', '.join(map(repr, VARIANTS))}")
    if players not in range(2, 6):
        raise ValueError(f"the game has {players} players; available here are 2 to 5")
    fields = {"players": players, "empty_hints": bool(options.get("emptyClues"))}
    config = HanabiConfig(**VARIANTS[variant], **fields, final_bouquet=bool(options.get("allOrNothing")))
    size = config.cards_in_hand + bool(options.get("oneExtraCard")) - bool(options.get("oneLessCard"))
    if size == config.cards_in_hand:
        return config
    return HanabiConfig(**VARIANTS[variant], **fields, final_bouquet=config.final_bouquet, hand_size=size)


def site_suits(config: HanabiConfig) -> str:
    """Return the letters of our suits in the site's order, in which black powder comes before multicolor."""
    suits = suit_letters(config)
    return suits[:-2] + "KM" if suits.endswith("MK") else suits


def variant_of(config: HanabiConfig) -> str:
    """Return the site's name of the variant with this configuration's suits.

    Raises:
        ValueError: the site does not have this configuration; the message names the field.
    """
    standard = HanabiConfig()
    black = ("black_distribution",) if config.black_powder else ()
    for name in ("ranks", "max_information_tokens", "max_life_tokens", "flamboyants", "choreography", *black):
        if getattr(config, name) != getattr(standard, name):
            raise ValueError(
                f"hanab.live has only {name}={getattr(standard, name)!r}, got {shown(getattr(config, name))}"
            )
    if config.random_start_player:
        raise ValueError("random_start_player must be False, because player 0 begins on hanab.live")
    for variant, fields in VARIANTS.items():
        if all(getattr(config, name) == fields.get(name, getattr(standard, name)) for name in SUIT_FIELDS):
            return variant
    suits = ", ".join(f"{name}={getattr(config, name)!r}" for name in SUIT_FIELDS)
    raise ValueError(f"hanab.live has no variant with {suits}")


def options_of(config: HanabiConfig) -> dict[str, bool]:
    """Return the site's options that are on in this configuration.

    Raises:
        ValueError: the site does not have hands of this size.
    """
    usual = HanabiConfig(players=config.players).cards_in_hand
    if abs(config.cards_in_hand - usual) > 1:
        raise ValueError(f"hanab.live has hands of {usual - 1} to {usual + 1} cards, got {config.cards_in_hand}")
    options = {
        "emptyClues": config.empty_hints,
        "allOrNothing": config.final_bouquet,
        "oneExtraCard": config.cards_in_hand > usual,
        "oneLessCard": config.cards_in_hand < usual,
    }
    return {name: True for name, is_on in options.items() if is_on}
