"""The compiled half of Ikebana: its record, cards, actions, rules, observation and rewards."""
