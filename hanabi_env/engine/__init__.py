"""The compiled part of Hanabi: game record, cards, actions, rules, observation and rewards."""
