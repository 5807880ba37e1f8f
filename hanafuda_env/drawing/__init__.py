"""Pictures of a table of Koi-Koi, the 48 cards among them."""
