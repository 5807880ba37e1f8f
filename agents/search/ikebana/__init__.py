"""Search in Ikebana: exact look-ahead for two players, and roll-outs of rounds."""
