"""A comparison of algorithms, declared in a TOML file: who learns how much, and who plays well with whom.

    study = "comparison"
    game = "hanabi"
    preset = "mini"            # players: the preset's unless given; [config] takes any field of the game's config
    steps = 200_000            # decisions of training; or core_minutes = 5, of all ranks together
    seeds = [1, 2, 3]
    deals = 500                # per ordered pair; 2,000 unless given
    partners = ["cautious", "smart"]
    [algorithms.ippo]
    module = "ppo"             # ours by the names of `hanabako train --algorithm`
    [algorithms.mine]
    module = "reinforce"       # a module beside the file, or importable, or FILE.py
    settings = { learning_rate = 1e-3 }   # "{ippo}" in a setting: the policy of that algorithm, same seed
    share = 1.0                # part of the budget

Every algorithm is trained once per seed, every pair of runs plays in both seatings on the same deals, and so does every
run with every partner. Paths are relative to the file. A run's folder is ``<stem>/<algorithm>-<seed>`` beside the
results; one that was interrupted goes on where it was. Reading such a file, its results and its page runs none of the
code that it names; training does.
"""
