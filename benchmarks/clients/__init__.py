"""Somebody else's libraries, each training for a minute on the mini game: `python -m benchmarks.clients`.

A script per client has a function ``train(seconds)``, which returns a `benchmarks.clients.judge.Outcome`.
"""
