"""Reading of position dicts (`hanafuda_env.words.positions.to_dict`) into a scratch record.

Every value must have the right type and be in its range. `hanafuda_env.words.position_checks` checks whether the parts
fit together.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from hanabako.words.checks import as_each, as_index, as_list, shown
from hanabako.words.notation import number_of
from hanafuda_env.engine.cards import CARDS, GAJI, NO_CARD, month_of, month_set, months_of
from hanafuda_env.engine.dealing import dealt, is_lucky, is_void
from hanafuda_env.engine.limits import MOST_STEPS, most_base, most_points, most_score
from hanafuda_env.engine.observation import MONTHS
from hanafuda_env.engine.rules import is_terminal, kept_turns, turn_record
from hanafuda_env.engine.scoring import count_pile
from hanafuda_env.engine.state import (
    HAND,
    NOBODY,
    PHASE_END,
    PHASE_JOKER_TARGET,
    PHASE_PICK_DRAW,
    PHASE_SWAP,
    TURNS,
    Rules,
)
from hanafuda_env.words.notation import (
    CARD_NAMES,
    NOVEMBER_NAMES,
    PHASES,
    REASON_NAMES,
    as_cards,
    as_yaku,
    set_of,
    str_to_card,
)

__all__ = ["REQUIRED_KEYS", "give_decks", "parse_decks", "read_position"]

REQUIRED_KEYS = (
    "current_player",
    "dealer",
    "round",
    "phase",
    "hands",
    "field",
    "captured",
    "deck",
    "pending",
    "scores",
    "chain",
    "koikoi_called",
    "round_results",
    "turn",
)
MOST_WORD = 2**64 - 1

REASONS = {name: reason for reason, name in REASON_NAMES.items()}
NOVEMBER = {name: flag for flag, name in NOVEMBER_NAMES.items()}


def read_position(rules: Rules, new: Any, position: Mapping[str, Any]) -> None:
    """Write a position into the scratch record ``new``, or raise ``ValueError``."""
    _read_cards(new, position)
    _read_round(rules, new, position)
    _read_next_decks(rules, new, position)
    _read_players(rules, new, position)
    _read_joker(rules, new, position)
    _read_results(rules, new, position)
    _read_turns(rules, new, position)


def _pair(position: Mapping[str, Any], name: str) -> Sequence[Any]:
    return as_list(name, position[name], 2)


# --- Decks ------------------------------------------------------------------------------------------------------------


def parse_decks(rules: Rules, decks: Any) -> list[list[int]]:
    """Return the card numbers of whole decks, top card first."""
    if not isinstance(decks, (list, tuple)) or len(decks) > rules.rounds:
        raise ValueError(f"decks must be a list of at most {rules.rounds} decks, one per round, got {shown(decks)}")
    parsed = []
    for k, deck in enumerate(decks):
        cards = as_cards(f"decks[{k}]", deck)
        if len(cards) != CARDS:
            missing = [name for card, name in enumerate(CARD_NAMES) if card not in cards]
            raise ValueError(f"decks[{k}] must hold all {CARDS} cards, lacks {', '.join(missing)}")
        parsed.append(cards)
    return parsed


def give_decks(rules: Rules, new: Any, first: int, decks: Sequence[Sequence[int]]) -> None:
    """L8: write the given decks of the rounds from ``first`` (from 0) on. K9: no deck may make its round void."""
    new.given_rounds = first + len(decks)
    for k, deck in enumerate(decks, first):
        new.given_decks[k] = deck
        probe = dealt(new, deck)
        if is_void(rules, probe):
            what = "field" if is_lucky(rules, probe.field) else "hands"
            raise ValueError(f"decks[{k}] makes its round void: the {what} would be dealt again")


def _read_next_decks(rules: Rules, new: Any, position: Mapping[str, Any]) -> None:
    decks = parse_decks(rules, position.get("next_decks", []))
    first = int(new.round_number) if decks else 0
    if first + len(decks) > rules.rounds:
        raise ValueError(f"next_decks must be at most {rules.rounds - first} decks, got {len(decks)}")
    give_decks(rules, new, first, decks)


# --- The round --------------------------------------------------------------------------------------------------------


def _read_cards(new: Any, position: Mapping[str, Any]) -> None:
    """Read all cards. The order of the dealt part of the deck no longer matters."""
    new.hand = [set_of(as_cards(f"hands[{k}]", hand)) for k, hand in enumerate(_pair(position, "hands"))]
    new.field = set_of(as_cards("field", position["field"]))
    new.captured = [set_of(as_cards(f"captured[{k}]", pile)) for k, pile in enumerate(_pair(position, "captured"))]
    deck = as_cards("deck", position["deck"])
    new.drawn = CARDS - len(deck)
    new.deck = [card for card in range(CARDS) if card not in deck] + deck
    new.pending = _card_number("pending", position["pending"])


def _card_number(name: str, value: Any) -> int:
    return NO_CARD if value is None else str_to_card(value, name)


def _read_round(rules: Rules, new: Any, position: Mapping[str, Any]) -> None:
    """Read phase, current player, dealer, counters, scores, and the random stream of the coming rounds."""
    if position["phase"] not in PHASES:
        raise ValueError(f"phase must be one of {', '.join(PHASES)}, got {shown(position['phase'])}")
    new.phase = PHASES[position["phase"]]
    new.current_player = as_index("current_player", position["current_player"], 1)
    new.dealer = as_index("dealer", position["dealer"], 1)
    new.round_number = as_index("round", position["round"], rules.rounds)
    new.turn = as_index("turn", position["turn"], TURNS)
    if not new.round_number or not new.turn:
        raise ValueError(f"round and turn count from 1, got {int(new.round_number)} and {int(new.turn)}")
    new.length = as_index("length", position.get("length", 0), rules.rounds * MOST_STEPS)
    for player, score in enumerate(_pair(position, "scores")):
        new.score[player] = _as_score(f"scores[{player}]", score, most_score(rules))
    if "stream" in position:
        new.key = as_index("stream", position["stream"], MOST_WORD)


def _as_score(name: str, value: Any, most: int) -> int:
    """Return a checked score, which may be negative (L6)."""
    if not isinstance(value, (int, np.integer)) or isinstance(value, bool) or abs(int(value)) > most:
        raise ValueError(f"{name} must be an int from {-most} to {most}, got {shown(value)}")
    return int(value)


def _read_players(rules: Rules, new: Any, position: Mapping[str, Any]) -> None:
    """Read each player's calls, chain, November cards, and last base and yaku."""
    november = as_list("november", position.get("november", [[], []]), 2)
    for player in range(2):
        new.chain[player] = as_index(f"chain[{player}]", _pair(position, "chain")[player], HAND)
        calls = _pair(position, "koikoi_called")[player]
        new.koikoi_called[player] = as_index(f"koikoi_called[{player}]", calls, HAND - 1)
        count_pile(rules, new, player)
        if "base_before" in position:
            base = _pair(position, "base_before")[player]
            new.base_points[player] = as_index(f"base_before[{player}]", base, most_base(rules))
        if "yaku_before" in position:
            new.yaku[player] = as_yaku(f"yaku_before[{player}]", _pair(position, "yaku_before")[player])
        new.november[player] = 0
        for flag in as_each(f"november[{player}]", november[player], _november):
            new.november[player] |= flag


def _november(name: Any) -> int:
    return number_of("a November card", NOVEMBER, name)


def _read_joker(rules: Rules, new: Any, position: Mapping[str, Any]) -> None:
    """K45, K46: read the Gaji's claim, and the refused and revealed cards."""
    joker = position.get("joker")
    new.joker_holder, new.joker_month = NOBODY, 0
    if joker is not None:
        if not rules.gaji:
            raise ValueError(f"joker must be None without gaji, got {shown(joker)}")
        new.joker_holder = as_index("joker holder", joker["holder"], 1)
        month = as_index("joker month", joker["month"], MONTHS, least=1)
        new.joker_month = month - 1
        if new.joker_month == month_of(GAJI):  # K42
            raise ValueError(f"joker month must not be {month}: the Gaji claims no card of November")
        pile = new.captured[new.joker_holder]
        if not pile & set_of([GAJI]) or not pile & month_set(month - 1):
            what = f"{CARD_NAMES[GAJI]} and a card of month {month}"
            raise ValueError(f"joker holder {int(new.joker_holder)} must have captured {what}")
    new.refused = months_of(set_of(as_cards("refused", position.get("refused", []))))
    if new.refused and new.phase not in (PHASE_JOKER_TARGET, PHASE_END):
        raise ValueError(f"refused must be empty in phase {position['phase']}, got {shown(position['refused'])}")
    revealed = as_cards("revealed", position.get("revealed", []))
    new.revealed = set_of(revealed)
    for card in revealed:
        if not (new.hand[0] | new.hand[1]) & set_of([card]):
            raise ValueError(f"revealed must hold cards of a hand, got {CARD_NAMES[card]}")


# --- The past ---------------------------------------------------------------------------------------------------------


def _read_results(rules: Rules, new: Any, position: Mapping[str, Any]) -> None:
    """Read the finished rounds: all before this one, and this one if it ended the game."""
    results, number = position["round_results"], int(new.round_number)
    allowed = (number - 1, number) if is_terminal(new) else (number - 1,)
    if not isinstance(results, (list, tuple)) or len(results) not in allowed:
        raise ValueError(f"round_results must be a list of {allowed[-1]} in round {number}, got {shown(results)}")
    new.finished = len(results)
    for k, result in enumerate(results):
        if not isinstance(result, Mapping) or result.get("reason") not in REASONS:
            raise ValueError(f"round_results[{k}] needs a reason out of {', '.join(REASONS)}, got {shown(result)}")
        row, winner = new.results[k], result["winner"]
        row.winner = NOBODY if winner is None else as_index(f"round_results[{k}] winner", winner, 1)
        row.points = as_index(f"round_results[{k}] points", result["points"], most_points(rules))
        row.reason = REASONS[result["reason"]]
        row.dealer = as_index(f"round_results[{k}] dealer", result.get("dealer", 0), 1)
        row.yaku = as_yaku(f"round_results[{k}] yaku", result.get("yaku", []))
        calls = as_list(f"round_results[{k}] koikoi_called", result.get("koikoi_called", [0, 0]), 2)
        row.koikoi_called = [as_index(f"round_results[{k}] koikoi_called", count, HAND - 1) for count in calls]
    new.rewarded = as_index("rounds_rewarded", position.get("rounds_rewarded", len(results)), len(results))


def _read_turns(rules: Rules, new: Any, position: Mapping[str, Any]) -> None:
    """Read the last turns. The present turn always gets a record."""
    for row in new.turns:
        row.player = NOBODY
    turns: list[dict[str, Any]] = list(position.get("turns", []))
    if not turns and new.phase not in (PHASE_SWAP, PHASE_END):
        source = "drawn" if new.phase == PHASE_PICK_DRAW else "played"
        turns = [{"player": int(new.current_player), source: position["pending"]}]  # the minimum
    if len(turns) > int(new.turn):
        raise ValueError(f"turns must be at most {int(new.turn)}, got {len(turns)}")
    for age, turn in enumerate(reversed(turns[-kept_turns(rules) :])):
        row = turn_record(rules, new, age)
        row.player = as_index("turns player", turn.get("player"), 1)
        row.played = _card_number("turns played", turn.get("played"))
        row.drawn = _card_number("turns drawn", turn.get("drawn"))
        row.captured = set_of(as_cards("turns captured", turn.get("captured", [])))
        row.is_joker = _as_flag("turns joker", turn.get("joker", False))
        row.koikoi = _as_flag("turns koikoi", turn.get("koikoi", False))


def _as_flag(name: str, value: Any) -> bool:
    if not isinstance(value, (bool, np.bool_)):
        raise ValueError(f"{name} must be true or false, got {shown(value)}")  # noqa: TRY004 - as for every wrong value
    return bool(value)
