"""A position in words: the whole hidden state of one game as a dict, and games that begin from one, or from a deck.

`to_dict` holds JSON types only. Restoring its dict with `load_position` gives a game with the same observations, the
same deck order and the same future. The dict is read completely before the record is written, so a refused position
changes nothing.

The record keeps its random stream when a position is loaded. Which *place* of ``cards`` a draw takes is fixed by that
stream and by the number of cards left, whatever the cards are; so a wanted deck order is reached by laying every card
at the place where its draw will look for it (`arrange_deck`).
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import numpy as np

from env_core.checks import as_index
from env_core.rng import episode_key
from hanabi_env.box import (
    CHOICE_OF_E,
    END_COMPLETED,
    END_ILLEGAL,
    END_INDISPENSABLE,
    END_NOT_YET,
    END_OUT_OF_CARDS,
    END_OUT_OF_LIVES,
    END_STUCK,
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
    NO_TILE,
    TILE_COLOR_HINT,
    TILE_LIFE,
    TILE_PLAY_DISCARD,
    TILE_RANK_HINT,
    TILE_TAKE_BACK,
    TILES,
    Rules,
    all_cards,
    copies,
    nameable_colors,
    nameable_ranks,
    playable_set,
    rank_of,
    suit_of,
    touched_by_color,
    touched_by_rank,
)
from hanabi_env.config import HanabiConfig
from hanabi_env.notation import (
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
from hanabi_env.rules import deal, draw_place, is_complete, open_box, put_on_discard, score

__all__ = [
    "Position",
    "load_bonus_tiles",
    "load_deck",
    "load_position",
    "parse_bonus_tiles",
    "parse_deck",
    "parse_position",
    "to_dict",
]

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
ENDS_BY_A_CARD = (END_OUT_OF_LIVES, END_COMPLETED, END_INDISPENSABLE)  # E1: the player of that card did not draw
GOES_ON = (END_NOT_YET, END_ILLEGAL)  # an illegal action ends a game that could have gone on
LONGEST_GAME = 2**32 - 1  # what the record's ``length`` can hold


@dataclass(frozen=True)
class Position:
    """A checked position in the numbers of the rules; lists hold what is there, without empty slots.

    Fields that the record has too have its names and meaning, so that the questions of the rules can be asked of both.
    """

    current_player: int
    hands: list[list[int]]
    deck: list[int]
    """Top first."""
    discards: list[int]
    fireworks: list[int]
    information_tokens: int
    life_tokens: int
    turns_to_play: int
    end_reason: int
    plausible: list[list[int]]
    """Per player and slot a set of cards, one bit each."""
    hinted: list[list[int]]
    """Per player and slot a set of `hint_marks`, one bit each."""
    events: list[dict[str, int]]
    """Fields of the rules' ``EVENT``, newest last."""
    length: int
    bonus_tiles: list[int]
    """The face-down ones, next first."""
    pending: int


# --- Out: a record as a dict ------------------------------------------------------------------------------------------


def to_dict(config: HanabiConfig, state: Any) -> dict[str, Any]:
    """The whole hidden state of a game in JSON types and card names.

    Args:
        config: the table.
        state: one scalar record of `hanabi_env.box.state_dtype`, with attribute access (``np.recarray``).

    Returns:
        The keys of a position (`REQUIRED_KEYS`), ``score``, and what a restored game needs to be observed alike:

        * ``hinted``: per player and slot the colors and ranks named by hints that touched the card, as ``["R", 2]``;
        * ``events``: the last ``history`` steps, newest last; each with ``player``, ``action`` in words, ``touched``
          (slots of a hint), ``card``, ``scored`` (None unless a card was played or chosen) and ``gave_token``;
        * ``last_move``: the newest of them, or None;
        * ``length``: steps so far.
    """
    rules = config.rules()
    names = card_names(config)
    slots = [range(int(state.hand_count[player])) for player in range(rules.players)]
    events = _events(config, rules, state)
    turns = int(state.turns_to_play)
    hands, plausible, hinted = state.hands, state.plausible, state.hinted  # a record's fields are slow to reach
    fallen = state.cards[rules.deck_size - int(state.discard_count) : rules.deck_size].tolist()
    return {
        "current_player": int(state.current_player),
        "hands": [[names[hands[player, slot]] for slot in hand] for player, hand in enumerate(slots)],
        "deck": [names[card] for card in _coming_cards(rules, state)],
        "discards": [names[card] for card in reversed(fallen)],
        "fireworks": {letter: int(state.fireworks[suit]) for suit, letter in enumerate(suit_letters(config))},
        "information_tokens": int(state.information_tokens),
        "life_tokens": int(state.life_tokens),
        "turns_to_play": None if turns == LAST_ROUND_NOT_BEGUN else turns,
        "score": int(score(rules, state)),
        "end_reason": END_NAMES[int(state.end_reason)],
        "bonus_tiles": _face_down_tiles(rules, state),
        "pending": CHOICE_NAMES[int(state.pending)],
        "knowledge": [[_members(names, plausible[player, slot]) for slot in hand] for player, hand in enumerate(slots)],
        "hinted": [
            [_members(hint_marks(config), hinted[player, slot]) for slot in hand] for player, hand in enumerate(slots)
        ],
        "events": events,
        "last_move": events[-1] if events else None,
        "length": int(state.length),
    }


def _members(names: Sequence[Any], bits: Any) -> list[Any]:
    """The names of the bits that are set."""
    members = int(bits)
    return [name for k, name in enumerate(names) if members >> k & 1]


def _face_down_tiles(rules: Rules, state: Any) -> list[str]:
    """V4, E9: the letters of the tiles that are not revealed, next first."""
    tiles = state.bonus_tiles[TILES - int(state.tiles_left) :] if rules.flamboyants else []
    return [TILE_LETTERS[tile] for tile in tiles]


def _events(config: HanabiConfig, rules: Rules, state: Any) -> list[dict[str, Any]]:
    """The steps that the record remembers, newest last."""
    length = int(state.length)
    past = [state.events[step % rules.history] for step in range(max(0, length - rules.history), length)]
    return [_event_to_dict(config, rules, event) for event in past if event.kind != EVENT_NONE]


def _event_to_dict(config: HanabiConfig, rules: Rules, event: Any) -> dict[str, Any]:
    if event.kind in (EVENT_HINT_COLOR, EVENT_HINT_RANK):
        first = 0 if event.kind == EVENT_HINT_COLOR else rules.colors
        offset = (int(event.target) - int(event.player)) % rules.players
        return {
            "player": int(event.player),
            "action": f"hint {offset} {hint_marks(config)[first + int(event.value)]}",
            "touched": _members(range(rules.hand_size), event.touched),
            "card": None,
            "scored": None,
            "gave_token": False,
        }
    is_built = event.kind in (EVENT_PLAY, EVENT_CHOOSE)
    has_card = is_built or event.kind == EVENT_DISCARD
    return {
        "player": int(event.player),
        "action": _use_in_words(config, event),
        "touched": [],
        "card": card_names(config)[event.card] if has_card else None,
        "scored": bool(event.scored) if is_built else None,
        "gave_token": bool(event.gave_token),
    }


def _use_in_words(config: HanabiConfig, event: Any) -> str:
    """The words of a step that was no hint."""
    if event.kind == EVENT_CHOOSE:
        return f"choose {card_names(config)[event.card]}"
    if event.kind == EVENT_SHUFFLE_BACK:
        return SHUFFLE_BACK
    if event.kind == EVENT_PLAY_FROM_DISCARD:
        return PLAY_FROM_DISCARD
    verb = "play" if event.kind == EVENT_PLAY else "discard"
    announced = f" as {suit_letters(config)[event.announced - 1]}" if event.announced else ""
    return f"{verb} {int(event.slot)}{announced}"


# --- The order of the deck --------------------------------------------------------------------------------------------


def _draw_places(rules: Rules, state: Any, count: int) -> list[int]:
    """Where in ``cards`` the draws from a deck of ``count`` cards take theirs, next first, by the record's stream."""
    ahead = SimpleNamespace(key=state.key, shuffles=state.shuffles)
    places = []
    with np.errstate(over="ignore"):  # random numbers are made modulo 2^64
        for left in range(count, 0, -1):
            ahead.deck_count = left
            places.append(int(draw_place(rules, ahead)))
    return places


def _coming_cards(rules: Rules, state: Any) -> list[int]:
    """The cards of the deck, next first: every draw of `hanabi_env.rules.draw_card`, without drawing."""
    cards = state.cards[: state.deck_count].tolist()
    deck = []
    for place in _draw_places(rules, state, len(cards)):
        deck.append(cards[place])
        cards[place] = cards[-1]
        cards.pop()
    return deck


def arrange_deck(deck: Sequence[int], places: Sequence[int]) -> list[int]:
    """The front of ``cards`` from which draws at ``places`` take the cards of ``deck`` in order.

    The draws are taken back, the last one first. A draw filled its place with the last card, which returns to the end.
    """
    cards: list[int] = []
    for card, place in zip(reversed(deck), reversed(places), strict=True):
        cards.append(cards[place] if place < len(cards) else card)
        cards[place] = card
    return cards


# --- In: a dict or a deck into the record -----------------------------------------------------------------------------


def load_position(config: HanabiConfig, state: Any, position: Mapping[str, Any]) -> None:
    """Write a position into the record. Its random stream and its episode stay, so that later episodes go on as usual.

    Args:
        config: the table.
        state: one scalar record of `hanabi_env.box.state_dtype` whose episode has begun.
        position: the keys of `to_dict`. Beside `REQUIRED_KEYS` all may be missing: then no hint has touched a card, no
            step is remembered, and ``length`` counts the remembered ones. ``last_move`` and unknown keys are not read.

    Raises:
        ValueError: the position cannot be; the message names the card, count or key that is wrong. Whether some history
            of legal moves leads there is not checked. The record is unchanged.
    """
    write_position(config, state, parse_position(config, position))


def write_position(config: HanabiConfig, state: Any, position: Position) -> None:
    """Write a checked position into the record; see `load_position`."""
    rules = config.rules()
    state.current_player = position.current_player
    state.information_tokens = position.information_tokens
    state.life_tokens = position.life_tokens
    state.turns_to_play = position.turns_to_play
    state.end_reason = position.end_reason
    state.fireworks[: rules.suits] = position.fireworks
    state.pending = position.pending
    state.shuffles = 0
    _write_tiles(rules, state, position.bonus_tiles)
    _write_hands(rules, state, position)
    _write_deck(rules, state, position.deck)
    _write_discards(rules, state, position.discards)
    _write_events(rules, state, position)


def _write_hands(rules: Rules, state: Any, position: Position) -> None:
    for player, hand in enumerate(position.hands):
        empty = rules.hand_size - len(hand)
        state.hand_count[player] = len(hand)
        state.hands[player, : rules.hand_size] = hand + [NO_CARD] * empty
        state.plausible[player, : rules.hand_size] = position.plausible[player] + [0] * empty
        state.hinted[player, : rules.hand_size] = position.hinted[player] + [0] * empty


def _write_tiles(rules: Rules, state: Any, face_down: list[int]) -> None:
    """V4: the revealed tiles come first; in which order they were revealed tells nothing any more."""
    state.tiles_left = len(face_down)
    if rules.flamboyants:
        state.bonus_tiles[:] = [tile for tile in range(TILES) if tile not in face_down] + face_down


def _write_deck(rules: Rules, state: Any, deck: list[int]) -> None:
    state.deck_count = len(deck)
    state.cards[: len(deck)] = arrange_deck(deck, _draw_places(rules, state, len(deck)))


def _write_discards(rules: Rules, state: Any, discards: list[int]) -> None:
    state.discard_count = 0
    state.discarded[: rules.suits] = 0
    for card in discards:
        put_on_discard(rules, state, card)


def _write_events(rules: Rules, state: Any, position: Position) -> None:
    state.length = position.length
    for k in range(rules.history):
        state.events[k].kind = EVENT_NONE
    for age, event in enumerate(reversed(position.events[-rules.history :])):
        record = state.events[(position.length - 1 - age) % rules.history]
        for field, value in event.items():
            setattr(record, field, value)


def load_deck(config: HanabiConfig, state: Any, deck: Sequence[str]) -> None:
    """Begin the record's episode with a given deck instead of a shuffled one.

    Args:
        config: the table.
        state: one scalar record of `hanabi_env.box.state_dtype` with its stream and episode set.
        deck: the whole box as card names, top first. Whole hands are dealt player by player, player 0 first. A random
            first player (H4) is drawn as usual.

    Raises:
        ValueError: ``deck`` is not the box of this table; the message names the cards. The record is unchanged.
    """
    cards = parse_deck(config, deck)
    rules = config.rules()
    with np.errstate(over="ignore"):  # random numbers are made modulo 2^64
        state.key = episode_key(state.game_key, state.episode)
        open_box(rules, state)
        _write_deck(rules, state, cards)
        deal(rules, state)


def parse_deck(config: HanabiConfig, deck: Sequence[str]) -> list[int]:
    """The cards of a deck, top first.

    Raises:
        ValueError: ``deck`` is not the box of this table.
    """
    cards = _as_cards(config, "deck", deck)
    _check_box(config, "deck", cards)
    return cards


def load_bonus_tiles(config: HanabiConfig, state: Any, tiles: Sequence[str]) -> None:
    """Lay the bonus tiles of a game that has just been dealt in a given order (V4).

    Args:
        config: the table.
        state: one scalar record of `hanabi_env.box.state_dtype` at the beginning of an episode.
        tiles: the letters a to f, next first; none without flamboyants.

    Raises:
        ValueError: ``tiles`` is not that. The record is unchanged.
    """
    _write_tiles(config.rules(), state, parse_bonus_tiles(config, tiles))


def parse_bonus_tiles(config: HanabiConfig, tiles: Sequence[str]) -> list[int]:
    """The bonus tiles of a new game by their numbers, next first.

    Raises:
        ValueError: ``tiles`` are not all the tiles of this table.
    """
    parsed = _as_tiles(config, tiles)
    if config.flamboyants and len(parsed) != TILES:
        raise ValueError(f"bonus_tiles must be all of {', '.join(TILE_LETTERS)} in some order, got {tiles!r}")
    return parsed


# --- Reading a position -----------------------------------------------------------------------------------------------


def parse_position(config: HanabiConfig, position: Mapping[str, Any]) -> Position:
    """Read and check a position; see `load_position`.

    Raises:
        ValueError: the position cannot be reached.
    """
    if not isinstance(position, Mapping):
        # Whatever is wrong with a position is a ValueError.
        raise ValueError(f"a position must be a dict as to_dict() gives it, got {position!r}")  # noqa: TRY004
    missing = [key for key in REQUIRED_KEYS if key not in position]
    if missing:
        raise ValueError(f"the position lacks {', '.join(missing)}")
    rules = config.rules()
    hands = [
        _as_cards(config, f"hands[{player}]", hand)
        for player, hand in enumerate(_as_list("hands", position["hands"], config.players))
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
    _check_box(config, "the position", _all_places(rules, parsed))
    _check_turns(rules, parsed)
    _check_end(rules, parsed)
    _check_tiles(rules, parsed)
    _check_pending(rules, parsed)
    _check_hand_sizes(rules, parsed)
    _check_next_player(rules, parsed)
    _check_length(parsed)
    _check_score(rules, parsed, position)
    return parsed


def _as_list(name: str, value: Any, length: int | None = None) -> Sequence[Any]:
    wanted = "a list" if length is None else f"a list of {length}"
    if not isinstance(value, (list, tuple)) or length not in (None, len(value)):
        raise ValueError(f"{name} must be {wanted}, got {value!r}")
    return value


def _as_cards(config: HanabiConfig, name: str, value: Any) -> list[int]:
    cards = []
    for k, text in enumerate(_as_list(name, value)):
        try:
            cards.append(str_to_card(config, text))
        except ValueError as error:
            raise ValueError(f"{name}[{k}]: {error}") from None
    return cards


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
    tiles = _as_list("bonus_tiles", value)
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
    knowledge = _as_list("knowledge", position["knowledge"], config.players)
    known = []
    for slot, cards in enumerate(_as_list(f"knowledge[{player}]", knowledge[player], len(hand))):
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
    hinted = _as_list("hinted", position["hinted"], config.players)
    entries = _as_list(f"hinted[{player}]", hinted[player], len(plausible))
    return [_parse_marks(config, player, slot, marks, plausible[slot]) for slot, marks in enumerate(entries)]


def _parse_marks(config: HanabiConfig, player: int, slot: int, marks: Any, plausible: int) -> int:
    name, allowed = f"hinted[{player}][{slot}]", hint_marks(config)
    bits = 0
    for mark in _as_list(name, marks):
        if mark not in allowed or isinstance(mark, bool):
            raise ValueError(f"{name} must hold only {', '.join(map(repr, allowed))}, got {mark!r}")
        if plausible & ~_touched_sets(config.rules())[allowed.index(mark)]:
            raise ValueError(f"{name} must agree with knowledge, which allows cards that {mark!r} does not touch")
        bits |= 1 << allowed.index(mark)
    return bits


# --- What happened last -----------------------------------------------------------------------------------------------


def _parse_events(config: HanabiConfig, position: Mapping[str, Any]) -> list[dict[str, int]]:
    events = _as_list("events", position.get("events", []))
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
        for slot in _as_list(f"{name} touched", event.get("touched"))
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


# --- What can be ------------------------------------------------------------------------------------------------------


def _all_places(rules: Rules, position: Position) -> list[int]:
    """Every card of the position, wherever it lies."""
    cards = [*position.deck, *position.discards]
    for hand in position.hands:
        cards += hand
    return [*cards, *_played_cards(rules, position)]


def _played_cards(rules: Rules, position: Position) -> list[int]:
    """The cards on the fireworks."""
    cards: list[int] = []
    for suit, played in enumerate(position.fireworks):
        first = rules.ranks - played if suit == rules.black_suit else 0  # V3: black runs down from the highest
        cards += range(suit * rules.ranks + first, suit * rules.ranks + first + played)
    return cards


def box_of(config: HanabiConfig) -> Counter[str]:
    """How often every card is in the box (H1), by name."""
    rules = config.rules()
    names = enumerate(card_names(config))
    return Counter({name: copies(rules, suit_of(rules, card), rank_of(rules, card)) for card, name in names})


def _check_box(config: HanabiConfig, where: str, cards: list[int]) -> None:
    """Every card of the box is somewhere exactly once (H1)."""
    box, found = box_of(config), Counter(card_names(config)[card] for card in cards)
    wrong = [f"{name} {found[name]} times instead of {box[name]}" for name in box if found[name] != box[name]]
    if wrong:
        raise ValueError(f"{where} must have the {box.total()} cards of the box, has {', '.join(wrong)}")


def _check_turns(rules: Rules, position: Position) -> None:
    """H14: the last round begins with the draw of the last card. E5: a final bouquet has none."""
    has_begun = position.turns_to_play != LAST_ROUND_NOT_BEGUN
    if rules.final_bouquet:
        if has_begun:
            raise ValueError(f"turns_to_play must be None with final_bouquet, got {position.turns_to_play}")
    elif position.deck and has_begun:
        raise ValueError(f"turns_to_play must be None while the deck has cards, got {position.turns_to_play}")
    elif not position.deck and not has_begun:
        raise ValueError("turns_to_play must be the number of turns left when the deck is empty, got None")


def _check_end(rules: Rules, position: Position) -> None:
    """H12, H13, H14, V5: lives, fireworks, discards and turns tell whether and how the game ended."""
    if position.life_tokens == 0 and is_complete(rules, position):
        raise ValueError("life_tokens must not be 0 with all fireworks complete: either ends the game")
    expected = _end_by_the_table(rules, position)
    may_be_stuck = rules.final_bouquet and position.end_reason == END_STUCK
    if expected == END_NOT_YET and (may_be_stuck or position.end_reason == END_ILLEGAL):
        return
    if position.end_reason != expected:
        turns = None if position.turns_to_play == LAST_ROUND_NOT_BEGUN else position.turns_to_play
        facts = f"life_tokens {position.life_tokens}, turns_to_play {turns}, {sum(position.fireworks)} cards played"
        if rules.final_bouquet:
            facts += f", {len(position.discards)} cards discarded"
        raise ValueError(
            f"end_reason must be {END_NAMES[expected]!r} with {facts}, got {END_NAMES[position.end_reason]!r}"
        )


def _end_by_the_table(rules: Rules, position: Position) -> int:
    """How the game must have ended by what lies on the table; whether a player is stuck is another question."""
    if position.life_tokens == 0:
        return END_OUT_OF_LIVES
    if is_complete(rules, position):
        return END_COMPLETED
    if rules.final_bouquet and _is_indispensable_lost(rules, position):
        return END_INDISPENSABLE
    return END_OUT_OF_CARDS if position.turns_to_play == 0 else END_NOT_YET


def _is_indispensable_lost(rules: Rules, position: Position) -> bool:
    """V5: a card that a firework needs has all its copies in the discard."""
    lying, played = Counter(position.discards), set(_played_cards(rules, position))
    return any(
        number == copies(rules, suit_of(rules, card), rank_of(rules, card))
        for card, number in lying.items()
        if card not in played
    )


def _check_tiles(rules: Rules, position: Position) -> None:
    """V4, E9: every colored or multicolor firework that was completed revealed a tile. E4: but for the end's."""
    if not rules.flamboyants:
        return
    colored = [played for suit, played in enumerate(position.fireworks) if suit != rules.black_suit]
    left = TILES - colored.count(rules.ranks)
    allowed = [left]
    if position.end_reason == END_COMPLETED:
        allowed = [left, left + 1] if rules.black_suit >= 0 else [left + 1]
    if len(position.bonus_tiles) not in allowed:
        counts = " or ".join(map(str, allowed))
        raise ValueError(
            f"bonus_tiles must be {counts} tiles, one less for every completed firework that revealed one, "
            f"got {len(position.bonus_tiles)}"
        )


def _check_pending(rules: Rules, position: Position) -> None:
    """V4, E10: a choice belongs to a revealed tile, and there is something to choose."""
    if position.pending == NO_TILE:
        return
    name = CHOICE_NAMES[position.pending]
    if position.end_reason not in GOES_ON:
        raise ValueError(f"pending must be None after the end, got {name!r}")
    if not any(tile not in position.bonus_tiles for tile in _tiles_that_ask(position)):
        raise ValueError(f"pending must belong to a revealed tile, got {name!r}")
    if position.pending == CHOICE_OF_E and position.deck:
        raise ValueError(f"pending must not be {name!r} while the deck has cards")
    if not _has_something_to_choose(rules, position):
        raise ValueError(f"pending must be None where there is nothing to choose, got {name!r}")


def _tiles_that_ask(position: Position) -> tuple[int, ...]:
    """The tiles that can have led to what is pending: on an empty deck (e) may act as (f)."""
    if position.pending == CHOICE_OF_E:
        return (TILE_TAKE_BACK,)
    if position.pending == TILE_PLAY_DISCARD and not position.deck:
        return (TILE_PLAY_DISCARD, TILE_TAKE_BACK)
    return (position.pending,)


def _has_something_to_choose(rules: Rules, position: Position) -> bool:
    """V4, E10, E11: a hint that may be given, a card in the discard, or one there that is playable."""
    if position.pending in (TILE_COLOR_HINT, TILE_RANK_HINT):
        others = [card for k, hand in enumerate(position.hands) if k != position.current_player for card in hand]
        nameable = nameable_colors if position.pending == TILE_COLOR_HINT else nameable_ranks
        return bool(nameable(rules, _card_set(others)))
    if position.pending == TILE_PLAY_DISCARD:
        return bool(_card_set(position.discards) & playable_set(rules, position))
    return bool(position.discards)


def _card_set(cards: list[int]) -> np.uint64:
    """The set of some cards, one bit each."""
    return np.uint64(sum(1 << card for card in set(cards)))


def _check_hand_sizes(rules: Rules, position: Position) -> None:
    """H14, E1: hands are full but for turns of the last round, and for the card that ended the game.

    V4: a turn with a choice has not drawn yet. V5: hands shrink once the deck is empty.
    """
    size = rules.hand_size
    if rules.final_bouquet and not position.deck:
        _check_shrunken_hands(rules, position)
        return
    for player, hand in enumerate(position.hands):
        if not size - 1 <= len(hand) <= size:
            raise ValueError(f"hands[{player}] must have {size} cards (or one less at the end), got {len(hand)}")
    short = [player for player, hand in enumerate(position.hands) if len(hand) < size]
    if position.pending != NO_TILE:
        _check_pending_hand(rules, position)
        short.remove(position.current_player)
    most, who = _may_be_short(rules, position)
    for number, player in enumerate(short):
        if number >= most or player not in who:
            reason = "a hand is one short only after its turn of the last round, or by the card that ended the game"
            raise ValueError(f"hands[{player}] must have {size} cards, got {size - 1}: {reason}")
    if position.end_reason in ENDS_BY_A_CARD and not short:
        raise ValueError(f"the hands are all full, but the one whose card ended the game must have {size - 1} cards")


def _check_shrunken_hands(rules: Rules, position: Position) -> None:
    """V5: with an empty deck hands have any number of cards, but the one whose card is not replaced is not full."""
    size = rules.hand_size
    for player, hand in enumerate(position.hands):
        if len(hand) > size:
            raise ValueError(f"hands[{player}] must have at most {size} cards, got {len(hand)}")
    if position.pending != NO_TILE:
        _check_pending_hand(rules, position)
    if position.end_reason in ENDS_BY_A_CARD and all(len(hand) == size for hand in position.hands):
        raise ValueError(f"the hands are all full, but the one whose card ended the game must have {size - 1} cards")


def _check_pending_hand(rules: Rules, position: Position) -> None:
    """V4: the player who chooses has played a card and not drawn yet."""
    player, size = position.current_player, rules.hand_size
    if len(position.hands[player]) >= size:
        raise ValueError(f"hands[{player}] must have {size - 1} cards while its player chooses, got {size}")


def _may_be_short(rules: Rules, position: Position) -> tuple[int, Sequence[int]]:
    """How many hands may be one card short, and whose. After the end ``current_player`` tells nothing (E6)."""
    if position.deck:
        most = int(position.end_reason in ENDS_BY_A_CARD)
    else:
        most = rules.players - position.turns_to_play
    if position.end_reason not in GOES_ON:
        return most, range(rules.players)
    return most, [(position.current_player - turn) % rules.players for turn in range(1, most + 1)]


def _check_next_player(rules: Rules, position: Position) -> None:
    """V5, E5: where the game goes on the player to move can act; where it is stuck some player cannot."""
    if position.end_reason == END_STUCK:
        if all(_can_act(rules, position, player) for player in range(rules.players)):
            raise ValueError("end_reason 'stuck' needs a player with no card who cannot give a hint")
        return
    is_turn = position.end_reason in GOES_ON and position.pending == NO_TILE
    if is_turn and not _can_act(rules, position, position.current_player):
        raise ValueError(f"player {position.current_player} can do nothing: end_reason must be 'stuck'")


def _can_act(rules: Rules, position: Position, player: int) -> bool:
    """The player has a card, or a token and somebody to hint to."""
    if position.hands[player]:
        return True
    others = any(hand for k, hand in enumerate(position.hands) if k != player)
    return position.information_tokens > 0 and (others or bool(rules.empty_hints))


def _check_length(position: Position) -> None:
    if position.length < len(position.events):
        raise ValueError(f"length must be at least the {len(position.events)} steps of events, got {position.length}")


def _check_score(rules: Rules, position: Position, given: Mapping[str, Any]) -> None:
    """The score follows from the rest; where it is given it must agree."""
    expected = int(score(rules, position))
    if "score" in given and (isinstance(given["score"], bool) or given["score"] != expected):
        raise ValueError(f"score must be {expected}, got {given['score']!r}")
