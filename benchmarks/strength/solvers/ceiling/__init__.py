"""How good can anyone be? The best score of a deck of Hanabi that everybody knows from the top card to the last."""
