"""Compiling rules into loops: the decorators, the digest that protects the disk cache, and hooks into Numba."""
