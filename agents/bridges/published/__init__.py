"""Hanabi networks published by others: loaders for their files, which are not included, and the policies they make."""
