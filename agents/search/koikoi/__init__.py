"""Search in Koi-Koi: a tree of information sets, and endings solved.

`one_round` has the record that searches work on, what is known of the other hand, and roll-outs; `tree` is the search
of most of a round, `walk` and `endings` of its end with open hands; `policy` has the player.
"""
