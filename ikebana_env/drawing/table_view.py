"""An Ikebana table from one player's view or with all cards visible, and the same table in plain text."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hanabako.drawing.ansi import Ink, brush
from hanabako.drawing.replay import of_a_record
from hanabako.words.checks import check_seat
from hanabako.words.notation import player_name
from ikebana_env.config import IkebanaConfig
from ikebana_env.words.notation import Appraisal, appraise, str_to_card

__all__ = ["PlayerView", "TableView", "describe_move", "describe_turn", "player_name", "table_ansi", "view_of"]

HIDDEN = "??"
"""The name of a card that this seat cannot see."""


@dataclass(frozen=True)
class PlayerView:
    """The cards and prestige of one player."""

    bouquet: Sequence[str]
    discard: Sequence[str]
    """The cards of the discard, bottom to top; `HIDDEN` for buried cards that the seat cannot see."""
    prestige: int
    appraisal: Appraisal | None
    """The points of a complete bouquet; None if it is not complete."""


@dataclass(frozen=True)
class TableView:
    """Everything that a picture shows. It holds no card that the seat may not see."""

    round: int
    rounds: int
    current_player: int
    players: Sequence[PlayerView]
    deck_size: int
    drawn: str | None
    refusals: int
    gains: Sequence[Sequence[int]]
    winners: Sequence[int] | None
    end_reason: str | None
    final_bouquet: bool


@of_a_record
def view_of(position: Mapping[str, Any], config: IkebanaConfig, seat: int | None = None) -> TableView:
    """Return a player's view of a position (see ``to_dict``); ``None`` sees every card.

    Raises:
        ValueError: there is no player at ``seat``, or the position cannot be drawn.
    """
    check_seat(seat, config.players)
    sees_buried = seat is None or config.perfect_recall
    sees_drawn = seat is None or seat == position["current_player"]
    drawn = position["drawn"]
    return TableView(
        round=position["round"],
        rounds=config.rounds,
        current_player=position["current_player"],
        players=[
            PlayerView(
                bouquet=tuple(bouquet),
                discard=tuple(pile) if sees_buried else (HIDDEN,) * (len(pile) - 1) + tuple(pile[-1:]),
                prestige=prestige,
                appraisal=appraise(map(str_to_card, bouquet)) if len(bouquet) == 5 else None,
            )
            for bouquet, pile, prestige in zip(
                position["bouquets"], position["discards"], position["prestige"], strict=True
            )
        ],
        deck_size=len(position["deck"]),
        drawn=HIDDEN if drawn is not None and not sees_drawn else drawn,
        refusals=position["refusals"],
        gains=position["gains"],
        winners=position["winners"],
        end_reason=position["end_reason"],
        final_bouquet=config.final_bouquet,
    )


def describe_turn(view: TableView) -> str:
    """Return the player to move and the decision, or how the game ended, as text."""
    if view.winners is not None:
        names = " and ".join(map(player_name, view.winners))
        return f"{names} {'wins' if len(view.winners) == 1 else 'share the victory'}"
    if view.end_reason is not None:
        return "ended by an illegal move"
    name = player_name(view.current_player)
    if view.drawn is None:
        return f"{name} draws or buys"
    card = "a card" if view.drawn == HIDDEN else view.drawn
    return f"{name} keeps {card}, or refuses it for {view.refusals + 1}"


def describe_move(before: Mapping[str, Any], action: str) -> str:
    """Return an action as a sentence; ``before`` is the position before it."""
    player, players = before["current_player"], len(before["bouquets"])
    verb, *offset = action.split()
    if verb == "draw":
        return f"{player_name(player)} draws"
    if verb == "keep":
        return f"{player_name(player)} keeps {before['drawn']}"
    if verb == "refuse":
        price, payee = before["refusals"] + 1, payee_of(player, before["refusals"], players)
        return f"{player_name(player)} refuses {before['drawn']} and pays {price} to {player_name(payee)}"
    seller = (player + int(offset[0])) % players
    card = before["discards"][seller][-1]
    return f"{player_name(player)} buys {card} from {player_name(seller)} for {card[1]}"


def payee_of(player: int, refusals: int, players: int) -> int:
    """Return the player who is paid for a refusal after ``refusals`` others in this turn (I6)."""
    return (player + 1 + refusals % (players - 1)) % players


_INKS = {
    "K": Ink("90", "✶"),
    "R": Ink("31", "✿"),
    "G": Ink("32", "♣"),
    "B": Ink("34", "✦"),
    "Y": Ink("33", "❋"),
    "J": Ink("35", "❖"),
}
"""The terminal's color and shape for each color. The shapes are the flowers of the pictures."""


def table_ansi(view: TableView, color: bool = False, shapes: bool = False) -> str:
    """Return the table as lines of text: plain ASCII, with terminal colors, or with the colors' shapes."""
    paint = brush(_INKS, color, shapes)

    def painted(cards: Sequence[str]) -> str:
        return " ".join(paint(card, card[0]) for card in cards)

    drawn = f", drawn {painted([view.drawn])}" if view.drawn else ""
    lines = [
        f"round {view.round} of {view.rounds}, deck {view.deck_size}{drawn}, refusals {view.refusals}",
    ]
    for player, own in enumerate(view.players):
        mark = ">" if view.end_reason is None and player == view.current_player else " "
        bouquet = painted([*own.bouquet, *["--"] * (5 - len(own.bouquet))])
        pile = painted(own.discard) or "-"
        gains = " ".join(str(row[player]) for row in view.gains) or "-"
        lines.append(f"{mark} {player_name(player)}  {bouquet}  prestige {own.prestige}  gains {gains}  discard {pile}")
    return "\n".join([*lines, describe_turn(view)])
