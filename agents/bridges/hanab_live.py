"""Conversion between datasets of Hanabi and the games of hanab.live, in both directions.

A folder of the site's exports becomes one dataset per config, with the players' names and the way in which they stopped
an unfinished game. The site's number of a game becomes its index. Notes that people wrote are dropped.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import chain, islice
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from hanabako.files import read_json
from hanabako.games import game_of
from hanabako.games_file import GAMES_A_BLOCK, GamesBlock, GamesWriter, writing
from hanabako.words.checks import shown

from ..datasets.dataset import Dataset, RecordedBlock

__all__ = ["Lot", "deck_of", "read_exports", "replayed", "write_exports"]


# --- In ---------------------------------------------------------------------------------------------------------------


@dataclass
class Lot:
    """The games of one config that are on their way to its file."""

    path: Path
    writer: GamesWriter
    waiting: list[GamesBlock] = field(default_factory=list)

    def add(self, block: GamesBlock) -> None:
        """Add a game."""
        self.waiting.append(block)
        if len(self.waiting) == GAMES_A_BLOCK:
            self.write()

    def write(self) -> None:
        """Write the waiting games."""
        if self.waiting:
            names = ("seeds", "indices", "players", "lengths", "actions")
            arrays = {name: np.concatenate([getattr(block, name) for block in self.waiting]) for name in names}
            deals, ends = (list(chain(*(getattr(block, name) for block in self.waiting))) for name in ("deals", "ends"))
            self.writer.add(GamesBlock(**arrays, deals=deals, ends=ends))
            self.waiting.clear()


def read_exports(folder: str | PathLike[str], out: str | PathLike[str]) -> tuple[list[Dataset], dict[str, str]]:
    """Read all ``.json`` files of a folder and its subfolders, and replay their games.

    Args:
        folder: a folder of files as https://hanab.live/export/<game> returns them, one game each.
        out: the path of the dataset; if the games have several configs, later datasets are ``NAME-2.npz`` and so on.

    Returns:
        The datasets; and for every file that is left out, by its path, the reason.

    Raises:
        OSError: ``out`` cannot be written.
        ValueError: no file holds a game, or there is already a file at the path of a later dataset.
    """
    out, refused = Path(out), {}
    lots: dict[Any, Lot] = {}
    with ExitStack() as files:
        for path in sorted(Path(folder).rglob("*.json")):
            try:
                config, names, block = read_export(path)
            except (OSError, ValueError) as error:
                refused[str(path)] = str(error)
                continue
            if config not in lots:
                place = out if not lots else out.with_name(f"{out.stem}-{len(lots) + 1}{out.suffix}")
                if lots and place.exists():
                    raise ValueError(f"{place} exists, and the games of another config would replace it: move it")
                lots[config] = Lot(place, files.enter_context(writing(place, config)))
            block.players[0] = lots[config].writer.places(names)
            lots[config].add(block)
        for lot in lots.values():
            lot.write()
        if not lots:
            reason = next(iter(refused.values()), "there is no .json file")
            raise ValueError(f"{folder} holds no game of hanab.live: {reason}")
    return [Dataset(lot.path) for lot in lots.values()], refused


def read_export(path: Path) -> tuple[Any, list[str], GamesBlock]:
    """Return the config of a game, its players' names, and the game, which has been replayed."""
    from hanabi_env import hanablive

    game = read_json(path)
    config, deck, actions = hanablive.from_json(game)
    number = game.get("id")  # the site's, which some files lack
    number = number if type(number) is int and 0 <= number < 2**63 else 0
    rules, ends = game_of(config).make_game(config), [hanablive.ending(game)]
    return config, hanablive.player_names(game, config.players), replayed(rules, number, deck, actions, ends).games


def replayed(
    game: Any, number: int, deck: list[str], actions: Sequence[int], ends: Sequence[Mapping[str, Any]] = ()
) -> RecordedBlock:
    """Return a block of one game at its end, with the index ``number``; raise ``ValueError`` if it breaks the rules."""
    block = GamesBlock(
        seeds=np.zeros(1, np.uint64),
        indices=np.array([number], np.uint64),
        players=np.zeros((1, game.players), np.uint16),
        lengths=np.array([len(actions)], np.uint32),
        actions=np.array(actions, np.uint16),
        deals=[{"deck": deck}],
        ends=ends,
    )
    replay = RecordedBlock(game, block, 0, observes=False, specialize=False)
    for _ in replay.turns():
        pass
    return replay


# --- Out --------------------------------------------------------------------------------------------------------------


def write_exports(dataset: Dataset, folder: str | PathLike[str], games: int | None = None) -> Path:
    """Write the first ``games`` games, or all, as files that the site opens: ``FOLDER/0000017.json`` is game 17.

    Raises:
        ValueError: the game is not Hanabi, or the site does not have its config; or see `Dataset`.
        OSError: a file cannot be written.
    """
    from hanabi_env import hanablive

    if game_of(dataset.config).name != "hanabi":
        raise ValueError(f"hanab.live has games of hanabi, got {shown(game_of(dataset.config).name)}")
    for number, deck, actions, names, end in islice(decks_of(dataset), games):
        path = Path(folder) / f"{number:07d}.json"
        hanablive.save(path, dataset.config, deck, actions, names, end=end)
    return Path(folder)


def decks_of(dataset: Dataset) -> Iterator[tuple[int, list[str], list[int], Sequence[str], Mapping[str, Any]]]:
    """Yield per game: its number, the deck, the actions, the players' names, and how they stopped it."""
    for replay in dataset.replays():
        starts = replay.games.starts
        for k, names in enumerate(dataset.players_of(replay.games)):
            actions = replay.games.actions[starts[k] : starts[k] + int(replay.games.lengths[k])]
            end = replay.games.ends[k] if replay.games.ends else {}
            yield replay.first + k, deck_of(replay, k), actions.tolist(), names, end


def deck_of(replay: RecordedBlock, k: int) -> list[str]:
    """Return the deck of game ``k`` before the deal; the game must be at its beginning."""
    position = replay.game.to_dict(replay.tables["state"].view(np.recarray)[k])
    return [card for hand in position["hands"] for card in hand] + position["deck"]
