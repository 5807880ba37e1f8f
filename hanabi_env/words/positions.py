"""Positions: the whole hidden state of a game as a dict, and games that start from such a dict or from a given deck.

`to_dict` returns JSON types only. Loading its dict with `load_position` gives a game with the same observations, the
same deck order and the same future, with one exception: if tile (e) shuffles the deck again (V4, E10), the new order
comes from the random stream of the loading table, because a position holds none. A dict is read into a copy of the
record (`hanabi_env.words.reading`) and checked there with the functions of the rules (`hanabi_env.words.checks`). The
copy replaces the record only if all checks pass, so a refused position changes nothing.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from hanabako.engine.deck import coming_cards
from hanabako.engine.rng import episode_key
from hanabako.words.notation import members
from hanabako.words.scratch import scratch_record
from hanabi_env.config import HanabiConfig
from hanabi_env.engine.actions import (
    first_announced_play,
    first_choice,
    first_color_hint,
    first_play,
    first_rank_hint,
    shuffle_back,
)
from hanabi_env.engine.rules import deal, open_box, score, shuffle_of
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
    TILES,
    Rules,
)
from hanabi_env.words.notation import (
    CHOICE_NAMES,
    END_NAMES,
    TILE_LETTERS,
    action_to_str,
    card_names,
    hint_marks,
    suit_letters,
)
from hanabi_env.words.reading import REQUIRED_KEYS, lay_deck, lay_tiles, read_bonus_tiles, read_deck, read_position

__all__ = ["REQUIRED_KEYS", "action_of", "load_deal", "load_position", "to_dict"]


# --- Out: a record as a dict ------------------------------------------------------------------------------------------


def to_dict(config: HanabiConfig, state: Any) -> dict[str, Any]:
    """Return the whole hidden state of a game in JSON types and card names.

    Args:
        config: the configuration.
        state: one scalar record of `hanabi_env.engine.state.state_dtype`, with attribute access (``np.recarray``).

    Returns:
        The keys of a position (`REQUIRED_KEYS`), ``score``, and what a loaded game needs for the same observations:

        * ``hinted``: per player and slot the colors and ranks of hints that touched the card, such as ``["R", 2]``;
        * ``events``: the last ``history`` steps, newest last; each with ``player``, ``action`` as text, ``touched``
          (slots of a hint), ``card``, ``scored`` (None unless a card was played or chosen) and ``gave_token``;
        * ``last_move``: the newest event, or None;
        * ``length``: the number of steps so far.
    """
    rules = config.rules()
    names = card_names(config)
    slots = [range(int(state.hand_count[player])) for player in range(rules.players)]
    events = _events(config, rules, state)
    turns = int(state.turns_to_play)
    hands, plausible, hinted = state.hands, state.plausible, state.hinted  # access to a record's fields is slow
    fallen = state.cards[rules.deck_size - int(state.discard_count) : rules.deck_size].tolist()
    return {
        "current_player": int(state.current_player),
        "hands": [[names[hands[player, slot]] for slot in hand] for player, hand in enumerate(slots)],
        "deck": [
            names[card]
            for card in coming_cards(state.key, int(shuffle_of(rules, state)), state.cards[: state.deck_count])
        ],
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
    """V4, E9: return the letters of the tiles that are not revealed, the next one first."""
    tiles = state.bonus_tiles[TILES - int(state.tiles_left) :] if rules.flamboyants else []
    return [TILE_LETTERS[tile] for tile in tiles]


def _events(config: HanabiConfig, rules: Rules, state: Any) -> list[dict[str, Any]]:
    """Return the steps that the record holds, newest last."""
    length = int(state.length)
    past = [state.events[step % rules.history] for step in range(max(0, length - rules.history), length)]
    return [_event_to_dict(config, rules, event) for event in past if event.kind != EVENT_NONE]


def _event_to_dict(config: HanabiConfig, rules: Rules, event: Any) -> dict[str, Any]:
    is_hint = event.kind in (EVENT_HINT_COLOR, EVENT_HINT_RANK)
    is_built = event.kind in (EVENT_PLAY, EVENT_CHOOSE)
    has_card = is_built or event.kind == EVENT_DISCARD
    return {
        "player": int(event.player),
        "action": action_to_str(config, action_of(rules, event)),
        "touched": members(range(rules.hand_size), event.touched) if is_hint else [],
        "card": card_names(config)[event.card] if has_card else None,
        "scored": bool(event.scored) if is_built else None,
        "gave_token": bool(event.gave_token) and not is_hint,
    }


def action_of(rules: Rules, event: Any) -> int:
    """Return the action that led to an event of `hanabi_env.engine.state.event_dtype`."""
    slot, value, announced = int(event.slot), int(event.value), int(event.announced)
    receiver = (int(event.target) - int(event.player)) % rules.players - 1
    plays = first_announced_play(rules) + slot * rules.suits - 1 if announced else first_play(rules) + slot
    return {
        EVENT_PLAY: plays + announced,
        EVENT_DISCARD: slot,
        EVENT_HINT_COLOR: first_color_hint(rules) + receiver * rules.colors + value,
        EVENT_HINT_RANK: first_rank_hint(rules) + receiver * rules.ranks + value,
        EVENT_CHOOSE: first_choice(rules) + int(event.card),
        EVENT_SHUFFLE_BACK: shuffle_back(rules),
        EVENT_PLAY_FROM_DISCARD: shuffle_back(rules) + 1,
    }[int(event.kind)]


# --- In: a dict or a deck into the record -----------------------------------------------------------------------------


def load_position(config: HanabiConfig, state: Any, position: Mapping[str, Any]) -> None:
    """Write a position into the record. Its random stream and episode stay, so later episodes are not affected.

    Args:
        config: the configuration.
        state: one scalar record of `hanabi_env.engine.state.state_dtype` whose episode has begun.
        position: the keys of `to_dict`. Only `REQUIRED_KEYS` are required. By default no hint has touched a card, there
            are no events, and ``length`` is the number of events. ``last_move`` and unknown keys are ignored.

    Raises:
        ValueError: the position is impossible; the message names the wrong card, count or key. Whether legal moves can
            lead to the position is not checked. The record is unchanged.
    """
    with scratch_record(state) as scratch:
        read_position(config, scratch, position)


def load_deal(config: HanabiConfig, state: Any, options: Mapping[str, Any]) -> None:
    """Begin the record's episode with a given deck instead of a shuffled one, with given bonus tiles (V4), or both.

    Args:
        config: the configuration.
        state: one scalar record of `hanabi_env.engine.state.state_dtype` at the beginning of an episode.
        options: ``deck``, the whole box as card names, top first: whole hands are dealt player by player from player 0
            on, and a random first player (H4) is drawn as usual; ``bonus_tiles``, the letters a to f, the next one
            first (empty without flamboyants).

    Raises:
        ValueError: ``deck`` is not the box of this game, or ``bonus_tiles`` are not its tiles. The record is unchanged.
    """
    with scratch_record(state) as scratch:
        tiles = read_bonus_tiles(config, options["bonus_tiles"]) if "bonus_tiles" in options else None
        if "deck" in options:
            _deal_from(config.rules(), scratch, read_deck(config, options["deck"]))
        if tiles is not None:
            lay_tiles(config.rules(), scratch, tiles)


@np.errstate(over="ignore")  # random numbers are computed modulo 2^64
def _deal_from(rules: Rules, s: Any, deck: list[int]) -> None:
    """Do `hanabi_env.engine.rules.init` with the given ``deck``."""
    s.key = episode_key(s.game_key, s.episode)
    open_box(rules, s)
    lay_deck(rules, s, deck)
    deal(rules, s)
