"""The games by name, and loops that play them for a while: what the other programs here measure.

A new game joins every benchmark by one row of `GAMES`.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numba
import numpy as np

from env_core.game import SAME_STEP, Game
from env_core.vector import FORMATS, CardGameVectorEnv

Play = Callable[[], int]
"""Plays for some milliseconds and returns the steps (decisions of one player) played."""

STEPS_A_CALL = 200_000
"""A compiled roll-out plays about so many steps a call: some milliseconds."""


@dataclass(frozen=True)
class BenchmarkGame:
    """A game that the benchmarks know."""

    name: str
    make: Callable[[int], Game]
    """The standard game for so many players."""
    make_aec: Callable[[int, bool], Any]
    """Its PettingZoo environment for so many players, with the standard wrappers or without."""
    players: tuple[int, ...]
    """Table sizes to measure."""
    policies: tuple[str, ...] = ("random",)
    """Who plays the roll-outs: see `roll_out_loop`."""
    presets: tuple[str, ...] = ()
    """Presets to compare, the standard game first."""
    beside: Mapping[str, str] = field(default_factory=dict)
    """Presets that are compared with another than the first: one whose observation holds as much."""
    make_preset: Callable[[str], Game] | None = None
    """The game of a preset."""


LONG_HISTORY = "standard, history=5"
"""The standard game with as many last steps in the observation as bonus tiles need."""
HANABI_PRESETS = (
    "standard",
    LONG_HISTORY,
    "grands_feux",
    "avalanche_5",
    "avalanche_10",
    "black_powder",
    "flamboyants",
    "final_bouquet",
    "choreography",
    "harder",
    "easier",
    "grands_feux_all",
    "all_extensions",
    "mini",
    "small",
    "very_small",
)


WITH_TILES = dict.fromkeys(("flamboyants", "grands_feux_all", "all_extensions"), LONG_HISTORY)


def _hanabi(players: int) -> Game:
    from hanabi_env.config import HanabiConfig
    from hanabi_env.game import HanabiGame

    return HanabiGame(HanabiConfig(players=players))


def _hanabi_preset(name: str) -> Game:
    from hanabi_env.config import PRESETS, HanabiConfig
    from hanabi_env.game import HanabiGame

    return HanabiGame(HanabiConfig(history=5) if name == LONG_HISTORY else PRESETS[name])


def _hanabi_aec(players: int, wrapped: bool) -> Any:
    from hanabi_env import hanabi_v0

    return hanabi_v0.env(players=players) if wrapped else hanabi_v0.raw_env(players=players)


def _ikebana(players: int) -> Game:
    from ikebana_env.config import IkebanaConfig
    from ikebana_env.game import IkebanaGame

    return IkebanaGame(IkebanaConfig(players=players))


def _ikebana_aec(players: int, wrapped: bool) -> Any:
    from ikebana_env import ikebana_v0

    return ikebana_v0.env(players=players) if wrapped else ikebana_v0.raw_env(players=players)


def _koikoi(players: int) -> Game:  # noqa: ARG001 - always two
    from hanafuda_env.config import KoiKoiConfig
    from hanafuda_env.game import KoiKoiGame

    return KoiKoiGame(KoiKoiConfig())


def _koikoi_preset(name: str) -> Game:
    from hanafuda_env.config import PRESETS
    from hanafuda_env.game import KoiKoiGame

    return KoiKoiGame(PRESETS[name])


def _koikoi_aec(players: int, wrapped: bool) -> Any:  # noqa: ARG001 - always two
    from hanafuda_env import koikoi_v0

    return koikoi_v0.env() if wrapped else koikoi_v0.raw_env()


KOIKOI_PRESETS = ("document", "document_options", "nintendo", "koikoi_japan")

GAMES = {
    "hanabi": BenchmarkGame(
        "hanabi",
        _hanabi,
        _hanabi_aec,
        (2, 3, 4, 5),
        ("random", "no misplay"),
        HANABI_PRESETS,
        WITH_TILES,
        _hanabi_preset,
    ),
    "ikebana": BenchmarkGame("ikebana", _ikebana, _ikebana_aec, (2, 3, 4, 5)),
    "koikoi": BenchmarkGame("koikoi", _koikoi, _koikoi_aec, (2,), presets=KOIKOI_PRESETS, make_preset=_koikoi_preset),
}


# --- Loops ------------------------------------------------------------------------------------------------------------


def roll_out_loop(
    game: Game,
    num_envs: int,
    observation: str | None,
    seats: str = "acting",
    policy: str = "random",
    num_threads: int = 1,
    tables: np.ndarray | None = None,
) -> Play:
    """Whole steps inside one compiled call: a random legal action, the transition, the next deal, mask and observation.

    Args:
        game: the configured game.
        num_envs: games played side by side.
        observation: ``"packed"``, ``"int8"``, ``"float32"``, or ``None`` for none.
        seats: whose observation: the ``"acting"`` player's or that of ``"all"``.
        policy: ``"random"`` legal actions, or ``"no misplay"``: random, but only cards that fit are played.
        num_threads: threads that share the games.
        tables: the games to play; fresh ones where ``None``.
    """
    tables = fresh_tables(game, num_envs) if tables is None else tables
    loops = game.loops(special=True)
    roll = loops.roll if num_threads == 1 else loops.roll_parallel
    careful = int(policy == "no misplay")
    views = 0 if observation is None else game.players if seats == "all" else 1
    kind = FORMATS[observation or "packed"]
    width = -(-game.observation_bits // 64) if kind is np.uint64 else game.observation_bits
    out = np.zeros((num_envs, views, width), kind)
    steps = max(1, STEPS_A_CALL // num_envs)
    played = 0

    def play() -> int:
        nonlocal played
        numba.set_num_threads(num_threads)
        roll(game.numbers, tables, out, np.uint64(1), played, steps, careful)
        played += steps
        return num_envs * steps

    return play


def fresh_tables(game: Game, num_envs: int) -> np.ndarray:
    """The dealt tables of ``num_envs`` games of seed 0."""
    loops = game.loops(special=True)
    tables = np.zeros(num_envs, game.table_dtype(special=True))
    loops.seat(tables, np.zeros(2, np.uint64))
    loops.deal(game.numbers, tables, np.ones(num_envs, np.bool_))
    return tables


def state_bytes(game: Game) -> int:
    """Bytes of one game's state."""
    return game.table_dtype(special=True)["state"].itemsize


def vector_loop(game: Game, num_envs: int, observation: str, copy: bool, steps: int) -> Play:
    """The vector environment from Python, ``steps`` calls of `step` at a time.

    The actions were recorded beforehand: a random legal action costs NumPy more than the whole step. The same seed and
    actions are the same games, so they stay legal; the reset before each replay counts as part of it.
    """
    environment = CardGameVectorEnv(game, num_envs, observation=observation, copy=copy, special=True)
    actions = recorded_actions(environment, steps)

    def play() -> int:
        environment.reset(seed=0)
        for row in actions:
            environment.step(row)
        return num_envs * steps

    return play


def kernel_loop(game: Game, num_envs: int, observation: str, steps: int) -> Play:
    """What `vector_loop` plays without the environment around it: the compiled step called by hand."""
    environment = CardGameVectorEnv(game, num_envs, observation=observation, copy=False, special=True)
    actions = recorded_actions(environment, steps)
    buffers, _ = environment.reset(seed=0)
    seen, mask = buffers["observation"], buffers["action_mask"]
    loops, numbers, tables = game.loops(special=True), game.numbers, fresh_tables(game, num_envs)
    final, everything, stream = np.zeros_like(seen), np.ones(num_envs, np.bool_), np.zeros(2, np.uint64)

    def play() -> int:
        loops.seat(tables, stream)
        loops.deal(numbers, tables, everything)
        step = loops.step
        for row in actions:
            step(numbers, tables, row, seen, mask, final, SAME_STEP)
        return num_envs * steps

    return play


def recorded_actions(environment: CardGameVectorEnv, steps: int) -> list[np.ndarray]:
    """``steps`` rows of random legal actions int64 (N,) that are legal from ``reset(seed=0)`` on."""
    generator = np.random.default_rng(0)
    observation, _ = environment.reset(seed=0)
    rows = []
    for _ in range(steps):
        rows.append(random_legal_actions(observation["action_mask"], generator))
        observation, *_ = environment.step(rows[-1])
    return rows


def random_legal_actions(mask: np.ndarray, generator: np.random.Generator) -> np.ndarray:
    """One uniformly random legal action int64 a row of ``mask`` (N, A): the place of the legal action drawn."""
    wanted = generator.integers(mask.sum(axis=1))
    return (mask.cumsum(axis=1) > wanted[:, None]).argmax(axis=1)


def aec_loop(environment: Any, games: int) -> Play:
    """Whole games of PettingZoo's loop: ``last()``, a random legal action, ``step()``; ``games`` of them a call."""
    environment.reset(seed=1)

    def play() -> int:
        steps = 0
        for _ in range(games):
            environment.reset()
            while environment.agents:
                observation, _, terminated, truncated, _ = environment.last()
                if terminated or truncated:
                    environment.step(None)
                    continue
                legal = observation["action_mask"].nonzero()[0]
                environment.step(legal[int(random.random() * len(legal))])
                steps += 1
        return steps

    return play
