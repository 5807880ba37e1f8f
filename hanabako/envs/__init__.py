"""The environments: PettingZoo, vectors, one seat, and their registration."""
