"""Datasets: recorded games are replayed bit by bit, and files that break the rules are refused with a message."""

import io
import json
import os
import pickle
import re
import shutil
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hanabako import agents, games_file
from hanabako.agents import play
from hanabako.agents.bridges import hanab_live
from hanabako.agents.commands.command_line import main
from hanabako.agents.datasets import Dataset, dataset, record, recording
from hanabako.agents.playing.policy import RandomPolicy
from hanabako.games import game_of, make_config
from hanabako.packing import unpack
from tests.agents.files import Bomb, headed, spoil_first_part
from tests.agents.people import EVERY_GAME, short_config
from tests.agents.test_fitting import SHOWN
from tests.hanabako.test_replay import data_of

COUNT = 10


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (dataset, games_file, hanab_live, recording):
        monkeypatch.setattr(module, "GAMES_A_BLOCK", 4)


@pytest.fixture
def mini(tmp_path: Path) -> Dataset:
    config = make_config("hanabi", "mini")
    return record(tmp_path / "mini.npz", config, agents.load("random", config), COUNT, seed=3)


# --- Recorded games ---------------------------------------------------------------------------------------------------


@EVERY_GAME
def test_games_are_those_that_are_played_for_an_evaluation(game: str, tmp_path: Path):
    config = short_config(game)
    random = agents.load("random", config)
    recorded = record(tmp_path / "games.npz", config, random, COUNT, seed=5)
    played, again = play(config, random, COUNT, seed=5), recorded.results()
    assert len(recorded) == COUNT and recorded.config == config and recorded.names == ("random",)
    for name in ("score", "fireworks_score", "length", "lost", "perfect", "rewards"):
        assert np.array_equal(getattr(played, name), getattr(again, name)), name
    later = record(tmp_path / "later.npz", config, random, 3, seed=5, first=7)
    assert np.array_equal(later.one(0).actions, recorded.one(7).actions)


@EVERY_GAME
def test_every_decision_is_shown_as_the_environment_shows_it(game: str, tmp_path: Path):
    """Decisions can be shown with another observation than the players had; returns agree with sums in a plain loop."""
    config = short_config(game)
    recorded = record(tmp_path / "games.npz", config, agents.load("random", config), 5, seed=2)
    other = replace(config, **SHOWN[game])
    seen = [one for some in recorded.decisions(other) for one in zip(*some, strict=True)]
    k = 0
    for number in range(5):
        env = game_of(config).vector_env(1, config=other, observation="packed", autoreset_mode="Disabled")
        observation, infos = env.reset(seed=2, options={"game_index": number})
        begin, rewards, over = k, [], False
        while not over:
            shown, mask, action, player, reward, _, at, turn = seen[k]
            assert np.array_equal(shown, observation["observation"][0])
            assert np.array_equal(mask, observation["action_mask"][0])
            assert (player, at, turn) == (infos["current_player"][0], number, k - begin)
            observation, _, ended, _, infos = env.step(np.array([action]))
            rewards.append(infos["rewards"][0].copy())
            assert reward == pytest.approx(rewards[-1])
            over, k = ended[0], k + 1
        for turn in range(len(rewards)):
            player = seen[begin + turn][3]
            assert seen[begin + turn][5] == pytest.approx(sum(row[player] for row in rewards[turn:]), abs=1e-5)
    assert k == len(seen)


@pytest.mark.parametrize("form", ["int8", "float32"])
def test_observations_come_in_the_format_that_is_asked_for(form: str, mini: Dataset):
    bits = mini.config.observation_bits
    for some, packed in zip(mini.decisions(observation=form), mini.decisions(), strict=True):
        assert some.observations.dtype == form
        assert np.array_equal(some.observations, unpack(packed.observations, bits))


def test_batches_hold_every_decision_once_in_an_order_that_the_seed_gives(mini: Dataset):
    def places(seed: int) -> list[tuple[int, int]]:
        return [place for some in mini.batches(7, seed) for place in zip(some.games, some.turns, strict=True)]

    whole = [place for some in mini.decisions() for place in zip(some.games, some.turns, strict=True)]
    assert sorted(places(1)) == sorted(whole) and len(set(whole)) == len(whole)
    assert places(1) == places(1) != places(2)
    assert max(len(some.actions) for some in mini.batches(7, 1)) == 7


def test_other_rules_are_refused_by_the_field(mini: Dataset):
    with pytest.raises(ValueError, match="the games were played with hand_size=3, got 4"):
        next(mini.decisions(replace(mini.config, hand_size=4)))
    with pytest.raises(ValueError, match="the games are of hanabi, got a config of koikoi"):
        next(mini.decisions(make_config("koikoi")))
    with pytest.raises(ValueError, match=r"observation must be one of .*, got 'bits'"):
        next(mini.decisions(observation="bits"))
    with pytest.raises(ValueError, match="size must be at least 1, got 0"):
        next(mini.batches(0, 1))


def test_who_sat_where_is_kept(tmp_path: Path):
    config = make_config("hanabi", "mini")
    one, other = RandomPolicy(), agents.load("random", config)
    one.name = "somebody"
    recorded = record(tmp_path / "a.npz", config, [one, other], 2, seed=1)
    assert recorded.players_of(recorded.one(1)) == [("somebody", "random")]


def test_how_searches_think_is_kept_if_it_is_said(mini: Dataset, tmp_path: Path):
    words = ["--preset", "mini", "--agents", "search:piers,piers", "--search", "rollouts=3", "margin=1.5"]
    main(["record", "hanabi", *words, "--games", "1", "--out", str(tmp_path / "games.npz")])
    said = Dataset(tmp_path / "games.npz")
    assert (said.names, said.search) == (("search:piers", "piers"), {"rollouts": 3, "margin": 1.5})
    assert mini.search == {}, "as of a file that was written before there was such a thing"


# --- The file ---------------------------------------------------------------------------------------------------------


def test_equal_games_make_equal_files_and_numpy_opens_them(mini: Dataset, tmp_path: Path):
    again = record(tmp_path / "again.npz", mini.config, agents.load("random", mini.config), COUNT, seed=3)
    assert again.file.path.read_bytes() == mini.file.path.read_bytes()
    with np.load(mini.file.path) as arrays:
        lengths = np.concatenate([arrays[f"{k:06d}/lengths"] for k in range(3)])
        assert json.loads(arrays["about.json"])["games"] == len(lengths) == COUNT
        assert len(arrays["000000/actions"]) == lengths[:4].sum()


def test_what_fails_half_way_leaves_no_file_and_spoils_none(mini: Dataset, monkeypatch: pytest.MonkeyPatch):
    before, calls = mini.file.path.read_bytes(), iter([None, KeyboardInterrupt()])
    real = recording.played

    def interrupted(*arguments: Any) -> Any:
        if error := next(calls):
            raise error
        return real(*arguments)

    monkeypatch.setattr(recording, "played", interrupted)
    with pytest.raises(KeyboardInterrupt):
        record(mini.file.path, mini.config, agents.load("random", mini.config), COUNT, seed=4)
    assert mini.file.path.read_bytes() == before
    assert [path.name for path in mini.file.path.parent.iterdir()] == ["mini.npz"]


def test_what_cannot_be_read_again_is_no_dataset(mini: Dataset, tmp_path: Path):
    fifo = tmp_path / "games.npz"
    os.mkfifo(fifo)
    for path in (fifo, tmp_path):
        with pytest.raises(ValueError, match=f"a dataset must be a regular file, got {re.escape(str(path))}"):
            record(path, mini.config, RandomPolicy(), 1, seed=1)


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("actions", lambda array: array.astype(np.int64) + 70_000),
        ("actions", lambda array: array[:-1]),
        ("actions", lambda array: array + 0.5),
        ("players", lambda array: array + 100),
        ("players", lambda array: array[:, :1]),
        ("seeds", lambda array: array.astype(np.int64) - 10),
        ("lengths", lambda array: array + 1),
    ],
)
def test_games_that_could_not_be_read_again_are_not_written(
    name: str, wrong: Callable[[Any], Any], mini: Dataset, tmp_path: Path
):
    path = tmp_path / "games.npz"
    shutil.copy(mini.file.path, path)
    before, (_, block) = path.read_bytes(), next(iter(mini.file.blocks([0])))
    damaged = replace(block, **{name: wrong(getattr(block, name))})

    def write() -> None:
        with games_file.writing(path, mini.config) as writer:
            writer.places(mini.file.names)
            writer.add(damaged)

    with pytest.raises(ValueError, match=rf"{name} must be|actions must be"):
        write()
    assert path.read_bytes() == before


def rewritten(path: Path, changed: Mapping[str, bytes | None], compression: int = zipfile.ZIP_STORED) -> Path:
    """Return the file with some members replaced, with right checksums; None removes a member."""
    with zipfile.ZipFile(path) as old:
        members: dict[str, bytes | None] = {name: old.read(name) for name in old.namelist()} | dict(changed)
    with zipfile.ZipFile(path, "w", compression) as new:
        for name, content in members.items():
            if content is not None:
                new.writestr(name, content)
    return path


def saved(array: Any, **how: Any) -> bytes:
    file = io.BytesIO()
    np.save(file, array, **how)
    return file.getvalue()


SEARCHES_BY_ITSELF = b'{"format": "hanabako-games-1", "config": {"game": "hanabi"}, "names": ["a"], "search": 3}'
HOSTILE: dict[str, tuple[Any, str]] = {
    "pickled": ({"000001/lengths.npy": saved(np.array([Bomb()] * 4, object), allow_pickle=True)}, "lengths.npy must"),
    "a pickle alone": ({"about.json": pickle.dumps(Bomb())}, "about.json is JSON that cannot be read"),
    "another type": ({"000000/seeds.npy": saved(np.zeros(4))}, "seeds.npy must be .*'<u8'.* got .*'<f8'"),
    "another shape": ({"000000/players.npy": saved(np.zeros((4, 3), np.uint16))}, r"shape \(4, 2\), got .*\(4, 3\)"),
    "long games": ({"000000/lengths.npy": saved(np.full(4, 2**32 - 1, np.uint32))}, "a block has at most 1048576"),
    "cut short": ({"000000/lengths.npy": saved(np.zeros(4, np.uint32))[:-3]}, "lengths.npy must have 16 bytes"),
    "too much": ({"000000/lengths.npy": saved(np.zeros(4, np.uint32)) + b"0"}, "lengths.npy must have 16 bytes"),
    "a header that does not end": ({"000000/indices.npy": headed(b"(")}, "indices.npy must be"),
    "a header with a list for a name": ({"000000/indices.npy": headed(b"{[]:1}")}, "indices.npy must be"),
    "missing": ({"000002/actions.npy": None}, "lacks .*000002/actions.npy"),
    "nobody": ({"000000/players.npy": saved(np.full((4, 2), 9, np.uint16))}, "there are 1 names, got 9"),
    "no config": ({"about.json": b'{"format": "hanabako-games-1"}'}, "lacks 'config'"),
    "another format": ({"about.json": b'{"format": "hanabako-games-2"}'}, "a dataset has the format hanabako-games-1"),
    "more games": (COUNT + 1, "must be"),
    "far more games": (2**33, "games must be an int from 0"),
    "no games": (0, "at least 1"),
    "games in words": ("9", "games"),
    "no effort": ({"about.json": SEARCHES_BY_ITSELF}, "search must be an object, got 3"),
    "no list": ({"000000/deals.json": b"{}"}, "deals.json must be a list"),
    "one deal": ({"000000/deals.json": b"[{}]"}, "deals.json must be a list of 4, got 1"),
    "no deal": ({"000000/deals.json": b'[{}, {"deck": ["R9"]}, {}, {}]'}, "game 1: "),
    "a wrong deal": ({"000000/deals.json": b'[{"dek": 1}, {}, {}, {}]'}, "game 0: reset has no option 'dek'"),
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_hostile_files_are_refused_in_words(kind: str, mini: Dataset):
    changed, says = HOSTILE[kind]
    if isinstance(changed, int | str):  # another number of games than there are
        about = json.loads(zipfile.ZipFile(mini.file.path).read("about.json")) | {"games": changed}
        changed = {"about.json": json.dumps(about).encode()}
    path = rewritten(mini.file.path, changed)
    with pytest.raises(ValueError, match=says) as refusal:
        Dataset(path).results()
    assert "\n" not in str(refusal.value)


def test_damage_in_another_compression_is_refused_in_words(mini: Dataset):
    rewritten(mini.file.path, {}, zipfile.ZIP_LZMA)
    assert len(Dataset(mini.file.path).results().score) == COUNT
    spoil_first_part(mini.file.path)
    with pytest.raises(ValueError, match=f"{mini.file.path} holds no games that can be read: ") as refusal:
        Dataset(mini.file.path).results()
    assert "\n" not in str(refusal.value)


def test_damage_is_found_wherever_it_is(mini: Dataset):
    """If any byte is changed, either the games are the same (the byte is never read) or the file is refused."""
    whole, before = mini.file.path.read_bytes(), mini.results().score
    generator, refused = np.random.default_rng(1), 0
    for place in generator.integers(len(whole), size=100):
        damaged = bytearray(whole)
        damaged[place] ^= 1 << int(generator.integers(8))
        mini.file.path.write_bytes(damaged)
        try:
            assert np.array_equal(Dataset(mini.file.path).results().score, before)
        except ValueError:
            refused += 1
    assert refused > 50
    mini.file.path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ValueError, match="holds no games that can be read"):
        Dataset(mini.file.path)


@pytest.mark.parametrize("action", [0, 10_000])
def test_an_illegal_action_is_named_by_its_game_and_place(action: int, mini: Dataset):
    """A discard is illegal while all information tokens are there (H8), so action 0 is illegal in the first turn."""
    actions = np.concatenate([mini.one(k).actions for k in range(4, 8)])
    actions[mini.one(4).lengths[0]] = action
    path = rewritten(mini.file.path, {"000001/actions.npy": saved(actions)})
    words = "'discard 0'" if action == 0 else "number 10000"
    for read in (lambda: Dataset(path).results(), lambda: list(Dataset(path).decisions())):
        with pytest.raises(ValueError, match=f"game 5, action 0: {words} is not legal there"):
            read()


def longer(mini: Dataset, by: int) -> Path:
    """Return the file with its last game longer by ``by`` actions."""
    last, other = mini.one(9), mini.one(8)
    actions = np.append(last.actions, np.zeros(max(by, 0), np.uint16))[: len(last.actions) + by]
    changed = {
        "000002/lengths.npy": saved(np.array([len(other.actions), len(actions)], np.uint32)),
        "000002/actions.npy": saved(np.concatenate([other.actions, actions])),
    }
    return rewritten(mini.file.path, changed)


def test_nothing_comes_after_the_end(mini: Dataset):
    length = int(mini.one(9).lengths[0])
    with pytest.raises(ValueError, match=f"game 9, action {length}: .* comes after the end"):
        Dataset(longer(mini, 1)).results()


def test_games_that_were_given_up_can_be_learned_from(mini: Dataset):
    whole = mini.results()
    short = Dataset(longer(mini, -2))
    assert np.array_equal(short.results().rewards, whole.rewards[:-1])
    some = list(short.decisions())[-1]
    assert (some.turns[some.games == 9] == np.arange(int(short.one(9).lengths[0]))).all()


# --- The command ------------------------------------------------------------------------------------------------------


def test_games_are_recorded_shown_and_handed_on(cwd: Path, capsys: pytest.CaptureFixture[str]):
    main(["record", "hanabi", "--agents", "random", "--games", "6", "--seed", "4", "--out", "games.npz"])
    assert re.fullmatch(r"games.npz: 6 games, [1-9] kB\n", capsys.readouterr().out)
    main(["record", "--source", "games.npz", "--hanablive", "site"])
    main(["record", "--source", "site", "--out", "again.npz"])
    assert "again.npz: 6 games" in capsys.readouterr().out
    for name in ("games.npz", "again.npz"):
        main(["watch", name, "--number", "5"])
    pages = [(cwd / f"{name}-5.html").read_text(encoding="utf-8") for name in ("games", "again")]
    first, second = ([frame["choice"] for frame in data_of(page)["frames"]] for page in pages)
    assert first == second


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--out", "games.jsonl"], r"out must end in \.npz, got 'games.jsonl'"),
        (["--agents", "person"], "'person' is only for 'hanabako play'"),
        (["--source", "nowhere.npz", "--hanablive", "site"], r"No such file or directory: 'nowhere\.npz'"),
        (["--source", __file__], "say where its games go with --hanablive, --ah2ac2 or --minari"),
        (
            ["--source", __file__, "--hanablive", "x", "--out", "y.npz"],
            "out must not be given with a dataset as --source",
        ),
        (["--source", "."], r"holds no game of hanab\.live"),
        (["--source", ".", "--out", "games.json"], r"out must end in \.npz, got 'games.json'"),
        (["--source", ".", "--games", "3"], "games is for agents that play, and with --source no agent plays"),
    ],
)
def test_what_cannot_be_recorded_is_said_in_a_line(words: list[str], says: str, cwd: Path):
    with pytest.raises(SystemExit, match=says) as refusal:
        main(["record", "hanabi", *words])
    assert "\n" not in str(refusal.value) and not list(cwd.iterdir())
