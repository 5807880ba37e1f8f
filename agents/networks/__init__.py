"""Networks that play: what they compute, how they choose, and the files they are kept in."""
