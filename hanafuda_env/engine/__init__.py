"""The compiled half of Koi-Koi: its record, cards, yaku, actions, rules, observation and rewards."""
