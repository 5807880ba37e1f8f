"""Positions: the whole hidden state of a game as a dict, and games that start from such a dict or from given decks.

`to_dict` returns JSON types only. Loading its dict with `load_position` gives a game with the same observations, the
same deck order and the same future. The dict is read into a scratch record and checked there. The scratch record
replaces the game's own only if all checks pass (`hanabako.words.scratch.scratch_record`).
"""

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

from hanabako.engine.deck import arrange_deck, coming_cards
from hanabako.words.checks import as_each, as_index, as_list, check_box, check_derived, check_keys, shown
from hanabako.words.scratch import scratch_record
from ikebana_env.config import IkebanaConfig
from ikebana_env.engine.bounds import BEST_GAIN, most_prestige, most_refusals, most_reshuffles, most_steps
from ikebana_env.engine.cards import copies
from ikebana_env.engine.rules import (
    begin_round,
    bouquet_gain,
    gain_factor,
    highest_prestige,
    player_at,
    shuffle_of,
    winners,
)
from ikebana_env.engine.state import (
    BOUQUET_SIZE,
    END_COMPLETE,
    END_ILLEGAL,
    END_NOT_YET,
    KINDS,
    NO_CARD,
    START_PRESTIGE,
    Rules,
)
from ikebana_env.words.notation import CARD_NAMES, END_NAMES, card_or_none, cards_of, set_of, str_to_card

__all__ = ["REQUIRED_KEYS", "load_deal", "load_position", "to_dict"]

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

BOX = {CARD_NAMES[card]: copies(card) for card in range(KINDS)}


# --- Out: a record as a dict ------------------------------------------------------------------------------------------


def to_dict(config: IkebanaConfig, state: Any) -> dict[str, Any]:
    """Return the whole hidden state of a game in JSON types and card names.

    Args:
        config: the game's configuration.
        state: one scalar record of `ikebana_env.engine.state.state_dtype`, with attribute access (``np.recarray``).

    Returns:
        The keys of a position (`REQUIRED_KEYS`), and:

        * ``winners``: the players who have won, or None before the end;
        * ``starter``: the player who began the round;
        * ``score``: the highest prestige; ``end_reason``: None, ``"complete"`` or ``"illegal"``;
        * ``reshuffles``: the number of reshuffles in this round; ``stream``: the random stream of later shuffles;
          ``length``: the number of steps so far;
        * ``later_decks``: the decks that were given for the coming rounds, top card first.
    """
    rules = config.rules()
    players = range(rules.players)
    heights = [int(height) for height in state.discard_count]
    number = int(state.round_index)
    is_complete = bool(state.end_reason == END_COMPLETE)
    return {
        "current_player": int(state.current_player),
        "round": number + 1,
        "bouquets": [cards_of(state.bouquets[player]) for player in players],
        "discards": [_names(state.discards[player][: heights[player]]) for player in players],
        "deck": _names(_coming_cards(state)),
        "prestige": [int(state.prestige[player]) for player in players],
        "drawn": card_or_none(int(state.drawn)),
        "refusals": int(state.refusals),
        "gains": [[int(state.gains[k][player]) for player in players] for k in range(number + is_complete)],
        "winners": _winners(rules, state),
        "starter": int(state.starter),
        "score": int(highest_prestige(rules, state)),
        "end_reason": END_NAMES[int(state.end_reason)],
        "reshuffles": int(state.reshuffles),
        "stream": int(state.key),
        "length": int(state.length),
        "later_decks": [_names(_given_deck(state, k)) for k in range(number + 1, int(state.given_rounds))],
    }


def _names(cards: Any) -> list[str]:
    return [CARD_NAMES[card] for card in cards]


def _coming_cards(state: Any) -> list[int]:
    shuffle = shuffle_of(state.round_index, int(state.reshuffles))
    return coming_cards(state.key, shuffle, state.cards[: state.deck_count])


def _winners(rules: Rules, state: Any) -> list[int] | None:
    """I14, J2: return the winners if the game is complete, else None."""
    if state.end_reason != END_COMPLETE:
        return None
    best = int(winners(rules, state))
    return [player for player in range(rules.players) if best >> player & 1]


# --- Decks ------------------------------------------------------------------------------------------------------------


def load_deal(config: IkebanaConfig, state: Any, options: Mapping[str, Any]) -> None:
    """Begin the game from the start with given decks.

    Args:
        config: the game's configuration.
        state: one scalar record at the beginning of an episode.
        options: ``decks``, a list of card names per round, top card first; rounds without a deck are shuffled.

    Raises:
        ValueError: there are too many decks, or a deck is not the box. The record is unchanged.
    """
    rules = config.rules()
    with scratch_record(state) as new:
        _write_given(new, 0, _parse_decks("decks", options["decks"], rules.rounds))
        begin_round(rules, new, 0, int(new.starter))


def _parse_decks(name: str, decks: Any, most: int) -> list[list[int]]:
    """Return the card numbers of whole decks, top card first."""
    if len(as_list(name, decks)) > most:
        raise ValueError(f"{name} must be at most {most} decks, one per round, got {len(decks)}")
    parsed = [_as_cards(f"{name}[{k}]", deck) for k, deck in enumerate(decks)]
    for k, deck in enumerate(parsed):
        check_box(f"{name}[{k}]", _names(deck), BOX)
    return parsed


def _write_given(new: Any, first_round: int, decks: Sequence[Sequence[int]]) -> None:
    """Write the given decks of the rounds from ``first_round`` (from 0) on."""
    new.given_rounds = first_round + len(decks) if decks else 0
    for number, deck in enumerate(decks, first_round):
        new.given_decks[number] = arrange_deck(new.key, shuffle_of(number, 0), deck)


def _given_deck(state: Any, number: int) -> list[int]:
    """Return the given deck of a round: the inverse of `_write_given`."""
    return coming_cards(state.key, shuffle_of(number, 0), state.given_decks[number])


# --- In: a dict into a record -----------------------------------------------------------------------------------------


def load_position(config: IkebanaConfig, state: Any, position: Mapping[str, Any]) -> None:
    """Write a position into a record. Without ``stream``, the record's own random stream makes later shuffles.

    Args:
        config: the game's configuration.
        state: one scalar record of `ikebana_env.engine.state.state_dtype`, changed in place.
        position: `REQUIRED_KEYS`, and optionally other keys of `to_dict`.

    Raises:
        ValueError: the position is impossible. The record is unchanged.
    """
    check_keys("a position", "to_dict()", position, REQUIRED_KEYS)
    with scratch_record(state) as new:
        _read_position(config.rules(), new, position)


def _read_position(rules: Rules, new: Any, position: Mapping[str, Any]) -> None:
    """Write the position into the scratch record ``new``, or raise ``ValueError``."""
    new.current_player = as_index("current_player", position["current_player"], rules.players - 1)
    new.round_index = as_index("round", position["round"], rules.rounds, least=1) - 1
    bouquets = _read_bouquets(rules, new, position["bouquets"])
    is_complete = len(bouquets[new.current_player]) == BOUQUET_SIZE
    discards = _as_piles("discards", position["discards"], rules.players)
    deck = _as_cards("deck", position["deck"])
    _read_prestige(rules, new, position["prestige"])
    drawn = [] if position["drawn"] is None else _as_cards("drawn", [position["drawn"]])
    new.drawn = drawn[0] if drawn else NO_CARD
    new.refusals = as_index("refusals", position["refusals"], most_refusals(rules))
    _read_gains(rules, new, position["gains"], int(new.round_index) + is_complete)
    new.end_reason = _parse_end(position, is_complete)
    new.reshuffles = as_index("reshuffles", position.get("reshuffles", 0), most_reshuffles(rules))
    if "stream" in position:
        new.key = as_index("stream", position["stream"], 2**64 - 1)
    new.length = as_index("length", position.get("length", 0), most_steps(rules))
    next_round = int(new.round_index) + 1
    _write_given(
        new, next_round, _parse_decks("later_decks", position.get("later_decks", []), rules.rounds - next_round)
    )
    check_box("the position", _names(chain(*bouquets, *discards, deck, drawn)), BOX)
    _write_piles(new, discards, deck)
    _check_prestige(rules, new)
    _check_turn(rules, new, position)
    for key, expected in {
        "starter": int(new.starter),
        "score": int(highest_prestige(rules, new)),
        "winners": _winners(rules, new),
    }.items():
        check_derived(position, key, expected)


def _as_cards(name: str, value: Any) -> list[int]:
    return as_each(name, value, str_to_card)


def _as_piles(name: str, value: Any, players: int) -> list[list[int]]:
    return [_as_cards(f"{name}[{player}]", pile) for player, pile in enumerate(as_list(name, value, players))]


def _read_bouquets(rules: Rules, new: Any, value: Any) -> list[list[int]]:
    """I3: check and write the bouquets, and the starter, which follows from their sizes.

    The players from the starter to the one before the current player have one card more than the others.
    """
    bouquets = _as_piles("bouquets", value, rules.players)
    current_player = int(new.current_player)
    sizes = [len(bouquets[player_at(rules, current_player, offset)]) for offset in range(rules.players)]
    fewest = sizes[0]
    begun = sum(size == fewest + 1 for size in sizes)
    expected = [fewest] * (rules.players - begun) + [fewest + 1] * begun
    if sizes != expected or max(sizes) > BOUQUET_SIZE:
        raise ValueError(
            f"bouquets must have up to {BOUQUET_SIZE} cards, one more for those who have had their turn, "
            f"got {sizes} cards from player {current_player} on"
        )
    new.starter = (current_player - begun) % rules.players
    new.bouquets[: rules.players] = [set_of(cards) for cards in bouquets]
    return bouquets


def _read_prestige(rules: Rules, new: Any, value: Any) -> None:
    for player, points in enumerate(as_list("prestige", value, rules.players)):
        new.prestige[player] = as_index(f"prestige[{player}]", points, most_prestige(rules))


def _read_gains(rules: Rules, new: Any, value: Any, finished: int) -> None:
    """Check and write the gain of every player in every finished round."""
    for number, row in enumerate(as_list("gains", value, finished)):
        most = BEST_GAIN * gain_factor(rules, number)
        for player, gain in enumerate(as_list(f"gains[{number}]", row, rules.players)):
            new.gains[number, player] = as_index(f"gains[{number}][{player}]", gain, most)


def _parse_end(position: Mapping[str, Any], is_complete: bool) -> int:
    """Return the end, which follows from the bouquets, except in games that an illegal action ended."""
    expected = END_COMPLETE if is_complete else END_NOT_YET
    given = position.get("end_reason")
    if expected == END_NOT_YET and isinstance(given, str) and given == END_NAMES[END_ILLEGAL]:
        return END_ILLEGAL
    check_derived(position, "end_reason", END_NAMES[expected])
    return expected


def _write_piles(new: Any, discards: list[list[int]], deck: list[int]) -> None:
    """Write the discards and the deck."""
    for player, pile in enumerate(discards):
        new.discard_count[player] = len(pile)
        new.discards[player, : len(pile)] = pile
    new.deck_count = len(deck)
    new.cards[: len(deck)] = arrange_deck(new.key, shuffle_of(new.round_index, int(new.reshuffles)), deck)


# --- Checks -----------------------------------------------------------------------------------------------------------


def _check_prestige(rules: Rules, new: Any) -> None:
    """J5: all prestige must come from the start and from gains, and the last gains from the bouquets."""
    number, is_complete = int(new.round_index), new.end_reason == END_COMPLETE
    if is_complete and number < rules.rounds - 1:
        raise ValueError(f"bouquets must not all be complete in round {number + 1} of {rules.rounds}")
    prestige = new.prestige[: rules.players].tolist()
    expected = START_PRESTIGE * rules.players + int(new.gains[: number + is_complete, : rules.players].sum())
    if sum(prestige) != expected:
        raise ValueError(
            f"prestige must add up to {expected} ({START_PRESTIGE} per player and all gains), got {prestige}"
        )
    if is_complete:
        gains = new.gains[number, : rules.players].tolist()
        last = [int(bouquet_gain(cards) * gain_factor(rules, number)) for cards in new.bouquets[: rules.players]]
        if gains != last:
            raise ValueError(f"gains[-1] must be {last}, the points of the bouquets, got {gains}")


def _check_payments(rules: Rules, new: Any) -> None:
    """I6: the other players must have the prestige that this turn's refusals cost."""
    others = int(new.prestige[: rules.players].sum() - new.prestige[new.current_player])
    refusals = int(new.refusals)
    if refusals * (refusals + 1) // 2 > others:
        raise ValueError(f"refusals must have been paid for: {refusals} cost more than the other players' {others}")


def _check_turn(rules: Rules, new: Any, position: Mapping[str, Any]) -> None:
    """I6, J2: the drawn and refused cards must fit the turn. No player has a discard before their first turn."""
    if new.drawn != NO_CARD and new.end_reason == END_COMPLETE:
        raise ValueError(f"drawn must be None after the end, got {shown(position['drawn'])}")
    if new.refusals and new.drawn == NO_CARD:
        raise ValueError(f"refusals must be 0 while no card is drawn, got {int(new.refusals)}")
    _check_payments(rules, new)
    for player in range(rules.players):
        has_refused = new.refusals > 0 and player == new.current_player
        if has_refused and not new.discard_count[player]:
            raise ValueError(f"discards[{player}] must hold the card just refused, got none")
        if new.discard_count[player] and not (has_refused or new.bouquets[player]):
            raise ValueError(f"discards[{player}] must be empty before the player's first turn of the round")
