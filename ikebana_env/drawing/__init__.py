"""Pictures of a table of Ikebana."""
