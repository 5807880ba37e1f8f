"""A Koi-Koi table from one player's view, and the same table in plain text.

`view_of` turns a position (the dict of `to_dict`) into a `TableView`. It removes what the player may not see, which is
the other hand and the deck, so that no picture, text or replay made from a view can show them.
`render.py` draws a view; `table_ansi` writes it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hanabako.drawing.ansi import Ink, brush
from hanabako.drawing.replay import of_a_record
from hanabako.words.checks import check_seat
from hanabako.words.notation import counted, player_name
from hanafuda_env.config import KoiKoiConfig
from hanafuda_env.drawing.cards.names import FLOWERS, KINDS, PICTURES, kind_of, month_of_card
from hanafuda_env.engine.yaku import YAKU, YAKU_MUST, YAKU_NAMES, YAKU_NEED, cards_of
from hanafuda_env.words.notation import str_to_card

YAKU_WORDS = {
    "goko": "five brights",
    "shiko": "four brights",
    "ameshiko": "rainy four",
    "sanko": "three brights",
    "hanami": "flower viewing",
    "tsukimi": "moon viewing",
    "inoshikacho": "boar, deer, butterflies",
    "akatan": "red poetry ribbons",
    "aotan": "blue ribbons",
    "tane": "animals",
    "tan": "ribbons",
    "kasu": "chaff",
}

_INKS = {"bright": Ink("33", "★"), "animal": Ink("35", "●"), "ribbon": Ink("31", "▮"), "chaff": Ink("37", "")}
"""The terminal's color and shape for each kind of card; chaff has no shape."""


@dataclass(frozen=True)
class YakuView:
    """The progress of both players towards one yaku."""

    name: str
    have: tuple[int, int]
    """The number of its cards that each player has captured."""
    need: int
    made: tuple[bool, bool]
    """Whether each player's pile has it now."""
    possible: tuple[bool, bool]
    """Whether each player can still make it: the other player has not captured cards that it needs."""


@dataclass(frozen=True)
class TableView:
    """Everything that a picture shows. It holds no card that ``seat`` may not see."""

    config: KoiKoiConfig
    seat: int | None
    """The player whose view this is; None sees every card."""
    position: Mapping[str, Any]
    """The public keys of the position."""
    hands: tuple[tuple[str | None, ...], ...]
    """The cards of each player's hand; None for cards that this seat cannot see."""
    next_card: str | None
    """The top card of the deck if ``seat`` is None, else None."""
    deck_size: int
    yaku: tuple[YakuView, ...]

    def pile(self, player: int, kind: str) -> list[str]:
        """Return a player's captured cards of one kind, in the order of the year."""
        return [card for card in self.position["captured"][player] if kind_of(card) == kind]

    @property
    def last_turn(self) -> Mapping[str, Any] | None:
        """The present turn if its card has been played, else the turn before it."""
        turns = [turn for turn in self.position["turns"] or () if turn["played"]]
        return turns[-1] if turns else None


PUBLIC_KEYS = (
    "current_player",
    "dealer",
    "round",
    "phase",
    "field",
    "captured",
    "pending",
    "scores",
    "base",
    "yaku",
    "chain",
    "koikoi_called",
    "round_results",
    "turn",
    "joker",
    "turns",
)


@of_a_record
def view_of(position: Mapping[str, Any], config: KoiKoiConfig, seat: int | None = None) -> TableView:
    """Return the table of ``position`` (see `to_dict`) as player ``seat`` sees it; None sees every card.

    Raises:
        ValueError: there is no player at ``seat``, or the position cannot be drawn.
    """
    check_seat(seat, config.players)
    revealed = position.get("revealed") or ()

    def seen(player: int, card: str) -> bool:
        return seat is None or card in revealed or (player == seat and position["phase"] != "swap")

    hands = tuple(
        tuple(card if seen(player, card) else None for card in hand) for player, hand in enumerate(position["hands"])
    )
    return TableView(
        config=config,
        seat=seat,
        position={key: position.get(key) for key in PUBLIC_KEYS},
        hands=hands,
        next_card=position["deck"][0] if seat is None and position["deck"] else None,
        deck_size=len(position["deck"]),
        yaku=tuple(_yaku_view(config, position, k) for k in range(YAKU)),
    )


def _yaku_view(config: KoiKoiConfig, position: Mapping[str, Any], k: int) -> YakuView:
    name, need = YAKU_NAMES[k], int(YAKU_NEED[k])
    counted, must = int(cards_of(config.rules(), k)), int(YAKU_MUST[k])
    piles = [sum(1 << str_to_card(card) for card in pile) for pile in position["captured"]]
    have = [(pile & counted).bit_count() for pile in piles]
    possible = [
        (counted & ~piles[1 - player]).bit_count() >= need and not must & piles[1 - player] for player in range(2)
    ]
    made = [name in position["yaku"][player] for player in range(2)]
    return YakuView(name, (have[0], have[1]), need, (made[0], made[1]), (possible[0], possible[1]))


# --- Sentences --------------------------------------------------------------------------------------------------------


def describe_phase(view: TableView) -> str:
    """Return the player to move and the decision, or how the game ended, as text."""
    position = view.position
    who, pending = player_name(position["current_player"]), position["pending"]
    if position["phase"] == "end":
        mine, theirs = position["scores"]
        at_zero = view.config.ends_at_zero and min(mine, theirs) <= 0
        if len(position["round_results"] or ()) < view.config.rounds and not at_zero:
            return "the end: an illegal move"
        if mine == theirs:
            return "the end: a tie"
        return f"the end: {player_name(0 if mine > theirs else 1)} wins"
    return {
        "swap": f"{who}: keep this hand, or swap it for the dealer's? Both are unseen",
        "play": f"{who} to play",
        "joker_target": f"{who} to take a card with the lightning",
        "pick_hand": f"{who} to choose what {pending} takes",
        "pick_draw": f"{who} to choose what {pending} takes",
        "koi": f"{who}: Game or Koi-Koi?",
    }[position["phase"]]


def describe_last_round(view: TableView) -> str:
    """Return how the last finished round ended, or an empty string."""
    results = view.position["round_results"]
    if not results:
        return ""
    last = results[-1]
    words = {
        "stop": "stopped",
        "exhausted": "exhausted",
        "teshi": "teshi",
        "kuttsuki": "kuttsuki",
        "both_lucky": "two lucky hands",
    }[last["reason"]]
    if last["winner"] is None:
        return f"round {len(results)}: no winner ({words})"
    return f"round {len(results)}: {player_name(last['winner'])} +{last['points']} ({words})"


def describe_turn(turn: Mapping[str, Any]) -> str:
    """Return the public information about a turn: ``player_0 plays 3-1, turns up 8-4, captures 3-1 3-2``."""
    words = [f"{player_name(turn['player'])}"]
    if turn["played"] is None:
        return f"{words[0]}'s turn"
    words.append(f"plays {turn['played']}{' as a joker' if turn.get('joker') else ''}")
    if turn.get("drawn"):
        words.append(f"turns up {turn['drawn']}")
    if turn.get("captured"):
        words.append(f"captures {' '.join(turn['captured'])}")
    if turn.get("koikoi"):
        words.append("calls Koi-Koi")
    return f"{words[0]} {', '.join(words[1:])}"


def describe_news(view: TableView) -> str:
    """Return the last turn as text, or at the beginning of a round how the last one ended, or an empty string."""
    return describe_last_round(view) if view.last_turn is None else describe_turn(view.last_turn)


# --- Plain text -------------------------------------------------------------------------------------------------------


def table_ansi(view: TableView, color: bool = False, shapes: bool = False) -> str:
    """Return the table as lines of text: plain ASCII, with terminal colors, or with shapes for the kinds of cards.

    Cards are grouped by flower, each with its picture if it has one. A card that this seat cannot see is ``??``.
    """
    position, paint = view.position, brush(_INKS, color, shapes)
    deals = f"{player_name(position['dealer'])} deals"
    lines = [
        f"Koi-Koi: round {position['round']} of {view.config.rounds}, turn {position['turn']}, {deals}",
        f"  last       {describe_news(view) or '-'}",
        f"  now        {describe_phase(view)}",
        f"  deck       {view.deck_size}",
        f"  field      {_cards(position['field'], paint)}",
    ]
    if position["pending"]:
        lines.append(f"  pending    {_cards([position['pending']], paint)}")
    for player in range(2):
        lines += _player_lines(view, player, paint)
    return "\n".join(lines) + "\n"


def _player_lines(view: TableView, player: int, paint: Callable[..., str]) -> list[str]:
    position = view.position
    to_move = position["phase"] != "end" and position["current_player"] == player
    made = " ".join(f"{name}" for name in position["yaku"][player])
    calls = position["koikoi_called"][player]
    koi = f", Koi-Koi {calls}" if calls else ""
    who = f"{'>' if to_move else ' '} {player_name(player)}{' (you)' if player == view.seat else ''}"
    lines = [
        f"{who}: {counted(position['scores'][player], 'point')}, base {position['base'][player]}{koi}",
        f"    hand     {_cards(view.hands[player], paint)}",
    ]
    lines += [f"    {kind + 's':<8} {_cards(pile, paint)}" for kind in KINDS[:3] if (pile := view.pile(player, kind))]
    if pile := view.pile(player, "chaff"):
        lines.append(f"    chaff    {_cards(pile, paint)}")
    near = [
        f"{yaku.name} {yaku.have[player]}/{yaku.need}"
        for yaku in view.yaku
        if yaku.possible[player] and not yaku.made[player] and yaku.have[player] >= yaku.need - 1 - (yaku.need > 3)
    ]
    lines.append(f"    yaku     {made or '-'}" + (f"   near: {', '.join(near)}" if near else ""))
    return lines


def _cards(cards: Sequence[str | None], paint: Callable[..., str]) -> str:
    """Return cards as ``pine 1-1 crane and sun, 1-3; plum 2-2``, in the order of the year, hidden ones last."""
    months: dict[int, list[str]] = {}
    seen = [card for card in cards if card is not None]
    for card in sorted(seen, key=lambda card: (month_of_card(card), card)):
        picture = f" {PICTURES[card]}" if card in PICTURES else ""
        months.setdefault(month_of_card(card), []).append(paint(card, kind_of(card)) + picture)
    named = [f"{FLOWERS[month - 1][0]} {', '.join(own)}" for month, own in months.items()]
    if None in cards:
        named.append(" ".join("??" for card in cards if card is None))
    return "; ".join(named) or "-"
