"""Checks of Koi-Koi positions in a scratch record, with the functions of the rules."""

from typing import Any

from hanabako.engine.bits import bit, popcount
from hanabako.words.checks import check_box
from hanafuda_env.engine.cards import ALL_CARDS, CARDS, GAJI, NO_CARD
from hanafuda_env.engine.dealing import is_lucky, is_void
from hanafuda_env.engine.rules import can_call, has_choice, is_terminal, legal_actions, look_at_hands, matching_cards
from hanafuda_env.engine.scoring import is_complete
from hanafuda_env.engine.state import (
    HAND,
    PHASE_END,
    PHASE_JOKER_TARGET,
    PHASE_KOI,
    PHASE_PICK_DRAW,
    PHASE_PICK_HAND,
    PHASE_PLAY,
    PHASE_SWAP,
    Rules,
)
from hanafuda_env.words.notation import CARD_NAMES, PHASE_NAMES, names_of, set_of

__all__ = ["check_position"]

PICKING = (PHASE_PICK_HAND, PHASE_PICK_DRAW)


def check_position(rules: Rules, new: Any) -> None:
    """Raise ``ValueError`` if the parts of a position do not fit together."""
    _check_box(new)
    if not is_terminal(new):
        _check_player(new)
        _check_sizes(new)
        _check_scores(rules, new)
    _check_phase(rules, new)
    _check_calls(rules, new)
    _check_new_round(rules, new)


def _check_box(new: Any) -> None:
    """Check that every card is in the position exactly once."""
    zones = [*new.hand, new.field, *new.captured, set_of(new.deck[new.drawn :].tolist()), bit(new.pending) & ALL_CARDS]
    check_box("the position", (name for zone in zones for name in names_of(zone)), dict.fromkeys(CARD_NAMES, 1))


def _check_player(new: Any) -> None:
    """K6, K11: check the current player."""
    turn, player, dealer = int(new.turn), int(new.current_player), int(new.dealer)
    if new.phase == PHASE_SWAP:
        if turn != 1 or player == dealer:
            raise ValueError("in phase swap turn must be 1 and current_player must not be the dealer")
    elif player != (dealer + turn - 1) % 2:
        raise ValueError(f"current_player must be {(dealer + turn - 1) % 2} in turn {turn}")


def _check_sizes(new: Any) -> None:
    """K5, K13, K18: check the sizes of the deck, the hands and the piles in this turn and phase."""
    turn, when = int(new.turn), f"in turn {int(new.turn)} and phase {PHASE_NAMES[int(new.phase)]}"
    expected = CARDS - 3 * HAND - (turn - 1) - (new.phase in (PHASE_PICK_DRAW, PHASE_KOI))
    if CARDS - new.drawn != expected:
        raise ValueError(f"deck must have {expected} cards {when}")
    for player in range(2):
        has_played = player == new.current_player and new.phase not in (PHASE_SWAP, PHASE_PLAY)
        expected = HAND - (turn if player == new.dealer else turn - 1) // 2 - has_played
        count = popcount(new.hand[player])
        if count != expected:
            raise ValueError(f"hands[{player}] must have {expected} cards {when}, has {count}")
    for player in range(2):
        count = popcount(new.captured[player])
        if count % 2:
            raise ValueError(f"captured[{player}] must be pairs, has {count} cards")


def _check_scores(rules: Rules, new: Any) -> None:
    """L6: check that the scores have not ended the game."""
    if is_complete(rules, new):
        raise ValueError(f"scores must be above 0 before the end with ends_at_zero, got {new.score.tolist()}")


def _check_phase(rules: Rules, new: Any) -> None:
    """Check the pending card, and the conditions of the phase."""
    phase, name, is_pending = int(new.phase), PHASE_NAMES[int(new.phase)], new.pending != NO_CARD
    may_be_pending = phase in (*PICKING, PHASE_JOKER_TARGET)
    is_cut_short = phase == PHASE_END and new.finished < new.round_number  # by an illegal action, in any phase
    if is_pending != may_be_pending and not is_cut_short:
        raise ValueError(f"pending must {'be None' if is_pending else 'be a card'} in phase {name}")
    if phase == PHASE_SWAP and not rules.hand_swap:
        raise ValueError("phase must not be swap without hand_swap")
    if phase == PHASE_JOKER_TARGET and not (rules.gaji and new.pending == GAJI and legal_actions(rules, new)):
        raise ValueError(f"phase joker_target needs gaji, {CARD_NAMES[GAJI]} pending and a card it may take")
    if phase in PICKING and not has_choice(rules, popcount(matching_cards(new, new.pending))):
        wanted = " or ".join(str(count) for count in (2, 3) if has_choice(rules, count))
        raise ValueError(f"phase {name} needs {wanted} cards on the field that match the pending one")
    if phase == PHASE_KOI and not (new.yaku[new.current_player] and new.hand[new.current_player]):
        raise ValueError("phase koi needs a yaku and a card in the hand of current_player")
    if phase == PHASE_KOI and not can_call(rules, new):
        raise ValueError(f"phase koi needs fewer calls than koikoi_limit, {rules.koikoi_limit}")


def _check_calls(rules: Rules, new: Any) -> None:
    """K21, K31: a turn has at most one call and one new link of the chain. L13: a round has a maximum of calls."""
    turn = int(new.turn)
    for player in range(2):
        before = turn // 2 if player == new.dealer else (turn - 1) // 2
        has_ended = player == new.current_player and new.phase in (PHASE_KOI, PHASE_END)
        for name, count, most in (
            ("koikoi_called", new.koikoi_called[player], before),
            ("chain", new.chain[player], before + has_ended),
        ):
            if count > most:
                raise ValueError(f"{name}[{player}] must be at most {most} in turn {turn}, got {count}")
    if new.koikoi_called.sum() > rules.koikoi_limit:
        raise ValueError(f"koikoi_called must add up to at most {rules.koikoi_limit}, got {new.koikoi_called.tolist()}")


def _check_new_round(rules: Rules, new: Any) -> None:
    """K8, K9: a round must not begin with a void field, and is not played with a lucky hand."""
    if new.turn != 1 or new.phase not in (PHASE_SWAP, PHASE_PLAY):
        return
    if is_void(rules, new):
        raise ValueError("the round would be void: its field or its hands would be dealt again")
    if new.phase == PHASE_PLAY:
        begun = new.copy()
        look_at_hands(rules, begun)
        if begun.phase != PHASE_PLAY:
            player = [bool(is_lucky(rules, hand)) for hand in new.hand].index(True)
            raise ValueError(f"hands[{player}] is a lucky hand, which ends the round before the first turn")
