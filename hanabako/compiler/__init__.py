"""How rules become compiled loops: the decorators, the digest that guards the disk cache, hooks into Numba."""
