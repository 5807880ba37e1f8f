"""Search: a seat that thinks before it acts, over any bot or network as its *blueprint*.

`policy` has the player, `hands` what it believes of its own hand, `choosing` how it compares actions, and `imagined`
the games in which the blueprint plays on.
"""
