"""The compiled part of Koi-Koi: game record, cards, yaku, actions, rules, observation and rewards."""
