"""Programs that play: their protocol and the bots of every game."""
