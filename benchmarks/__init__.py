"""How fast the games are, measured beside their peers; the README's tables are made from what these programs write."""
