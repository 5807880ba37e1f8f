"""Pages that are generated from code: rule cards, and marked parts."""
