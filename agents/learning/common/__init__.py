"""Common parts of the algorithms: batched games, ranks, runs, and the trainer."""
