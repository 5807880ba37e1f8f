"""Search in Koi-Koi: a tree over what a player may know, and endings solved.

`one_round` has the record that searches work on and what is known of the other hand, `tree` the search of most of a
round, `walk` and `endings` its end with open hands, `equilibrium` the end with closed ones, `policy` the player.
"""
