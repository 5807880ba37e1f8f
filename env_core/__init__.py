"""What the card games share. Nothing in this package names a game."""
