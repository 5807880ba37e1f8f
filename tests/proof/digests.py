"""One digest per configuration of all that fixed games show: equal on every path, machine and Python.

The games have seed 2026, and the actions are those of the compiled roll-out for the same seed. A digest covers the
observations (as bits), masks, acting players, rewards and ends after every step, game by game.
"""

import hashlib
import platform
import time
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numba
import numpy as np

from hanabako.engine.sections import words_for
from hanabako.games import games
from tests.games import with_tables
from tests.interpreted import bits_of
from tests.proof.choosing import random_actions
from tests.proof.configs import Entry, entries
from tests.proof.records import Record, work

PROMISE = "A seed gives bit-identical games on every path, with any batch size, number of threads and Python version"
TESTED = (
    "a SHA-256 of fixed games of every configuration, played by AEC, by the vector environment (int8, float32, packed; "
    "views; one batch and several; two threads; specialized loops; every autoreset mode) and by the compiled roll-out"
)
SEED, GAMES, STEPS = 2026, 12, 60


class Shown(NamedTuple):
    """What some games show after every step, each array (N, T, ...)."""

    observations: np.ndarray  # int8 bits
    masks: np.ndarray
    players: np.ndarray
    rewards: np.ndarray
    ends: np.ndarray

    def digest(self) -> str:
        """Return the digest of all arrays, independent of their layout and the machine's byte order."""
        found = hashlib.sha256()
        for array, kind in zip(self, ("i1", "i1", "<i8", "<f8", "?"), strict=True):
            found.update(np.ascontiguousarray(array, kind).tobytes())
        return found.hexdigest()


Moment = tuple[Any, Any, Any, Any, Any]
Player = Callable[[Entry], Shown]


def shown(moments: Iterable[Moment]) -> Shown:
    """Stack the results of single steps, each over all games, into arrays."""
    return Shown(*(np.stack(arrays, axis=1) for arrays in zip(*moments, strict=True)))


# --- Paths ------------------------------------------------------------------------------------------------------------


def vector(batches: Iterable[int] = (GAMES,), mode: str = "SameStep", **options: Any) -> Player:
    """Return a player for the vector environment; the games come in batches of these sizes."""

    def play(entry: Entry) -> Shown:
        first, parts = 0, []
        for size in batches:
            envs = entry.vector(size, autoreset_mode=mode, **options)
            parts.append(shown(moments_of(envs, first, mode)))
            first += size
        return Shown(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))

    return play


def moments_of(envs: Any, first: int, mode: str) -> Iterable[Moment]:
    """Yield every step of a vector environment whose first table is game ``first``."""
    observation, _ = envs.reset(seed=SEED, options={"game_index": first})
    for t in range(STEPS):
        actions = random_actions(observation["action_mask"], SEED, first, t)
        observation, _, ends, _, infos = envs.step(actions)
        ends, rewards = ends.copy(), infos["rewards"].copy()
        if ends.any() and mode == "NextStep":
            observation, infos = next_games(envs, observation, ends)
        elif ends.any() and mode == "Disabled":
            observation, infos = envs.reset(options={"reset_mask": ends})
        bits = as_bits(envs, observation["observation"])
        yield bits, observation["action_mask"].copy(), infos["current_player"].copy(), rewards, ends


def next_games(envs: Any, observation: dict[str, np.ndarray], ends: np.ndarray) -> tuple[dict, dict]:
    """Return the first observations of the next games, in the mode that spends a step on the reset.

    A copy takes that step, because the games that have not ended must not move.
    """
    twin = envs.copy()
    later, _, _, _, infos = twin.step(np.zeros(len(ends), np.int64))
    state, new = envs.get_state(), twin.get_state()
    tables = np.where(ends[:, None], new["tables"], state["tables"])
    envs.set_state(with_tables(state, tables))
    mixed = {name: np.where(ends[:, None], later[name], observation[name]) for name in observation}
    return mixed, {"current_player": np.where(ends, infos["current_player"], envs.tables["current_player"])}


def as_bits(envs: Any, observation: np.ndarray) -> np.ndarray:
    """Return an observation of any format as int8 bits, copied."""
    if observation.dtype == np.uint64:
        return bits_of(observation, envs.game.observation_bits)
    return observation.astype(np.int8)


def aec(entry: Entry) -> Shown:
    """Play on PettingZoo's environment, one game after the other."""
    env = entry.under_test.raw_env(config=entry.config)
    games = [list(moments_of_aec(env, index)) for index in range(GAMES)]
    return Shown(*(np.array(arrays) for arrays in zip(*(zip(*game, strict=True) for game in games), strict=True)))


def moments_of_aec(env: Any, index: int) -> Iterable[Moment]:
    """Yield every step of one game."""
    env.reset(seed=SEED, options={"game_index": index})
    agents = env.possible_agents
    observation = env.observe(env.agent_selection)
    for t in range(STEPS):
        env.step(int(random_actions(observation["action_mask"][None], SEED, index, t)[0]))
        rewards, is_over = [env.rewards[agent] for agent in agents], all(env.terminations.values())
        if is_over:
            env.reset()
        observation = env.observe(env.agent_selection)
        player = agents.index(env.agent_selection)
        yield observation["observation"], observation["action_mask"], player, rewards, is_over


def roll_out(entry: Entry) -> Shown:
    """Play with the compiled roll-out, one step at a time; it chooses its own actions."""
    return shown(moments_of_roll_out(entry))


def moments_of_roll_out(entry: Entry) -> Iterable[Moment]:
    """Yield every step of all games."""
    envs = entry.vector(GAMES)
    envs.reset(seed=SEED)
    game, tables = envs.game, envs.tables
    words = np.zeros((GAMES, 1, words_for(game.observation_bits)), np.uint64)
    loops = game.loops(specialize=False)
    for t in range(STEPS):
        loops.rollout(game.rules_array, tables, words, np.uint64(SEED), t, 1)
        masks = bits_of(np.ascontiguousarray(tables["mask"]), game.num_actions)
        players = tables["state"]["current_player"]
        bits = bits_of(words[:, 0], game.observation_bits)
        yield bits, masks, players.copy(), tables["rewards"][:, : game.players].copy(), tables["ended"].copy()


QUICK: dict[str, Player] = {"vector": vector()}
PATHS: dict[str, Player] = QUICK | {
    "AEC": aec,
    "roll-out": roll_out,
    "packed views": vector(observation="packed", copy=False),
    "float32": vector(observation="float32"),
    "batches of 1, 4 and 7": vector((1, 4, 7)),
    "next step": vector(mode="NextStep"),
    "disabled": vector(mode="Disabled"),
}
THREADED: dict[str, Player] = {"two threads": vector(num_threads=2)}
"""Paths for processes that may use two threads."""
SPECIALIZED: dict[str, Player] = {"specialized": vector(specialize=True)}
"""Paths that compile each configuration separately, which takes seconds."""


# --- Recorded and compared --------------------------------------------------------------------------------------------


def run(record: Record, seconds: float) -> None:
    """Play all paths in every configuration with this Python; a digest that differs from the record is a failure."""
    found = {entry.name: entry for entry in entries()}
    record.keep_only(found)
    here, firsts = Record(record.path), firsts_of(found)
    goals = {}
    for name in found:
        here.row(name)
        record.row(name)
        goals[name] = len(paths_of(name, firsts))

    def play(name: str) -> None:
        compare(record, found[name], paths_of(name, firsts))
        here.add(name, goals[name], 0)

    work(here, goals, play, seconds, "digests", " digests", save=record.save)


def firsts_of(found: dict[str, Entry]) -> set[str]:
    """Return the first configuration of every game."""
    return {next(name for name, entry in found.items() if entry.under_test.name == game) for game in games()}


def paths_of(name: str, firsts: set[str]) -> dict[str, Player]:
    """Return the paths of a configuration."""
    threaded = THREADED if numba.get_num_threads() > 1 else {}
    return PATHS | threaded | (SPECIALIZED if name in firsts else {})


def compare(record: Record, entry: Entry, paths: dict[str, Player]) -> None:
    """Play the games on these paths; all digests must equal the first one ever recorded."""
    row, begin, failures = record.row(entry.name), time.process_time(), []
    for path, play in paths.items():
        digest = play(entry).digest()
        if digest != row.setdefault("digest", digest):
            failures.append(f"{path}, Python {platform.python_version()}: {digest[:12]}")
    row["paths"] = sorted({*row.get("paths", ()), *paths})
    row["pythons"] = sorted({*row.get("pythons", ()), platform.python_version()})
    record.add(entry.name, len(paths), time.process_time() - begin, failures)


def how_much(record: Record) -> str:
    """Return the amounts for the page."""
    paths = {path for row in record.rows.values() for path in row.get("paths", ())}
    pythons = {python for row in record.rows.values() for python in row.get("pythons", ())}
    by_python = ", ".join(
        f"{python} ({sum(python in row.get('pythons', ()) for row in record.rows.values())} configurations)"
        for python in sorted(pythons)
    )
    return (
        f"{record.amount:,} digests of {GAMES} games, {STEPS} steps each, in {len(record.rows)} configurations on "
        f"{len(paths)} paths; Python {by_python}"
    )
