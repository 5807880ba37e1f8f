"""Search in Hanabi.

`policy` has the player, `beliefs` what it believes of its own hand (`earlier_hands`: what that was earlier; `asking`:
what partners would have done), `imagined` the games in which the blueprint plays on, and `both_players` the search of
both players at once.
"""
