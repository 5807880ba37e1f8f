"""Search in Koi-Koi: a tree of information sets, and solved endings."""
