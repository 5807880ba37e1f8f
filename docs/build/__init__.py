"""Generators for parts of the documentation pages, and the configuration of the site."""
