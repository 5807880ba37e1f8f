"""Reading of position dicts: every value is checked and written into the record of a game.

Errors name the entry, such as ``hands[1][2]``, its value, and what is allowed. They may occur when the record is partly
written, so the record is a copy: see `hanabi_env.words.positions.load_position`.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache, partial
from itertools import chain
from typing import Any

import numpy as np

from hanabako.engine.deck import arrange_deck
from hanabako.words.checks import as_each, as_index, as_list, check_box, check_derived, check_keys, shown
from hanabako.words.notation import members
from hanabi_env.config import HanabiConfig
from hanabi_env.engine.bounds import most_steps
from hanabi_env.engine.cards import all_cards, played_set, touched_by_color, touched_by_rank
from hanabi_env.engine.rules import put_on_discard, score, shuffle_of
from hanabi_env.engine.state import (
    EVENT_CHOOSE,
    EVENT_DISCARD,
    EVENT_HINT_COLOR,
    EVENT_HINT_RANK,
    EVENT_NONE,
    EVENT_PLAY,
    EVENT_PLAY_FROM_DISCARD,
    EVENT_SHUFFLE_BACK,
    LAST_ROUND_NOT_BEGUN,
    NO_CARD,
    TILE_LIFE,
    TILES,
    Rules,
    event_dtype,
)
from hanabi_env.words.checks import box_of, check_position
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

__all__ = ["REQUIRED_KEYS", "lay_tiles", "read_bonus_tiles", "read_deck", "read_position"]

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


def read_position(config: HanabiConfig, s: Any, position: Mapping[str, Any]) -> None:
    """Write a position into the record ``s`` and check it; see `hanabi_env.words.positions.load_position`.

    Raises:
        ValueError: the position is impossible. The record is then partly written.
    """
    check_keys("a position", "to_dict()", position, REQUIRED_KEYS)
    rules = config.rules()
    hands = [
        _as_cards(config, f"hands[{player}]", hand)
        for player, hand in enumerate(as_list("hands", position["hands"], config.players))
    ]
    plausible = [_read_knowledge(config, position, player, hand) for player, hand in enumerate(hands)]
    events = _read_events(config, position)
    s.current_player = as_index("current_player", position["current_player"], rules.players - 1)
    deck = _as_cards(config, "deck", position["deck"])
    discards = _as_cards(config, "discards", position["discards"])
    s.fireworks[: rules.suits] = _read_fireworks(config, position)
    s.information_tokens = as_index("information_tokens", position["information_tokens"], rules.max_information_tokens)
    s.life_tokens = as_index("life_tokens", position["life_tokens"], rules.max_life_tokens)
    s.turns_to_play = _read_turns(rules, position)
    end_reason = _read_end(position)
    hinted = [_read_hinted(config, position, player, known) for player, known in enumerate(plausible)]
    s.length = as_index("length", position.get("length", len(events)), most_steps(rules))
    lay_tiles(rules, s, _as_tiles(config, position["bonus_tiles"]))
    s.pending = _read_pending(config, position)
    fireworks = members(range(rules.suits * rules.ranks), played_set(rules, s))
    check_box("the position", _names(config, chain(deck, discards, *hands, fireworks)), box_of(config))
    s.shuffles = 0
    lay_deck(rules, s, deck)
    _lay_discards(rules, s, discards)
    _lay_hands(rules, s, hands, plausible, hinted)
    _write_events(rules, s, events)
    s.end_reason = end_reason  # last, because a discard may set it (V5)
    check_position(rules, s)
    if s.length < len(events):
        raise ValueError(f"length must be at least the {len(events)} steps of events, got {s.length}")
    check_derived(position, "score", int(score(rules, s)))


def read_deck(config: HanabiConfig, deck: Sequence[str]) -> list[int]:
    """Return the card numbers of a deck, top first.

    Raises:
        ValueError: ``deck`` is not the box of this game.
    """
    cards = _as_cards(config, "deck", deck)
    check_box("deck", _names(config, cards), box_of(config))
    return cards


def read_bonus_tiles(config: HanabiConfig, tiles: Sequence[str]) -> list[int]:
    """Return the numbers of a new game's bonus tiles, the next one first.

    Raises:
        ValueError: ``tiles`` are not all the tiles of this game.
    """
    face_down = _as_tiles(config, tiles)
    if config.flamboyants and len(face_down) != TILES:
        raise ValueError(f"bonus_tiles must be all of {', '.join(TILE_LETTERS)} in some order, got {shown(tiles)}")
    return face_down


def _names(config: HanabiConfig, cards: Iterable[int]) -> Iterable[str]:
    return (card_names(config)[card] for card in cards)


def _as_cards(config: HanabiConfig, name: str, value: Any) -> list[int]:
    return as_each(name, value, partial(str_to_card, config))


def _read_fireworks(config: HanabiConfig, position: Mapping[str, Any]) -> list[int]:
    fireworks, letters = position["fireworks"], suit_letters(config)
    if not isinstance(fireworks, Mapping) or set(fireworks) != set(letters):
        raise ValueError(f"fireworks must be a dict with the keys {', '.join(letters)}, got {shown(fireworks)}")
    return [as_index(f"fireworks[{letter!r}]", fireworks[letter], config.ranks) for letter in letters]


def _read_turns(rules: Rules, position: Mapping[str, Any]) -> int:
    turns = position["turns_to_play"]
    return LAST_ROUND_NOT_BEGUN if turns is None else as_index("turns_to_play", turns, rules.players)


def _read_end(position: Mapping[str, Any]) -> int:
    given = position["end_reason"]
    if given is None or isinstance(given, str):
        for reason, name in END_NAMES.items():
            if name == given:
                return reason
    allowed = ", ".join(repr(name) for name in END_NAMES.values())
    raise ValueError(f"end_reason must be one of {allowed}, got {shown(given)}")


def _as_tiles(config: HanabiConfig, value: Any) -> list[int]:
    """V4: return the numbers of face-down tiles, each of which may appear at most once."""
    tiles = as_list("bonus_tiles", value)
    if tiles and not config.flamboyants:
        raise ValueError(f"bonus_tiles must be empty without flamboyants, got {shown(value)}")
    for tile in tiles:
        if not isinstance(tile, str) or len(tile) != 1 or tile not in TILE_LETTERS or tiles.count(tile) > 1:
            raise ValueError(
                f"bonus_tiles must be different letters out of {', '.join(TILE_LETTERS)}, got {shown(value)}"
            )
    return [TILE_LETTERS.index(tile) for tile in tiles]


def _read_pending(config: HanabiConfig, position: Mapping[str, Any]) -> int:
    """V4: return the number of the pending choice; tiles (a) and (b) need no choice."""
    pending = position["pending"]
    if pending is not None and not config.flamboyants:
        raise ValueError(f"pending must be None without flamboyants, got {shown(pending)}")
    allowed = CHOICE_NAMES[TILE_LIFE + 1 :]
    if not (pending is None or isinstance(pending, str)) or pending not in allowed:
        raise ValueError(f"pending must be one of {', '.join(map(repr, allowed))}, got {shown(pending)}")
    return CHOICE_NAMES.index(pending)


# --- Writing the cards ------------------------------------------------------------------------------------------------


def lay_tiles(rules: Rules, s: Any, face_down: list[int]) -> None:
    """V4: write the tiles, the revealed ones first; the order in which they were revealed does not matter."""
    s.tiles_left = len(face_down)
    if rules.flamboyants:
        s.bonus_tiles[:] = [tile for tile in range(TILES) if tile not in face_down] + face_down


def _lay_discards(rules: Rules, s: Any, discards: list[int]) -> None:
    s.discard_count = 0
    s.discarded[: rules.suits] = 0
    for card in discards:
        put_on_discard(rules, s, card)


def _lay_hands(
    rules: Rules, s: Any, hands: list[list[int]], plausible: list[list[int]], hinted: list[list[int]]
) -> None:
    """Write the hands and their knowledge. `check_position` refuses hands with too many cards, by ``hand_count``."""
    size = rules.hand_size
    for player, hand in enumerate(hands):
        held = hand if len(hand) <= size else sorted(hand)[:size]  # lowest first; black, which no color names, last
        s.hand_count[player] = len(hand)
        s.hands[player, :size] = held + [NO_CARD] * (size - len(held))
        s.plausible[player, :size] = (plausible[player] + [0] * size)[:size]
        s.hinted[player, :size] = (hinted[player] + [0] * size)[:size]


# --- Hints ------------------------------------------------------------------------------------------------------------


def _read_knowledge(config: HanabiConfig, position: Mapping[str, Any], player: int, hand: list[int]) -> list[int]:
    """Return the set of cards that hints have not excluded, per slot."""
    knowledge = as_list("knowledge", position["knowledge"], config.players)
    known = []
    for slot, cards in enumerate(as_list(f"knowledge[{player}]", knowledge[player], len(hand))):
        name = f"knowledge[{player}][{slot}]"
        plausible = sum(1 << card for card in set(_as_cards(config, name, cards)))
        if not plausible >> hand[slot] & 1:
            raise ValueError(f"{name} must allow the true card {card_names(config)[hand[slot]]}, got {shown(cards)}")
        if not _is_result_of_hints(config.rules(), plausible):
            raise ValueError(f"{name} must be what answers to hints leave of all cards, got {shown(cards)}")
        known.append(plausible)
    return known


@lru_cache
def _touched_sets(rules: Rules) -> tuple[int, ...]:
    """Return the set of cards that each hint touches, in the order of the hint marks."""
    by_color = (int(touched_by_color(rules, color)) for color in range(rules.colors))
    by_rank = (int(touched_by_rank(rules, rank)) for rank in range(rules.ranks))
    return (*by_color, *by_rank)


def _is_result_of_hints(rules: Rules, plausible: int) -> bool:
    """Whether hints can reduce the set of all cards to ``plausible``.

    A hint leaves either the cards that it touches or all others. The set must equal the intersection of all such
    answers that contain it.
    """
    every = int(all_cards(rules))
    widest = every
    for touched in _touched_sets(rules):
        for answer in (touched, every & ~touched):
            if plausible & ~answer == 0:
                widest &= answer
    return widest == plausible


def _read_hinted(config: HanabiConfig, position: Mapping[str, Any], player: int, plausible: list[int]) -> list[int]:
    """Return the set of hint marks that touched the card, per slot."""
    if "hinted" not in position:
        return [0] * len(plausible)
    hinted = as_list("hinted", position["hinted"], config.players)
    entries = as_list(f"hinted[{player}]", hinted[player], len(plausible))
    return [_read_marks(config, player, slot, marks, plausible[slot]) for slot, marks in enumerate(entries)]


def _read_marks(config: HanabiConfig, player: int, slot: int, marks: Any, plausible: int) -> int:
    name, allowed = f"hinted[{player}][{slot}]", hint_marks(config)
    bits = 0
    for mark in as_list(name, marks):
        if isinstance(mark, bool) or not isinstance(mark, (str, int, np.integer)) or mark not in allowed:
            raise ValueError(f"{name} must hold only {', '.join(map(repr, allowed))}, got {shown(mark)}")
        if plausible & ~_touched_sets(config.rules())[allowed.index(mark)]:
            raise ValueError(f"{name} must agree with knowledge, which allows cards that {mark!r} does not touch")
        bits |= 1 << allowed.index(mark)
    return bits


# --- Events -----------------------------------------------------------------------------------------------------------

NOTHING_HAPPENED = {**dict.fromkeys(event_dtype(1).names or (), 0), "card": NO_CARD}


def _read_events(config: HanabiConfig, position: Mapping[str, Any]) -> list[dict[str, int]]:
    events = as_list("events", position.get("events", []))
    return [_read_event(config, f"events[{k}]", event) for k, event in enumerate(events)]


def _read_event(config: HanabiConfig, name: str, event: Any) -> dict[str, int]:
    """Return one step as the fields of `hanabi_env.engine.state.event_dtype`."""
    if not isinstance(event, Mapping) or "player" not in event or "action" not in event:
        raise ValueError(f"{name} must be a dict with player and action, got {shown(event)}")
    player = as_index(f"{name} player", event["player"], config.players - 1)
    try:
        str_to_action(config, event["action"])
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None
    return {**NOTHING_HAPPENED, "player": player, **_read_action(config, name, event, player)}


def _read_action(config: HanabiConfig, name: str, event: Mapping[str, Any], player: int) -> dict[str, int]:
    """Return the fields of a step's ``action`` and its outcome."""
    if event["action"] == SHUFFLE_BACK:
        return {"kind": EVENT_SHUFFLE_BACK}
    if event["action"] == PLAY_FROM_DISCARD:
        return {"kind": EVENT_PLAY_FROM_DISCARD}
    verb, number, *value = event["action"].split()
    if verb == "hint":
        target = (player + int(number)) % config.players
        return {"target": target, **_read_hint(config, name, event, value[0])}
    if verb == "choose":
        return {"kind": EVENT_CHOOSE, "card": str_to_card(config, number), **_read_outcome(name, event, True)}
    [card] = _as_cards(config, f"{name} card", [event.get("card")])
    return {
        "kind": EVENT_PLAY if verb == "play" else EVENT_DISCARD,
        "slot": int(number),
        "card": card,
        "announced": 1 + suit_letters(config).index(value[-1]) if value else 0,
        **_read_outcome(name, event, verb == "play"),
    }


def _read_hint(config: HanabiConfig, name: str, event: Mapping[str, Any], value: str) -> dict[str, int]:
    is_color = value in color_letters(config)
    slots = {
        as_index(f"{name} touched", slot, config.cards_in_hand - 1)
        for slot in as_list(f"{name} touched", event.get("touched"))
    }
    return {
        "kind": EVENT_HINT_COLOR if is_color else EVENT_HINT_RANK,
        "value": color_letters(config).index(value) if is_color else int(value) - 1,
        "touched": sum(1 << slot for slot in slots),
    }


def _read_outcome(name: str, event: Mapping[str, Any], is_built: bool) -> dict[str, int]:
    """Return whether a card scored, if it was played or chosen for a tile (V4), and whether it brought a token."""
    scored = _as_flag(f"{name} scored", event.get("scored")) if is_built else 0
    return {"scored": scored, "gave_token": _as_flag(f"{name} gave_token", event.get("gave_token"))}


def _as_flag(name: str, value: Any) -> int:
    if type(value) is not bool:
        raise ValueError(f"{name} must be True or False, got {shown(value)}")
    return int(value)


def _write_events(rules: Rules, s: Any, events: list[dict[str, int]]) -> None:
    for k in range(rules.history):
        s.events[k].kind = EVENT_NONE
    for age, event in enumerate(reversed(events[-rules.history :])):
        record = s.events[(int(s.length) - 1 - age) % rules.history]
        for field, value in event.items():
            setattr(record, field, value)


def lay_deck(rules: Rules, s: Any, deck: Sequence[int]) -> None:
    """Write ``deck`` as the deck of the record, the next card first."""
    s.deck_count = len(deck)
    s.cards[: len(deck)] = arrange_deck(s.key, int(shuffle_of(rules, s)), deck)
