"""Descriptions for a person who plays Koi-Koi: the meaning of each action, and the last step."""

from collections.abc import Mapping
from typing import Any

from hanabako.drawing.places import Place
from hanabako.words.notation import player_name
from hanafuda_env.config import KoiKoiConfig
from hanafuda_env.drawing.artwork import CARD_HEIGHT, CARD_WIDTH
from hanafuda_env.drawing.cards.names import FLOWERS, PICTURES, kind_of, month_of_card
from hanafuda_env.drawing.panels import FIELD_SCALE, HAND_SCALE, field_places, hand_place
from hanafuda_env.drawing.table_view import TableView, describe_last_round, describe_turn, view_of

__all__ = ["describe_choice", "describe_step", "places"]

MEANINGS = {
    "stop": "end the round and take the points",
    "koikoi": "play on for more",
    "hiki": "take all three",
    "keep hands": "play your own hand, unseen",
    "swap hands": "play the dealer's hand, unseen, and give yours",
    "joker": "use the lightning as a joker",
}


def describe_choice(view: TableView, action: str) -> str:
    """Return the meaning of an action of the player to move: the card, and the cards of its month on the field."""
    verb, _, card = action.partition(" ")
    if action in MEANINGS:
        return MEANINGS[action]
    there = [other for other in view.position["field"] if month_of_card(other) == month_of_card(card)]
    matches = f", matches {' '.join(there)}" if verb == "play" and there else ""
    return f"{short_name(card)}{matches}"


def places(view: TableView) -> list[Place]:
    """Return what the player to move can click: the cards of the player's hand and of the field."""
    hand = enumerate(view.hands[view.position["current_player"]])
    own = [
        (hand_place(view, view.position["current_player"], k), HAND_SCALE, f"play {card}") for k, card in hand if card
    ]
    field = [(place, FIELD_SCALE, f"take {card}") for card, place in field_places(view).items()]
    return [Place(x, y, CARD_WIDTH * s, CARD_HEIGHT * s, (action,)) for (x, y), s, action in (*own, *field)]


def short_name(card: str) -> str:
    """Return a card's short description: ``pine, crane and sun (bright)`` for ``1-1``."""
    flower = FLOWERS[month_of_card(card) - 1][0]
    picture = f", {PICTURES[card]}" if card in PICTURES else ""
    return f"{flower}{picture} ({kind_of(card)})"


def describe_step(before: Mapping[str, Any], action: str, after: Mapping[str, Any], config: KoiKoiConfig) -> str:
    """Return the public information about a step, as a sentence without a full stop."""
    view = view_of(after, config)
    if len(after["round_results"]) > len(before["round_results"]):
        return f"{player_name(before['current_player'])}: {action}; {describe_last_round(view)}"
    if action in MEANINGS or view.last_turn is None:
        return f"{player_name(before['current_player'])}: {action}"
    return describe_turn(view.last_turn)
