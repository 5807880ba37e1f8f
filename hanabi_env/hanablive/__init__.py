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
clue colors, or the rank). With a ``seed`` the site deals by it and ignores the deck, so `save` writes none.

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

from pathlib import Path
from typing import Any

from .reading import ending, from_json, load, player_names, read_game
from .replaying import SAMPLE, main
from .variants import VARIANTS, options_of, variant_of
from .writing import save, write_game

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

SAMPLE: Path
"""A game of our bots in the format that the site exports."""
VARIANTS: dict[str, dict[str, Any]]
"""The site's variants that exist here, by the site's name: the fields of `hanabi_env.config.HanabiConfig`."""
