"""A comparison of algorithms, declared in a TOML file: training runs, and games between all pairs of runs.

    study = "comparison"
    game = "hanabi"
    preset = "mini"            # players: the preset's by default; [config] takes any field of the game's config
    steps = 200_000            # training decisions; or core_minutes = 5, for all ranks together
    seeds = [1, 2, 3]
    deals = 500                # per ordered pair; 2,000 by default
    partners = ["cautious", "smart"]
    [settings]                 # of all algorithms; their own override these
    width = 128
    [algorithms.ippo]
    module = "ppo"             # one of ours, as in `hanabako train --algorithm`
    [algorithms.mine]
    module = "reinforce"       # a module beside the file, or importable, or FILE.py
    settings = { learning_rate = 1e-3 }   # "{ippo}" in a setting: the policy of that algorithm, same seed
    share = 1.0                # share of the budget
    seeds = [1, 2]             # some of the seeds; all by default

Every algorithm is trained once per seed. Every pair of runs plays in both seatings on the same deals, and so does every
run with every partner. Paths of modules and partners are relative to the file. A run's folder is
``<stem>/<algorithm>-<seed>`` beside the results; an interrupted run continues. Reading such a file, its results and its
page runs none of the code that it names; training does.
"""
