"""The numbers of Ikebana's actions (I5, I6, I7)."""

DRAW = 0
KEEP = 1
REFUSE = 2
BUY = 2  # plus the offset of the seller, from 1
