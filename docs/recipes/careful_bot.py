from hanabako.agents import PlainBot


class Careful(PlainBot):
    """Plays a card that must fit, else hints at another player's card that fits, else discards its oldest card."""

    name = "careful"

    def act(self, view):
        table, legal = view.table, view.legal
        fits = {f"{suit}{height + 1}" for suit, height in table.fireworks.items()}
        for slot, card in enumerate(table.hands[view.player]):
            if card.possible <= fits and f"play {slot}" in legal:
                return f"play {slot}"
        for offset in range(1, view.config.players):
            for card in table.hands[(view.player + offset) % view.config.players]:
                for mark in card.card[1:], card.card[0]:  # its rank, then its color
                    if card.card in fits and mark not in card.hinted and f"hint {offset} {mark}" in legal:
                        return f"hint {offset} {mark}"
        return next((word for word in legal if word.startswith("discard")), legal[0])
