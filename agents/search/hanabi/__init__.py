"""Search in Hanabi.

`policy` has the policy and its seats, `beliefs` the hands that a seat may hold (`hands`: these hands at earlier steps,
and their weights), `rollouts` the games in which the blueprint plays on, and `both_players` the search of both at once.
"""
