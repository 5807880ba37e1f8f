"""Games between people and agents, in the terminal and in the browser."""
