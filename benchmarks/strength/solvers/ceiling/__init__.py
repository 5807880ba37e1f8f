"""The best possible score of a Hanabi deck when all players know every card."""
