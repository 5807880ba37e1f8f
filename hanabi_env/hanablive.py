"""Games in the JSON format of hanab.live, the site where people and bots play Hanabi.

    config, deck, actions = load("export.json")      # a file from https://hanab.live/export/<game>
    env = hanabi_v0.raw_env(config=config)
    env.reset(options={"deck": deck})
    for action in actions:
        env.step(action)

    save("mine.json", config, deck, actions)          # the site opens it with "Watch Replay", "JSON"

`python -m hanabi_env.hanablive export.json ...` replays files and prints how the games end; without a file it replays
`SAMPLE`, a game of our bots in the site's export format.

Format 3.0.0 has the keys ``players`` (names), ``deck`` (top first; whole hands are dealt player by player, as here),
``actions``, ``options`` and ``seed``. An action has ``type`` (0 play, 1 discard, 2 color clue, 3 rank clue), ``target``
(the index of a card in the deck, or the receiver of a clue) and ``value`` (the index of the color among the variant's
clue colors, or the rank).

If a game was stopped before its end, its last action says so. With ``type`` 4, ``target`` is the player who stopped the
game or ran out of time, or -1 if no player moved for a long time, and ``value`` is the number of the reason. With
``type`` 5 and ``target`` -1, the players stopped it by a vote. This entry is not an action of the game: `ending` reads
it, and `save` writes it.

The site's variants are sets of suits; `VARIANTS` lists those that exist here, too. The site's option ``emptyClues`` is
``empty_hints`` (H7), ``allOrNothing`` is ``final_bouquet`` (V5), and ``oneExtraCard`` and ``oneLessCard`` change
``hand_size``. Three differences do not affect replays. The site scores black powder as a sixth suit (30 points, not
V3's 25). It ends a game when the highest reachable score is reached, and leaves out later actions. It has different
names for the suits.
"""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import IO, Any

from hanabako.files import MOST_BYTES, parse_json, read_json, write_text
from hanabako.program import in_a_sentence
from hanabako.words.checks import shown
from hanabi_env.config import HanabiConfig
from hanabi_env.words.checks import box_of
from hanabi_env.words.notation import action_to_str, color_letters, str_to_action, suit_letters

__all__ = [
    "SAMPLE",
    "VARIANTS",
    "ending",
    "from_json",
    "load",
    "main",
    "options_of",
    "player_names",
    "read_game",
    "save",
    "variant_of",
    "write_game",
]

PLAY, DISCARD, COLOR_CLUE, RANK_CLUE, END_GAME, END_BY_VOTE = range(6)

SAMPLE = Path(__file__).with_name("hanablive_sample.json")
"""A game that the site can open: game 0 of seed 1 of two ``smart`` bots."""
LAST_REASON = 10
"""The site's last number of a reason why a game ended; they count from 1, and 0 is a game that is not over."""

PLAYER_NAMES = ("Alice", "Bob", "Cathy", "Donald", "Emily")

VARIANTS: dict[str, dict[str, Any]] = {
    "No Variant": {},
    "4 Suits": {"colors": 4},
    "3 Suits": {"colors": 3},
    "Black (6 Suits)": {"multicolor": "own_color"},
    "Black (5 Suits)": {"multicolor": "own_color", "colors": 4},
    "Rainbow (6 Suits)": {"multicolor": "all_colors"},
    "Rainbow (5 Suits)": {"multicolor": "all_colors", "colors": 4},
    "Rainbow (4 Suits)": {"multicolor": "all_colors", "colors": 3},
    "Rainbow (3 Suits)": {"multicolor": "all_colors", "colors": 2},
    "White Reversed (6 Suits)": {"black_powder": True},
    "White Reversed (5 Suits)": {"black_powder": True, "colors": 4},
    "White Reversed (4 Suits)": {"black_powder": True, "colors": 3},
    "White Reversed (3 Suits)": {"black_powder": True, "colors": 2},
    "White Reversed & Rainbow (6 Suits)": {"multicolor": "all_colors", "black_powder": True, "colors": 4},
    "White Reversed & Rainbow (5 Suits)": {"multicolor": "all_colors", "black_powder": True, "colors": 3},
    "White Reversed & Rainbow (4 Suits)": {"multicolor": "all_colors", "black_powder": True, "colors": 2},
}
"""The site's variants whose suits exist here, and their configuration fields. The site's Black suit is not black
powder, but V1's multicolor: five cards with their own color. Its White Reversed suit has no color, descends from 5 to
1, and is black powder (V3)."""

SUIT_FIELDS = ("colors", "multicolor", "black_powder")
HARMLESS_OPTIONS = ("variant", "numPlayers", "timed", "timeBase", "timePerTurn", "speedrun", "deckPlays", "tableName")
HARMLESS_OPTIONS += ("maxPlayers",)
OUR_OPTIONS = ("emptyClues", "allOrNothing", "oneExtraCard", "oneLessCard", "startingPlayer")


# --- Reading ----------------------------------------------------------------------------------------------------------


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
    options = _options(game)
    config = _config(len(_list(game, "players")), options)
    first = _number(options, "startingPlayer", 0, range(config.players))
    deck = [_card(config, card) for card in _list(game, "deck")]
    if Counter(deck) != box_of(config):
        raise ValueError(_deck_refusal(config, deck))
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
        the top of this module; empty if the game was not stopped.

    Raises:
        ValueError: a number is not one that the site writes.
    """
    players = len(game["players"])
    first = (game.get("options") or {}).get("startingPlayer") or 0
    stops = (entry for entry in game["actions"] if entry["type"] in (END_GAME, END_BY_VOTE))
    for end in stops:
        checked = _checked_end(end, players)
        target = checked["target"]
        return checked | {"target": target if target < 0 else (target - first) % players}
    return {}


def _checked_end(end: Mapping[str, Any], players: int) -> dict[str, int]:
    """Return a checked copy of an end action with only its three keys."""
    kind = _number(end, "type", None, range(END_GAME, END_BY_VOTE + 1))
    target = _number(end, "target", -1, range(-1, players))
    return {"type": kind, "target": target, "value": _number(end, "value", 0, range(LAST_REASON + 1))}


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


def _options(game: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options that are on, and the variant, which some files name outside ``options``."""
    options = game.get("options") or {}
    if not isinstance(options, Mapping):
        raise ValueError(f"options must be an object, got {shown(options)}")  # noqa: TRY004
    options = {"variant": game.get("variant") or "No Variant", **{key: v for key, v in options.items() if v}}
    for name, value in options.items():
        if name not in (*HARMLESS_OPTIONS, *OUR_OPTIONS):
            raise ValueError(f"the game uses the option {shown(name)[1:-1]} ({shown(value)}), which we do not have")
    return options


def _config(players: int, options: Mapping[str, Any]) -> HanabiConfig:
    variant = options["variant"]
    if not isinstance(variant, str) or variant not in VARIANTS:
        raise ValueError(f"the game's variant is {shown(variant)}; available here are {', '.join(map(repr, VARIANTS))}")
    if players not in range(2, 6):
        raise ValueError(f"the game has {players} players; available here are 2 to 5")
    fields = {"players": players, "empty_hints": bool(options.get("emptyClues"))}
    config = HanabiConfig(**VARIANTS[variant], **fields, final_bouquet=bool(options.get("allOrNothing")))
    size = config.cards_in_hand + bool(options.get("oneExtraCard")) - bool(options.get("oneLessCard"))
    if size == config.cards_in_hand:
        return config
    return HanabiConfig(**VARIANTS[variant], **fields, final_bouquet=config.final_bouquet, hand_size=size)


def _list(game: Mapping[str, Any], name: str) -> list[Any]:
    if not isinstance(game.get(name), list):
        raise ValueError(f"{name} must be a list, got {shown(game.get(name))}")  # noqa: TRY004
    return game[name]


def _number(entry: Any, name: str, default: int | None, allowed: range) -> int:
    """Return the integer under ``name``; raise ``ValueError`` if it is missing, not an integer, or not ``allowed``."""
    value = entry.get(name, default) if isinstance(entry, Mapping) else None
    if type(value) is not int or value not in allowed:
        raise ValueError(f"{name} must be from {allowed.start} to {allowed.stop - 1} in {shown(entry)}")
    return value


def _card(config: HanabiConfig, card: Any) -> str:
    suits = _site_suits(config)
    suit = suits[_number(card, "suitIndex", None, range(len(suits)))]
    return f"{suit}{_number(card, 'rank', None, range(1, config.ranks + 1))}"


def _site_suits(config: HanabiConfig) -> str:
    """Return the letters of our suits in the site's order, in which black powder comes before multicolor."""
    suits = suit_letters(config)
    return suits[:-2] + "KM" if suits.endswith("MK") else suits


def _deck_refusal(config: HanabiConfig, cards: Sequence[str]) -> str:
    """Return the error message for a deck that is not the whole box."""
    wanted = f"deck must be the whole box, {config.deck_size} cards, got"
    many = next(((card, count) for card, count in (Counter(cards) - box_of(config)).items()), None)
    return f"{wanted} {len(cards)}" if many is None else f"{wanted} {many[1]} {many[0]} too many"


def _actions_in(config: HanabiConfig, deck: Sequence[str], entries: Iterable[Any], first: int) -> list[int]:
    held, actions = Hands(config, len(deck), first), []
    for entry in entries:
        kind = _number(entry, "type", None, range(END_BY_VOTE + 1))
        if kind in (END_GAME, END_BY_VOTE):
            _checked_end(entry, config.players)
            break
        words = _use(held, kind, entry, deck) if kind in (PLAY, DISCARD) else _clue(held, kind, entry)
        actions.append(str_to_action(config, words))
    return actions


def _use(held: "Hands", kind: int, entry: Any, deck: Sequence[str]) -> str:
    order = _number(entry, "target", None, range(len(deck)))
    hand = held.hands[held.player]
    if order not in hand:
        blind = "; cards are not played from the deck here (deckPlays)" if order == held.next_order else ""
        raise ValueError(f"player {held.player} does not hold card {order} ({deck[order]}) in {shown(entry)}{blind}")
    slot = hand.index(order)
    held.use(slot)
    return f"{'play' if kind == PLAY else 'discard'} {slot}"


def _clue(held: "Hands", kind: int, entry: Any) -> str:
    config = held.config
    offset = (_number(entry, "target", None, range(config.players)) - held.player) % config.players
    if offset == 0:
        raise ValueError(f"player {held.player} must give the clue to another player in {shown(entry)}")
    held.pass_on()
    if kind == RANK_CLUE:
        return f"hint {offset} {_number(entry, 'value', None, range(1, config.ranks + 1))}"
    colors = color_letters(config)
    return f"hint {offset} {colors[_number(entry, 'value', None, range(len(colors)))]}"


def _turned(deck: list[str], config: HanabiConfig, first: int) -> list[str]:
    """Return the deck in which the hand of player ``first`` is dealt to player 0, and so on."""
    size, dealt = config.cards_in_hand, config.cards_in_hand * config.players
    return deck[first * size : dealt] + deck[: first * size] + deck[dealt:]


class Hands:
    """The deck indices of the cards in all hands, to convert between slots and deck indices."""

    def __init__(self, config: HanabiConfig, deck_size: int, player: int = 0) -> None:
        size = config.cards_in_hand
        self.config = config
        self.player = player
        self.deck_size = deck_size
        self.hands = [list(range(player * size, (player + 1) * size)) for player in range(config.players)]
        self.next_order = config.players * size

    def use(self, slot: int) -> int:
        """Play or discard the card of a slot and draw a card. Returns the used card's index in the deck."""
        hand = self.hands[self.player]
        order = hand.pop(slot)
        if self.next_order < self.deck_size:
            hand.append(self.next_order)
            self.next_order += 1
        self.pass_on()
        return order

    def pass_on(self) -> None:
        """Begin the next player's turn."""
        self.player = (self.player + 1) % self.config.players


# --- Writing ----------------------------------------------------------------------------------------------------------


def save(
    file: str | PathLike[str],
    config: HanabiConfig,
    deck: Sequence[str],
    actions: Iterable[int],
    players: Sequence[str] = (),
    seed: str = "",
    end: Mapping[str, Any] | None = None,
) -> None:
    """Write a game for the site.

    Args:
        file: the path of the file, which is replaced.
        config: the configuration, which the site must have; see `variant_of`.
        deck: card names, top first: the hands from player 0 on, then the draws.
        actions: the actions, which begin with player 0. The game need not be over.
        players: the players' names; by default Alice, Bob and so on.
        seed: a text that the site shows.
        end: how the players stopped the game, in the form of `ending`; None or empty if they did not.

    Raises:
        ValueError: the site does not have this configuration, or a name, card, action or end is wrong.
    """
    names = list(players) or list(PLAYER_NAMES[: config.players])
    if len(names) != config.players:
        raise ValueError(f"players must be {config.players} names, got {shown(players)}")
    if Counter(deck) != box_of(config):
        raise ValueError(_deck_refusal(config, deck))
    suits = _site_suits(config)
    game = {
        "players": names,
        "deck": [{"suitIndex": suits.index(card[0]), "rank": int(card[1:])} for card in deck],
        "actions": _actions_out(config, actions) + ([_checked_end(end, config.players)] if end else []),
        "options": {"variant": variant_of(config), **options_of(config)},
        "seed": seed,
    }
    write_text(Path(file), json.dumps(game) + "\n")


def write_game(
    path: Path,
    opening: Mapping[str, Any],
    config: HanabiConfig,
    words: Iterable[str],
    players: Sequence[str],
    end: Mapping[str, Any] | None = None,
) -> None:
    """Write a game. If the site does not have its configuration, write nothing.

    Args:
        path: see `save`.
        opening: the dealt position, from ``to_dict`` of the environment.
        config: the configuration.
        words: the actions as text.
        players: the players' names.
        end: see `save`.

    Raises:
        OSError: see `save`.
    """
    try:
        variant_of(config), options_of(config)
    except ValueError:
        return
    deck = [card for hand in opening["hands"] for card in hand] + opening["deck"]
    save(path, config, deck, [str_to_action(config, action) for action in words], players, end=end)


def variant_of(config: HanabiConfig) -> str:
    """Return the site's name of the variant with this configuration's suits.

    Raises:
        ValueError: the site does not have this configuration; the message names the field.
    """
    standard = HanabiConfig()
    black = ("black_distribution",) if config.black_powder else ()
    for name in ("ranks", "max_information_tokens", "max_life_tokens", "flamboyants", "choreography", *black):
        if getattr(config, name) != getattr(standard, name):
            raise ValueError(
                f"hanab.live has only {name}={getattr(standard, name)!r}, got {shown(getattr(config, name))}"
            )
    if config.random_start_player:
        raise ValueError("random_start_player must be False, because player 0 begins on hanab.live")
    for variant, fields in VARIANTS.items():
        if all(getattr(config, name) == fields.get(name, getattr(standard, name)) for name in SUIT_FIELDS):
            return variant
    suits = ", ".join(f"{name}={getattr(config, name)!r}" for name in SUIT_FIELDS)
    raise ValueError(f"hanab.live has no variant with {suits}")


def options_of(config: HanabiConfig) -> dict[str, bool]:
    """Return the site's options that are on in this configuration.

    Raises:
        ValueError: the site does not have hands of this size.
    """
    usual = HanabiConfig(players=config.players).cards_in_hand
    if abs(config.cards_in_hand - usual) > 1:
        raise ValueError(f"hanab.live has hands of {usual - 1} to {usual + 1} cards, got {config.cards_in_hand}")
    options = {
        "emptyClues": config.empty_hints,
        "allOrNothing": config.final_bouquet,
        "oneExtraCard": config.cards_in_hand > usual,
        "oneLessCard": config.cards_in_hand < usual,
    }
    return {name: True for name, is_on in options.items() if is_on}


def _actions_out(config: HanabiConfig, actions: Iterable[int]) -> list[dict[str, int]]:
    held, entries = Hands(config, config.deck_size), []
    for number, action in enumerate(actions):
        verb, *values = action_to_str(config, action).split()
        if verb == "hint":
            target = (held.player + int(values[0])) % config.players
            is_rank = values[1].isdigit()
            value = int(values[1]) if is_rank else color_letters(config).index(values[1])
            entries.append({"type": RANK_CLUE if is_rank else COLOR_CLUE, "target": target, "value": value})
            held.pass_on()
            continue
        slot = int(values[0])
        if slot >= len(held.hands[held.player]):
            raise ValueError(f"action {number} uses slot {slot} of {len(held.hands[held.player])}")
        entries.append({"type": PLAY if verb == "play" else DISCARD, "target": held.use(slot), "value": 0})
    return entries


# --- python -m hanabi_env.hanablive -----------------------------------------------------------------------------------


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line."""
    import tyro  # imported here, because only the command line needs it

    with in_a_sentence("hanablive"):
        tyro.cli(replay_all, args=arguments, prog="python -m hanabi_env.hanablive")


def replay_all(files: tuple[Path, ...] = (SAMPLE,), /) -> None:
    """Replay games of hanab.live and print how they end.

    Args:
        files: exported games; by default a sample game.
    """
    refused = 0
    for path in files:
        try:
            print(f"{path.name}: {_replay(path)}")
        except (OSError, ValueError) as error:
            refused += 1
            print(f"{path.name}: {error}")
    if refused:
        raise SystemExit(f"{refused} of {len(files)} could not be replayed")


def _replay(path: Path) -> str:
    from hanabako.envs.aec import CardGameAEC
    from hanabi_env.game import make_game

    game = read_json(path)
    config, deck, actions = from_json(game)
    stopped = ending(game)
    env = CardGameAEC(make_game(config))
    env.reset(options={"deck": deck})
    for action in actions:
        env.step(action)
    position = env.to_dict()
    end = position["end_reason"] or (_stopped(stopped) if stopped else "goes on")
    played = f"{variant_of(config)}, {config.players} players, {len(actions)} actions"
    return f"{played}, score {position['score']}, {position['information_tokens']} information tokens, end: {end}"


def _stopped(end: Mapping[str, int]) -> str:
    """Return an `ending` as text."""
    who = f"player {end['target']}" if end["target"] >= 0 else "a vote" if end["type"] == END_BY_VOTE else "the site"
    return f"stopped by {who} (reason {end['value']})"


if __name__ == "__main__":
    main()
