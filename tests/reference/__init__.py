"""Slow, independent implementations to compare the fast engines with; they share no code with the engines."""
