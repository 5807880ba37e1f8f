"""What rules are made of (bits, random numbers), what a game must bring, and the compiled loops over tables."""
