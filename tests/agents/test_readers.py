"""Readers of files whose paths may come from others: no device, pipe or endless file is read."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hanabako import agents
from hanabako.agents import registry
from hanabako.agents.bridges.ah2ac2.arrays import read_arrays
from hanabako.agents.datasets import Dataset
from hanabako.agents.learning.common.checkpoints import ranks_of
from hanabako.agents.learning.common.runs import read_about, read_metrics
from hanabako.agents.registry import AgentName, fingerprints
from hanabako.agents.results.comparison.reading import read as read_comparison
from hanabako.agents.results.store import read_results
from hanabako.files import read_bytes, read_json, read_text
from hanabako.record import read_record
from hanabi_env import hanablive

TEXTS: dict[str, tuple[str, Callable[[Path], Any]]] = {
    "bytes": ("file", read_bytes),
    "a text": ("file.txt", read_text),
    "a run's log": ("metrics.jsonl", lambda path: read_metrics(path.parent)),
}
OTHERS: dict[str, tuple[str, Callable[[Path], Any]]] = {
    "JSON": ("file.json", read_json),
    "results": ("rows.json", read_results),
    "a comparison": ("compare.toml", lambda path: read_comparison(path, path.parent)),
    "a run's settings": ("config.json", lambda path: read_about(path.parent)),
    "a recorded game": ("game.json", read_record),
    "a game of hanab.live": ("game.json", hanablive.load),
    "a dataset": ("games.npz", Dataset),
    "games of AH2AC2": ("games.safetensors", lambda path: read_arrays(path, path.with_name("games.npz"))),
    "a network": ("policy.safetensors", lambda path: AgentName.parse(path).metadata()),
    "OBL": ("obl.pthw", lambda path: agents.load(f"obl:{path}")),
    "SAD": ("sad.pthw", lambda path: agents.load(f"sad:{path}")),
    "a clone of people": ("clone.safetensors", lambda path: agents.load(f"bc_lstm:{path}")),
}


@pytest.mark.parametrize("door", [*TEXTS, *OTHERS])
def test_a_device_or_pipe_is_not_read(door: str, tmp_path: Path):
    name, read = (TEXTS | OTHERS)[door]
    (tmp_path / name).symlink_to(os.devnull)
    with pytest.raises(ValueError, match=f"{tmp_path / name} must be a file, and is a device or pipe"):
        read(tmp_path / name)


@pytest.mark.parametrize("door", OTHERS)
def test_a_file_without_an_end_is_not_read(door: str, tmp_path: Path):
    """A file of ``/proc`` that has no end is one of 0 bytes, and an empty file is refused as well."""
    name, read = OTHERS[door]
    (tmp_path / name).touch()
    with pytest.raises(ValueError, match=str(tmp_path / name)) as refusal:
        read(tmp_path / name)
    assert "\n" not in str(refusal.value)


def test_what_cannot_be_read_has_no_fingerprint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Results name files of their makers: those that are missing, endless or too large here say nothing."""
    pipe, empty, large = (tmp_path / f"{name}.safetensors" for name in ("pipe", "empty", "large"))
    os.mkfifo(pipe)
    empty.touch()
    large.write_bytes(bytes(5))
    monkeypatch.setattr(registry, "MOST_ARRAYS", 4)
    assert fingerprints(*map(str, (pipe, empty, large, tmp_path / "missing.safetensors"))) == {}


def test_a_checkpoint_of_devices_is_none(tmp_path: Path):
    for name in ("learner-0.pt", "games-0.npz"):
        (tmp_path / name).symlink_to(os.devnull)
    assert ranks_of(tmp_path) == 0


@pytest.mark.parametrize("text", ['{"name": "\\ud83d"}', '["\\udc00\\ud800"]'])
def test_half_of_a_character_is_refused_by_the_reader_of_json(text: str, tmp_path: Path):
    """Without the other half it could be neither printed nor written."""
    (tmp_path / "file.json").write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=r"file\.json is JSON that cannot be read: .* halves of characters"):
        read_json(tmp_path / "file.json")
    (tmp_path / "file.json").write_text(r'"\ud83c\udf38"', encoding="utf-8")
    assert read_json(tmp_path / "file.json") == "\N{CHERRY BLOSSOM}"


def test_texts_may_begin_with_a_byte_order_mark(tmp_path: Path):
    for name, text in {"file.json": "{}", "file.txt": "text"}.items():
        (tmp_path / name).write_text(text, encoding="utf-8-sig")
    assert (read_json(tmp_path / "file.json"), read_text(tmp_path / "file.txt")) == ({}, "text")
