"""Search in Ikebana: rounds played out by a bot, `policy`; small games solved exactly, `small`."""
