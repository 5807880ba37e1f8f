"""Other libraries, each training for a minute on the mini game: `python -m benchmarks.clients`.

The script of each client has a function ``train(seconds)``, which returns a `benchmarks.clients.judge.Outcome`.
"""
