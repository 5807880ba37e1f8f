"""A position in words: the whole hidden state of one game as a dict, and games that begin from one, or from a deck.

`to_dict` holds JSON types only. Restoring its dict with `load_position` gives a game with the same observations, the
same deck order and the same future. The dict is read completely before the record is written, so a refused position
changes nothing.

The record keeps its random stream when a position is loaded. Which *place* of ``cards`` a draw takes is fixed by that
stream and by the number of cards left, whatever the cards are; so a wanted deck order is reached by laying every card
at the place where its draw will look for it (`arrange_deck`).

Reading the dict is in `hanabi_env.words.position_parsing`, and what can be a position at all in `hanabi_env.words.position_checks`.
"""

from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np

from hanabako.engine.rng import episode_key
from hanabako.words.notation import members
from hanabi_env.config import HanabiConfig
from hanabi_env.engine.rules import deal, draw_place, open_box, put_on_discard, score
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
    hint_marks,
    suit_letters,
)
from hanabi_env.words.position_checks import Position
from hanabi_env.words.position_parsing import parse_bonus_tiles, parse_deck, parse_position

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


# --- Out: a record as a dict ------------------------------------------------------------------------------------------


def to_dict(config: HanabiConfig, state: Any) -> dict[str, Any]:
    """The whole hidden state of a game in JSON types and card names.

    Args:
        config: the table.
        state: one scalar record of `hanabi_env.engine.state.state_dtype`, with attribute access (``np.recarray``).

    Returns:
        The keys of a position (`hanabi_env.words.position_parsing.REQUIRED_KEYS`), ``score``, and what a restored game needs
        to be observed alike:

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
        "knowledge": [[members(names, plausible[player, slot]) for slot in hand] for player, hand in enumerate(slots)],
        "hinted": [
            [members(hint_marks(config), hinted[player, slot]) for slot in hand] for player, hand in enumerate(slots)
        ],
        "events": events,
        "last_move": events[-1] if events else None,
        "length": int(state.length),
    }


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
            "touched": members(range(rules.hand_size), event.touched),
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
    """The cards of the deck, next first: every draw of `hanabi_env.engine.rules.draw_card`, without drawing."""
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
        state: one scalar record of `hanabi_env.engine.state.state_dtype` whose episode has begun.
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
        state: one scalar record of `hanabi_env.engine.state.state_dtype` with its stream and episode set.
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


def load_bonus_tiles(config: HanabiConfig, state: Any, tiles: Sequence[str]) -> None:
    """Lay the bonus tiles of a game that has just been dealt in a given order (V4).

    Args:
        config: the table.
        state: one scalar record of `hanabi_env.engine.state.state_dtype` at the beginning of an episode.
        tiles: the letters a to f, next first; none without flamboyants.

    Raises:
        ValueError: ``tiles`` is not that. The record is unchanged.
    """
    _write_tiles(config.rules(), state, parse_bonus_tiles(config, tiles))
