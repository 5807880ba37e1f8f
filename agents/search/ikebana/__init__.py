"""Search in Ikebana: rounds played out by a bot."""
