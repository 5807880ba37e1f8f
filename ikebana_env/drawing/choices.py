"""Descriptions for a person who plays Ikebana: the meaning of each action, and the last step."""

from collections.abc import Mapping
from typing import Any

from hanabako.drawing.places import Place
from hanabako.words.notation import player_name
from ikebana_env.config import IkebanaConfig
from ikebana_env.drawing.artwork import CARD_HEIGHT, CARD_WIDTH
from ikebana_env.drawing.panels import DECK, DRAWN, discard_place
from ikebana_env.drawing.table_view import TableView, describe_move, payee_of

__all__ = ["describe_choice", "describe_step", "places"]


def describe_choice(view: TableView, action: str) -> str:
    """Return the meaning of an action of the player to move: the card, and its price."""
    verb, *offset = action.split()
    if verb == "draw":
        return "the top of the deck"
    if verb == "keep":
        return f"{view.drawn} joins the bouquet"
    if verb == "refuse":
        payee = payee_of(view.current_player, view.refusals, len(view.players))
        return f"{view.drawn} is discarded, for {view.refusals + 1} to {player_name(payee)}"
    seller = (view.current_player + int(offset[0])) % len(view.players)
    card = view.players[seller].discard[-1]
    return f"{card} from {player_name(seller)}, for {card[1]}"


def places(view: TableView) -> list[Place]:
    """Return what the player to move can click: the deck, the drawn card, the other players' discards."""
    players = len(view.players)
    piles = [(discard_place((view.current_player + offset) % players), offset) for offset in range(1, players)]
    spots = [(DECK, ("draw",)), (DRAWN, ("keep", "refuse")), *((spot, (f"buy {offset}",)) for spot, offset in piles)]
    return [Place(x, y, CARD_WIDTH, CARD_HEIGHT, actions) for (x, y), actions in spots]


def describe_step(before: Mapping[str, Any], action: str, after: Mapping[str, Any], config: IkebanaConfig) -> str:  # noqa: ARG001
    """Return the public information about a step, as a sentence without a full stop."""
    words = describe_move(before, action)
    if len(after["gains"]) > len(before["gains"]):
        return f"{words}; the round's gains: {' '.join(map(str, after['gains'][-1]))}"
    return words
