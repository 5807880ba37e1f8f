"""A position in words: the whole hidden state of one game as a dict, and games that begin from one, or from decks.

`to_dict` holds JSON types only. Restoring its dict with `load_position` gives a game with the same observations, the
same deck and the same future. The dict is read and checked completely before the record is written, so a refused
position changes nothing.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from hanabako.engine.protocol import LONGEST_GAME
from hanabako.engine.rng import episode_key, random_below, random_word
from hanabako.words.checks import as_index, as_list, check_keys
from hanafuda_env.config import MOST_POINTS, KoiKoiConfig
from hanafuda_env.engine.cards import CARDS, GAJI, NO_CARD, month_of, month_set
from hanafuda_env.engine.rules import deal, deal_rounds, is_lucky, is_void, kept_turns, open_game
from hanafuda_env.engine.state import (
    FROM_DECK,
    FROM_HAND,
    HAND,
    LEAST_TURNS,
    NOBODY,
    PHASE_DEAL,
    PHASE_END,
    PHASE_JOKER_TARGET,
    PHASE_KOI,
    PHASE_PICK_DRAW,
    PHASE_PICK_HAND,
    PHASE_PLAY,
    PHASE_SWAP,
    TURNS,
)
from hanafuda_env.engine.yaku import base_of, yaku_of
from hanafuda_env.words.notation import (
    CARD_NAMES,
    PHASE_NAMES,
    REASON_NAMES,
    as_cards,
    as_yaku,
    names_of,
    player_or_none,
    str_to_card,
    yaku_names,
)

__all__ = ["load_deal", "load_position", "to_dict"]

NOVEMBER_NAMES = {int(FROM_HAND): "hand", int(FROM_DECK): "deck"}
MOST_SCORE = 2**31 - 1
MOST_WORD = 2**64 - 1

# --- Out: a record as a dict ------------------------------------------------------------------------------------------


def to_dict(config: KoiKoiConfig, state: Any) -> dict[str, Any]:
    """The whole hidden state of a game in JSON types and card names.

    Args:
        config: the table.
        state: one scalar record of `hanafuda_env.engine.state.state_dtype`, with attribute access (``np.recarray``).

    Returns:
        ``current_player, dealer, round`` (from 1), ``phase``, ``hands, field, captured`` (in the order of the year),
        ``deck`` (top first), ``pending, scores, base, yaku`` (of the piles as they lie now), ``chain, koikoi_called,
        round_results``, and what else a restored game needs:

        * ``turn``: 1 to 16; ``length``: steps so far;
        * ``base_before``, ``yaku_before``: what a yaku event must exceed: of the piles at the end of each player's last
          turn;
        * ``november``: per player the places from which November cards were played (``"hand"``, ``"deck"``: K44);
        * ``joker``: ``{"holder", "month"}`` of the Gaji's claim (K45) or None; ``refused``, ``revealed`` (K46);
        * ``turns``: what everybody saw of the last turns, as many as the record keeps, newest last;
        * ``rounds_rewarded``: rounds whose rewards have been given (L7);
        * ``stream``: the random stream of the rounds to come; ``next_decks``: their decks, as far as they were given.
    """
    with np.errstate(over="ignore"):  # bits are counted modulo 2^64
        return _to_dict(config.rules(), state)


def _to_dict(rules: Any, state: Any) -> dict[str, Any]:
    has = [int(yaku_of(rules, np.uint64(state.captured[player]))) for player in range(2)]
    deck = [] if state.phase == PHASE_DEAL else [CARD_NAMES[card] for card in state.deck[state.drawn :]]
    holder = player_or_none(state.joker_holder)
    return {
        "current_player": int(state.current_player),
        "dealer": int(state.dealer),
        "round": int(state.round_number),
        "phase": PHASE_NAMES[int(state.phase)],
        "hands": [names_of(hand) for hand in state.hand],
        "field": names_of(state.field),
        "captured": [names_of(pile) for pile in state.captured],
        "deck": deck,
        "pending": None if state.pending == NO_CARD else CARD_NAMES[state.pending],
        "scores": [int(score) for score in state.score],
        "base": [
            int(base_of(rules, np.uint64(state.captured[player]), np.uint64(has[player]), _has_called(state, player)))
            for player in range(2)
        ],
        "yaku": [yaku_names(held) for held in has],
        "chain": [int(chain) for chain in state.chain],
        "koikoi_called": [int(calls) for calls in state.koikoi_called],
        "round_results": [_result_to_dict(state.results[k]) for k in range(int(state.finished))],
        "turn": int(state.turn),
        "length": int(state.length),
        "base_before": [int(base) for base in state.base_points],
        "yaku_before": [yaku_names(held) for held in state.yaku],
        "november": [[name for flag, name in NOVEMBER_NAMES.items() if int(flags) & flag] for flags in state.november],
        "joker": None if holder is None else {"holder": holder, "month": int(state.joker_month) + 1},
        "refused": names_of(state.refused & state.field),
        "revealed": names_of(state.revealed),
        "turns": _turns(rules, state),
        "rounds_rewarded": int(state.rewarded),
        "stream": int(state.key),
        "next_decks": [
            [CARD_NAMES[card] for card in state.given_decks[k]]
            for k in range(int(state.round_number) if state.phase != PHASE_END else int(state.given), int(state.given))
        ],
    }


def _has_called(state: Any, player: int) -> bool:
    return int(state.koikoi_called[player]) > 0


def _result_to_dict(result: Any) -> dict[str, Any]:
    return {
        "winner": player_or_none(result.winner),
        "points": int(result.points),
        "reason": REASON_NAMES[int(result.reason)],
        "dealer": int(result.dealer),
        "yaku": yaku_names(result.yaku),
        "koikoi_called": [int(calls) for calls in result.koikoi_called],
    }


def _turns(rules: Any, state: Any) -> list[dict[str, Any]]:
    """The turns that the record remembers, newest last."""
    last, kept = int(state.turn), kept_turns(rules)
    past = [state.turns[turn % kept] for turn in range(max(1, last - kept + 1), last + 1)]
    return [
        {
            "player": int(turn.player),
            "played": None if turn.played == NO_CARD else CARD_NAMES[turn.played],
            "drawn": None if turn.drawn == NO_CARD else CARD_NAMES[turn.drawn],
            "captured": names_of(turn.captured),
            "joker": bool(turn.is_joker),
            "koikoi": bool(turn.koikoi),
        }
        for turn in past
        if turn.player != NOBODY
    ]


# --- In: decks --------------------------------------------------------------------------------------------------------


def load_deal(config: KoiKoiConfig, state: Any, decks: Any, dealer: Any) -> None:
    """Begin the record's episode with given decks for the first rounds, or a given dealer, or both (L8).

    Args:
        config: the table.
        state: one scalar record of `hanafuda_env.engine.state.state_dtype` with its stream and episode set.
        decks: lists of all 48 card names, top first, for the first rounds; None for none.
        dealer: 0 or 1; None: by chance (K3).

    Raises:
        ValueError: a deck is not the box, or makes its round void (K9), or the decks leave nothing to decide (L7). The
            record is unchanged.
    """
    rules = config.rules()
    given = _parse_decks(config, [] if decks is None else decks)
    new = state.copy()
    with np.errstate(over="ignore"):  # random numbers are made modulo 2^64
        new.key = _episode_stream(state)
        first = random_below(new.key, 0, 2) if dealer is None else as_index("dealer", dealer, 1)
        new.given = len(given)
        for k, deck in enumerate(given):
            new.given_decks[k] = deck
            _check_deck(rules, new, k)
        open_game(rules, new, first)
        deal_rounds(rules, new)
    if new.phase == PHASE_END:
        raise ValueError("decks must leave something to decide: lucky hands end every round of the game")
    _copy_fields(new, state)


def _episode_stream(state: Any) -> Any:
    """The stream that the episode's first deal uses."""
    return random_word(episode_key(state.game_key, state.episode), 0)


def _copy_fields(source: Any, target: Any) -> None:
    for name in source.dtype.names:
        target[name] = source[name]


def _parse_decks(config: KoiKoiConfig, decks: Any) -> list[list[int]]:
    if not isinstance(decks, (list, tuple)) or len(decks) > config.rounds:
        raise ValueError(f"decks must be a list of at most {config.rounds} decks, one for every round, got {decks!r}")
    parsed = []
    for k, deck in enumerate(decks):
        cards = as_cards(f"decks[{k}]", deck)
        if len(cards) != CARDS:
            missing = [name for card, name in enumerate(CARD_NAMES) if card not in cards]
            raise ValueError(f"decks[{k}] must hold all {CARDS} cards, lacks {', '.join(missing)}")
        parsed.append(cards)
    return parsed


def _check_deck(rules: Any, state: Any, k: int) -> None:
    """K9: a given deck may not make its round void. Who deals it does not matter for that."""
    probe = state.copy()
    probe.dealer = 0
    probe.deck[:] = state.given_decks[k]
    deal(probe)
    if is_void(rules, probe):
        what = "field" if is_lucky(rules, probe.field) else "hands"
        raise ValueError(f"decks[{k}] makes its round void: the {what} would be dealt again")


# --- In: a dict -------------------------------------------------------------------------------------------------------


class Zones(NamedTuple):
    """Where the cards of a position are, by their numbers."""

    hands: list[list[int]]
    field: list[int]
    captured: list[list[int]]
    deck: list[int]
    pending: int


def load_position(config: KoiKoiConfig, state: Any, position: Mapping[str, Any]) -> None:
    """Write a position into the record. Its game key and its episode stay, so that later episodes go on as usual.

    Args:
        config: the table.
        state: one scalar record of `hanafuda_env.engine.state.state_dtype` whose episode has begun.
        position: the keys of `to_dict`. `REQUIRED_KEYS` must be there; of the others those that are missing are taken
            as: nothing remembered, nothing known, all rewards given, and the rounds to come by the record's own stream.
            ``base``, ``yaku`` and unknown keys are not read.

    Raises:
        ValueError: the position cannot be; the message names the card, count or key that is wrong. Whether some history
            of legal moves leads there is not checked. The record is unchanged.
    """
    check_keys(position, REQUIRED_KEYS)
    new = state.copy()
    with np.errstate(over="ignore"):  # bits are counted modulo 2^64
        _read_position(config, new, position)
    _copy_fields(new, state)


def _read_position(config: KoiKoiConfig, new: Any, position: Mapping[str, Any]) -> None:
    """Set the record ``new``, or raise."""
    zones = _parse_zones(position)
    _read_table(config, new, position)
    _read_players(config, new, position, zones)
    _read_joker(config, new, position, zones)
    _read_results(new, position)
    _read_turns(config, new, position)
    _check_box(zones)
    _check_sizes(new, zones)
    _check_phase(config, new, zones)
    _write_zones(new, zones)
    _check_new_round(config, new)


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


def _pair(position: Mapping[str, Any], name: str) -> Sequence[Any]:
    return as_list(name, position[name], 2)


def _parse_zones(position: Mapping[str, Any]) -> Zones:
    pending = position["pending"]
    return Zones(
        hands=[as_cards(f"hands[{player}]", hand) for player, hand in enumerate(_pair(position, "hands"))],
        field=as_cards("field", position["field"]),
        captured=[as_cards(f"captured[{player}]", pile) for player, pile in enumerate(_pair(position, "captured"))],
        deck=as_cards("deck", position["deck"]),
        pending=NO_CARD if pending is None else str_to_card(pending),
    )


def _read_table(config: KoiKoiConfig, new: Any, position: Mapping[str, Any]) -> None:
    """Phase, players to move and to deal, counters, scores."""
    phases = {name: phase for phase, name in PHASE_NAMES.items()}
    if position["phase"] not in phases:
        raise ValueError(f"phase must be one of {', '.join(phases)}, got {position['phase']!r}")
    new.phase = phases[position["phase"]]
    new.current_player = as_index("current_player", position["current_player"], 1)
    new.dealer = as_index("dealer", position["dealer"], 1)
    new.round_number = as_index("round", position["round"], config.rounds)
    new.turn = as_index("turn", position["turn"], TURNS)
    if not new.round_number or not new.turn:
        raise ValueError(f"round and turn count from 1, got {int(new.round_number)} and {int(new.turn)}")
    new.length = as_index("length", position.get("length", 0), LONGEST_GAME)
    for player, score in enumerate(_pair(position, "scores")):
        magnitude = as_index(f"scores[{player}]", abs(score) if isinstance(score, int) else score, MOST_SCORE)
        new.score[player] = -magnitude if score < 0 else magnitude
    if "stream" in position:
        new.key = as_index("stream", position["stream"], MOST_WORD)
    decks = _parse_decks(config, position.get("next_decks", []))
    first = int(new.round_number) if decks else 0
    if first + len(decks) > config.rounds:
        raise ValueError(f"next_decks must be at most {config.rounds - first} decks, got {len(decks)}")
    new.given = first + len(decks)
    for k, deck in enumerate(decks):
        new.given_decks[first + k] = deck
        _check_deck(config.rules(), new, first + k)


def _read_players(config: KoiKoiConfig, new: Any, position: Mapping[str, Any], zones: Zones) -> None:
    """What each player has called and made."""
    rules = config.rules()
    november = position.get("november", [[], []])
    names = {name: flag for flag, name in NOVEMBER_NAMES.items()}
    for player in range(2):
        new.chain[player] = as_index(f"chain[{player}]", _pair(position, "chain")[player], HAND)
        new.koikoi_called[player] = as_index(
            f"koikoi_called[{player}]", _pair(position, "koikoi_called")[player], HAND - 1
        )
        pile = np.uint64(_set_of(zones.captured[player]))
        has = yaku_of(rules, pile)
        base = int(base_of(rules, pile, has, _has_called(new, player)))
        if "base_before" in position:
            base = as_index(f"base_before[{player}]", _pair(position, "base_before")[player], MOST_POINTS * CARDS)
        if "yaku_before" in position:
            has = as_yaku(f"yaku_before[{player}]", _pair(position, "yaku_before")[player])
        new.base_points[player] = base
        new.yaku[player] = has
        flags = 0
        for name in november[player]:
            if name not in names:
                raise ValueError(f"november[{player}] must hold only {', '.join(names)}, got {name!r}")
            flags |= names[name]
        new.november[player] = flags


def _read_joker(config: KoiKoiConfig, new: Any, position: Mapping[str, Any], zones: Zones) -> None:
    """K45, K46: the claim, and what was refused and revealed."""
    joker = position.get("joker")
    new.joker_holder, new.joker_month = NOBODY, 0
    if joker is not None:
        if not config.gaji:
            raise ValueError(f"joker must be None without gaji, got {joker!r}")
        new.joker_holder = as_index("joker holder", joker["holder"], 1)
        new.joker_month = as_index("joker month", joker["month"], 12) - 1
        if GAJI not in zones.captured[new.joker_holder]:
            raise ValueError(f"joker holder {int(new.joker_holder)} must have captured {CARD_NAMES[GAJI]}")
    refused = as_cards("refused", position.get("refused", []))
    new.refused = _months_of(refused)
    if new.refused and new.phase != PHASE_JOKER_TARGET:
        raise ValueError(f"refused must be empty in phase {position['phase']}, got {position['refused']!r}")
    revealed = as_cards("revealed", position.get("revealed", []))
    held = zones.hands[0] + zones.hands[1]
    for card in revealed:
        if card not in held:
            raise ValueError(f"revealed must hold cards of a hand, got {CARD_NAMES[card]}")
    new.revealed = _set_of(revealed)


def _months_of(cards: list[int]) -> int:
    whole = 0
    for card in cards:
        whole |= int(month_set(month_of(card)))
    return whole


def _read_results(new: Any, position: Mapping[str, Any]) -> None:
    """The finished rounds."""
    results = position["round_results"]
    is_over = new.phase == PHASE_END
    allowed = (int(new.round_number) - 1, int(new.round_number)) if is_over else (int(new.round_number) - 1,)
    if not isinstance(results, (list, tuple)) or len(results) not in allowed:
        wanted = f"{allowed[-1]} in round {int(new.round_number)}"
        raise ValueError(f"round_results must be a list of {wanted}, got {results!r}")
    reasons = {name: reason for reason, name in REASON_NAMES.items()}
    new.finished = len(results)
    for k, result in enumerate(results):
        if not isinstance(result, Mapping) or result.get("reason") not in reasons:
            raise ValueError(f"round_results[{k}] needs a reason out of {', '.join(reasons)}, got {result!r}")
        winner = result["winner"]
        row = new.results[k]
        row.winner = NOBODY if winner is None else as_index(f"round_results[{k}] winner", winner, 1)
        row.points = as_index(f"round_results[{k}] points", result["points"], MOST_SCORE)
        row.reason = reasons[result["reason"]]
        row.dealer = as_index(f"round_results[{k}] dealer", result.get("dealer", 0), 1)
        row.yaku = as_yaku(f"round_results[{k}] yaku", result.get("yaku", []))
        row.koikoi_called[:] = result.get("koikoi_called", [0, 0])
    new.rewarded = as_index("rounds_rewarded", position.get("rounds_rewarded", len(results)), len(results))


def _read_turns(config: KoiKoiConfig, new: Any, position: Mapping[str, Any]) -> None:
    """What is remembered of the last turns; the present one has a record in any case."""
    kept = max(config.history, LEAST_TURNS)
    for row in new.turns:
        row.player = NOBODY
    turns: list[dict[str, Any]] = list(position.get("turns", []))
    if not turns and new.phase not in (PHASE_SWAP, PHASE_END):
        turns = [{"player": int(new.current_player), "played": position["pending"]}]  # the least there can be
    if len(turns) > int(new.turn):
        raise ValueError(f"turns must be at most {int(new.turn)}, got {len(turns)}")
    for age, turn in enumerate(reversed(turns[-kept:])):
        row = new.turns[(int(new.turn) - age) % kept]
        row.player = as_index("turns player", turn.get("player"), 1)
        row.played = NO_CARD if turn.get("played") is None else str_to_card(turn["played"])
        row.drawn = NO_CARD if turn.get("drawn") is None else str_to_card(turn["drawn"])
        row.captured = _set_of(as_cards("turns captured", turn.get("captured", [])))
        row.is_joker = bool(turn.get("joker"))
        row.koikoi = bool(turn.get("koikoi"))


# --- What can be ------------------------------------------------------------------------------------------------------


def _set_of(cards: list[int]) -> int:
    return sum(1 << card for card in cards)


def _check_box(zones: Zones) -> None:
    """Every card is somewhere exactly once."""
    places = [*zones.hands[0], *zones.hands[1], *zones.field, *zones.captured[0], *zones.captured[1], *zones.deck]
    if zones.pending != NO_CARD:
        places.append(zones.pending)
    wrong = [f"{name} {places.count(card)} times" for card, name in enumerate(CARD_NAMES) if places.count(card) != 1]
    if wrong:
        raise ValueError(f"the position must have every card once, has {', '.join(wrong)}")


def _check_sizes(new: Any, zones: Zones) -> None:
    """K5, K11, K18: how many cards the hands and the deck have left in this turn and phase."""
    phase, turn = int(new.phase), int(new.turn)
    if phase == PHASE_END:
        return
    if phase == PHASE_SWAP:
        if turn != 1 or int(new.current_player) != 1 - int(new.dealer):
            raise ValueError("in phase swap turn must be 1 and current_player the one who does not deal")
    elif int(new.current_player) != (int(new.dealer) + turn - 1) % 2:
        raise ValueError(f"current_player must be {(int(new.dealer) + turn - 1) % 2} in turn {turn}")
    has_drawn = phase in (PHASE_PICK_DRAW, PHASE_KOI)
    expected = CARDS - 3 * HAND - (turn - 1) - has_drawn
    if len(zones.deck) != expected:
        raise ValueError(f"deck must have {expected} cards in turn {turn} and phase {PHASE_NAMES[phase]}")
    for player in range(2):
        played = (turn if player == int(new.dealer) else turn - 1) // 2
        if player == int(new.current_player) and phase not in (PHASE_SWAP, PHASE_PLAY):
            played += 1
        if len(zones.hands[player]) != HAND - played:
            raise ValueError(
                f"hands[{player}] must have {HAND - played} cards in turn {turn} and phase {PHASE_NAMES[phase]}, "
                f"has {len(zones.hands[player])}"
            )
    for player in range(2):
        if len(zones.captured[player]) % 2:
            raise ValueError(f"captured[{player}] must be pairs, has {len(zones.captured[player])} cards")


def _check_phase(config: KoiKoiConfig, new: Any, zones: Zones) -> None:
    """The pending card, and what the phase needs."""
    phase, name = int(new.phase), PHASE_NAMES[int(new.phase)]
    if (zones.pending != NO_CARD) != (phase in (PHASE_PICK_HAND, PHASE_PICK_DRAW, PHASE_JOKER_TARGET)):
        raise ValueError(f"pending must {'be None' if zones.pending != NO_CARD else 'be a card'} in phase {name}")
    if phase == PHASE_SWAP and not config.hand_swap:
        raise ValueError("phase must not be swap without hand_swap")
    if phase == PHASE_JOKER_TARGET:
        open_cards = _set_of(zones.field) & ~int(new.refused)
        if not config.gaji or zones.pending != GAJI or not open_cards:
            raise ValueError(f"phase joker_target needs gaji, {CARD_NAMES[GAJI]} pending and a card it may take")
    if phase in (PHASE_PICK_HAND, PHASE_PICK_DRAW):
        matching = [card for card in zones.field if card // 4 == zones.pending // 4]
        needed = (2, 3) if config.hiki == "optional" else (2,)
        if len(matching) not in needed:
            wanted = " or ".join(map(str, needed))
            raise ValueError(f"phase {name} needs {wanted} cards on the field that match the pending one")
    if phase == PHASE_KOI:
        player = int(new.current_player)
        if not int(new.yaku[player]) or not zones.hands[player]:
            raise ValueError("phase koi needs a yaku and a card in the hand of current_player")


def _write_zones(new: Any, zones: Zones) -> None:
    new.hand[:] = [_set_of(hand) for hand in zones.hands]
    new.captured[:] = [_set_of(pile) for pile in zones.captured]
    new.field = _set_of(zones.field)
    new.pending = zones.pending
    new.drawn = CARDS - len(zones.deck)
    gone = [card for card in range(CARDS) if card not in zones.deck]  # how they lay tells nothing any more
    new.deck[:] = gone + zones.deck


def _check_new_round(config: KoiKoiConfig, new: Any) -> None:
    """K8, K9: no round begins with a void field, nor is played on with a lucky hand."""
    rules = config.rules()
    if new.turn != 1 or new.phase not in (PHASE_SWAP, PHASE_PLAY):
        return
    if is_void(rules, new):
        raise ValueError("the round would be void: its field or its hands would be dealt again")
    lucky = [bool(is_lucky(rules, hand)) for hand in new.hand]
    if new.phase == PHASE_PLAY and any(lucky) and not (all(lucky) and config.both_lucky == "play"):
        raise ValueError(f"hands[{lucky.index(True)}] is a lucky hand, which ends the round before the first turn")
