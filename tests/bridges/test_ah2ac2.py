"""AH2AC2's arrays: games are imported, played and exported unchanged; games that do not fit are reported."""

import json
import pickle
import re
import runpy
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

import hanabako.agents.bridges.published.bc_lstm as clones
from hanabako import agents
from hanabako.agents import play
from hanabako.agents.bridges.ah2ac2.arrays import read_arrays, write_arrays
from hanabako.agents.commands.command_line import main
from hanabako.agents.datasets import Dataset, record
from hanabi_env import PRESETS, HanabiConfig, hanabi_v0
from tests.agents.files import Bomb
from tests.conftest import ROOT

Arrays = dict[str, np.ndarray]


def arrays_by_hand(players: int, games: int = 4) -> Arrays:
    env, rng, none = hanabi_v0.raw_env(players=players), np.random.default_rng(1), {2: 20, 3: 30}[players]
    decks, scores, lengths = [], [], []
    actions = np.full((games, 89, players), none, np.int32)
    for game in range(games):
        env.reset(seed=game)
        position, turn = env.to_dict(), 0
        cards = [card for hand in position["hands"] for card in hand] + position["deck"]
        decks.append([["RYGWB".index(card[0]), int(card[1]) - 1] for card in cards])
        while not any(env.terminations.values()):
            legal = np.flatnonzero(env.observe(env.agent_selection)["action_mask"])
            actions[game, turn, turn % players] = rng.choice(legal)
            env.step(int(actions[game, turn, turn % players]))
            turn += 1
        scores.append(env.to_dict()["score"])
        lengths.append(turn)
    return {
        "game_ids": np.arange(games) * 1000 + 7,
        "scores": np.array(scores, np.int32),
        "decks": np.array(decks, np.int32),
        "actions": actions,
        "num_actions": np.array(lengths, np.int32),
        "num_players": np.array(players, np.int32),
    }


def written(arrays: Arrays, path: Path) -> Path:
    save_file(arrays, path)
    return path


@pytest.mark.parametrize("players", [2, 3])
def test_games_come_in_and_go_out_as_they_came(players: int, cwd: Path, capsys: pytest.CaptureFixture[str]):
    arrays = arrays_by_hand(players)
    written(arrays, cwd / "games.safetensors")
    main(["record", "hanabi", "--source", "games.safetensors", "--out", "games.npz"])
    shown = capsys.readouterr()
    assert "games.npz: 4 games" in shown.out and "left out" not in shown.err
    dataset = Dataset("games.npz")
    assert dataset.config == HanabiConfig(players=players)
    assert dataset.results().length.tolist() == arrays["num_actions"].tolist()
    main(["record", "--source", "games.npz", "--ah2ac2", "again.safetensors"])
    again = load_file("again.safetensors")
    assert again.keys() == arrays.keys()
    for name, array in arrays.items():
        np.testing.assert_array_equal(again[name], array)


def test_agents_games_go_out_and_come_back(tmp_path: Path):
    config = HanabiConfig(players=4, derived=True, score_on_loss="fireworks")
    ours = record(tmp_path / "ours.npz", config, agents.load("random", config), 5, seed=3, first=11)
    back, refused = read_arrays(write_arrays(ours, tmp_path / "ours.safetensors"), tmp_path / "back.npz")
    assert not refused and load_file(tmp_path / "ours.safetensors")["game_ids"].tolist() == list(range(11, 16))
    np.testing.assert_array_equal(back.results().fireworks_score, ours.results().fireworks_score)
    mini = record(tmp_path / "mini.npz", PRESETS["mini"], agents.load("random", PRESETS["mini"]), 1, seed=3)
    with pytest.raises(ValueError, match="standard Hanabi"):
        write_arrays(mini, tmp_path / "mini.safetensors")


def spoil(arrays: Arrays, name: str, place: Any, value: Any) -> None:
    arrays[name][place] = value


SPOILED: dict[str, tuple[Callable[[Arrays], None], str]] = {
    "illegal": (lambda a: spoil(a, "actions", (1, 0, 0), 0), "action 0: 'discard 0' is not legal there"),
    "out of turn": (lambda a: spoil(a, "actions", (1, 0, 1), 3), "action 0: must be by one player"),
    "no player": (lambda a: spoil(a, "actions", (1, 2, 0), 20), "action 2: must be by one player"),
    "too long": (lambda a: spoil(a, "num_actions", 1, 89), "must be by one player"),
    "score": (lambda a: spoil(a, "scores", 1, 24), "its score must be .*, got 24"),
    "no card": (lambda a: spoil(a, "decks", (1, 0, 0), 5), r"must be \[0, 0\] to \[4, 4\], got 0 to 5"),
    "another deck": (lambda a: spoil(a, "decks", (1, slice(0, 9)), [4, 4]), "deck"),
}


@pytest.mark.parametrize("what", SPOILED)
def test_a_game_that_does_not_fit_is_left_out_and_said(what: str, cwd: Path, capsys: pytest.CaptureFixture[str]):
    arrays = arrays_by_hand(2, games=3)
    change, reason = SPOILED[what]
    change(arrays)
    written(arrays, cwd / "games.safetensors")
    main(["record", "hanabi", "--source", "games.safetensors", "--out", "games.npz"])
    shown = capsys.readouterr()
    assert "games.npz: 2 games" in shown.out
    (line,) = (line for line in shown.err.splitlines() if line.startswith("left out"))
    assert line.startswith("left out: game 1007 (row 1): ") and re.search(reason, line)


BAD: dict[str, tuple[Callable[[Arrays], Arrays], str]] = {
    "an array is missing": (lambda a: {k: a[k] for k in a if k != "scores"}, "must hold game_ids, scores, .* got"),
    "one is too many": (lambda a: a | {"more": np.ones(1)}, "must hold game_ids"),
    "no integers": (lambda a: a | {"scores": a["scores"] * 1.0}, "scores must be integers .* got F64"),
    "sizes": (lambda a: a | {"decks": a["decks"][0]}, "decks must be integers with 3 dimensions"),
    "shape": (lambda a: a | {"decks": a["decks"][:, :49].copy()}, r"decks must be of shape \(2, 50, 2\), got"),
    "games": (lambda a: a | {"scores": a["scores"][:1].copy()}, r"scores must be of shape \(2,\), got \(1,\)"),
    "players": (lambda a: a | {"num_players": np.array(3)}, r"actions must be of shape \(2, 89, 3\)"),
    "more players": (
        lambda a: a | {"num_players": np.array(6), "actions": np.zeros((2, 89, 6), np.int32)},
        "num_players must be from 2 to 5",
    ),
    "no players": (lambda a: a | {"num_players": np.array(0)}, "num_players must be from 2 to 5"),
    "length": (lambda a: a | {"num_actions": np.array([90, 3])}, "num_actions must be from 0 to 89"),
    "id": (lambda a: a | {"game_ids": np.array([-1, 3])}, "game_ids must be from 0"),
    "nothing": (lambda a: {k: v[:0] if v.ndim else v for k, v in a.items()}, "no game that fits: there is none"),
    "nothing fits": (lambda a: a | {"scores": a["scores"] + 26}, "no game that fits: its score must be"),
}


@pytest.mark.parametrize("what", BAD)
def test_other_arrays_are_refused_in_a_sentence(what: str, tmp_path: Path):
    change, words = BAD[what]
    path = written(change(arrays_by_hand(2, games=2)), tmp_path / "games.safetensors")
    with pytest.raises(ValueError, match=words) as caught:
        read_arrays(path, tmp_path / "games.npz")
    assert "\n" not in str(caught.value) and str(path) in str(caught.value)
    assert not (tmp_path / "games.npz").exists()


@pytest.mark.parametrize("kind", ["BF16", "F8_E4M3", "F8_E8M0", "F4", "BOOL", "C64"])
def test_a_type_that_numpy_may_not_have_is_refused_in_a_sentence(kind: str, tmp_path: Path):
    path = written(arrays_by_hand(2, games=2), tmp_path / "games.safetensors")
    content = path.read_bytes()
    (length,) = struct.unpack("<Q", content[:8])
    header = json.loads(content[8 : 8 + length])
    begin, end = header["scores"]["data_offsets"]
    bits = {"BF16": 16, "F4": 4, "C64": 64}.get(kind, 8)
    header["scores"] |= {"dtype": kind, "shape": [(end - begin) * 8 // bits]}
    changed = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(changed)) + changed + content[8 + length :])
    with pytest.raises(ValueError, match=f"{re.escape(str(path))}: scores must be integers .*I64.*, got {kind}"):
        read_arrays(path, tmp_path / "games.npz")


def test_a_file_that_is_none_is_refused_in_a_sentence_and_nothing_runs(tmp_path: Path):
    path = written(arrays_by_hand(2, games=1), tmp_path / "games.safetensors")
    for content in (path.read_bytes()[:-9], pickle.dumps(Bomb()), b"\xff" * 8, bytes(range(256)), b"{}"):
        path.write_bytes(content)
        with pytest.raises(ValueError, match="cannot be read as games") as caught:
            read_arrays(path, tmp_path / "games.npz")
        assert "\n" not in str(caught.value)
    assert [file.name for file in tmp_path.iterdir()] == ["games.safetensors"]


@pytest.mark.slow
def test_its_cloning_learns_from_games_of_ours(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    config = HanabiConfig()
    for name, games, seed in (("train", 100, 1), ("val", 20, 2)):
        some = record(tmp_path / f"{name}.npz", config, agents.load("cautious", config), games, seed=seed)
        write_arrays(some, tmp_path / f"{name}.safetensors")
    recipe = runpy.run_path(str(ROOT / "docs" / "recipes" / "ah2ac2_cloning.py"))
    files = [tmp_path / f"{name}.safetensors" for name in ("train", "val", "clone")]
    best = recipe["main"](recipe["Args"](*files, epochs=10, batch=8, units=(64, 32, 32), dropout=0.1))
    said = [float(found) for found in re.findall(r"accuracy ([\d.]+)", capsys.readouterr().out)]
    assert len(said) == 10 and max(said) == pytest.approx(best, abs=1e-3)
    assert best > max(0.3, said[0])  # random choices agree in a tenth of the cases
    network, val = clones.read(files[2]), recipe["Turns"](files[1])
    assert recipe["accuracy"](network, val, 4) == pytest.approx(best)
    assert play(config, agents.load(f"bc_lstm:{files[2]}", config), games=2, seed=1).length.min() > 3
