"""Koi-Koi solved: the end of a round with closed hands, as an equilibrium."""
