"""A position in words: the whole hidden state of one game as a dict; and games from a position, or from given decks.

`to_dict` holds JSON types only. Restoring its dict with `load_position` gives a game with the same observations, the
same deck order and the same future. The dict is read completely before the record is written, so a refused position
changes nothing.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from hanabako.engine.protocol import LONGEST_GAME
from hanabako.words.checks import as_each, as_index, as_list, check_derived, check_keys
from ikebana_env.config import IkebanaConfig
from ikebana_env.engine.cards import copies
from ikebana_env.engine.rules import begin_round, draw_place, highest_prestige, winners
from ikebana_env.engine.state import (
    BOUQUET_SIZE,
    DECK_SIZE,
    END_COMPLETE,
    END_NOT_YET,
    KINDS,
    NO_CARD,
    START_PRESTIGE,
    Rules,
)
from ikebana_env.words.notation import CARD_NAMES, END_NAMES, appraise, card_or_none, cards_of, set_of, str_to_card

__all__ = ["REQUIRED_KEYS", "load_decks", "load_position", "to_dict"]

REQUIRED_KEYS = (
    "current_player",
    "round",
    "bouquets",
    "discards",
    "deck",
    "prestige",
    "drawn",
    "refusals",
    "gains",
)
BEST_GAIN = 88  # J6
MOST_RESHUFFLES = 255


# --- Out: a record as a dict ------------------------------------------------------------------------------------------


def to_dict(config: IkebanaConfig, state: Any) -> dict[str, Any]:
    """The whole hidden state of a game in JSON types and card names.

    Args:
        config: the table.
        state: one scalar record of `ikebana_env.engine.state.state_dtype`, with attribute access (``np.recarray``).

    Returns:
        The keys of a position (`REQUIRED_KEYS`), ``winners``, and more:

        * ``starter``: who began the round;
        * ``score``: the highest prestige; ``end_reason``: None, ``"complete"`` or ``"illegal"``;
        * ``reshuffles``: of this round; ``stream``: the random stream of later shuffles; ``length``: steps so far;
        * ``later_decks``: the decks that were given for the coming rounds, tops first.
    """
    rules = config.rules()
    players = range(rules.players)
    heights = [int(height) for height in state.discard_count]
    is_complete = bool(state.end_reason == END_COMPLETE)
    finished = int(state.round_index) + is_complete
    best = int(winners(rules, state))
    return {
        "current_player": int(state.current_player),
        "round": int(state.round_index) + 1,
        "bouquets": [cards_of(state.bouquets[player]) for player in players],
        "discards": [[CARD_NAMES[card] for card in state.discards[player][: heights[player]]] for player in players],
        "deck": [CARD_NAMES[card] for card in _coming_cards(state)],
        "prestige": [int(state.prestige[player]) for player in players],
        "drawn": card_or_none(int(state.drawn)),
        "refusals": int(state.refusals),
        "gains": [[int(state.gains[number][player]) for player in players] for number in range(finished)],
        "winners": [player for player in players if best >> player & 1] if is_complete else None,
        "starter": int(state.starter),
        "score": int(highest_prestige(rules, state)),
        "end_reason": END_NAMES[int(state.end_reason)],
        "reshuffles": int(state.reshuffles),
        "stream": int(state.key),
        "length": int(state.length),
        "later_decks": [
            [CARD_NAMES[card] for card in state.given[number][::-1]]
            for number in range(int(state.round_index) + 1, int(state.given_rounds))
        ],
    }


class _Deck:
    """What `draw_place` asks of a record."""

    def __init__(self, state: Any) -> None:
        self.key, self.round_index, self.reshuffles = state.key, state.round_index, state.reshuffles
        self.is_ordered, self.deck_count = state.is_ordered, int(state.deck_count)


def _coming_cards(state: Any) -> list[int]:
    """The deck in the order of the coming draws: what drawing would do, on a copy."""
    deck, cards, coming = _Deck(state), [int(card) for card in state.cards], []
    with np.errstate(over="ignore"):  # random numbers are made modulo 2^64
        while deck.deck_count:
            place = int(draw_place(deck))
            deck.deck_count -= 1
            coming.append(cards[place])
            cards[place] = cards[deck.deck_count]
    return coming


# --- In: decks and positions ------------------------------------------------------------------------------------------


def load_decks(config: IkebanaConfig, state: Any, decks: Any) -> None:
    """Begin the game anew with given decks.

    Args:
        config: the table.
        state: one scalar record at the beginning of an episode.
        decks: a list of card words a round, tops first; rounds without one are shuffled.

    Raises:
        ValueError: too many decks, or one that is not the box. The record is unchanged.
    """
    rules = config.rules()
    parsed = _parse_decks("decks", decks, rules.rounds)
    _write_given(state, 0, parsed)
    begin_round(rules, state, 0, int(state.starter))


def _parse_decks(name: str, decks: Any, most: int) -> list[list[int]]:
    """Whole decks, tops first."""
    if len(as_list(name, decks)) > most:
        raise ValueError(f"{name} must be at most {most} decks, one a round, got {len(decks)}")
    parsed = [_as_cards(f"{name}[{k}]", deck) for k, deck in enumerate(decks)]
    for k, deck in enumerate(parsed):
        _check_box(f"{name}[{k}]", deck)
    return parsed


def _write_given(state: Any, first_round: int, decks: Sequence[Sequence[int]]) -> None:
    """Note the decks of the rounds from ``first_round`` (from 0) on."""
    state.given_rounds = first_round + len(decks) if decks else 0
    for number, deck in enumerate(decks, first_round):
        state.given[number] = deck[::-1]


class _Position(NamedTuple):
    """A checked position in the numbers of the rules."""

    current_player: int
    round_index: int
    bouquets: list[list[int]]
    discards: list[list[int]]
    deck: list[int]
    prestige: list[int]
    drawn: int
    refusals: int
    gains: list[list[int]]
    starter: int
    end_reason: int
    reshuffles: int
    stream: int | None
    length: int
    later_decks: list[list[int]]


def load_position(config: IkebanaConfig, state: Any, position: Mapping[str, Any]) -> None:
    """Set a record to a position. Where it names no stream, later shuffles are the record's own.

    Args:
        config: the table.
        state: one scalar record of `ikebana_env.engine.state.state_dtype`, changed in place.
        position: `REQUIRED_KEYS` and any other keys of `to_dict`.

    Raises:
        ValueError: the position cannot be reached; the record is unchanged.
    """
    rules = config.rules()
    parsed = _parse_position(rules, position)
    for name in ("current_player", "drawn", "refusals", "round_index", "starter", "end_reason", "reshuffles", "length"):
        setattr(state, name, getattr(parsed, name))
    if parsed.stream is not None:
        state.key = np.uint64(parsed.stream)
    state.deck_count = len(parsed.deck)
    state.is_ordered = 1
    state.cards[: len(parsed.deck)] = parsed.deck[::-1]
    for player in range(rules.players):
        state.prestige[player] = parsed.prestige[player]
        state.bouquets[player] = set_of(parsed.bouquets[player])
        state.discard_count[player] = len(parsed.discards[player])
        state.discards[player][: len(parsed.discards[player])] = parsed.discards[player]
    for number, gains in enumerate(parsed.gains):
        state.gains[number][: rules.players] = gains
    _write_given(state, parsed.round_index + 1, parsed.later_decks)


def _parse_position(rules: Rules, position: Any) -> _Position:
    """Read and check a position."""
    check_keys(position, REQUIRED_KEYS)
    current_player = as_index("current_player", position["current_player"], rules.players - 1)
    number = as_index("round - 1", _less_one(position["round"]), rules.rounds - 1)
    bouquets = _as_piles("bouquets", position["bouquets"], rules.players)
    begun = _check_bouquets(rules, bouquets, current_player)
    is_complete = len(bouquets[current_player]) == BOUQUET_SIZE
    drawn = position["drawn"]
    parsed = _Position(
        current_player=current_player,
        round_index=number,
        bouquets=bouquets,
        discards=_as_piles("discards", position["discards"], rules.players),
        deck=_as_cards("deck", position["deck"]),
        prestige=_parse_prestige(rules, position["prestige"]),
        drawn=NO_CARD if drawn is None else _as_cards("drawn", [drawn])[0],
        refusals=as_index("refusals", position["refusals"], DECK_SIZE),
        gains=_parse_gains(rules, position["gains"], number + is_complete),
        starter=(current_player - begun) % rules.players,
        end_reason=_parse_end(position, is_complete),
        reshuffles=as_index("reshuffles", position.get("reshuffles", 0), MOST_RESHUFFLES),
        stream=as_index("stream", position["stream"], 2**64 - 1) if "stream" in position else None,
        length=as_index("length", position.get("length", 0), LONGEST_GAME),
        later_decks=_parse_decks("later_decks", position.get("later_decks", []), rules.rounds - 1 - number),
    )
    _check_everything(rules, parsed, position)
    return parsed


def _less_one(value: Any) -> Any:
    return value - 1 if isinstance(value, (int, np.integer)) and not isinstance(value, bool) else value


def _as_cards(name: str, value: Any) -> list[int]:
    return as_each(name, value, str_to_card)


def _as_piles(name: str, value: Any, players: int) -> list[list[int]]:
    return [_as_cards(f"{name}[{player}]", pile) for player, pile in enumerate(as_list(name, value, players))]


def _parse_prestige(rules: Rules, value: Any) -> list[int]:
    most = START_PRESTIGE * rules.players + rules.rounds * rules.players * 2 * BEST_GAIN
    return [
        as_index(f"prestige[{k}]", points, most) for k, points in enumerate(as_list("prestige", value, rules.players))
    ]


def _parse_gains(rules: Rules, value: Any, finished: int) -> list[list[int]]:
    """Per finished round the gain of every player."""
    gains = []
    for number, row in enumerate(as_list("gains", value, finished)):
        most = BEST_GAIN * _factor(rules, number)
        cells = enumerate(as_list(f"gains[{number}]", row, rules.players))
        gains.append([as_index(f"gains[{number}][{player}]", gain, most) for player, gain in cells])
    return gains


def _factor(rules: Rules, number: int) -> int:
    """I15: what the gains of a round (from 0) are multiplied by."""
    return 2 if rules.final_bouquet and number == rules.rounds - 1 else 1


def _parse_end(position: Mapping[str, Any], is_complete: bool) -> int:
    """The end follows from the bouquets, but for games that an illegal action ended."""
    expected = END_COMPLETE if is_complete else END_NOT_YET
    name = position.get("end_reason", END_NAMES[expected])
    if name == "illegal" and not is_complete:
        return next(reason for reason, word in END_NAMES.items() if word == name)
    if name != END_NAMES[expected]:
        raise ValueError(f"end_reason must be {END_NAMES[expected]!r} with these bouquets, got {name!r}")
    return expected


# --- What can be ------------------------------------------------------------------------------------------------------


def _check_bouquets(rules: Rules, bouquets: list[list[int]], current_player: int) -> int:
    """I3: everybody from the round's first player up to the current one has a card more. Returns how many that are."""
    sizes = [len(bouquets[(current_player + offset) % rules.players]) for offset in range(rules.players)]
    fewest = sizes[0]
    begun = sum(size == fewest + 1 for size in sizes)
    expected = [fewest] * (rules.players - begun) + [fewest + 1] * begun
    if sizes != expected or max(sizes) > BOUQUET_SIZE:
        raise ValueError(
            f"bouquets must have up to {BOUQUET_SIZE} cards, one more for those who have had their turn, "
            f"got {sizes} cards from player {current_player} on"
        )
    return begun


def _check_everything(rules: Rules, parsed: _Position, given: Mapping[str, Any]) -> None:
    is_complete = parsed.end_reason == END_COMPLETE
    piles = [*parsed.bouquets, *parsed.discards, parsed.deck, [parsed.drawn] * (parsed.drawn != NO_CARD)]
    _check_box("the position", [card for pile in piles for card in pile])
    if is_complete and parsed.round_index < rules.rounds - 1:
        raise ValueError(f"bouquets must not all be complete in round {parsed.round_index + 1} of {rules.rounds}")
    _check_prestige(rules, parsed, is_complete)
    if parsed.drawn != NO_CARD and is_complete:
        raise ValueError(f"drawn must be None after the end, got {given['drawn']!r}")
    if parsed.refusals and parsed.drawn == NO_CARD:
        raise ValueError(f"refusals must be 0 while no card is drawn, got {parsed.refusals}")
    for player, pile in enumerate(parsed.discards):
        has_refused = parsed.refusals > 0 and player == parsed.current_player
        if has_refused and not pile:
            raise ValueError(f"discards[{player}] must hold the card just refused, got none")
        if pile and not (has_refused or parsed.bouquets[player]):
            raise ValueError(f"discards[{player}] must be empty before the player's first turn of the round")
    derived: dict[str, Any] = {"starter": parsed.starter, "score": max(parsed.prestige), "winners": None}
    if is_complete:
        derived["winners"] = [k for k, points in enumerate(parsed.prestige) if points == max(parsed.prestige)]
    for key, expected in derived.items():
        check_derived(given, key, expected)


def _check_box(where: str, cards: Sequence[int]) -> None:
    """Every card of the box is somewhere exactly once (I1)."""
    found = Counter(cards)
    wrong = [
        f"{CARD_NAMES[card]} {found[card]} times instead of {copies(card)}"
        for card in range(KINDS)
        if found[card] != copies(card)
    ]
    if wrong:
        raise ValueError(f"{where} must have the {DECK_SIZE} cards of the box, has {', '.join(wrong)}")


def _check_prestige(rules: Rules, parsed: _Position, is_complete: bool) -> None:
    """J5: prestige comes from the start and from gains only."""
    expected = START_PRESTIGE * rules.players + sum(map(sum, parsed.gains))
    if sum(parsed.prestige) != expected:
        raise ValueError(
            f"prestige must add up to {expected} ({START_PRESTIGE} a player and all gains), got {parsed.prestige}"
        )
    if is_complete:
        factor = _factor(rules, parsed.round_index)
        last = [appraise(cards).gain * factor for cards in parsed.bouquets]
        if parsed.gains[-1] != last:
            raise ValueError(f"gains[-1] must be {last}, what the bouquets earn, got {parsed.gains[-1]}")
