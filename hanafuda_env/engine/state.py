"""The numbers and the record of a game of Koi-Koi: what is in the box, `Rules`, `state_dtype`, and `roomy` sizes.

What players do with them is in `hanafuda_env.engine.rules`, which also tells how arguments are spelled.
"""

from typing import NamedTuple

import numpy as np

from hanafuda_env.engine.cards import CARDS

# --- What is in the box -----------------------------------------------------------------------------------------------

HAND = 8  # K5: cards of a hand, and of the field
TURNS = 16  # K26: after them both hands are empty
MOST_CALLS = 2 * (HAND - 1)  # K23: no player calls Koi with an empty hand
MOST_HISTORY = 16  # turns that an observation can hold
LEAST_TURNS = 2  # the record remembers the present turn and the last, and more if the observation has them

PHASE_SWAP = 0  # K6: the other player may ask the dealer for the hand
PHASE_PLAY = 1
PHASE_JOKER_TARGET = 2  # K41: which card of the field the Gaji takes
PHASE_PICK_HAND = 3  # K16, K17: which of several matching cards the played one takes
PHASE_PICK_DRAW = 4  # K19: the same for the drawn card
PHASE_KOI = 5  # K21
PHASE_END = 6
PHASE_DRAW = 7  # the following are passed through inside a step: the card from the hand has met the field,
PHASE_TURN_END = 8  # so has the drawn one,
PHASE_DEAL = 9  # the next round is to be dealt

REASON_STOP = 0  # how a round ended
REASON_EXHAUSTED = 1
REASON_TESHI = 2
REASON_KUTTSUKI = 3
REASON_BOTH_LUCKY = 4
NOBODY = -1

LUCKY_PLAYS = 0  # what Teshi (or Kuttsuki) in a hand does: nothing, also on the field,
LUCKY_WINS = 1  # it wins the round (K8), and on the field makes it void (K9),
LUCKY_REDEALS = 2  # or the round is void in either case
BOTH_DRAW = 0  # K10: a lucky hand each: no player scores,
BOTH_PLAY = 1  # the round is played,
BOTH_REDEAL = 2  # or dealt again

OWN_KOI_NONE = 0  # what the winner's own calls of Koi do: nothing,
OWN_KOI_CHAIN = 1  # they multiply (K30, K31),
OWN_KOI_BONUS = 2  # or add a point each, and multiply from the fourth on

GENERIC_ROUNDS = 12  # rounds that the generic record has room for

REWARD_SQUASHED = 0
REWARD_POINTS = 1
REWARD_RESULT = 2

FROM_HAND = np.uint8(1)  # K44: how a player has brought November cards into the round
FROM_DECK = np.uint8(2)

DEAL_STREAMS = 1 << 20  # counters of the random stream that deals use, apart from the dealer's
ATTEMPTS = 1 << 10  # deals of one round: the void ones, then the good one


class Rules(NamedTuple):
    """The numbers of one configuration, for the compiler, made by `KoiKoiConfig.rules`; flags are 0 or 1."""

    players: int  # K1: two
    num_actions: int
    rounds: int  # K2
    start_score: int
    ends_at_zero: int  # L6: the game ends when a score is 0 or below
    loser_pays: int  # L6: what the winner gets the other loses
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
    red_and_blue: int  # K39, L2b: points for both, on top of their own
    own_koi: int  # OWN_KOI_*
    opponent_koi_factor: int  # K33
    seven: int  # K34: the base from which
    seven_factor: int  # it is multiplied by this
    exhausted_points: int  # L6: what the dealer gets for an exhausted round
    draw_changes_dealer: int  # L12
    gaji: int  # K40
    gaji_blocked_by: int  # K44: FROM_HAND, or with FROM_DECK
    reward: int  # REWARD_*
    history: int  # turns in the observation
    points: tuple[int, ...]  # of every yaku, in the order of `hanafuda_env.engine.yaku.YAKU_NAMES`,
    points_after_koi: tuple[int, ...]  # once the player has called Koi,
    extra: tuple[int, ...]  # and for every further card


TURN = np.dtype(  # what everybody saw of one turn
    [
        ("captured", np.uint64),  # cards that went to the player's pile
        ("player", np.int8),  # or NOBODY
        ("played", np.uint8),  # from the hand
        ("drawn", np.uint8),  # from the deck, or NO_CARD as long as it was not turned up
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
    """The record of one game: facts only, no encodings. Sizes may exceed the game's (`Rules` tells the real ones)."""
    return np.dtype(
        [
            ("game_key", np.uint64),  # random stream of this table (seed and global game index)
            ("key", np.uint64),  # random stream of this episode
            ("hand", np.uint64, (2,)),  # all zones are sets of cards
            ("captured", np.uint64, (2,)),
            ("field", np.uint64),
            ("revealed", np.uint64),  # K46: hand cards that everybody has seen
            ("refused", np.uint64),  # K46: cards of the field that the Gaji in play may not take
            ("episode", np.uint32),  # games played at this table before this one
            ("length", np.uint32),  # steps of this game
            ("score", np.int32, (2,)),
            ("base_points", np.int16, (2,)),  # K21: points of the pile when it was last counted, at the end of a turn
            ("yaku", np.uint16, (2,)),  # and its yaku
            ("chain", np.uint8, (2,)),  # K31
            ("koikoi_called", np.uint8, (2,)),  # times in this round
            ("november", np.uint8, (2,)),  # K44: FROM_HAND, FROM_DECK
            ("joker_holder", np.int8),  # K45: or NOBODY
            ("joker_month", np.uint8),  # 0 .. 11
            ("phase", np.uint8),
            ("current_player", np.uint8),
            ("dealer", np.uint8),
            ("turn", np.uint8),  # 1 .. 16
            ("pending", np.uint8),  # a card that has left the hand or the deck and lies nowhere yet, or NO_CARD
            ("drawn", np.uint8),  # cards that have left the deck
            ("deck", np.uint8, (CARDS,)),  # the whole shuffled box, top first
            ("round_number", np.uint8),  # 1 ..
            ("finished", np.uint8),  # rounds
            ("rewarded", np.uint8),  # L7: rounds whose rewards have been given
            ("given_rounds", np.uint8),  # L8: how many rounds begin with a deck of `given_decks`
            ("turns", TURN, (max(history, LEAST_TURNS),)),  # ring of the last turns of this round, see `turn_record`
            ("results", ROUND, (rounds,)),
            ("given_decks", np.uint8, (rounds, CARDS)),  # L8: tops first
        ],
        align=True,
    )


def roomy(rules: Rules) -> Rules:
    """Sizes of the generic record: room for every preset, or for this configuration if it is larger."""
    return rules._replace(
        rounds=max(GENERIC_ROUNDS, rules.rounds),
        history=MOST_HISTORY if rules.history > LEAST_TURNS else LEAST_TURNS,
    )
