"""Checks of positions: properties that hold in every reachable position, tested with the functions of the rules.

They test the cards, the sizes of the hands, the end of the game, and a pending choice. They do not test whether legal
moves can lead to the position.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from hanabako.words.checks import shown
from hanabi_env.config import HanabiConfig
from hanabi_env.engine.cards import copies, player_at, rank_of, suit_of
from hanabi_env.engine.rules import can_act, is_complete, is_indispensable_lost, played_cards
from hanabi_env.engine.state import (
    CHOICE_OF_E,
    END_COMPLETED,
    END_ILLEGAL,
    END_INDISPENSABLE,
    END_NOT_YET,
    END_OUT_OF_CARDS,
    END_OUT_OF_LIVES,
    END_STUCK,
    LAST_ROUND_NOT_BEGUN,
    NO_TILE,
    TILE_PLAY_DISCARD,
    TILE_TAKE_BACK,
    TILES,
    Rules,
)
from hanabi_env.engine.tiles import has_something_to_choose
from hanabi_env.words.notation import CHOICE_NAMES, END_NAMES, card_names

__all__ = ["box_of", "check_position"]

ENDS_BY_A_CARD = (END_OUT_OF_LIVES, END_COMPLETED, END_INDISPENSABLE)  # E1: the player who used that card did not draw
GOES_ON = (END_NOT_YET, END_ILLEGAL)  # an illegal action ends a game that would otherwise continue


def box_of(config: HanabiConfig) -> Counter[str]:
    """Return the number of copies of every card in the box (H1), by name."""
    rules = config.rules()
    names = enumerate(card_names(config))
    return Counter({name: copies(rules, suit_of(rules, card), rank_of(rules, card)) for card, name in names})


def check_position(rules: Rules, s: Any) -> None:
    """Refuse an impossible position whose cards are those of the box.

    Args:
        rules: the rules of the game.
        s: the record of the position. A ``hand_count`` above the hand size is refused here.

    Raises:
        ValueError: the position is impossible; the message names the wrong card, count or key.
    """
    _check_turns(rules, s)
    _check_end(rules, s)
    _check_tiles(rules, s)
    _check_pending(rules, s)
    _check_hand_sizes(rules, s)
    _check_next_player(rules, s)


def _check_turns(rules: Rules, s: Any) -> None:
    """H14: the last round begins when the last card is drawn. E5: a final bouquet has no last round."""
    has_begun = s.turns_to_play != LAST_ROUND_NOT_BEGUN
    if rules.final_bouquet:
        if has_begun:
            raise ValueError(f"turns_to_play must be None with final_bouquet, got {s.turns_to_play}")
    elif s.deck_count and has_begun:
        raise ValueError(f"turns_to_play must be None while the deck has cards, got {s.turns_to_play}")
    elif not s.deck_count and not has_begun:
        raise ValueError("turns_to_play must be the number of turns left when the deck is empty, got None")


def _check_end(rules: Rules, s: Any) -> None:
    """H12, H13, H14, V5: ``end_reason`` must agree with lives, fireworks, discards and turns."""
    if s.life_tokens == 0 and is_complete(rules, s):
        raise ValueError("life_tokens must not be 0 with all fireworks complete: either ends the game")
    expected = _expected_end(rules, s)
    may_be_stuck = rules.final_bouquet and s.end_reason == END_STUCK
    if expected == END_NOT_YET and (may_be_stuck or s.end_reason == END_ILLEGAL):
        return
    if s.end_reason != expected:
        turns = None if s.turns_to_play == LAST_ROUND_NOT_BEGUN else s.turns_to_play
        facts = f"life_tokens {s.life_tokens}, turns_to_play {turns}, {played_cards(rules, s)} cards played"
        if rules.final_bouquet:
            facts += f", {s.discard_count} cards discarded"
        wrong = END_NAMES[int(s.end_reason)]
        raise ValueError(f"end_reason must be {END_NAMES[expected]!r} with {facts}, got {shown(wrong)}")


def _expected_end(rules: Rules, s: Any) -> int:
    """Return the end that follows from the cards and tokens. It does not consider whether a player is stuck."""
    if s.life_tokens == 0:
        return END_OUT_OF_LIVES
    if is_complete(rules, s):
        return END_COMPLETED
    every_card = range(rules.suits * rules.ranks)
    if rules.final_bouquet and any(is_indispensable_lost(rules, s, card) for card in every_card):
        return END_INDISPENSABLE
    return END_OUT_OF_CARDS if s.turns_to_play == 0 else END_NOT_YET


def _check_tiles(rules: Rules, s: Any) -> None:
    """V4, E9: every completed firework except black revealed a tile. E4: the one that ended the game did not."""
    if not rules.flamboyants:
        return
    complete = sum(s.fireworks[suit] == rules.ranks for suit in range(rules.suits) if suit != rules.black_suit)
    left = TILES - int(complete)
    allowed = [left]
    if s.end_reason == END_COMPLETED:
        allowed = [left, left + 1] if rules.black_suit >= 0 else [left + 1]
    if s.tiles_left not in allowed:
        counts = " or ".join(map(str, allowed))
        raise ValueError(
            f"bonus_tiles must be {counts} tiles, one less for every completed firework that revealed one, "
            f"got {s.tiles_left}"
        )


def _check_pending(rules: Rules, s: Any) -> None:
    """V4, E10: a pending choice must belong to a revealed tile and have something to choose."""
    if s.pending == NO_TILE:
        return
    name = CHOICE_NAMES[int(s.pending)]
    if s.end_reason not in GOES_ON:
        raise ValueError(f"pending must be None after the end, got {shown(name)}")
    if not set(_tiles_that_ask(s)) & set(s.bonus_tiles[: TILES - int(s.tiles_left)].tolist()):
        raise ValueError(f"pending must belong to a revealed tile, got {shown(name)}")
    if s.pending == CHOICE_OF_E and s.deck_count:
        raise ValueError(f"pending must not be {name!r} while the deck has cards")
    if not has_something_to_choose(rules, s, s.pending):
        raise ValueError(f"pending must be None if there is nothing to choose, got {shown(name)}")


def _tiles_that_ask(s: Any) -> tuple[int, ...]:
    """Return the tiles that can have led to the pending choice: on an empty deck (e) may act as (f)."""
    if s.pending == CHOICE_OF_E:
        return (TILE_TAKE_BACK,)
    if s.pending == TILE_PLAY_DISCARD and not s.deck_count:
        return (TILE_PLAY_DISCARD, TILE_TAKE_BACK)
    return (int(s.pending),)


def _check_hand_sizes(rules: Rules, s: Any) -> None:
    """H14, E1: a hand is full, except after a turn of the last round or if its card ended the game.

    V4: a player who has a pending choice has not drawn yet. V5: hands shrink when the deck is empty.
    """
    size, counts = rules.hand_size, s.hand_count[: rules.players].tolist()
    may_shrink = rules.final_bouquet and not s.deck_count
    for player, count in enumerate(counts):
        if may_shrink and count > size:
            raise ValueError(f"hands[{player}] must have at most {size} cards, got {count}")
        if not may_shrink and not size - 1 <= count <= size:
            raise ValueError(f"hands[{player}] must have {size} cards (or one less at the end), got {count}")
    if s.pending != NO_TILE and counts[s.current_player] == size:
        who = f"hands[{s.current_player}]"
        raise ValueError(f"{who} must have {size - 1} cards while its player chooses, got {size}")
    short = [player for player, count in enumerate(counts) if count < size]
    if not may_shrink:
        _check_short_hands(rules, s, [player for player in short if not _is_choosing(s, player)])
    if s.end_reason in ENDS_BY_A_CARD and not short:
        raise ValueError(f"all hands are full, but the hand whose card ended the game must have {size - 1} cards")


def _is_choosing(s: Any, player: int) -> bool:
    """V4: whether the player has a pending choice, and so has not drawn a card yet."""
    return s.pending != NO_TILE and s.current_player == player


def _check_short_hands(rules: Rules, s: Any, short: Sequence[int]) -> None:
    """E1, H14: check how many hands, and which, are one card short."""
    size, (most, who) = rules.hand_size, _may_be_short(rules, s)
    for number, player in enumerate(short):
        if number >= most or player not in who:
            reason = "a hand is one short only after its turn of the last round, or by the card that ended the game"
            raise ValueError(f"hands[{player}] must have {size} cards, got {size - 1}: {reason}")


def _may_be_short(rules: Rules, s: Any) -> tuple[int, Sequence[int]]:
    """Return how many hands may be one card short, and whose. After the end, ``current_player`` is ignored (E6)."""
    most = int(s.end_reason in ENDS_BY_A_CARD) if s.deck_count else rules.players - int(s.turns_to_play)
    if s.end_reason not in GOES_ON:
        return most, range(rules.players)
    return most, [player_at(rules, s.current_player, rules.players - turn) for turn in range(1, most + 1)]


def _check_next_player(rules: Rules, s: Any) -> None:
    """V5, E5: if the game is not over, the player to move can act; if it is stuck, some player cannot."""
    if s.end_reason == END_STUCK:
        if all(_can_act(rules, s, player) for player in range(rules.players)):
            raise ValueError("end_reason 'stuck' needs a player with no card who cannot give a hint")
        return
    is_turn = s.end_reason in GOES_ON and s.pending == NO_TILE
    if is_turn and not can_act(rules, s):
        raise ValueError(f"player {s.current_player} has no legal action: end_reason must be 'stuck'")


def _can_act(rules: Rules, s: Any, player: int) -> bool:
    """V5: whether ``player`` could act in a turn now."""
    asked = s.copy()
    asked.current_player = player
    return can_act(rules, asked)
