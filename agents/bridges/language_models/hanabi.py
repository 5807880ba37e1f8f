"""Hanabi in the prompts of language models: the rules, the table, and what can be deduced."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from hanabako.words.notation import counted, player_name
from hanabi_env.config import HanabiConfig
from hanabi_env.drawing.table_view import SUIT_NAMES, CardView, TableView, describe_score, describe_turn
from hanabi_env.engine.cards import copies
from hanabi_env.words.notation import color_letters, ranks_in_order, suit_letters

__all__ = ["ADVICE", "NAMES", "deductions", "rules", "table"]

NAMES = SUIT_NAMES
"""Other names for single words of a move, by the word: an answer may use either."""

ADVICE = """\
Play cards that you know to be playable, and those that a hint was most likely meant to let you play. Use hints so that
the others can play, or do not discard the last copy of a card that is still needed. Discard what cannot be needed, else
your oldest card without hints. Think of what the others know, and of why they did what they did."""
"""Advice on how to play, a part of the longest prompt."""


def rules(config: HanabiConfig) -> str:
    """Return the rules of the game as text, with only those variants that the config turns on."""
    others = "one other player" if config.players == 2 else f"{config.players - 1} other players"
    box = "\n".join(f"- {SUIT_NAMES[suit]} {suit}: {', '.join(box_of(config, suit))}" for suit in suit_letters(config))
    touches = "may touch no card at all" if config.empty_hints else "must touch at least one card"
    lives = "1 life" if config.max_life_tokens == 1 else f"{config.max_life_tokens} lives"
    opening = -config.ranks if config.black_powder else 0
    keeps = config.score_on_loss == "fireworks" and not config.final_bouquet
    lost = "the points on the fireworks" if keeps else opening
    text = f"""\
You play Hanabi, a cooperative card game, with {others}. All see the hands of the others and not their own.
The cards, a letter for the suit and a number for the rank, with their copies in the box:
{box}
The team builds a firework for each suit, one card a rank, in ascending order from rank 1, and scores a point for every
card on them, at most {config.max_score}.
Everybody holds {config.cards_in_hand} cards, in slots from 0, the oldest. A new card takes the last slot, and the slots
behind a card that leaves go down by one.
There are {counted(config.max_information_tokens, "information token")} and {lives}. On your turn do one of:
- "play 2": put the card of your slot 2 on its firework. If it does not fit, it is discarded and a life is lost.
  Completing a firework wins an information token back. Then draw.
- "discard 2": discard the card of your slot 2, which wins an information token back, and draw. Not while all tokens are
  there.
- "hint 1 R" or "hint 1 3": spend an information token and tell the player that many seats after you (1 is the next)
  which of their cards are of that color or rank. A hint {touches}. Beside it the list of
  moves has that player and the slots it would touch.
The game ends at once when every firework is complete, or the last life is lost: then it scores {lost}."""
    return "\n".join([text, *_end_and_variants(config)])


def box_of(config: HanabiConfig, suit: str) -> Iterator[str]:
    numbers, index = config.rules(), suit_letters(config).index(suit)
    return (f"{copies(numbers, index, rank - 1)} of {rank}" for rank in range(1, config.ranks + 1))


def _end_and_variants(config: HanabiConfig) -> Iterator[str]:
    if config.final_bouquet:
        yield """\
The deck's end does not end it: hands shrink, and the game goes on until every firework is complete, or is lost by the
last life, by the discard of the last copy of a needed card, or by a player who cannot act."""
    else:
        yield "After the last card of the deck is drawn every player has one more turn, the one who drew it too."
    if config.multicolor == "own_color":
        yield "Multicolor M is a color of its own, which hints can name."
    if config.multicolor == "all_colors":
        yield f"Hints of every color ({' '.join(color_letters(config))}) touch multicolor cards M too; none names M."
    if config.black_powder:
        yield f"""\
Black K is played downwards ({" ".join(map(str, ranks_in_order(config, "K")))}), has no color that hints could name, and
scores nothing: a point is lost for every black card missing at the end. The game is complete only with black."""
    if config.flamboyants:
        yield f"""\
Who completes a firework with a {config.ranks} turns over one of six hidden bonus tiles instead of winning a token: a,
an information token; b, a life and a token; c, a free color hint; d, a free rank hint; e, shuffle a discarded card into
the deck; f, play a discarded card that fits."""
    if config.choreography:
        yield """\
"play 2 as R" also announces the card's suit. If that is right and the card fits, an information token comes back; if it
is wrong, the card is discarded and a life is lost, even if it fits."""


# --- The table --------------------------------------------------------------------------------------------------------


def table(view: Any) -> str:
    """Return the table as text, as the player sees it, with the hints that each card has received."""
    seen: TableView = view.table
    tokens = f"{seen.information_tokens} of {seen.config.max_information_tokens}"
    lines = [
        f"Score: {describe_score(seen)}",
        f"Information tokens: {tokens}; lives: {seen.life_tokens}; cards in the deck: {seen.deck_size}",
        f"Fireworks: {' '.join(seen.top(suit) or f'{suit}-' for suit in seen.suits)}",
        f"Discards: {' '.join(sorted(seen.discards)) or 'none'}",
        f"Turn: {describe_turn(seen)}",
    ]
    if seen.config.flamboyants:
        lines.append(f"Bonus tiles face down: {' '.join(seen.bonus_tiles) or 'none'}")
    for player, hand in enumerate(seen.hands):
        lines.append(f"{_whose(seen, player)} hand:")
        lines += [f"  slot {slot}: {card.card or '??'}, {_hinted(card)}" for slot, card in enumerate(hand)]
    return "\n".join(lines)


def _whose(seen: TableView, player: int) -> str:
    name = player_name(player)
    return f"Your ({name})" if player == seen.seat else f"{name}'s"


def _hinted(card: CardView) -> str:
    marks = [SUIT_NAMES.get(mark, mark) for mark in sorted(card.hinted)]
    return f"told {' and '.join(marks)}" if marks else "no hint"


def deductions(view: Any) -> str:
    """Return as text what follows from the table: each card's possible identities, and which are playable or dead."""
    seen: TableView = view.table
    left = Counter(seen.copies) - Counter(seen.discards) - Counter(_on_fireworks(seen))
    needed = {card for suit in seen.suits for card in _needed(seen, suit)}
    playable = {
        f"{suit}{seen.order(suit)[seen.fireworks[suit]]}"
        for suit in seen.suits
        if seen.fireworks[suit] < len(seen.order(suit))
    }
    unseen = left - Counter(card.card for hand in seen.hands for card in hand if card.card)
    lines = [
        f"Playable now: {' '.join(sorted(playable)) or 'none'}",
        f"Needed, and one copy left: {' '.join(sorted(card for card in needed if left[card] == 1)) or 'none'}",
        f"Never needed again: {' '.join(sorted(set(left) - needed)) or 'none'}",
        "Your cards by the hints and the cards that you see:",
    ]
    own = seen.hands[view.player]
    lines += [f"  slot {slot}: {_odds(card, seen, unseen, playable, needed)}" for slot, card in enumerate(own)]
    for player, hand in enumerate(seen.hands):
        if player != view.player and hand:
            lines.append(f"What hints have told {player_name(player)}:")
            lines += [f"  slot {slot} ({card.card}): {_range(card.plausible, seen)}" for slot, card in enumerate(hand)]
    return "\n".join(lines)


def _on_fireworks(seen: TableView) -> Iterator[str]:
    for suit, played in seen.fireworks.items():
        yield from (f"{suit}{rank}" for rank in seen.order(suit)[:played])


def _needed(seen: TableView, suit: str) -> Iterator[str]:
    yield from (f"{suit}{rank}" for rank in seen.order(suit)[seen.fireworks[suit] : seen.reachable(suit)])


def _odds(card: CardView, seen: TableView, unseen: Counter[str], playable: set[str], needed: set[str]) -> str:
    """Return a card's possible identities, and how likely it is playable or dead if all unseen copies are alike."""
    weights = {name: unseen[name] for name in card.possible}
    total = max(1, sum(weights.values()))
    plays = sum(weight for name, weight in weights.items() if name in playable) / total
    dead = sum(weight for name, weight in weights.items() if name not in needed) / total
    return f"{_range(card.possible, seen)}; playable {plays:.0%}, never needed {dead:.0%}"


def _range(cards: frozenset[str], seen: TableView) -> str:
    """Return cards as text by suit: ``R12 Y1`` means R1, R2 and Y1."""
    if len(cards) == len(seen.copies):
        return "any card"
    by_suit: dict[str, str] = {}
    for card in sorted(cards):
        by_suit[card[0]] = by_suit.get(card[0], "") + card[1:]
    return " ".join(f"{suit}{ranks}" for suit, ranks in by_suit.items())
