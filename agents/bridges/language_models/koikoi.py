"""Koi-Koi in the prompts of language models: the rules, the table, and what can be deduced."""

from collections.abc import Iterator, Mapping
from typing import Any

from hanabako.words.notation import counted, player_name
from hanafuda_env.config import KoiKoiConfig
from hanafuda_env.drawing.cards.names import FLOWERS, PICTURES, kind_of
from hanafuda_env.drawing.table_view import YAKU_WORDS, TableView, table_ansi
from hanafuda_env.engine.yaku import YAKU_NAMES, YAKU_NEED
from hanafuda_env.words.notation import CARD_NAMES

__all__ = ["ADVICE", "NAMES", "deductions", "rules", "table"]

NAMES: Mapping[str, str] = {}
"""Other names for single words of a move, by the word: none."""

ADVICE = """\
Take cards that make your yaku or break the other's. Say stop when the other is close to a yaku, or when few cards are
left to improve yours; koikoi is for a safe lead."""
"""Advice on how to play, a part of the longest prompt."""

_ROUND = """\
A round: both hold eight cards, eight lie on the field. In turn play a card of your hand: it captures a card of its
month on the field, else it stays there. Of two that match you choose one; of three you {three}.
Then the top card of the deck is turned up and captures by the same rules."""
_STOP = """\
When your captured cards have made or improved a yaku in your turn, "stop" ends the round and you alone are paid for all
your yaku; "koikoi" plays on for more, and the other may stop first."""
_NEED = {"ameshiko": "four, with the rain man", "shiko": "four, without the rain man", "hanami": "curtain, sake cup"}
_NEED |= {"sanko": "three, without the rain man", "tsukimi": "full moon, sake cup", "inoshikacho": "7-1 10-1 6-1"}
_NEED |= {"akatan": "1-2 2-2 3-2", "aotan": "6-2 9-2 10-2"}


def rules(config: KoiKoiConfig) -> str:
    """Return the rules of the game as text, with the options that the config sets."""
    rounds = counted(config.rounds, "round")
    return "\n".join(
        [
            f"You play Koi-Koi, a game of hanafuda for two. The most points after {rounds} win.",
            'The 48 cards, four a month, are written month-number, and those of a month match: "8-1" matches "8-3".',
            *(f"- {month} {FLOWERS[month - 1][0]}: {', '.join(_cards(month))}" for month in range(1, 13)),
            _ROUND.format(three="take all" if config.hiki == "auto" else "choose one, or take all (hiki)"),
            *_options(config),
            "Yaku, what they need among your captured cards, and their points:",
            *_yaku(config),
            _STOP,
            f"If neither player stops, {'only the dealer scores' if config.exhausted_points else 'neither scores'}.",
            *_factors(config),
        ]
    )


def _cards(month: int) -> Iterator[str]:
    for number in range(1, 5):
        card = f"{month}-{number}"
        picture = f"{PICTURES[card]}, " if card in PICTURES else ""
        yield f"{card} ({picture}{kind_of(card)})"


def _yaku(config: KoiKoiConfig) -> Iterator[str]:
    for name, need, points, more in zip(YAKU_NAMES, YAKU_NEED, config.points, config.extra, strict=True):
        further = f", and {more} for every further card" if more else ""
        yield f"- {name}, {YAKU_WORDS[name]} ({_NEED.get(name, int(need))}): {points}{further}"


def _options(config: KoiKoiConfig) -> Iterator[str]:
    if config.hand_swap:
        yield "Before the hands are looked at, the player who does not deal may ask for the other hand (swap hands)."
    if config.forced_match:
        yield "While a card of your hand matches the field, you may not play one that does not."
    if "wins" in (config.teshi, config.kuttsuki):
        yield f"A hand with four cards of a month, or of four pairs, may win the round at once: {config.lucky_points}."
    if config.cup_is_chaff:
        yield "The sake cup 9-1 is an animal and chaff."
    if config.bright_exclusive:
        yield "Of the yaku of brights (goko, shiko, ameshiko, sanko) only the highest counts."
    if config.viewing_after_koi is not None:
        yield f"Once their player has called Koi-Koi, hanami and tsukimi score {config.viewing_after_koi}."
    if config.extra_named:
        yield "With a named set of animals or ribbons every further card of its kind scores 1 instead of tane or tan."
    if bonus := config.red_and_blue_bonus + 3 * config.triade:
        yield f"Red and blue ribbons together score {bonus} more."
    if config.gaji:
        yield "The lightning 11-4, played from the hand, may capture any one card of the field."


def _factors(config: KoiKoiConfig) -> Iterator[str]:
    if config.own_koi == "chain":
        yield "Points are multiplied by the number of your turns that have made a new yaku since the other's last one."
    if config.own_koi == "bonus":
        yield "Every own call of Koi-Koi adds a point; from the fourth on, points are multiplied by the calls less two."
    if config.koikoi_limit is not None:
        times = counted(config.koikoi_limit, "time")
        yield f"Koi-Koi can be called {times} in a round, by both together; then a yaku ends it."
    if config.opponent_koi_factor != 1:
        yield f"They are multiplied by {config.opponent_koi_factor} if the other has called Koi-Koi in this round."
    if config.seven_factor != 1:
        yield f"They are multiplied by {config.seven_factor} from {config.seven} points on."
    if config.loser_pays:
        yield "What one wins the other loses" + (", and who has none left has lost." if config.ends_at_zero else ".")


def table(view: Any) -> str:
    """Return the table as text, as the player sees it."""
    return table_ansi(view.table).rstrip()


def deductions(view: Any) -> str:
    """Return as text the cards in the deck or the other hand, and both players' progress toward every open yaku."""
    seen: TableView = view.table
    position = seen.position
    in_sight = {card for hand in seen.hands for card in hand} | set(position["field"]) | {position["pending"]}
    in_sight.update(card for pile in position["captured"] for card in pile)
    hidden = [card for card in CARD_NAMES if card not in in_sight]
    lines = [f"In the deck or the other hand: {' '.join(hidden)}"]
    for player in (view.player, 1 - view.player):
        open_ = [
            f"{yaku.name} {yaku.have[player]}/{yaku.need}"
            for yaku in seen.yaku
            if yaku.possible[player] and not yaku.made[player]
        ]
        whose = "You" if player == view.player else player_name(player)
        lines.append(f"{whose} can still make: {', '.join(open_) or 'no other yaku'}")
    return "\n".join(lines)
