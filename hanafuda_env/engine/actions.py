"""The numbers of Koi-Koi's actions. Actions below 48 are cards."""

STOP = 48  # K21: Game
KOIKOI = 49
HIKI = 50  # K17: take all four
KEEP_HANDS = 51  # K6
SWAP_HANDS = 52
USE_JOKER = 53  # K41
NUM_ACTIONS = 54
