"""The constants, `Rules` and game record (`state_dtype`) of Hanabi."""

from typing import NamedTuple

import numpy as np

# --- What is in the box -----------------------------------------------------------------------------------------------

NO_CARD = 63  # an empty slot; its bit is outside every set of cards

END_NOT_YET = 0
END_OUT_OF_LIVES = 1  # H12
END_COMPLETED = 2  # H13
END_OUT_OF_CARDS = 3  # H14
END_INDISPENSABLE = 4  # V5: the last copy of a card that a firework needs was discarded
END_STUCK = 5  # V5: the player to move has no legal action
END_ILLEGAL = 6  # a loop ended the game after an illegal action
LOST_ENDS = (END_OUT_OF_LIVES, END_INDISPENSABLE, END_STUCK)  # H12, V5

EVENT_NONE = 0  # kinds of events, in the Hanabi Learning Environment's order
EVENT_PLAY = 1
EVENT_DISCARD = 2
EVENT_HINT_COLOR = 3
EVENT_HINT_RANK = 4
EVENT_CHOOSE = 5  # V4: a card of the discard was chosen
EVENT_SHUFFLE_BACK = 6  # V4: tile (e) on an empty deck is used to take a card back,
EVENT_PLAY_FROM_DISCARD = 7  # or as tile (f)

TILES = 6  # V4: one bonus tile of each effect
TILE_TOKEN = 0  # (a) an information token
TILE_LIFE = 1  # (b) an error turned back, and an information token
TILE_COLOR_HINT = 2  # (c) a free color hint
TILE_RANK_HINT = 3  # (d) a free rank hint
TILE_TAKE_BACK = 4  # (e) a card of the discard is shuffled into the deck
TILE_PLAY_DISCARD = 5  # (f) a card of the discard is played
CHOICE_OF_E = 6  # not a tile: on an empty deck, the player chooses how to use (e)
NO_TILE = 7  # nothing is pending
EVENTS_PER_TURN = 5  # V4: a play, (e) on an empty deck and its card, the card of (f), a free hint

MOST_TOKENS = 50  # of either kind
MOST_HISTORY = 32  # steps that an observation can hold

LAST_ROUND_NOT_BEGUN = -1
START_PLAYER_DRAW = 1 << 20  # counters of the random stream that no draw from the deck uses
TILE_DRAW = 1 << 21
SHUFFLE_STRIDE = 1 << 8  # the draws after each shuffle use their own counters


class Rules(NamedTuple):
    """A configuration as ints for the compiler, made by `HanabiConfig.rules`. Flags are 0 or 1."""

    players: int
    hand_size: int
    colors: int  # colors that a hint can name; color c names suit c
    suits: int  # fireworks
    ranks: int  # cards of a complete firework
    deck_size: int  # cards in the box
    max_information_tokens: int
    max_life_tokens: int
    random_start_player: int
    empty_hints: int  # H7: a hint may touch no card
    score_on_loss_zero: int  # H12, V5: a lost game has the score of its start
    multicolor_suit: int  # V1, V2: the suit, or -1
    multicolor_is_single: int  # V1: one card of each rank (and a color that hints name)
    black_suit: int  # V3: the suit, or -1
    black_is_mirrored: int  # V3: three of the highest rank, one of the lowest
    flamboyants: int  # V4
    final_bouquet: int  # V5
    choreography: int  # V6
    num_actions: int
    observation_type: int  # content of the knowledge section: OBSERVE_MINIMAL, OBSERVE_CARD_KNOWLEDGE, OBSERVE_SEER
    history: int  # last actions in the observation
    belief: int  # section of the possible cards
    derived: int  # section of derived flags


def event_dtype(hand_size: int) -> np.dtype:
    """Return the dtype of an event: the public information about one step."""
    slots = np.uint32 if hand_size <= 32 else np.uint64  # a set of slots, one bit each
    return np.dtype(
        [
            ("touched", slots),  # slots that a hint touched
            ("kind", np.uint8),  # EVENT_*
            ("player", np.uint8),  # the player who acted
            ("target", np.uint8),  # the receiver of the hint
            ("value", np.uint8),  # color or rank of the hint
            ("slot", np.uint8),  # slot of the played or discarded card
            ("card", np.uint8),  # the played, discarded or chosen card
            ("announced", np.uint8),  # V6: 1 + the announced suit, or 0
            ("scored", np.uint8),  # 1: the played card joined its firework
            ("gave_token", np.uint8),  # 1: the card brought an information token (not through a tile)
        ],
        align=True,
    )


def state_dtype(players: int, hand_size: int, suits: int, ranks: int, deck_size: int, history: int) -> np.dtype:
    """Return the dtype of a game's record: facts only, no encodings. Sizes may exceed those of the game's `Rules`."""
    cards = np.uint32 if suits * ranks <= 32 else np.uint64  # a set of cards, one bit each
    return np.dtype(
        [
            ("game_key", np.uint64),  # random stream of this table (seed and global game index)
            ("key", np.uint64),  # random stream of this episode
            ("episode", np.uint64),  # games played at this table before this one
            ("plausible", cards, (players, hand_size)),  # cards that hints have not excluded; 0 in an empty slot
            (
                "events",
                event_dtype(hand_size),
                (history,),
            ),  # ring of the last steps, the newest at (length - 1) % history
            ("length", np.uint32),  # steps of this game
            ("hinted", np.uint16, (players, hand_size)),  # bits: colors, then ranks named by hints that touched
            ("discarded", np.uint16, (suits,)),  # H18: copies in the discard: per rank a thermometer, see first_copy()
            ("hands", np.uint8, (players, hand_size)),  # cards, oldest first, then NO_CARD
            ("hand_count", np.uint8, (players,)),
            ("cards", np.uint8, (deck_size,)),  # the box: the deck in no order at the front, the discard from the back
            ("fireworks", np.uint8, (suits,)),  # cards played on each suit
            ("deck_count", np.uint8),  # cards left to draw
            ("discard_count", np.uint8),
            ("information_tokens", np.uint8),
            ("life_tokens", np.uint8),
            ("turns_to_play", np.int8),  # H14: turns left, or LAST_ROUND_NOT_BEGUN
            ("current_player", np.uint8),
            ("end_reason", np.uint8),  # END_*
            ("shuffles", np.uint8),  # times the deck was shuffled again (V4)
            (
                "bonus_tiles",
                np.uint8,
                (TILES,),
            ),  # V4: TILE_*, first the revealed ones, then the face-down ones
            ("tiles_left", np.uint8),  # face-down tiles
            ("pending", np.uint8),  # the tile that waits for a choice, CHOICE_OF_E, or NO_TILE
        ],
        align=True,
    )


def roomy(rules: Rules) -> Rules:
    """Return the sizes of the generic record, which fits every game of the booklets and this game if it is larger."""
    return rules._replace(
        players=5,
        hand_size=max(5, rules.hand_size),
        colors=6,
        suits=7,
        ranks=5,
        deck_size=70,
        max_information_tokens=MOST_TOKENS,
        max_life_tokens=MOST_TOKENS,
        multicolor_suit=-1,
        black_suit=-1,
        flamboyants=1,
        choreography=1,
        num_actions=max(128, rules.num_actions),
        observation_type=1,
        history=EVENTS_PER_TURN if rules.history <= EVENTS_PER_TURN else MOST_HISTORY,
        belief=1,
        derived=1,
    )
