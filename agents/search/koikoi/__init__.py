"""Search in Koi-Koi: a tree of information sets, and solved endings.

`one_round` has the record that searches work on, the knowledge of the other hand, and roll-outs. `tree` searches most
of a round, and `endings` solves its end with open hands. `policy` has the policy and its seats.
"""
