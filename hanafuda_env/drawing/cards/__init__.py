"""The 48 cards: their drawings, month by month, and what is on them in words."""
