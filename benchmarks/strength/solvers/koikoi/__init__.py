"""Exact solutions of Koi-Koi: equilibria of the end of a round with closed hands."""
