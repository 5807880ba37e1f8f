"""Search in Hanabi.

`policy` has the player, `beliefs` what it believes to hold (`hands`: what these hands were earlier, and how likely they
are; `asking`: what partners would have done), `rollouts` the games in which the blueprint plays on, and `both_players`
the search of both players at once.
"""
