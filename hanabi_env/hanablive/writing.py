"""Writing games."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from hanabako.files import write_text
from hanabako.words.checks import as_each, as_text, shown
from hanabi_env.config import HanabiConfig
from hanabi_env.words.checks import box_of
from hanabi_env.words.notation import action_to_str, color_letters, str_to_action

from .entries import COLOR_CLUE, DISCARD, PLAY, RANK_CLUE, Hands, checked_end, deck_refusal
from .variants import options_of, site_suits, variant_of

PLAYER_NAMES = ("Alice", "Bob", "Cathy", "Donald", "Emily")


def save(
    file: str | PathLike[str],
    config: HanabiConfig,
    deck: Sequence[str],
    actions: Iterable[int],
    players: Sequence[str] = (),
    end: Mapping[str, Any] | None = None,
) -> None:
    """Write a game for the site.

    The file names no seed: given one, the site would deal by it and ignore the deck. Fields of the config that are not
    rules of the site, such as ``score_on_loss`` and those of the observation, are left out. Whether the actions are
    legal is not checked; `replay` checks it.

    Args:
        file: the path of the file, which is replaced.
        config: the configuration, which the site must have; see `variant_of`.
        deck: card names, top first: the hands from player 0 on, then the draws.
        actions: the actions, which begin with player 0. The game need not be over.
        players: the players' names; by default Alice, Bob and so on.
        end: how the players stopped the game, in the form of `ending`; None or empty if they did not.

    Raises:
        ValueError: the site does not have this configuration, or a name, card, action or end is wrong.
    """
    names = as_each("players", list(players), as_text) or list(PLAYER_NAMES[: config.players])
    deck = as_each("deck", list(deck), as_text)
    if len(names) != config.players:
        raise ValueError(f"players must be {config.players} names, got {shown(players)}")
    if Counter(deck) != box_of(config):
        raise ValueError(deck_refusal(config, deck))
    suits = site_suits(config)
    game = {
        "players": names,
        "deck": [{"suitIndex": suits.index(card[0]), "rank": int(card[1:])} for card in deck],
        "actions": _actions_out(config, actions) + ([checked_end(end, config.players)] if end else []),
        "options": {"variant": variant_of(config), **options_of(config)},
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


def _actions_out(config: HanabiConfig, actions: Iterable[int]) -> list[dict[str, int]]:
    hands, entries = Hands(config, config.deck_size), []
    for number, action in enumerate(actions):
        verb, *values = action_to_str(config, action).split()
        if verb == "hint":
            target = (hands.player + int(values[0])) % config.players
            is_rank = values[1].isdigit()
            value = int(values[1]) if is_rank else color_letters(config).index(values[1])
            entries.append({"type": RANK_CLUE if is_rank else COLOR_CLUE, "target": target, "value": value})
            hands.pass_on()
            continue
        slot = int(values[0])
        if slot >= len(hands.hands[hands.player]):
            raise ValueError(f"action {number} uses slot {slot} of {len(hands.hands[hands.player])}")
        entries.append({"type": PLAY if verb == "play" else DISCARD, "target": hands.use(slot), "value": 0})
    return entries
