"""How fast the games and the learner are, measured beside their peers."""
