"""Pictures of Koi-Koi tables and of the 48 cards."""
