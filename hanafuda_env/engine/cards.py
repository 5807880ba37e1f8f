"""The cards of Koi-Koi, and sets of cards: words of 48 bits, four bits per month."""

import numpy as np

from hanabako.compiler.jit import rule
from hanabako.engine.bits import ONE

# --- What is in the box -----------------------------------------------------------------------------------------------

CARDS = 48
NO_CARD = 63  # its bit is outside every set of cards
NOVEMBER = 10  # the month of the willow, from 0

ALL_CARDS = np.uint64(0xFFFFFFFFFFFF)
BRIGHT = np.uint64(0x110010000101)
DRY = np.uint64(0x100010000101)  # the brights without the rain man
RAIN = np.uint64(0x010000000000)
ANIMAL = np.uint64(0x021121111010)  # including the sake cup
RIBBON = np.uint64(0x042202222222)
CHAFF = np.uint64(0xE8CCCCCCCCCC)
CUP = np.uint64(0x000100000000)
HANAMI_CARDS = np.uint64(0x000100000100)
TSUKIMI_CARDS = np.uint64(0x000110000000)
BOAR_DEER_BUTTERFLIES = np.uint64(0x001001100000)
RED_RIBBONS = np.uint64(0x000000000222)  # of January, February, March: with poems on them
BLUE_RIBBONS = np.uint64(0x002200200000)
GAJI = 43  # the lightning (K40)
GAJI_CARD = np.uint64(1 << GAJI)

LOWEST = np.uint64(0x111111111111)  # one bit per month
MONTH = np.uint64(15)
TWO = np.uint64(2)
THREE = np.uint64(3)

# --- Months -----------------------------------------------------------------------------------------------------------


@rule
def month_of(card):
    """Return the month of a card, from 0."""
    return np.int64(card) >> 2


@rule
def month_set(month):
    """Return the set of the four cards of a month."""
    return MONTH << np.uint64(4 * month)


@rule
def months_of(cards):
    """Return the set of all cards of the months that occur in ``cards``."""
    x = cards | (cards >> ONE)
    x |= x >> TWO
    return (x & LOWEST) * MONTH
