"""Code that uses Numba's private names. Each module says what it gains by that."""
