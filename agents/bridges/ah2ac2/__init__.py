"""Clients for evaluations hosted by others, whose servers show only the observations of our seats."""
