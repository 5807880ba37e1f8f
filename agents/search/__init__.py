"""Search at decision time, over any bot or network as its *blueprint*; each game has a folder with its `policy`."""
