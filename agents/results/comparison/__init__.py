"""A comparison of algorithms, declared in a TOML file: training runs, and games between all pairs of runs.

``docs/comparisons.md`` shows such a file; its entries are the fields of `rows.Comparison` and `rows.Algorithm`, and
``{ippo}`` in a setting is the policy of that algorithm with the same seed.

Every algorithm is trained once per seed. Every pair of runs plays in both seatings on the same deals, and so does every
run with every partner. Paths of modules and partners are relative to the file. A run's folder is
``<stem>/<algorithm>-<seed>`` beside the results; an interrupted run continues. Reading such a file, its results and its
page runs none of the code that it names; training does.
"""
