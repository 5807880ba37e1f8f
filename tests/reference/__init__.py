"""Slow, independent references that the fast engines are compared with; they share no code with them."""
