"""The constants, `Rules` and game record (`state_dtype`) of Koi-Koi.

The players' actions are in `hanafuda_env.engine.rules`, which also explains the arguments.
"""

from typing import NamedTuple

import numpy as np

from hanafuda_env.engine.cards import CARDS

# --- What is in the box -----------------------------------------------------------------------------------------------

HAND = 8  # K5: cards of a hand, and of the field
TURNS = 16  # K26: after them both hands are empty
MOST_CALLS = 2 * (HAND - 1)  # K23: no player calls Koi with an empty hand
MOST_HISTORY = 16  # turns that an observation can hold
LEAST_TURNS = 2  # the record holds the present and the last turn, and more if the observation has them

PHASE_SWAP = 0  # K6: the other player may ask the dealer for the hand
PHASE_PLAY = 1
PHASE_JOKER_TARGET = 2  # K41: which card of the field the Gaji takes
PHASE_PICK_HAND = 3  # K16, K17: which of several matching cards the played one takes
PHASE_PICK_DRAW = 4  # K19: the same for the drawn card
PHASE_KOI = 5  # K21
PHASE_END = 6
PHASE_DRAW = 7  # the following occur only inside a step: the card from the hand has met the field,
PHASE_TURN_END = 8  # the drawn card has, too,
PHASE_DEAL = 9  # the next round is to be dealt

REASON_STOP = 0  # how a round ended
REASON_EXHAUSTED = 1
REASON_TESHI = 2
REASON_KUTTSUKI = 3
REASON_BOTH_LUCKY = 4
NOBODY = -1

LUCKY_PLAYS = 0  # the effect of Teshi (or Kuttsuki): none, in a hand and on the field,
LUCKY_WINS = 1  # in a hand it wins the round (K8), on the field it makes it void (K9),
LUCKY_REDEALS = 2  # or it makes the round void in both cases
BOTH_DRAW = 0  # K10: if both players have a lucky hand: no player scores,
BOTH_PLAY = 1  # the round is played,
BOTH_REDEAL = 2  # or it is dealt again

OWN_KOI_NONE = 0  # the effect of the winner's calls of Koi: none,
OWN_KOI_CHAIN = 1  # they multiply (K30, K31),
OWN_KOI_BONUS = 2  # or they add a point each, and multiply from the fourth on

GENERIC_ROUNDS = 12  # rounds that fit in the generic record

REWARD_SQUASHED = 0
REWARD_POINTS = 1
REWARD_RESULT = 2

FROM_HAND = np.uint8(1)  # K44: where a player's November cards came from
FROM_DECK = np.uint8(2)

DEAL_STREAMS = 1 << 20  # random counters of deals, separate from the dealer's
ATTEMPTS = 1 << 10  # deals of one round: void ones, then the valid one


class Rules(NamedTuple):
    """A configuration as numbers for the compiler, made by `KoiKoiConfig.rules`. Flags are 0 or 1."""

    players: int  # K1: two
    num_actions: int
    rounds: int  # K2
    start_score: int
    ends_at_zero: int  # L6: the game ends when a score is 0 or below
    loser_pays: int  # L6: the other player loses the winner's points
    hand_swap: int  # K6
    forced_match: int  # K14
    hiki_is_optional: int  # K17
    teshi: int  # K8, K9: LUCKY_*
    kuttsuki: int
    both_lucky: int  # K10: BOTH_*
    lucky_points: int
    choice_on_growth: int  # K21
    growth_in_chain: int  # K30
    koikoi_limit: int  # L13: calls in a round, of both players together
    bright_exclusive: int  # K25
    cup_is_chaff: int
    extra_named: int  # L2
    red_and_blue: int  # K39, L2b: extra points for both together
    own_koi: int  # OWN_KOI_*
    opponent_koi_factor: int  # K33
    seven: int  # K34: the base from which
    seven_factor: int  # it is multiplied by this
    exhausted_points: int  # L6: the dealer's points for an exhausted round
    draw_changes_dealer: int  # L12
    gaji: int  # K40
    gaji_blocked_by: int  # K44: FROM_HAND, or both FROM_HAND and FROM_DECK
    reward: int  # REWARD_*
    history: int  # turns in the observation
    points: tuple[int, ...]  # of every yaku, in the order of `hanafuda_env.engine.yaku.YAKU_NAMES`,
    points_after_koi: tuple[int, ...]  # after the player has called Koi,
    extra: tuple[int, ...]  # and for every further card


TURN = np.dtype(  # the public information about one turn
    [
        ("captured", np.uint64),  # cards that went to the player's pile
        ("player", np.int8),  # or NOBODY
        ("played", np.uint8),  # from the hand
        ("drawn", np.uint8),  # from the deck, or NO_CARD before it is turned up
        ("is_joker", np.uint8),  # K41: the Gaji was used as a joker
        ("koikoi", np.uint8),  # K21: the player called Koi
    ],
    align=True,
)

ROUND = np.dtype(  # a finished round
    [
        ("points", np.int32),
        ("yaku", np.uint16),  # of the winner who stopped
        ("winner", np.int8),  # or NOBODY
        ("dealer", np.int8),
        ("reason", np.uint8),  # REASON_*
        ("koikoi_called", np.uint8, (2,)),
    ],
    align=True,
)


def state_dtype(rounds: int, history: int) -> np.dtype:
    """Return the dtype of a game's record: facts only, no encodings. Sizes may exceed those of the game's `Rules`."""
    return np.dtype(
        [
            ("game_key", np.uint64),  # random stream of this table (seed and global game index)
            ("key", np.uint64),  # random stream of this episode
            ("episode", np.uint64),  # games played at this table before this one
            ("hand", np.uint64, (2,)),  # all zones are sets of cards
            ("captured", np.uint64, (2,)),
            ("field", np.uint64),
            ("revealed", np.uint64),  # K46: hand cards that both players have seen
            ("refused", np.uint64),  # K46: cards of the field that the Gaji in play may not take
            ("length", np.uint32),  # steps of this game
            ("score", np.int32, (2,)),
            ("base_points", np.int16, (2,)),  # K21: points of the pile when it was last counted, at the end of a turn
            ("yaku", np.uint16, (2,)),  # and its yaku
            ("chain", np.uint8, (2,)),  # K31
            ("koikoi_called", np.uint8, (2,)),  # calls in this round
            ("november", np.uint8, (2,)),  # K44: FROM_HAND, FROM_DECK
            ("joker_holder", np.int8),  # K45: or NOBODY
            ("joker_month", np.uint8),  # 0 .. 11
            ("phase", np.uint8),
            ("current_player", np.uint8),
            ("dealer", np.uint8),
            ("turn", np.uint8),  # 1 .. 16
            ("pending", np.uint8),  # a card that has left the hand or the deck and waits for a choice, or NO_CARD
            ("drawn", np.uint8),  # cards that have left the deck
            ("deck", np.uint8, (CARDS,)),  # the whole shuffled box, top first
            ("round_number", np.uint8),  # 1 ..
            ("finished", np.uint8),  # rounds
            ("rewarded", np.uint8),  # L7: rounds whose rewards have been paid
            ("given_rounds", np.uint8),  # L8: number of rounds that begin with a deck of `given_decks`
            ("turns", TURN, (max(history, LEAST_TURNS),)),  # ring of the last turns of this round, see `turn_record`
            ("results", ROUND, (rounds,)),
            ("given_decks", np.uint8, (rounds, CARDS)),  # L8: tops first
        ],
        align=True,
    )


def roomy(rules: Rules) -> Rules:
    """Return the sizes of the generic record, which fits every preset and this configuration if it is larger."""
    return rules._replace(
        rounds=max(GENERIC_ROUNDS, rules.rounds),
        history=MOST_HISTORY if rules.history > LEAST_TURNS else LEAST_TURNS,
    )
