"""The environments: PettingZoo, Gymnasium vector environments, and single-seat environments."""
