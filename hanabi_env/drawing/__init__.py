"""Pictures of Hanabi tables."""
