"""Measuring the rows of a comparison: runs are trained, pairs play. Training imports the algorithms' modules."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from hanabako.games import config_to_dict
from hanabako.words.checks import shown
from hanabako.words.typed import from_json

from ...learning.common.algorithms import NAMES, named
from ...learning.common.launch import train_apart
from ...learning.common.runs import greedy_curve, read_about
from ...learning.common.settings import Settings
from ...playing.fitting import check_rules
from ...registry import load
from ..communication import agreement, measure
from ..meeting import Meeting, play_meeting
from .rows import Comparison, Pair, Run

STUDIED = 200
"""The largest number of games in which the actions of a pair are compared or counted."""
DECIDED = ("game", "preset", "players", "config", "seed", "steps", "minutes", "clock", "run_dir", "resume", "trust")
"""Settings that the comparison determines for all algorithms."""
OF_ITS_PLACE = ("run_dir", "resume", "trust")
"""Settings that may differ when a run continues."""


def check(comparison: Comparison) -> None:
    """Raise ValueError if a module, a setting or a partner that the rows need cannot work."""
    config = comparison.make_config()
    for partner in comparison.guests:
        load(comparison.where(partner), config)
    for name, own in comparison.algorithms.items():
        try:
            settings = settings_of(comparison.run(name, comparison.seeds_of(name)[0]))
            settings.check(own.ranks)
            check_rules(name, settings.make_config(), config)
        except ValueError as error:
            raise ValueError(f"algorithms.{name}: {error}") from error


def source_of(run: Run) -> str:
    """Return the algorithm of a run, as `agents.learning.common.algorithms.named` takes it."""
    beside = run.of.folder / (run.module if run.module.endswith(".py") else f"{run.module}.py")
    return str(beside) if run.module not in NAMES and beside.is_file() else run.module


def settings_of(run: Run) -> Settings:
    """Return the settings of a run. This imports the algorithm's module."""
    kind = named(source_of(run)).settings
    usual, given = kind().to_json(), run.of.algorithms[run.algorithm].settings
    unknown = [name for name in given if name not in usual or name in DECIDED]
    if unknown:
        known = ", ".join(name for name in usual if name not in DECIDED)
        raise ValueError(f"settings must be among ranks, {known}, got {shown(unknown[0])}")
    return from_json(kind, usual | run.learner_settings)


def train(run: Run) -> dict[str, Any]:
    """Train; return the cost, the final score, and the learning curve: decisions and greedy score per evaluation."""
    settings = replace(settings_of(run), run_dir=run.folder)
    check_folder(run, settings)
    last = train_apart(named(source_of(run)), settings, run.ranks, "run the study again")
    return {
        "done": 1,
        "config": config_to_dict(run.of.make_config()),
        "score": last["greedy_score"],
        "score_error": last["greedy_score_error"],
        "games": last["greedy_games"],
        **({"lost": last["greedy_lost"]} if "greedy_lost" in last else {}),
        "steps": last["steps"],
        "core_seconds": last["core_seconds"],
        "learner_seed": run.stream,
        "curve": greedy_curve(run.folder),
    }


def check_folder(run: Run, settings: Settings) -> None:
    """Raise ValueError if a run's folder holds one with another algorithm, other settings or other ranks."""
    if not (run.folder / "config.json").exists():
        return
    about = read_about(run.folder)
    given = json.loads(json.dumps(settings.to_json()))
    wanted = {"algorithm": named(source_of(run)).name, "ranks": run.ranks} | given
    kept = {name: about[name] for name in ("algorithm", "ranks") if name in about} | about["args"]
    compared = (kept.keys() | run.learner_settings.keys()) - set(OF_ITS_PLACE)
    for name, value in wanted.items():
        if name in compared and not same(kept.get(name), value):
            what = f"{name} {shown(kept.get(name))} instead of {shown(value)}"
            raise ValueError(f"{run.folder} holds another run, with {what}: move it, or rename the algorithm")


def same(one: Any, other: Any) -> bool:
    """Whether two settings are equal, or are two ways to write the path of one file."""
    both_text = isinstance(one, str) and isinstance(other, str)
    return one == other or (both_text and Path(one).resolve() == Path(other).resolve())


def play_pair(pair: Pair) -> dict[str, Any]:
    """Play a pair; return the mean score, or in a competitive game the mean return of player 0.

    Two runs of one algorithm also get their agreement. The first run of an algorithm of Hanabi gets, with itself, the
    probability of each action after each other action, in percent.
    """
    gone = [run for run in pair.needs if not run.policy.exists()]
    if gone:
        again = f"--again --where algorithm={gone[0].algorithm} seed={gone[0].seed}"
        raise ValueError(f"its policy {gone[0].policy} is gone: `hanabako study run` with {again} trains it again")
    meeting = Meeting.of(pair.of.make_config(), pair.agents, deals=pair.wanted)
    policies = {name: load(name, meeting.config) for name in meeting.agents}
    found = play_meeting(meeting, None, policies)
    score = found["score"] if pair.of.cooperative else found["rewards"][0]
    measured = {"done": pair.wanted, "score": round(score, 4), "line_up": pair.agents, "seed": meeting.seed}
    measured |= {"config": found["config"], "sums": found["sums"]}
    one, other = (policies[name] for name in pair.agents)
    games = min(pair.wanted, STUDIED)
    if pair.is_between_seeds:
        measured["agreement"] = round(agreement(meeting.config, one, other, games, meeting.seed), 4)
    if pair.is_first_alone and pair.of.game == "hanabi":
        actions = measure(meeting.config, one, games, meeting.seed).conditional_actions()
        measured["actions"] = np.round(100 * actions).astype(int).tolist()
    return measured
