"""What the algorithms share: games of many tables, ranks, runs, and the trainer that they stand on."""
