"""Conversion between datasets of Hanabi and the array files of AH2AC2 (Dizdarevic et al. 2025), in both directions.

An AH2AC2 file is safetensors with integers: ``game_ids, scores, num_actions`` (N,); ``decks`` (N, 50, 2), color and
rank from 0, top card first; ``actions`` (N, T, players), where the number after the last action marks players who are
not to move and steps after the end; ``num_players`` (). The published files
(https://huggingface.co/datasets/ah2ac2/datasets) hold games that people played on hanab.live, standard Hanabi for 2 and
3 players; files for 4 and 5 can be read too. The ids are the ``indices`` of our files.
"""

from collections.abc import Mapping
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from hanabako.files import MOST_ARRAYS, check_readable, write_bytes
from hanabako.games import game_of
from hanabako.games_file import GamesBlock, writing
from hanabako.words.checks import shown
from hanabi_env.config import HanabiConfig

from ...datasets.dataset import Dataset, RecordedBlock
from ..hanab_live import Lot, deck_of, replayed

__all__ = ["read_arrays", "write_arrays"]

SHAPES = {"game_ids": 1, "scores": 1, "decks": 3, "actions": 3, "num_actions": 1, "num_players": 0}
"""The arrays and their numbers of dimensions."""
INTEGERS = ("I8", "I16", "I32", "I64", "U8", "U16", "U32", "U64")
"""The types that an array may have, by their safetensors names; safetensors also has types that NumPy lacks."""
LENGTH = 89
"""The smallest T of the files that we write; AH2AC2's own files have this T."""
LETTERS = "RYGWB"
WHO = "person"
"""The name of every player, because the files have none."""


# --- In ---------------------------------------------------------------------------------------------------------------


def read_arrays(path: str | PathLike[str], out: str | PathLike[str]) -> tuple[Dataset, dict[str, str]]:
    """Read a file of AH2AC2 and replay its games.

    Args:
        path: the file.
        out: the path of the dataset to write.

    Returns:
        The dataset; and for every game that is left out, by its id and row, the reason: it breaks the rules or ends
        with another score.

    Raises:
        OSError: ``out`` cannot be written.
        ValueError: it is not such a file, or no game is left.
    """
    arrays, refused = checked_arrays(Path(path)), {}
    config = HanabiConfig(players=int(arrays["num_players"]))
    game = game_of(config).make_game(config)
    with writing(out, config) as writer:
        lot = Lot(Path(out), writer)
        writer.places([WHO])
        for k, number in enumerate(arrays["game_ids"].tolist()):
            try:
                lot.add(game_at(game, arrays, k))
            except ValueError as error:
                refused[f"game {number} (row {k})"] = str(error).removeprefix("game 0").lstrip(",: ")
        lot.write()
        if not writer.games:
            raise ValueError(f"{path} holds no game that fits: {next(iter(refused.values()), 'there is none')}")
    return Dataset(out), refused


def checked_arrays(path: Path) -> dict[str, NDArray[Any]]:
    """Return the arrays of a file after checking their types, shapes and ranges."""
    try:
        check_readable(path, MOST_ARRAYS)
        with safe_open(path, "np") as file:
            names = file.keys()
            if set(names) != set(SHAPES):
                raise ValueError(f"{path} must hold {', '.join(SHAPES)}, got {', '.join(map(shown, names)) or 'none'}")
            for name, sizes in SHAPES.items():
                check_integers(f"{path}: {name}", file.get_slice(name), sizes)
            arrays = {name: file.get_tensor(name) for name in names}
    except (OSError, SafetensorError) as error:
        raise ValueError(f"{path} cannot be read as games: {error}") from error
    (games, turns, _), players = arrays["actions"].shape, int(arrays["num_players"])
    for name, least, most in (("num_players", 2, 5), ("num_actions", 0, turns), ("game_ids", 0, 2**63 - 1)):
        if arrays[name].size and not least <= arrays[name].min() <= arrays[name].max() <= most:
            raise ValueError(f"{path}: {name} must be from {least} to {most}")
    wanted = {"decks": (games, 50, 2), "actions": (games, turns, players), "num_players": ()}
    for name, array in arrays.items():
        if array.shape != wanted.get(name, (games,)):
            raise ValueError(f"{path}: {name} must be of shape {wanted.get(name, (games,))}, got {array.shape}")
    return arrays


def check_integers(name: str, array: Any, sizes: int) -> None:
    """Check the type and number of dimensions of an array (a slice of safetensors) that has not been read yet."""
    kind, shape = array.get_dtype(), tuple(array.get_shape())
    if kind not in INTEGERS or len(shape) != sizes:
        allowed = f"integers with {sizes} dimensions ({', '.join(INTEGERS)})"
        raise ValueError(f"{name} must be {allowed}, got {kind} of shape {shape}")


def game_at(game: Any, arrays: Mapping[str, NDArray[Any]], k: int) -> GamesBlock:
    """Return the k-th game; raise ``ValueError`` if it breaks the rules, or ends with another score than the file's."""
    number, length = int(arrays["game_ids"][k]), int(arrays["num_actions"][k])
    actions, deck = arrays["actions"][k], arrays["decks"][k]
    acts, turns = (actions >= 0) & (actions < game.num_actions), np.arange(length)
    moves = np.zeros_like(acts)
    moves[turns, turns % game.players] = True
    if (acts != moves).any():
        raise ValueError(f"action {int(np.argwhere(acts != moves)[0, 0])}: must be by one player, whose turn it is")
    if not ((deck >= 0) & (deck < len(LETTERS))).all():
        raise ValueError(f"a card of the deck must be [0, 0] to [4, 4], got {deck.min()} to {deck.max()}")
    cards = [f"{LETTERS[color]}{rank + 1}" for color, rank in deck.tolist()]
    replay = replayed(game, number, cards, actions[turns, turns % game.players])
    scores = {int(replay.tables[name][0]) for name in ("score", "fireworks_score")}  # a lost game may count as either
    if int(arrays["scores"][k]) not in scores:
        points = " or ".join(map(str, sorted(scores)))
        raise ValueError(f"its score must be {points}, got {int(arrays['scores'][k])}")
    return replay.games


# --- Out --------------------------------------------------------------------------------------------------------------


def write_arrays(dataset: Dataset, path: str | PathLike[str]) -> Path:
    """Write all games of a dataset to a file of AH2AC2.

    Raises:
        ValueError: they are not games of standard Hanabi; or see `Dataset`.
        OSError: the file cannot be written.
    """
    config = dataset.config
    if game_of(config).name != "hanabi" or not is_standard(config):
        raise ValueError("AH2AC2's files hold games of standard Hanabi only, but the dataset has another config")
    parts = [arrays_of(replay, config.rules().num_actions) for replay in dataset.replays()]
    turns = max(LENGTH, *(part["actions"].shape[1] for part in parts))
    for part in parts:
        room = np.full((len(part["scores"]), turns, config.players), config.rules().num_actions)
        room[:, : part["actions"].shape[1]] = part["actions"]
        part["actions"] = room
    kinds = {name: np.int64 if name == "game_ids" else np.int32 for name in parts[0]}
    arrays = {name: np.concatenate([part[name] for part in parts]).astype(kind) for name, kind in kinds.items()}
    write_bytes(path, save({**arrays, "num_players": np.array(config.players, np.int32)}))
    return Path(path)


def is_standard(config: HanabiConfig) -> bool:
    """Whether a config is the standard game; observations and the score of lost games may differ."""
    entry = game_of(config)
    free = (*entry.observation_fields, "score_on_loss", "hand_size")
    plain = HanabiConfig(players=config.players)
    same = replace(plain, **{name: getattr(config, name) for name in free})
    return config == same and config.rules().hand_size == plain.rules().hand_size


def arrays_of(replay: RecordedBlock, none: int) -> dict[str, NDArray[Any]]:
    """Return the arrays of a block except ``num_players``, after playing its games to their ends for their scores."""
    lengths, games = replay.games.lengths.astype(np.int64), len(replay.games)
    decks = [deck_of(replay, k) for k in range(games)]
    actions = np.full((games, int(lengths.max(initial=0)), replay.game.players), none, np.int64)
    for turn, rows, taken in replay.turns():
        actions[rows, turn, replay.tables["current_player"][rows]] = taken
    return {
        "game_ids": replay.games.indices.astype(np.int64),
        "scores": replay.tables["score"].copy(),
        "decks": np.array([[(LETTERS.index(card[0]), int(card[1]) - 1) for card in deck] for deck in decks]),
        "actions": actions,
        "num_actions": lengths,
    }
