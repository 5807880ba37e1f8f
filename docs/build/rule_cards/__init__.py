"""The generated parts of every game's rule card: a module per game, called as `hanabako.games.games` calls it."""
