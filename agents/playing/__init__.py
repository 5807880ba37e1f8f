"""Playing: policies, seats and blocks of games; all else in agents stands on it."""
