"""Search: a seat that thinks before it acts, over any bot or network as its *blueprint*.

`choosing` is how actions are compared, `halving` drops the weakest of them, `rollouts` has copies of real games that
are played out, `effort` what every search is told. Each game has a folder with its player in `policy`.
"""
