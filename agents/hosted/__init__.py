"""Agents at tables of other people's servers, of whose games only observations arrive."""
