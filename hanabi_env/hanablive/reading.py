"""Reading games."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from typing import IO, Any

from hanabako.files import MOST_BYTES, parse_json, read_json
from hanabako.words.checks import shown
from hanabi_env.config import HanabiConfig
from hanabi_env.words.checks import box_of
from hanabi_env.words.notation import action_to_str, color_letters, str_to_action

from .entries import DISCARD, END_BY_VOTE, END_GAME, PLAY, RANK_CLUE, Hands, checked_end, deck_refusal, number_in
from .variants import config_of, options_in, site_suits


def load(file: str | PathLike[str] | IO[str]) -> tuple[HanabiConfig, list[str], list[int]]:
    """Read a game from a file.

    Args:
        file: a path or an open text file, at most 16 MB.

    Returns:
        The configuration, the deck (card names, top first, for ``reset(options={"deck": deck})``) and the actions,
        which begin with player 0. In old games in which another player begins, the players are renumbered. See `ending`
        for a game that was stopped.

    Raises:
        ValueError: the file is not such a game, or uses a feature that is missing here; the message names it.
        OSError: the file is missing or cannot be read.
    """
    if isinstance(file, (str, PathLike)):
        return from_json(read_json(file))
    return from_json(parse_json(file.read(MOST_BYTES + 1), "a game of hanab.live"))


def from_json(game: Any) -> tuple[HanabiConfig, list[str], list[int]]:
    """Read a game from parsed JSON. Returns and errors are those of `load`."""
    if not isinstance(game, Mapping):
        raise ValueError(f"a game of hanab.live is a JSON object, got {type(game).__name__}")  # noqa: TRY004 - the file is bad
    entries = [*_list(game, "deck"), *_list(game, "actions")]
    if any(isinstance(entry, Mapping) and not entry.keys().isdisjoint(("suit", "clue")) for entry in entries):
        raise ValueError("the game is in the site's form before April 2020, which is not read: export it again")
    options = options_in(game)
    config = config_of(len(_list(game, "players")), options)
    first = number_in(options, "startingPlayer", 0, range(config.players))
    deck = [_card(config, card) for card in _list(game, "deck")]
    if Counter(deck) != box_of(config):
        raise ValueError(deck_refusal(config, deck))
    actions = _actions_in(config, deck, _list(game, "actions"), first)
    return config, _turned(deck, config, first), actions


def player_names(game: Mapping[str, Any], players: int) -> list[str]:
    """Return the names of the players of a game that `load` can read, in the order of `load`."""
    names = [str(name) for name in game["players"]]
    first = (game.get("options") or {}).get("startingPlayer") or 0
    return [names[(first + player) % players] for player in range(players)]


def ending(game: Mapping[str, Any]) -> dict[str, int]:
    """Return how the players stopped a game that `load` can read.

    Returns:
        The ``type`` (4 or 5), ``target`` (-1, or a player in the order of `load`) and ``value`` of the last action, see
        `hanabi_env.hanablive`; empty if the game was not stopped.

    Raises:
        ValueError: a number is not one that the site writes.
    """
    players = len(game["players"])
    first = (game.get("options") or {}).get("startingPlayer") or 0
    stops = (entry for entry in game["actions"] if entry["type"] in (END_GAME, END_BY_VOTE))
    for end in stops:
        checked = checked_end(end, players)
        target = checked["target"]
        return checked | {"target": target if target < 0 else (target - first) % players}
    return {}


def read_game(game: Any) -> tuple[HanabiConfig, tuple[str, ...], tuple[str, ...], dict[str, Any], dict[str, int]]:
    """Return the configuration, players' names, actions as text, reset options for the same deal, and the `ending`.

    Args:
        game: the parsed JSON of a file.

    Raises:
        ValueError: see `load`.
    """
    config, deck, actions = from_json(game)
    words = tuple(action_to_str(config, action) for action in actions)
    return config, tuple(player_names(game, config.players)), words, {"deck": deck}, ending(game)


def _list(game: Mapping[str, Any], name: str) -> list[Any]:
    if not isinstance(game.get(name), list):
        raise ValueError(f"{name} must be a list, got {shown(game.get(name))}")  # noqa: TRY004
    return game[name]


def _card(config: HanabiConfig, card: Any) -> str:
    suits = site_suits(config)
    suit = suits[number_in(card, "suitIndex", None, range(len(suits)))]
    return f"{suit}{number_in(card, 'rank', None, range(1, config.ranks + 1))}"


def _actions_in(config: HanabiConfig, deck: Sequence[str], entries: Iterable[Any], first: int) -> list[int]:
    hands, actions = Hands(config, len(deck), first), []
    for entry in entries:
        kind = number_in(entry, "type", None, range(END_BY_VOTE + 1))
        if kind in (END_GAME, END_BY_VOTE):
            checked_end(entry, config.players)
            break
        words = _use(hands, kind, entry, deck) if kind in (PLAY, DISCARD) else _clue(hands, kind, entry)
        actions.append(str_to_action(config, words))
    return actions


def _use(hands: "Hands", kind: int, entry: Any, deck: Sequence[str]) -> str:
    order = number_in(entry, "target", None, range(len(deck)))
    hand = hands.hands[hands.player]
    if order not in hand:
        blind = "; cards are not played from the deck here (deckPlays)" if order == hands.next_order else ""
        raise ValueError(f"player {hands.player} does not hold card {order} ({deck[order]}) in {shown(entry)}{blind}")
    slot = hand.index(order)
    hands.use(slot)
    return f"{'play' if kind == PLAY else 'discard'} {slot}"


def _clue(hands: "Hands", kind: int, entry: Any) -> str:
    config = hands.config
    offset = (number_in(entry, "target", None, range(config.players)) - hands.player) % config.players
    if offset == 0:
        raise ValueError(f"player {hands.player} must give the clue to another player in {shown(entry)}")
    hands.pass_on()
    if kind == RANK_CLUE:
        return f"hint {offset} {number_in(entry, 'value', None, range(1, config.ranks + 1))}"
    colors = color_letters(config)
    return f"hint {offset} {colors[number_in(entry, 'value', None, range(len(colors)))]}"


def _turned(deck: list[str], config: HanabiConfig, first: int) -> list[str]:
    """Return the deck in which the hand of player ``first`` is dealt to player 0, and so on."""
    size, dealt = config.cards_in_hand, config.cards_in_hand * config.players
    return deck[first * size : dealt] + deck[: first * size] + deck[dealt:]
