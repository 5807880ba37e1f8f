"""The 48 cards: their drawings by month, and descriptions of their pictures."""
