"""The recipes of other libraries, timed in an environment of their own: `python -m benchmarks.clients`."""
