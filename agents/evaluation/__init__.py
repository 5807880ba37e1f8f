"""How good agents are: alone, with others, and against others."""
