"""Training: an algorithm a file, and settings that are known to work."""
