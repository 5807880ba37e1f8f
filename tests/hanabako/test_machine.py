"""The origin of results: the commit of a clone."""

import os
import subprocess
from pathlib import Path

import pytest

from hanabako.machine import commit


@pytest.mark.parametrize(
    ("changed", "end"),
    [
        *(("games/rules.py", "-dirty"), ("agents/results/meeting.py", "-dirty"), ("pyproject.toml", "-dirty")),
        *(("speed/results/peers.json", ""), ("docs/soak.json", ""), ("README.md", "")),
    ],
)
def test_a_commit_is_dirty_if_more_than_results_and_pages_differ(
    tmp_path: Path, changed: str, end: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [name for name in os.environ if name.startswith("GIT_")]:  # as hooks have them
        monkeypatch.delenv(name)
    author = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false", "-c", "core.hooksPath=none")

    def git(*words: str) -> str:
        return subprocess.run(["git", *author, *words], cwd=tmp_path, check=True, capture_output=True, text=True).stdout

    path = tmp_path / changed
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("1", encoding="utf-8")
    git("init")
    git("add", ".")
    git("commit", "--message", "one")
    first = git("rev-parse", "--short=12", "HEAD").strip()
    assert commit(tmp_path) == first
    path.write_text("2", encoding="utf-8")
    assert commit(tmp_path) == first + end
    git("add", ".")
    assert commit(tmp_path) == first + end


def test_a_folder_that_is_no_clone_has_no_commit(tmp_path: Path) -> None:
    assert commit(tmp_path) is None
