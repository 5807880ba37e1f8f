"""The generated parts of every game's rule card: one module per game, named as in `hanabako.games.games`."""
