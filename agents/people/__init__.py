"""Games that people play with agents: their records, in the terminal and in the browser."""
