"""Write a game as text: the deal, every decision with its result, and a digest of what every seat sees.

The module named after a game defines how its table is written and how moves are chosen.
"""

import hashlib
import importlib
import os
import zlib
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np

from tests.games import GAMES, GameUnderTest

FOLDER = Path(__file__).resolve().parent


def path_of(under_test: GameUnderTest, preset: str) -> Path:
    return FOLDER / f"{under_test.name}_{preset}.txt"


def playthrough(under_test: GameUnderTest, preset: str) -> str:
    """Return the text of one game; every preset has its own seed, so that equal configurations show different games."""
    script = importlib.import_module(f"tests.playthroughs.{under_test.name}")
    seed = zlib.crc32(preset.encode())
    env = under_test.raw_env(preset=preset)
    env.reset(seed=seed)
    seats = len(env.possible_agents)
    bits = env.observation_space("player_0")["observation"].shape[0]
    sizes = f"{seats} players, {env.action_space('player_0').n} actions, {bits} observation bits"
    lines = [
        f"{under_test.name} {preset}, seed {seed}: {sizes}",
        config_line(under_test.presets[preset]),
        "",
        *script.table_lines(env),
        "",
    ]
    rng = np.random.default_rng(seed)
    number = 0
    while not all(env.terminations.values()):
        number += 1
        player = env.agent_selection
        action = script.choose(env, rng)
        words = env.unwrapped.action_to_str(action)
        env.step(action)
        rewards = " ".join(f"{env.rewards[agent]:+g}" for agent in env.possible_agents)
        lines += [f"{number:3}. {player}: {words} ({action})", f"     reward {rewards}"]
        lines += [f"     {line}" for line in script.table_lines(env)]
        lines += [f"     {seen_line(env)}", ""]
    lines += [script.end_line(env)]
    return "\n".join(lines) + "\n"


def config_line(config: Any) -> str:
    changed = [
        f"{field.name}={getattr(config, field.name)!r}"
        for field in fields(config)
        if getattr(config, field.name) != field.default
    ]
    return ", ".join(changed) or "every field as by default"


def seen_line(env: Any) -> str:
    """Return a digest of observation and mask for every seat."""
    digests = []
    for agent in env.possible_agents:
        seen = env.observe(agent)
        digest = hashlib.sha256(seen["observation"].astype(np.int8).tobytes() + seen["action_mask"].tobytes())
        digests.append(digest.hexdigest()[:8])
    return "seen " + " ".join(digests)


def write_all() -> list[Path]:
    """Write all texts again and return their paths."""
    written = []
    for under_test in GAMES:
        for preset in under_test.presets:
            target = path_of(under_test, preset)
            draft = target.with_suffix(".tmp")
            draft.write_text(playthrough(under_test, preset), encoding="utf-8")
            os.replace(draft, target)
            written.append(target)
    return written
