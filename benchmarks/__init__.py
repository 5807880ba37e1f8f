"""How fast the games are, measured beside their peers; the READMEs' figures are made from what these programs write."""
