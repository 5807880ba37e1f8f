"""A Hanabi table from one player's view, and the same table in plain text.

`view_of` turns a position (the dict of `to_dict`) into a `TableView`. It removes what the player may not see, which is
the player's own cards and the deck, so that no picture, text or replay made from a view can show them.
`render.py` draws a view; `table_ansi` writes it.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from hanabako.drawing.ansi import Ink, brush
from hanabako.drawing.replay import of_a_record
from hanabako.words.checks import check_seat
from hanabako.words.notation import counted, player_name
from hanabi_env.config import HanabiConfig
from hanabi_env.words.notation import PLAY_FROM_DISCARD, SHUFFLE_BACK, ranks_in_order
from hanabi_env.words.ratings import check_wording, score_words, verdict

SUIT_NAMES = {
    "R": "red",
    "Y": "yellow",
    "G": "green",
    "W": "white",
    "B": "blue",
    "M": "multicolor",
    "K": "black",
}

END_WORDS = {
    "lives": "the last life is lost",
    "complete": "every firework is complete",
    "deck": "the deck is empty and the last round is over",
    "indispensable": "an indispensable card is gone",
    "stuck": "the next player has nothing left to do",
    "illegal": "an illegal action ended the game",
}

TILE_WORDS = {
    "c": "a free color hint",
    "d": "a free rank hint",
    "e": "a discard for the deck",
    "f": "a discard to play",
    "e?": "deck or play?",
}
"""The descriptions of the choices for a bonus tile (V4)."""

_INKS = {
    "R": Ink("31", "♥"),
    "Y": Ink("33", "★"),
    "G": Ink("32", "▲"),
    "W": Ink("97", "♦"),
    "B": Ink("34", "☾"),
    "M": Ink("35", "✿"),
    "K": Ink("90", "■"),
}
"""The color and shape of each suit in the terminal. The shapes are those of the pictures."""


@dataclass(frozen=True)
class CardView:
    """One card of a hand, and the public information about it."""

    card: str | None
    """The card, or None if this seat cannot see it."""
    plausible: frozenset[str]
    """The cards that hints have not excluded."""
    possible: frozenset[str]
    """The plausible cards, without those whose copies this seat sees elsewhere."""
    hinted: frozenset[str]
    """The color letters and ranks of hints that touched the card."""

    def suits(self) -> str:
        """The letters of the suits that hints have not excluded, in no order."""
        return "".join({name[0] for name in self.plausible})

    def ranks(self) -> str:
        """The ranks that hints have not excluded, in no order."""
        return "".join({name[1:] for name in self.plausible})


@dataclass(frozen=True)
class Move:
    """The public information about the last step."""

    player: int
    words: str
    """The text of the action: ``play 2``, ``hint 1 R``."""
    card: str | None = None
    """The card that was played or discarded."""
    scored: bool | None = None
    """Whether a played or chosen card joined its firework."""
    announced: str | None = None
    """The announced suit of a played card (V6)."""
    gave_token: bool = False
    """Whether a played card brought an information token (H11, V6)."""
    target: int | None = None
    """The receiver of the hint."""
    touched: tuple[int, ...] = ()
    """The slots of ``target`` that the hint touched."""

    @property
    def is_discarded(self) -> bool:
        """Whether the card is in the discard now."""
        return self.words.startswith(("play", "discard")) and self.card is not None and not self.scored


@dataclass(frozen=True)
class TableView:
    """Everything that a picture shows. It holds no card that ``seat`` may not see."""

    config: HanabiConfig
    seat: int | None
    """The player whose view this is; None sees every card."""
    current_player: int
    hands: tuple[tuple[CardView, ...], ...]
    fireworks: dict[str, int]
    """The number of cards played, by suit letter."""
    copies: dict[str, int]
    """The number of copies in the box, by card name."""
    discards: tuple[str, ...]
    """The discarded cards, the oldest first."""
    deck_size: int
    next_card: str | None
    """The top card of the deck if ``seat`` is None, else None."""
    information_tokens: int
    life_tokens: int
    turns_to_play: int | None
    score: int
    end_reason: str | None
    last_move: Move | None
    bonus_tiles: str
    """The letters of the face-down tiles (V4), in alphabetical order, because their true order is hidden."""
    pending: str | None
    """The tile being resolved (V4)."""
    wording: str = "english"
    """The wording of the verdict, a key of `hanabi_env.words.ratings.SCALES`."""

    @property
    def suits(self) -> str:
        """The letters of the suits of the game, in their order."""
        return "".join(self.fireworks)

    @property
    def max_score(self) -> int:
        """The score of a perfect game; black powder adds nothing (V3)."""
        return self.config.max_score

    @property
    def verdict(self) -> str:
        """The booklet's verdict on the score (H15, E8)."""
        return verdict(self.config, self.score, self.end_reason, self.wording)

    def order(self, suit: str) -> tuple[int, ...]:
        """Return the ranks of a firework in the order of play; black powder descends (V3)."""
        return ranks_in_order(self.config, suit)

    def top(self, suit: str) -> str | None:
        """Return the top card of a firework, or None."""
        played = self.fireworks[suit]
        return f"{suit}{self.order(suit)[played - 1]}" if played else None

    def reachable(self, suit: str) -> int:
        """Return the largest reachable size of a firework; it ends before a rank whose copies are all discarded."""
        fallen = Counter(self.discards)
        order = self.order(suit)
        for played, rank in enumerate(order):
            card = f"{suit}{rank}"
            if played >= self.fireworks[suit] and fallen[card] >= self.copies[card]:
                return played
        return len(order)

    def fallen(self, suit: str) -> list[str]:
        """Return the discarded cards of one suit, lowest rank first."""
        return sorted(card for card in self.discards if card[0] == suit)


@of_a_record
def view_of(
    position: Mapping[str, Any], config: HanabiConfig, seat: int | None = None, wording: str = "english"
) -> TableView:
    """Return the table of ``position`` (see `to_dict`) as player ``seat`` sees it; None sees every card.

    ``wording`` is the wording of the verdict, a key of `hanabi_env.words.ratings.SCALES`.

    Besides the required keys of a position it reads two optional keys: ``last_move`` (``player``, ``action`` as text,
    ``touched`` of a hint, ``card``, ``scored`` and ``gave_token`` of a card) and ``hinted`` (per player and slot the
    colors and ranks that hints named).

    Raises:
        ValueError: there is no player at ``seat``, the position cannot be drawn, or no booklet has this ``wording``.
    """
    check_seat(seat, config.players)
    check_wording(wording)
    copies = Counter(_box(position, config))
    seen = Counter(position["discards"]) + Counter(_played(position, config))
    for player, hand in enumerate(position["hands"]):
        if player != seat:
            seen.update(hand)
    hinted = position.get("hinted") or [[()] * len(hand) for hand in position["hands"]]

    def card_view(player: int, slot: int, card: str) -> CardView:
        plausible = frozenset(position["knowledge"][player][slot])
        marks = frozenset(map(str, hinted[player][slot]))
        if player != seat:
            return CardView(card, plausible, plausible, marks)
        return CardView(None, plausible, frozenset(name for name in plausible if seen[name] < copies[name]), marks)

    return TableView(
        config=config,
        seat=seat,
        current_player=position["current_player"],
        hands=tuple(
            tuple(card_view(player, slot, card) for slot, card in enumerate(hand))
            for player, hand in enumerate(position["hands"])
        ),
        fireworks=dict(position["fireworks"]),
        copies={card: copies[card] for card in sorted(copies)},
        discards=tuple(position["discards"]),
        deck_size=len(position["deck"]),
        next_card=position["deck"][0] if seat is None and position["deck"] else None,
        information_tokens=position["information_tokens"],
        life_tokens=position["life_tokens"],
        turns_to_play=position["turns_to_play"],
        score=position["score"],
        end_reason=position["end_reason"],
        last_move=_move(position.get("last_move"), config.players),
        bonus_tiles="".join(sorted(position.get("bonus_tiles") or ())),
        pending=position.get("pending"),
        wording=wording,
    )


def _box(position: Mapping[str, Any], config: HanabiConfig) -> Iterable[str]:
    """Return all cards of the game. The list is public; only where each card is remains hidden."""
    yield from position["discards"]
    yield from position["deck"]
    yield from _played(position, config)
    for hand in position["hands"]:
        yield from hand


def _played(position: Mapping[str, Any], config: HanabiConfig) -> Iterable[str]:
    for suit, played in position["fireworks"].items():
        yield from (f"{suit}{rank}" for rank in ranks_in_order(config, suit)[:played])


def _move(move: Mapping[str, Any] | None, players: int) -> Move | None:
    if move is None:
        return None
    words = move["action"]
    return Move(
        player=move["player"],
        words=words,
        card=move.get("card"),
        scored=move.get("scored"),
        announced=words.split()[3] if " as " in words else None,
        gave_token=words.startswith("play") and bool(move.get("gave_token")),
        target=(move["player"] + int(words.split()[1])) % players if words.startswith("hint ") else None,
        touched=tuple(move.get("touched") or ()),
    )


# --- Sentences --------------------------------------------------------------------------------------------------------


def describe_move(move: Move | None) -> str:
    """Return the last action as a sentence without a full stop: ``player_0 plays R3 from slot 2``."""
    if move is None:
        return "the game begins"
    verb, *rest = move.words.split()
    who = player_name(move.player)
    if verb == "hint" and move.target is not None:
        slots = ", ".join(map(str, move.touched)) or "none"
        what = SUIT_NAMES.get(rest[1], f"rank {rest[1]}")
        return f"{who} tells {player_name(move.target)} {what}: {'slot' if len(move.touched) == 1 else 'slots'} {slots}"
    if verb in ("choose", "shuffle") or not rest[0].isdigit():
        return f"{who} {_describe_choice(move)}"
    announced = f", announced as {SUIT_NAMES[move.announced]}" if move.announced else ""
    return f"{who} {verb}s {move.card or 'the card'} from slot {rest[0]}{announced}{_outcome(move)}"


def _outcome(move: Move) -> str:
    """Return the outcome of a play or discard, for the sentence; empty if there is nothing to add."""
    if move.scored is False:
        is_wrong = move.announced is not None and move.card is not None and move.announced != move.card[0]
        return ", which is wrong" if is_wrong else ", which does not fit"
    return ", for a token" if move.gave_token else ""


def _describe_choice(move: Move) -> str:
    """Return the choice for a tile as text (V4)."""
    if move.words == SHUFFLE_BACK:
        return "will shuffle a discard back"
    if move.words == PLAY_FROM_DISCARD:
        return "will play from the discard"
    return f"plays {move.card} from the discard" if move.scored else f"shuffles {move.card} back into the deck"


def describe_turn(view: TableView) -> str:
    """Return the player to move, or how the game ended, as text."""
    if view.end_reason is not None:
        return "the end: " + END_WORDS.get(view.end_reason, view.end_reason)
    turn = f"{player_name(view.current_player)} to move"
    if view.pending is not None:
        turn = f"{player_name(view.current_player)} to choose, tile {view.pending[0]}: {TILE_WORDS[view.pending]}"
    if view.turns_to_play is not None:
        turn += f", {counted(view.turns_to_play, 'turn')} left"
    return turn


def describe_score(view: TableView) -> str:
    """Return the score as text: ``12 of 25``, with a mention of black powder if it is played."""
    return f"{score_words(view.config, view.score)} of {view.max_score}"


# --- Plain text -------------------------------------------------------------------------------------------------------


def table_ansi(view: TableView, color: bool = False, shapes: bool = False) -> str:
    """Return the table as lines of text: plain ASCII, with terminal colors, or with the suits' shapes.

    The suits and ranks that hints have not excluded are under every card. A card that this seat cannot see is ``??``.
    """
    rating, paint = view.verdict, brush(_INKS, color, shapes)
    fireworks = "  ".join(paint(view.top(suit) or f"{suit}-", suit) for suit in view.suits)
    discards = "  ".join(paint(" ".join(view.fallen(suit)), suit) for suit in view.suits if view.fallen(suit))
    lines = [
        f"Hanabi: score {describe_score(view)}{', ' + rating if rating else ''}",
        f"  last       {describe_move(view.last_move)}",
        f"  turn       {describe_turn(view)}",
        f"  tokens     information {view.information_tokens}/{view.config.max_information_tokens}"
        f"   lives {view.life_tokens}/{view.config.max_life_tokens}   deck {view.deck_size}"
        + (f"   tiles {view.bonus_tiles or '-'}" if view.config.flamboyants else ""),
        f"  fireworks  {fireworks}",
        f"  discards   {discards or '-'}",
    ]
    for player in range(len(view.hands)):
        lines += _hand_lines(view, player, paint)
    return "\n".join(lines) + "\n"


def _hand_lines(view: TableView, player: int, paint: Callable[..., str]) -> list[str]:
    hand = view.hands[player]
    width = max(len(view.suits), view.config.ranks, 3) + 2
    last = view.last_move
    touched = last.touched if last is not None and last.target == player else ()
    to_move = view.end_reason is None and view.current_player == player
    faces = [(card.card or "??") + ("*" if slot in touched else "") for slot, card in enumerate(hand)]
    suits = ["".join(suit if suit in card.suits() else "." for suit in view.suits) for card in hand]
    ranks = [
        "".join(str(r) if str(r) in card.ranks() else "." for r in range(1, view.config.ranks + 1)) for card in hand
    ]
    name = player_name(player) + (" (you)" if player == view.seat else "")
    return [
        f"{'>' if to_move else ' '} {name:<15}" + "".join(paint(face, face[0], width) for face in faces).rstrip(),
        " " * 17 + "".join(f"{cell:<{width}}" for cell in suits).rstrip(),
        " " * 17 + "".join(f"{cell:<{width}}" for cell in ranks).rstrip(),
    ]
