"""What leans on names that are Numba's own: each module says what it buys."""
