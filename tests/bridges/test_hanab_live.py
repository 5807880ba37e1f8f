"""hanab.live's files: folders of them become datasets, and games come back as they were."""

import json
from pathlib import Path

import numpy as np
import pytest

from hanabako import agents
from hanabako.agents.bridges import hanab_live
from hanabako.agents.commands.command_line import main
from hanabako.agents.datasets import Dataset, record
from hanabako.games import make_config
from hanabako.record import read_record
from hanabi_env import hanablive


@pytest.fixture
def exports(tmp_path: Path) -> Path:
    """A folder with games of two configurations, one begun by another player, and two files that are not games."""
    folder = tmp_path / "exports"
    for players, count in ((2, 6), (3, 1)):
        config = make_config("hanabi", "standard", players)
        some = record(tmp_path / f"{players}.npz", config, agents.load("random", config), count, seed=8)
        hanab_live.write_exports(some, folder / f"{players}")
    turned = json.loads((folder / "2" / "0000005.json").read_text(encoding="utf-8"))
    turned["players"] = ["Bob", "Alice"]
    turned["options"]["startingPlayer"] = 1
    turned["deck"] = turned["deck"][5:10] + turned["deck"][:5] + turned["deck"][10:]
    for action in turned["actions"]:
        if action["type"] in (0, 1) and action["target"] < 10:
            action["target"] = (action["target"] + 5) % 10
        if action["type"] in (2, 3):
            action["target"] = 1 - action["target"]
    (folder / "2" / "0000005.json").write_text(json.dumps(turned), encoding="utf-8")
    (folder / "broken.json").write_text("{", encoding="utf-8")
    late = json.loads((folder / "2" / "0000000.json").read_text(encoding="utf-8"))
    late["actions"] = late["actions"] * 3
    (folder / "late.json").write_text(json.dumps(late), encoding="utf-8")
    return folder


def test_a_folder_of_the_site_becomes_a_dataset_for_each_configuration(exports: Path, tmp_path: Path):
    (two, three), refused = hanab_live.read_exports(exports, tmp_path / "people.npz")
    assert (len(two), len(three)) == (6, 1)
    assert [made.file.path.name for made in (two, three)] == ["people.npz", "people-2.npz"]
    assert {Path(path).name for path in refused} == {"broken.json", "late.json"}
    original = Dataset(tmp_path / "2.npz")
    assert np.array_equal(two.results().rewards, original.results().rewards)
    for number in range(6):
        assert np.array_equal(two.one(number).actions, original.one(number).actions)
    assert two.players_of(two.one(5)) == [("Alice", "Bob")]
    seen, expected = (np.concatenate([some.observations for some in made.decisions()]) for made in (two, original))
    assert np.array_equal(seen, expected)


def test_a_dataset_of_another_configuration_does_not_replace_a_file(exports: Path, tmp_path: Path):
    (tmp_path / "people-2.npz").write_bytes(b"kept")
    with pytest.raises(ValueError, match=r"people-2\.npz exists, and the games of another config would replace it"):
        hanab_live.read_exports(exports, tmp_path / "people.npz")
    assert (tmp_path / "people-2.npz").read_bytes() == b"kept" and not (tmp_path / "people.npz").exists()


def test_the_sites_games_come_back_as_they_were(exports: Path, tmp_path: Path):
    (two, _), _ = hanab_live.read_exports(exports, tmp_path / "people.npz")
    hanab_live.write_exports(two, tmp_path / "back", games=2)
    assert sorted(path.name for path in (tmp_path / "back").iterdir()) == ["0000000.json", "0000001.json"]
    for name in ("0000000.json", "0000001.json"):
        assert hanablive.load(tmp_path / "back" / name) == hanablive.load(exports / "2" / name)


def test_how_a_game_was_stopped_is_kept(exports: Path, cwd: Path):
    path, end = exports / "2" / "0000001.json", {"type": 5, "target": -1, "value": 10}
    stopped = json.loads(path.read_text(encoding="utf-8"))
    stopped["actions"] = [*stopped["actions"][:4], end]
    path.write_text(json.dumps(stopped), encoding="utf-8")
    main(["record", "hanabi", "--source", str(exports), "--out", "people.npz"])
    main(["record", "--source", "people.npz", "--hanablive", "back"])
    kept = [json.loads((cwd / "back" / f"000000{k}.json").read_text(encoding="utf-8")) for k in (0, 1)]
    assert kept[1]["actions"] == stopped["actions"] and kept[0]["actions"][-1]["type"] < 4
    assert [block.game(1).ends for _, block in Dataset("people.npz").file.blocks([0])] == [[end]]
    found = read_record(path)
    found.save("record.json")
    assert read_record("record.json") == found and found.end == end
    beside = json.loads((cwd / "record.hanablive.json").read_text(encoding="utf-8"))
    assert beside["actions"] == stopped["actions"]


def test_the_sites_number_of_a_game_is_kept(exports: Path, tmp_path: Path):
    for name, number in (("0000001.json", 1234567), ("0000002.json", -1), ("0000003.json", "7")):
        path = exports / "2" / name
        path.write_text(json.dumps(json.loads(path.read_text(encoding="utf-8")) | {"id": number}), encoding="utf-8")
    (two, _), _ = hanab_live.read_exports(exports, tmp_path / "people.npz")
    assert [int(two.one(k).indices[0]) for k in range(6)] == [0, 1234567, 0, 0, 0, 0]


def test_what_is_no_folder_of_games_is_said(tmp_path: Path):
    with pytest.raises(ValueError, match=r"holds no game of hanab.live: there is no .json file"):
        hanab_live.read_exports(tmp_path, tmp_path / "out.npz")
    config = make_config("koikoi", None, None, ["rounds=1"])
    koikoi = record(tmp_path / "koikoi.npz", config, agents.load("random", config), 1, seed=1)
    with pytest.raises(ValueError, match=r"hanab\.live has games of hanabi, got 'koikoi'"):
        hanab_live.write_exports(koikoi, tmp_path / "back")


def test_games_of_several_configs_are_not_converted_over_each_other(exports: Path, cwd: Path):
    with pytest.raises(SystemExit, match="exports has games of 2 configs: convert these datasets one by one"):
        main(["record", "--source", "exports", "--out", "people.npz", "--hanablive", "site"])
    assert (len(Dataset("people.npz")), len(Dataset("people-2.npz"))) == (6, 1) and not Path("site").exists()
