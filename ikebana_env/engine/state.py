"""The constants, `Rules` and game record (`state_dtype`) of Ikebana."""

from typing import NamedTuple

import numpy as np

from ikebana_env.engine.actions import BUY

# --- What is in the box -----------------------------------------------------------------------------------------------

COLORS = 5  # I1: black, red, green, blue, yellow
VALUES = 5  # I1: 1 to 5, in the code 0 to 4
CARDS_PER_COLOR = 10  # I1: 1 1 1 2 2 3 3 4 4 5
JOKER = COLORS  # the color of the multicolored cards, one of each value
KINDS = (COLORS + 1) * VALUES
DECK_SIZE = COLORS * CARDS_PER_COLOR + VALUES
BOUQUET_SIZE = 5  # I3
START_PRESTIGE = 6  # I2
MOST_ROUNDS = 4  # I3
NO_CARD = 63  # its bit is outside every set of cards

END_NOT_YET = 0
END_COMPLETE = 1  # I14: all rounds were played
END_ILLEGAL = 2  # a loop ended the game after an illegal action

REWARD_WIN = 0  # J4
REWARD_PRESTIGE = 1
REWARD_DENSE = 2
TYPICAL_GAIN = 25  # J4: the typical gain of a round, the unit of the prestige rewards

START_PLAYER_DRAW = 1 << 20  # a counter of the random stream that no draw from the deck uses


class Rules(NamedTuple):
    """A configuration as ints for the compiler, made by `IkebanaConfig.rules`. Flags are 0 or 1."""

    players: int
    rounds: int
    final_bouquet: int  # I15
    random_start_player: int  # I4
    perfect_recall: int  # I8, J3: buried cards are observed
    derived: int  # derived facts are observed
    reward: int  # J4: REWARD_*
    num_actions: int


def state_dtype(players: int, rounds: int) -> np.dtype:
    """Return the dtype of a game's record: facts only, no encodings. Sizes may exceed those of the game's `Rules`."""
    return np.dtype(
        [
            ("game_key", np.uint64),  # random stream of this table (seed and global game index)
            ("key", np.uint64),  # random stream of this episode
            ("episode", np.uint64),  # games played at this table before this one
            ("bouquets", np.uint64, (players,)),  # sets of cards
            ("length", np.uint32),  # steps of this game
            ("prestige", np.int16, (players,)),
            ("current_player", np.uint8),
            ("drawn", np.uint8),  # the card that the current player has to keep or refuse, or NO_CARD
            ("refusals", np.uint8),  # in this turn
            ("round_index", np.uint8),  # from 0
            ("starter", np.uint8),  # the player who began this round
            ("end_reason", np.uint8),  # END_*
            ("deck_count", np.uint8),
            ("reshuffles", np.uint8),  # in this round (I9)
            ("given_rounds", np.uint8),  # number of rounds that begin with a deck of `given_decks`
            ("discard_count", np.uint8, (players,)),
            ("cards", np.uint8, (DECK_SIZE,)),  # the deck at the front, see `hanabako.engine.deck`
            ("discards", np.uint8, (players, DECK_SIZE)),  # bottom to top
            ("gains", np.int16, (rounds, players)),  # the gains of each finished round
            ("given_decks", np.uint8, (rounds, DECK_SIZE)),  # given decks, in the order of `cards`
        ],
        align=True,
    )


def roomy(rules: Rules) -> Rules:
    """Return the sizes of the generic record, which fits every configuration."""
    players = 5
    return rules._replace(players=players, rounds=MOST_ROUNDS, perfect_recall=1, derived=1, num_actions=BUY + players)
