"""The bot tutorial of `agents/README.md`: its code runs unchanged, and the files that it names exist."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "agents" / "README.md").read_text(encoding="utf-8")
(SECTION,) = re.findall(r"^## Bots\n(.*?)^## ", PAGE, flags=re.DOTALL | re.MULTILINE)


@pytest.mark.slow
def test_the_tutorials_bot_plays_alone_and_with_others(tmp_path):
    blocks = re.findall(r"^```python\n(.*?)^```", SECTION, flags=re.DOTALL | re.MULTILINE)
    file = tmp_path / "shy.py"
    file.write_text("\n".join([*blocks[:2], "print(env.unwrapped.to_dict()['end_reason'])\n"]), encoding="utf-8")
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, file], env=environment, check=False, capture_output=True, encoding="utf-8", errors="replace"
    )
    assert done.returncode == 0, done.stderr
    alone, with_piers, end_reason = done.stdout.splitlines()
    assert 3 < float(alone) < float(with_piers) < 20
    assert end_reason != "None"


def test_the_files_that_the_tutorial_names_exist():
    named = re.findall(r"`((?:agents|<game>_env)/[^`]*)`", SECTION)
    assert len(named) > 2
    for name in named:
        assert (ROOT / name.replace("<game>_env", "hanabi_env").replace("<game>", "hanabi")).exists(), name
