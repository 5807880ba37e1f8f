"""The compiled half of Hanabi: its record, cards, actions, rules, observation and rewards."""
