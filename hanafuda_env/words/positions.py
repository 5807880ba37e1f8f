"""Positions: the whole hidden state of a game as a dict, and games that start from such a dict or from given decks.

`to_dict` returns JSON types only. Loading its dict with `load_position` gives a game with the same observations, the
same deck and the same future. The dict is read into a scratch record (`hanafuda_env.words.position_parsing`) and
checked there (`hanafuda_env.words.position_checks`). The scratch record replaces the game's own only if all checks
pass.
"""

import itertools
from collections.abc import Mapping
from typing import Any

import numpy as np

from hanabako.engine.rng import episode_key, random_below, random_word
from hanabako.words.checks import as_index, check_keys
from hanabako.words.scratch import scratch_record
from hanafuda_env.config import KoiKoiConfig
from hanafuda_env.engine.rules import deal_rounds, is_terminal, kept_turns, open_game, turn_record
from hanafuda_env.engine.scoring import count_pile
from hanafuda_env.engine.state import NOBODY, PHASE_DEAL, Rules
from hanafuda_env.words.notation import (
    CARD_NAMES,
    NOVEMBER_NAMES,
    PHASE_NAMES,
    REASON_NAMES,
    card_or_none,
    names_of,
    player_or_none,
    yaku_names,
)
from hanafuda_env.words.position_checks import check_position
from hanafuda_env.words.position_parsing import REQUIRED_KEYS, give_decks, parse_decks, read_position

__all__ = ["load_deal", "load_position", "to_dict"]

# --- Out: a record as a dict ------------------------------------------------------------------------------------------


def to_dict(config: KoiKoiConfig, state: Any) -> dict[str, Any]:
    """Return the whole hidden state of a game in JSON types and card names.

    Args:
        config: the game's configuration.
        state: one scalar record of `hanafuda_env.engine.state.state_dtype`, with attribute access (``np.recarray``).

    Returns:
        ``current_player, dealer, round`` (from 1), ``phase``, ``hands, field, captured`` (in the order of the year),
        ``deck`` (top first), ``pending, scores, base, yaku`` (of the present piles), ``chain, koikoi_called,
        round_results``, and what else a loaded game needs:

        * ``turn``: 1 to 16; ``length``: the number of steps so far;
        * ``base_before``, ``yaku_before``: base and yaku at the end of each player's last turn, which a yaku event must
          exceed;
        * ``november``: per player the places from which November cards were played (``"hand"``, ``"deck"``: K44);
        * ``joker``: ``{"holder", "month"}`` of the Gaji's claim (K45) or None; ``refused``, ``revealed`` (K46);
        * ``turns``: the public information about the last turns that the record holds, newest last;
        * ``rounds_rewarded``: the number of rounds whose rewards have been paid (L7);
        * ``stream``: the random stream of the coming rounds; ``next_decks``: the decks that were given for them.
    """
    with np.errstate(over="ignore"):  # bits are counted modulo 2^64
        now = state.copy()
        for player in range(2):
            count_pile(config.rules(), now, player)
        return _to_dict(config.rules(), state, now)


def _to_dict(rules: Rules, state: Any, now: Any) -> dict[str, Any]:
    """Return the dict of a state. ``now`` is its copy with the present piles counted."""
    deck = [] if state.phase == PHASE_DEAL else state.deck[state.drawn :]
    holder = player_or_none(state.joker_holder)
    given = int(state.given_rounds)
    return {
        "current_player": int(state.current_player),
        "dealer": int(state.dealer),
        "round": int(state.round_number),
        "phase": PHASE_NAMES[int(state.phase)],
        "hands": [names_of(hand) for hand in state.hand],
        "field": names_of(state.field),
        "captured": [names_of(pile) for pile in state.captured],
        "deck": [CARD_NAMES[card] for card in deck],
        "pending": card_or_none(state.pending),
        "scores": [int(score) for score in state.score],
        "base": [int(base) for base in now.base_points],
        "yaku": [yaku_names(held) for held in now.yaku],
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
            for k in range(given if is_terminal(state) else int(state.round_number), given)
        ],
    }


def _result_to_dict(result: Any) -> dict[str, Any]:
    return {
        "winner": player_or_none(result.winner),
        "points": int(result.points),
        "reason": REASON_NAMES[int(result.reason)],
        "dealer": int(result.dealer),
        "yaku": yaku_names(result.yaku),
        "koikoi_called": [int(calls) for calls in result.koikoi_called],
    }


def _turns(rules: Rules, state: Any) -> list[dict[str, Any]]:
    """Return the turns that the record holds, newest last."""
    ages = range(min(kept_turns(rules), int(state.turn)))
    past = [turn_record(rules, state, age) for age in reversed(ages)]
    return [
        {
            "player": int(turn.player),
            "played": card_or_none(turn.played),
            "drawn": card_or_none(turn.drawn),
            "captured": names_of(turn.captured),
            "joker": bool(turn.is_joker),
            "koikoi": bool(turn.koikoi),
        }
        for turn in past
        if turn.player != NOBODY
    ]


# --- In: decks, or a dict ---------------------------------------------------------------------------------------------


def load_deal(config: KoiKoiConfig, state: Any, options: Mapping[str, Any]) -> None:
    """Begin the record's episode with given decks for the first rounds, a given dealer, or both (L8).

    Args:
        config: the game's configuration.
        state: one scalar record of `hanafuda_env.engine.state.state_dtype` with a random stream and episode.
        options: ``decks``, lists of all 48 card names, top first, for the first rounds; ``dealer``, 0 or 1, without
            which a random player deals (K3).

    Raises:
        ValueError: a deck is not the box, a deck makes its round void (K9), or the decks leave nothing to decide (L7).
            The record is unchanged.
    """
    rules = config.rules()
    given = parse_decks(rules, options.get("decks", []))
    first = as_index("dealer", options["dealer"], 1) if "dealer" in options else None
    with scratch_record(state) as new:
        give_decks(rules, new, 0, given)
        for attempt in itertools.count():  # as in `init`
            new.key = random_word(episode_key(new.game_key, new.episode), attempt)
            open_game(rules, new, random_below(new.key, 0, 2) if first is None else first)
            deal_rounds(rules, new)
            if not is_terminal(new):
                break
            if given:
                raise ValueError("decks must leave something to decide: lucky hands end every round of the game")


def load_position(config: KoiKoiConfig, state: Any, position: Mapping[str, Any]) -> None:
    """Write a position into the record. Its game key and episode stay, so later episodes are not affected.

    Args:
        config: the game's configuration.
        state: one scalar record of `hanafuda_env.engine.state.state_dtype` whose episode has begun.
        position: the keys of `to_dict`. Only `REQUIRED_KEYS` are required. By default there are no last turns, nothing
            is revealed, all rewards have been paid, and the record's own stream deals the coming rounds. ``base``,
            ``yaku`` and unknown keys are ignored.

    Raises:
        ValueError: the position is impossible; the message names the wrong card, count or key. Whether legal moves can
            lead to the position is not checked. The record is unchanged.
    """
    check_keys("a position", "to_dict()", position, REQUIRED_KEYS)
    rules = config.rules()
    with scratch_record(state) as new:
        read_position(rules, new, position)
        check_position(rules, new)
