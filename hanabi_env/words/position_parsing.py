"""Reading a position in words: every value of the dict by its name, into a checked `Position`.

Errors name the place, as ``hands[1][2]``, its value, and what is allowed.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache, partial
from typing import Any

from hanabako.engine.protocol import LONGEST_GAME
from hanabako.words.checks import as_each, as_index, as_list, check_derived, check_keys
from hanabi_env.config import HanabiConfig
from hanabi_env.engine.cards import all_cards, touched_by_color, touched_by_rank
from hanabi_env.engine.rules import score
from hanabi_env.engine.state import (
    EVENT_CHOOSE,
    EVENT_DISCARD,
    EVENT_HINT_COLOR,
    EVENT_HINT_RANK,
    EVENT_PLAY,
    EVENT_PLAY_FROM_DISCARD,
    EVENT_SHUFFLE_BACK,
    LAST_ROUND_NOT_BEGUN,
    NO_CARD,
    TILE_LIFE,
    TILES,
    Rules,
)
from hanabi_env.words.notation import (
    CHOICE_NAMES,
    END_NAMES,
    PLAY_FROM_DISCARD,
    SHUFFLE_BACK,
    TILE_LETTERS,
    card_names,
    color_letters,
    hint_marks,
    str_to_action,
    str_to_card,
    suit_letters,
)
from hanabi_env.words.position_checks import Position, check_box, check_position

__all__ = ["REQUIRED_KEYS", "parse_bonus_tiles", "parse_deck", "parse_position"]

REQUIRED_KEYS = (
    "current_player",
    "hands",
    "deck",
    "discards",
    "fireworks",
    "information_tokens",
    "life_tokens",
    "turns_to_play",
    "end_reason",
    "bonus_tiles",
    "pending",
    "knowledge",
)


def parse_position(config: HanabiConfig, position: Mapping[str, Any]) -> Position:
    """Read and check a position; see `hanabi_env.words.positions.load_position`.

    Raises:
        ValueError: the position cannot be reached.
    """
    check_keys(position, REQUIRED_KEYS)
    rules = config.rules()
    hands = [
        _as_cards(config, f"hands[{player}]", hand)
        for player, hand in enumerate(as_list("hands", position["hands"], config.players))
    ]
    plausible = [_parse_knowledge(config, position, player, hand) for player, hand in enumerate(hands)]
    events = _parse_events(config, position)
    parsed = Position(
        current_player=as_index("current_player", position["current_player"], rules.players - 1),
        hands=hands,
        deck=_as_cards(config, "deck", position["deck"]),
        discards=_as_cards(config, "discards", position["discards"]),
        fireworks=_parse_fireworks(config, position),
        information_tokens=as_index("information_tokens", position["information_tokens"], rules.max_information_tokens),
        life_tokens=as_index("life_tokens", position["life_tokens"], rules.max_life_tokens),
        turns_to_play=_parse_turns(rules, position),
        end_reason=_parse_end(position),
        plausible=plausible,
        hinted=[_parse_hinted(config, position, player, known) for player, known in enumerate(plausible)],
        events=events,
        length=as_index("length", position.get("length", len(events)), LONGEST_GAME),
        bonus_tiles=_as_tiles(config, position["bonus_tiles"]),
        pending=_parse_pending(config, position),
    )
    check_position(config, parsed)
    check_derived(position, "score", int(score(rules, parsed)))
    return parsed


def parse_deck(config: HanabiConfig, deck: Sequence[str]) -> list[int]:
    """The cards of a deck, top first.

    Raises:
        ValueError: ``deck`` is not the box of this table.
    """
    cards = _as_cards(config, "deck", deck)
    check_box(config, "deck", cards)
    return cards


def parse_bonus_tiles(config: HanabiConfig, tiles: Sequence[str]) -> list[int]:
    """The bonus tiles of a new game by their numbers, next first.

    Raises:
        ValueError: ``tiles`` are not all the tiles of this table.
    """
    parsed = _as_tiles(config, tiles)
    if config.flamboyants and len(parsed) != TILES:
        raise ValueError(f"bonus_tiles must be all of {', '.join(TILE_LETTERS)} in some order, got {tiles!r}")
    return parsed


def _as_cards(config: HanabiConfig, name: str, value: Any) -> list[int]:
    return as_each(name, value, partial(str_to_card, config))


def _parse_fireworks(config: HanabiConfig, position: Mapping[str, Any]) -> list[int]:
    fireworks, letters = position["fireworks"], suit_letters(config)
    if not isinstance(fireworks, Mapping) or set(fireworks) != set(letters):
        raise ValueError(f"fireworks must be a dict with the keys {', '.join(letters)}, got {fireworks!r}")
    return [as_index(f"fireworks[{letter!r}]", fireworks[letter], config.ranks) for letter in letters]


def _parse_turns(rules: Rules, position: Mapping[str, Any]) -> int:
    turns = position["turns_to_play"]
    return LAST_ROUND_NOT_BEGUN if turns is None else as_index("turns_to_play", turns, rules.players)


def _parse_end(position: Mapping[str, Any]) -> int:
    for reason, name in END_NAMES.items():
        if name == position["end_reason"]:
            return reason
    allowed = ", ".join(repr(name) for name in END_NAMES.values())
    raise ValueError(f"end_reason must be one of {allowed}, got {position['end_reason']!r}")


def _as_tiles(config: HanabiConfig, value: Any) -> list[int]:
    """V4: face-down tiles, each at most once."""
    tiles = as_list("bonus_tiles", value)
    if tiles and not config.flamboyants:
        raise ValueError(f"bonus_tiles must be empty without flamboyants, got {value!r}")
    for tile in tiles:
        if not isinstance(tile, str) or len(tile) != 1 or tile not in TILE_LETTERS or tiles.count(tile) > 1:
            raise ValueError(f"bonus_tiles must be different letters out of {', '.join(TILE_LETTERS)}, got {value!r}")
    return [TILE_LETTERS.index(tile) for tile in tiles]


def _parse_pending(config: HanabiConfig, position: Mapping[str, Any]) -> int:
    """V4: what waits for a choice; (a) and (b) ask for none."""
    pending = position["pending"]
    if pending is not None and not config.flamboyants:
        raise ValueError(f"pending must be None without flamboyants, got {pending!r}")
    allowed = CHOICE_NAMES[TILE_LIFE + 1 :]
    if not (pending is None or isinstance(pending, str)) or pending not in allowed:
        raise ValueError(f"pending must be one of {', '.join(map(repr, allowed))}, got {pending!r}")
    return CHOICE_NAMES.index(pending)


# --- What hints said --------------------------------------------------------------------------------------------------


def _parse_knowledge(config: HanabiConfig, position: Mapping[str, Any], player: int, hand: list[int]) -> list[int]:
    """Per slot the set of cards that hints have not excluded."""
    knowledge = as_list("knowledge", position["knowledge"], config.players)
    known = []
    for slot, cards in enumerate(as_list(f"knowledge[{player}]", knowledge[player], len(hand))):
        name = f"knowledge[{player}][{slot}]"
        plausible = sum(1 << card for card in set(_as_cards(config, name, cards)))
        if not plausible >> hand[slot] & 1:
            raise ValueError(f"{name} must allow the true card {card_names(config)[hand[slot]]}, got {cards!r}")
        if not _is_result_of_hints(config.rules(), plausible):
            raise ValueError(f"{name} must be what answers to hints leave of all cards, got {cards!r}")
        known.append(plausible)
    return known


@lru_cache
def _touched_sets(rules: Rules) -> tuple[int, ...]:
    """Per hint mark the set of cards that the hint touches."""
    by_color = (int(touched_by_color(rules, color)) for color in range(rules.colors))
    by_rank = (int(touched_by_rank(rules, rank)) for rank in range(rules.ranks))
    return (*by_color, *by_rank)


def _is_result_of_hints(rules: Rules, plausible: int) -> bool:
    """Whether the set is all cards, cut down by every answer to a hint that it lies within.

    A hint leaves the cards it touches, or all others.
    """
    every = int(all_cards(rules))
    widest = every
    for touched in _touched_sets(rules):
        for answer in (touched, every & ~touched):
            if plausible & ~answer == 0:
                widest &= answer
    return widest == plausible


def _parse_hinted(config: HanabiConfig, position: Mapping[str, Any], player: int, plausible: list[int]) -> list[int]:
    """Per slot the set of hint marks that touched the card."""
    if "hinted" not in position:
        return [0] * len(plausible)
    hinted = as_list("hinted", position["hinted"], config.players)
    entries = as_list(f"hinted[{player}]", hinted[player], len(plausible))
    return [_parse_marks(config, player, slot, marks, plausible[slot]) for slot, marks in enumerate(entries)]


def _parse_marks(config: HanabiConfig, player: int, slot: int, marks: Any, plausible: int) -> int:
    name, allowed = f"hinted[{player}][{slot}]", hint_marks(config)
    bits = 0
    for mark in as_list(name, marks):
        if mark not in allowed or isinstance(mark, bool):
            raise ValueError(f"{name} must hold only {', '.join(map(repr, allowed))}, got {mark!r}")
        if plausible & ~_touched_sets(config.rules())[allowed.index(mark)]:
            raise ValueError(f"{name} must agree with knowledge, which allows cards that {mark!r} does not touch")
        bits |= 1 << allowed.index(mark)
    return bits


# --- What happened last -----------------------------------------------------------------------------------------------


def _parse_events(config: HanabiConfig, position: Mapping[str, Any]) -> list[dict[str, int]]:
    events = as_list("events", position.get("events", []))
    return [_parse_event(config, f"events[{k}]", event) for k, event in enumerate(events)]


NOTHING_HAPPENED = {
    "target": 0,
    "value": 0,
    "touched": 0,
    "slot": 0,
    "card": NO_CARD,
    "announced": 0,
    "scored": 0,
    "gave_token": 0,
}


def _parse_event(config: HanabiConfig, name: str, event: Any) -> dict[str, int]:
    """One step as the fields of the rules' ``EVENT``."""
    if not isinstance(event, Mapping) or "player" not in event or "action" not in event:
        raise ValueError(f"{name} must be a dict with player and action, got {event!r}")
    player = as_index(f"{name} player", event["player"], config.players - 1)
    try:
        str_to_action(config, event["action"])
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None
    if event["action"] in (SHUFFLE_BACK, PLAY_FROM_DISCARD):
        kind = EVENT_SHUFFLE_BACK if event["action"] == SHUFFLE_BACK else EVENT_PLAY_FROM_DISCARD
        return {**NOTHING_HAPPENED, "kind": kind, "player": player}
    verb, number, *value = event["action"].split()
    if verb == "hint":
        return _parse_hint(config, name, event, player, (player + int(number)) % config.players, value[0])
    if verb == "choose":
        return {**NOTHING_HAPPENED, **_parse_choice(config, name, event, number), "player": player}
    return _parse_use_of_card(config, name, event, player)


def _parse_hint(
    config: HanabiConfig, name: str, event: Mapping[str, Any], player: int, target: int, value: str
) -> dict[str, int]:
    is_color = value in color_letters(config)
    slots = {
        as_index(f"{name} touched", slot, config.cards_in_hand - 1)
        for slot in as_list(f"{name} touched", event.get("touched"))
    }
    return {
        **NOTHING_HAPPENED,
        "kind": EVENT_HINT_COLOR if is_color else EVENT_HINT_RANK,
        "player": player,
        "target": target,
        "value": color_letters(config).index(value) if is_color else int(value) - 1,
        "touched": sum(1 << slot for slot in slots),
    }


def _parse_choice(config: HanabiConfig, name: str, event: Mapping[str, Any], card: str) -> dict[str, int]:
    """V4: a card of the discard was chosen, to be played (it scored) or shuffled into the deck."""
    return {
        "kind": EVENT_CHOOSE,
        "card": str_to_card(config, card),
        "scored": _as_flag(f"{name} scored", event.get("scored")),
        "gave_token": _as_flag(f"{name} gave_token", event.get("gave_token")),
    }


def _parse_use_of_card(config: HanabiConfig, name: str, event: Mapping[str, Any], player: int) -> dict[str, int]:
    [card] = _as_cards(config, f"{name} card", [event.get("card")])
    verb, slot, *announced = event["action"].split()
    is_play = verb == "play"
    return {
        **NOTHING_HAPPENED,
        "kind": EVENT_PLAY if is_play else EVENT_DISCARD,
        "player": player,
        "slot": int(slot),
        "card": card,
        "announced": 1 + suit_letters(config).index(announced[-1]) if announced else 0,
        "scored": _as_flag(f"{name} scored", event.get("scored")) if is_play else 0,
        "gave_token": _as_flag(f"{name} gave_token", event.get("gave_token")),
    }


def _as_flag(name: str, value: Any) -> int:
    if type(value) is not bool:
        raise ValueError(f"{name} must be True or False, got {value!r}")
    return int(value)
