"""What can be: a position, and what is true of every one that can be reached (see `hanabi_env.words.positions`).

Checked are the cards, the sizes of the hands, how a game ends, and what may be pending; not whether some history of
legal moves leads there.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hanabi_env.config import HanabiConfig
from hanabi_env.engine.cards import copies, nameable_colors, nameable_ranks, playable_set, rank_of, suit_of
from hanabi_env.engine.rules import is_complete
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
    TILE_COLOR_HINT,
    TILE_PLAY_DISCARD,
    TILE_RANK_HINT,
    TILE_TAKE_BACK,
    TILES,
    Rules,
)
from hanabi_env.words.notation import CHOICE_NAMES, END_NAMES, card_names

ENDS_BY_A_CARD = (END_OUT_OF_LIVES, END_COMPLETED, END_INDISPENSABLE)  # E1: the player of that card did not draw
GOES_ON = (END_NOT_YET, END_ILLEGAL)  # an illegal action ends a game that could have gone on


@dataclass(frozen=True)
class Position:
    """A checked position in the numbers of the rules; lists hold what is there, without empty slots.

    Fields that the record has too have its names and meaning, so that the questions of the rules can be asked of both.
    """

    current_player: int
    hands: list[list[int]]
    deck: list[int]
    """Top first."""
    discards: list[int]
    fireworks: list[int]
    information_tokens: int
    life_tokens: int
    turns_to_play: int
    end_reason: int
    plausible: list[list[int]]
    """Per player and slot a set of cards, one bit each."""
    hinted: list[list[int]]
    """Per player and slot a set of `hint_marks`, one bit each."""
    events: list[dict[str, int]]
    """Fields of the rules' ``EVENT``, newest last."""
    length: int
    bonus_tiles: list[int]
    """The face-down ones, next first."""
    pending: int


def check_position(config: HanabiConfig, position: Position) -> None:
    """Refuse a position that cannot be reached.

    Raises:
        ValueError: the message names the card, count or key that is wrong.
    """
    rules = config.rules()
    check_box(config, "the position", _all_places(rules, position))
    _check_turns(rules, position)
    _check_end(rules, position)
    _check_tiles(rules, position)
    _check_pending(rules, position)
    _check_hand_sizes(rules, position)
    _check_next_player(rules, position)
    _check_length(position)


def _all_places(rules: Rules, position: Position) -> list[int]:
    """Every card of the position, wherever it lies."""
    cards = [*position.deck, *position.discards]
    for hand in position.hands:
        cards += hand
    return [*cards, *_played_cards(rules, position)]


def _played_cards(rules: Rules, position: Position) -> list[int]:
    """The cards on the fireworks."""
    cards: list[int] = []
    for suit, played in enumerate(position.fireworks):
        first = rules.ranks - played if suit == rules.black_suit else 0  # V3: black runs down from the highest
        cards += range(suit * rules.ranks + first, suit * rules.ranks + first + played)
    return cards


def box_of(config: HanabiConfig) -> Counter[str]:
    """How often every card is in the box (H1), by name."""
    rules = config.rules()
    names = enumerate(card_names(config))
    return Counter({name: copies(rules, suit_of(rules, card), rank_of(rules, card)) for card, name in names})


def check_box(config: HanabiConfig, where: str, cards: list[int]) -> None:
    """Every card of the box is somewhere exactly once (H1)."""
    box, found = box_of(config), Counter(card_names(config)[card] for card in cards)
    wrong = [f"{name} {found[name]} times instead of {box[name]}" for name in box if found[name] != box[name]]
    if wrong:
        raise ValueError(f"{where} must have the {box.total()} cards of the box, has {', '.join(wrong)}")


def _check_turns(rules: Rules, position: Position) -> None:
    """H14: the last round begins with the draw of the last card. E5: a final bouquet has none."""
    has_begun = position.turns_to_play != LAST_ROUND_NOT_BEGUN
    if rules.final_bouquet:
        if has_begun:
            raise ValueError(f"turns_to_play must be None with final_bouquet, got {position.turns_to_play}")
    elif position.deck and has_begun:
        raise ValueError(f"turns_to_play must be None while the deck has cards, got {position.turns_to_play}")
    elif not position.deck and not has_begun:
        raise ValueError("turns_to_play must be the number of turns left when the deck is empty, got None")


def _check_end(rules: Rules, position: Position) -> None:
    """H12, H13, H14, V5: lives, fireworks, discards and turns tell whether and how the game ended."""
    if position.life_tokens == 0 and is_complete(rules, position):
        raise ValueError("life_tokens must not be 0 with all fireworks complete: either ends the game")
    expected = _end_by_the_table(rules, position)
    may_be_stuck = rules.final_bouquet and position.end_reason == END_STUCK
    if expected == END_NOT_YET and (may_be_stuck or position.end_reason == END_ILLEGAL):
        return
    if position.end_reason != expected:
        turns = None if position.turns_to_play == LAST_ROUND_NOT_BEGUN else position.turns_to_play
        facts = f"life_tokens {position.life_tokens}, turns_to_play {turns}, {sum(position.fireworks)} cards played"
        if rules.final_bouquet:
            facts += f", {len(position.discards)} cards discarded"
        raise ValueError(
            f"end_reason must be {END_NAMES[expected]!r} with {facts}, got {END_NAMES[position.end_reason]!r}"
        )


def _end_by_the_table(rules: Rules, position: Position) -> int:
    """How the game must have ended by what lies on the table; whether a player is stuck is another question."""
    if position.life_tokens == 0:
        return END_OUT_OF_LIVES
    if is_complete(rules, position):
        return END_COMPLETED
    if rules.final_bouquet and _is_indispensable_lost(rules, position):
        return END_INDISPENSABLE
    return END_OUT_OF_CARDS if position.turns_to_play == 0 else END_NOT_YET


def _is_indispensable_lost(rules: Rules, position: Position) -> bool:
    """V5: a card that a firework needs has all its copies in the discard."""
    lying, played = Counter(position.discards), set(_played_cards(rules, position))
    return any(
        number == copies(rules, suit_of(rules, card), rank_of(rules, card))
        for card, number in lying.items()
        if card not in played
    )


def _check_tiles(rules: Rules, position: Position) -> None:
    """V4, E9: every colored or multicolor firework that was completed revealed a tile. E4: but for the end's."""
    if not rules.flamboyants:
        return
    colored = [played for suit, played in enumerate(position.fireworks) if suit != rules.black_suit]
    left = TILES - colored.count(rules.ranks)
    allowed = [left]
    if position.end_reason == END_COMPLETED:
        allowed = [left, left + 1] if rules.black_suit >= 0 else [left + 1]
    if len(position.bonus_tiles) not in allowed:
        counts = " or ".join(map(str, allowed))
        raise ValueError(
            f"bonus_tiles must be {counts} tiles, one less for every completed firework that revealed one, "
            f"got {len(position.bonus_tiles)}"
        )


def _check_pending(rules: Rules, position: Position) -> None:
    """V4, E10: a choice belongs to a revealed tile, and there is something to choose."""
    if position.pending == NO_TILE:
        return
    name = CHOICE_NAMES[position.pending]
    if position.end_reason not in GOES_ON:
        raise ValueError(f"pending must be None after the end, got {name!r}")
    if not any(tile not in position.bonus_tiles for tile in _tiles_that_ask(position)):
        raise ValueError(f"pending must belong to a revealed tile, got {name!r}")
    if position.pending == CHOICE_OF_E and position.deck:
        raise ValueError(f"pending must not be {name!r} while the deck has cards")
    if not _has_something_to_choose(rules, position):
        raise ValueError(f"pending must be None where there is nothing to choose, got {name!r}")


def _tiles_that_ask(position: Position) -> tuple[int, ...]:
    """The tiles that can have led to what is pending: on an empty deck (e) may act as (f)."""
    if position.pending == CHOICE_OF_E:
        return (TILE_TAKE_BACK,)
    if position.pending == TILE_PLAY_DISCARD and not position.deck:
        return (TILE_PLAY_DISCARD, TILE_TAKE_BACK)
    return (position.pending,)


def _has_something_to_choose(rules: Rules, position: Position) -> bool:
    """V4, E10, E11: a hint that may be given, a card in the discard, or one there that is playable."""
    if position.pending in (TILE_COLOR_HINT, TILE_RANK_HINT):
        others = [card for k, hand in enumerate(position.hands) if k != position.current_player for card in hand]
        nameable = nameable_colors if position.pending == TILE_COLOR_HINT else nameable_ranks
        return bool(nameable(rules, _card_set(others)))
    if position.pending == TILE_PLAY_DISCARD:
        return bool(_card_set(position.discards) & playable_set(rules, position))
    return bool(position.discards)


def _card_set(cards: list[int]) -> np.uint64:
    """The set of some cards, one bit each."""
    return np.uint64(sum(1 << card for card in set(cards)))


def _check_hand_sizes(rules: Rules, position: Position) -> None:
    """H14, E1: hands are full but for turns of the last round, and for the card that ended the game.

    V4: a turn with a choice has not drawn yet. V5: hands shrink once the deck is empty.
    """
    size = rules.hand_size
    if rules.final_bouquet and not position.deck:
        _check_shrunken_hands(rules, position)
        return
    for player, hand in enumerate(position.hands):
        if not size - 1 <= len(hand) <= size:
            raise ValueError(f"hands[{player}] must have {size} cards (or one less at the end), got {len(hand)}")
    short = [player for player, hand in enumerate(position.hands) if len(hand) < size]
    if position.pending != NO_TILE:
        _check_pending_hand(rules, position)
        short.remove(position.current_player)
    most, who = _may_be_short(rules, position)
    for number, player in enumerate(short):
        if number >= most or player not in who:
            reason = "a hand is one short only after its turn of the last round, or by the card that ended the game"
            raise ValueError(f"hands[{player}] must have {size} cards, got {size - 1}: {reason}")
    if position.end_reason in ENDS_BY_A_CARD and not short:
        raise ValueError(f"the hands are all full, but the one whose card ended the game must have {size - 1} cards")


def _check_shrunken_hands(rules: Rules, position: Position) -> None:
    """V5: with an empty deck hands have any number of cards, but the one whose card is not replaced is not full."""
    size = rules.hand_size
    for player, hand in enumerate(position.hands):
        if len(hand) > size:
            raise ValueError(f"hands[{player}] must have at most {size} cards, got {len(hand)}")
    if position.pending != NO_TILE:
        _check_pending_hand(rules, position)
    if position.end_reason in ENDS_BY_A_CARD and all(len(hand) == size for hand in position.hands):
        raise ValueError(f"the hands are all full, but the one whose card ended the game must have {size - 1} cards")


def _check_pending_hand(rules: Rules, position: Position) -> None:
    """V4: the player who chooses has played a card and not drawn yet."""
    player, size = position.current_player, rules.hand_size
    if len(position.hands[player]) >= size:
        raise ValueError(f"hands[{player}] must have {size - 1} cards while its player chooses, got {size}")


def _may_be_short(rules: Rules, position: Position) -> tuple[int, Sequence[int]]:
    """How many hands may be one card short, and whose. After the end ``current_player`` tells nothing (E6)."""
    if position.deck:
        most = int(position.end_reason in ENDS_BY_A_CARD)
    else:
        most = rules.players - position.turns_to_play
    if position.end_reason not in GOES_ON:
        return most, range(rules.players)
    return most, [(position.current_player - turn) % rules.players for turn in range(1, most + 1)]


def _check_next_player(rules: Rules, position: Position) -> None:
    """V5, E5: where the game goes on the player to move can act; where it is stuck some player cannot."""
    if position.end_reason == END_STUCK:
        if all(_can_act(rules, position, player) for player in range(rules.players)):
            raise ValueError("end_reason 'stuck' needs a player with no card who cannot give a hint")
        return
    is_turn = position.end_reason in GOES_ON and position.pending == NO_TILE
    if is_turn and not _can_act(rules, position, position.current_player):
        raise ValueError(f"player {position.current_player} can do nothing: end_reason must be 'stuck'")


def _can_act(rules: Rules, position: Position, player: int) -> bool:
    """The player has a card, or a token and somebody to hint to."""
    if position.hands[player]:
        return True
    others = any(hand for k, hand in enumerate(position.hands) if k != player)
    return position.information_tokens > 0 and (others or bool(rules.empty_hints))


def _check_length(position: Position) -> None:
    if position.length < len(position.events):
        raise ValueError(f"length must be at least the {len(position.events)} steps of events, got {position.length}")
