"""Exact solutions and bounds that the studies compare agents with."""
