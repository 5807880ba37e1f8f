"""Pictures of Ikebana tables."""
