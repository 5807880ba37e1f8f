"""Measurements of the speed of the games and the learner, compared with their peers."""
