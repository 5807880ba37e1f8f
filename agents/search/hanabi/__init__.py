"""Search in Hanabi, by one player of a team or by both of two."""
