"""Training: games of many tables, ranks, runs, and the trainer that algorithms stand on."""
