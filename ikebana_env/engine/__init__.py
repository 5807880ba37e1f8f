"""The compiled part of Ikebana: game record, cards, actions, rules, observation and rewards."""
