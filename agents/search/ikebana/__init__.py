"""Search in Ikebana: exact look-ahead for two, and rounds played out."""
