"""Pictures of a table of Hanabi."""
