"""Search: a seat that thinks before it acts, over any bot or network as its *blueprint*.

`policy` has the player, `hands` what it believes of its own hand (`past`: what that was earlier; `asking`: what
partners would have done), `choosing` how it compares actions, and `imagined` the games in which the blueprint plays on.
"""
