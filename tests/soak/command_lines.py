"""The command line as an entry point: valid lines with words exchanged, left out, doubled, or changed by a letter.

Output goes to a folder that is set up again for every line. Training stops where it would begin, so only its checks are
tested. Large but valid amounts of work are not tested.
"""

import contextlib
import io
import json
import os
import random
import shutil
import sys
from pathlib import Path
from typing import Any
from unittest.mock import patch

from hanabako.agents.commands.command_line import main
from hanabako.agents.learning.common import launch
from hanabako.games import config_to_dict
from hanabako.record import GameRecord
from hanabi_env import PRESETS

SMALL = "--preset very_small"
LINES = (
    f"evaluate hanabi {SMALL} --games 2 --agents random --seed 3 --json out.json",
    f"evaluate hanabi {SMALL} --games 2 --agents random,cautious --mode cross-play --num-threads 1",
    "evaluate hanabi --games 2 --config colors=1 hand_size=2 --players 3 --mode self-play",
    "evaluate ikebana --games 2 --agents random --players 2",
    "evaluate koikoi --games 2 --agents random,greedy_stop --mode tournament --config rounds=1",
    f"record hanabi {SMALL} --agents random --games 2 --seed 1 --out games.npz",
    "record --source had.npz --hanablive exports",
    "record hanabi --source exports --out people.npz",
    f"watch random {SMALL} --game hanabi --seed 3 --out page.html --adviser random",
    "watch had.npz --number 1 --out page.html",
    "watch had.json --out page.html",
    f"draw hanabi table.svg {SMALL} --seed 1 --moves 3 --agent random --seat 0",
    "draw koikoi table.svg --config rounds=1 --moves 3 --agent random",
    f"play hanabi {SMALL} --with random --seat 1 --seed 1 --out game.json --adviser random",
    "play koikoi --with random --config rounds=1 --out game.json",
    f"benchmark hanabi {SMALL} --games 2 --seconds 1e-6 --repeats 1",
    f"train {SMALL} --steps 64 --games 8 --horizon 4 --minibatch 32 --evaluations 1 --width 8 --run-dir run --seed 5",
    f"train --algorithm iql {SMALL} --minutes 1 --games 8 --horizon 4 --minibatch 32 --gamma 0.9 --epsilon 0.1",
    "train --game koikoi --opponent random --ranks 1 --learning-rate 1e-3 --device cpu",
    "train --algorithm cloning --agent smart --preset mini --epochs 1",
    "train --resume had.run",
    "study list mine.py --where n=1",
    "study run mine.py --where n=1 --minutes 1 --out results",
    "study page mine.py --check",
    "study merge had_rows.json had_rows.json --out both.json",
    "study list had_rows.json",
    "verify entry.json --num-threads 1",
    "verify entry.json --trust",
    f"evaluate hanabi {SMALL} --games 2 --agents mine.py:Lowest",
    "agents hanabi",
    "presets koikoi",
)
THINGS = (
    *("", " ", "-", "--", "---x", "-1", "0", "1", "2.0", "nan", "inf", "-inf", "1e999", "1" + 30 * "0", "0x10", "None"),
    *("True", "null", "{}", "[]", "a,b", ",", "random,", "=", "x=", "=1", "colors=99", "colors=1=2", "rounds=0"),
    *(".", "..", "/", "/proc/x", "nowhere", "had.npz", "had.json", "had_rows.json", "entry.json", "mine.py", "exports"),
    *("hanabi", "koikoi", "ikebana", "chess", "person", "random", "nobody", "search:", "search:nobody", "had.run"),
    *("mine.py:STUDY", "search:mine.py:Lowest", "no.where:x", "search:search:x", "--games", "--seed", "--out"),
    *("--no-such", "--help", "\0", "\n", "\u2028", "\u0663", "'", '"'),
)
STUDY = """
from dataclasses import dataclass

from hanabako.agents.results import Row, Study


@dataclass(frozen=True, kw_only=True)
class Numbered(Row):
    n: int


STUDY = Study("mine", [Numbered(n=1), Numbered(n=2)], lambda row, before: {"done": 1}, {"t": lambda rows: "none"})


class Lowest:
    def act(self, observation, mask, noise):
        return mask.argmax(1)
"""


def valid(rng: random.Random) -> list[str]:
    return rng.choice(LINES).split()


class Taker:
    """Runs command lines in its own folder under ``folder``."""

    def __init__(self, folder: Path) -> None:
        self.model, self.folder = folder / "model", folder / "here"
        self.folder.mkdir(parents=True)
        config = PRESETS["very_small"]
        with contextlib.chdir(self.folder), silence():
            main(["record", "hanabi", "--config", "colors=3", "--agents", "random", "--games", "2", "--out", "had.npz"])
            main(["record", "--source", "had.npz", "--hanablive", "exports"])
            main(f"evaluate hanabi {SMALL} --games 40 --agents random --json entry.json".split())
            GameRecord(config, 7, ("a", "b")).save("had.json")
            Path("mine.py").write_text(STUDY, encoding="utf-8")
            main(["study", "run", "mine.py"])
            shutil.copy("mine.json", "had_rows.json")
            Path("had.run").mkdir()
            about = {"args": {}, "config": config_to_dict(config), "ranks": 1}
            Path("had.run", "config.json").write_text(json.dumps(about), encoding="utf-8")
        self.folder.rename(self.model)

    def __call__(self, words: Any) -> None:
        """Run the command.

        Raises:
            ValueError: The command ended with an error message, its own or the option parser's.
        """
        shutil.rmtree(self.folder, ignore_errors=True)
        shutil.copytree(self.model, self.folder)
        line = [str(word) for word in words] if isinstance(words, list) else [str(words)]
        with contextlib.chdir(self.folder), silence(), stopped_before_training():
            try:
                main(line)
            except SystemExit as end:
                if end.code not in (None, 0):
                    raise ValueError(f"status {end.code}" if isinstance(end.code, int) else str(end.code)) from None


@contextlib.contextmanager
def silence() -> Any:
    out, stdin = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", errors="backslashreplace"), sys.stdin
    sys.stdin = io.StringIO("")
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
            yield
    finally:
        sys.stdin = stdin


@contextlib.contextmanager
def stopped_before_training() -> Any:
    """Let a training run check its settings, but not begin."""
    with patch.object(launch, "start"), patch.object(launch, "start_ranks"), patch.dict(os.environ):
        yield
