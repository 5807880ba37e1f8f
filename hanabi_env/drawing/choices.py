"""Descriptions for a person who plays Hanabi: the meaning of each action, and the last step."""

from collections.abc import Mapping
from typing import Any

from hanabako.drawing.places import Place
from hanabako.engine.bits import has_bit
from hanabako.words.notation import player_name
from hanabi_env.config import HanabiConfig
from hanabi_env.drawing.artwork import CARD_HEIGHT, CARD_WIDTH
from hanabi_env.drawing.places import hand_scale, slot_place
from hanabi_env.drawing.table_view import TableView, describe_move, view_of
from hanabi_env.engine.cards import touched_by_color, touched_by_rank
from hanabi_env.words.notation import color_letters, hint_marks, str_to_card

__all__ = ["describe_choice", "describe_step", "places"]


def describe_choice(view: TableView, action: str) -> str:
    """Return the meaning of an action: the receiver and slots of a hint; empty for other actions."""
    verb, *rest = action.split()
    if verb != "hint":
        return ""
    target = (view.current_player + int(rest[0])) % view.config.players
    touched = _touched(view.config, rest[1])
    slots = [
        str(slot)
        for slot, card in enumerate(view.hands[target])
        if has_bit(touched, str_to_card(view.config, card.card or ""))
    ]
    return f"{player_name(target)}: {' '.join(slots) or 'none'}"


def _touched(config: HanabiConfig, mark: str) -> Any:
    """Return the set of cards that a hint touches (H6)."""
    rules = config.rules()
    if mark.isdigit():
        return touched_by_rank(rules, int(mark) - 1)
    return touched_by_color(rules, color_letters(config).index(mark))


def places(view: TableView) -> list[Place]:
    """Return what the player to move can click: own cards to play or discard, other cards to give hints about."""
    scale = hand_scale(view)
    found = []
    for player, hand in enumerate(view.hands):
        offset = (player - view.current_player) % view.config.players
        for slot, card in enumerate(hand):
            x, y = slot_place(view, player, slot)
            actions = _uses(view, slot) if offset == 0 else _hints(view.config, offset, card.card or "")
            found.append(Place(x, y, CARD_WIDTH * scale, CARD_HEIGHT * scale, actions))
    return found


def _uses(view: TableView, slot: int) -> tuple[str, ...]:
    announced = (f"play {slot} as {suit}" for suit in view.suits)  # V6
    return (f"play {slot}", f"discard {slot}", *announced)


def _hints(config: HanabiConfig, offset: int, card: str) -> tuple[str, ...]:
    marks = [str(mark) for mark in hint_marks(config)]
    return tuple(
        f"hint {offset} {mark}" for mark in marks if has_bit(_touched(config, mark), str_to_card(config, card))
    )


def describe_step(before: Mapping[str, Any], action: str, after: Mapping[str, Any], config: HanabiConfig) -> str:  # noqa: ARG001
    """Return the public information about a step, as a sentence without a full stop."""
    return describe_move(view_of(after, config).last_move)
