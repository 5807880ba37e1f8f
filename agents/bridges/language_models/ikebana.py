"""Ikebana in the prompts of language models: the rules, the table, and what can be deduced."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from hanabako.words.notation import counted
from ikebana_env.config import IkebanaConfig
from ikebana_env.drawing.table_view import TableView, table_ansi
from ikebana_env.engine.cards import copies
from ikebana_env.words.notation import CARD_NAMES, appraise, str_to_card

__all__ = ["ADVICE", "NAMES", "deductions", "rules", "table"]

NAMES: Mapping[str, str] = {}
"""Other names for single words of a move, by the word: none."""

ADVICE = """\
A bouquet's multiplier counts as much as its combinations: decide early which color, or which two, to gather. Refuse a
card only if the next ones are worth the price, and mind what your discard offers to the others."""
"""Advice on how to play, a part of the longest prompt."""


def rules(config: IkebanaConfig) -> str:
    """Return the rules of the game as text."""
    return f"""\
You play Ikebana, a card game for {config.players} players, each against the others. Who has the most prestige after
{counted(config.rounds, "round")} wins.
55 cards, a letter for the color and the value: in each of K black, R red, G green, B blue and Y yellow the values
1 1 1 2 2 3 3 4 4 5, and the jokers J1 to J5, which have a value and take whatever color is best.
Everybody begins with 6 prestige. In each round everybody adds one card a turn until all bouquets have five. A turn:
- "draw": look at the top card of the deck. Then "keep" it, or "refuse" it: it goes face up on your discard, and you
  draw the next one. The k-th refusal of a turn costs k prestige, paid to the k-th player behind you, going round. You
  cannot refuse what you cannot pay.
- or, before you draw, "buy 1": take the top card of the discard of the player that many seats after you (1 is the
  next), and pay its value to that player.
After the round a bouquet earns the points of its combinations times a multiplier. Two to five equal values count their
sum; 1-2-3-4 counts 8, 2-3-4-5 counts 12, 1-2-3-4-5 counts 15. A card counts in one combination only, and the best way
is taken. All five cards of one color: times 4; of five different colors: times 3; of exactly two colors: times 2.
{"The gains of the last round count double. " if config.final_bouquet else ""}Then all cards are shuffled again.
Of a discard only the top card is seen{", but you remember those below" if config.perfect_recall else ""}."""


def table(view: Any) -> str:
    """Return the table as text, as the player sees it."""
    return table_ansi(view.table)


def deductions(view: Any) -> str:
    """Return as text the cards that are out of sight, and what the last card of a bouquet would earn."""
    seen: TableView = view.table
    own = list(seen.players[view.player].bouquet)
    in_sight = [card for player in seen.players for card in (*player.bouquet, *player.discard)] + [seen.drawn]
    box = Counter({card: int(copies(str_to_card(card))) for card in CARD_NAMES})
    hidden = box - Counter(card for card in in_sight if card in box)
    lines = [f"Cards in the deck or buried in discards: {' '.join(sorted(hidden.elements())) or 'none'}"]
    if len(own) == 4:
        others = [
            pile.discard[-1] for player, pile in enumerate(seen.players) if player != view.player and pile.discard
        ]
        offers = dict.fromkeys(card for card in (seen.drawn, *others) if card is not None)
        lines += [f"With {card} your bouquet earns {_earned(own, card)}." for card in offers]
        best = sorted(hidden, key=lambda card: -_earned(own, card))[:5]
        lines.append(f"Best unseen: {', '.join(f'{card} earns {_earned(own, card)}' for card in best) or 'none'}")
    return "\n".join(lines)


def _earned(bouquet: list[str], card: str) -> int:
    return appraise(map(str_to_card, [*bouquet, card])).gain
