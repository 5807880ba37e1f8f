"""Hanabi compared with its peers: the same play on the same machine in the same run.

    python -m benchmarks.speed.peers                      # prints, and writes benchmarks/speed/results/peers.json
    python -m benchmarks.speed.peers --players 2 5 --seconds 1 --repeats 5

All programs play uniformly random legal moves on one core and start a new game when one ends; a step is one player's
move. A peer that is not installed is skipped with a message: ``pip install hanabi-learning-environment`` (with
``CMAKE_POLICY_VERSION_MINIMUM=3.5`` in the environment), ``open_spiel``, ``shimmy`` (for PettingZoo's hanabi_v5),
``jaxmarl``.

The cost of a step depends on its content, so only rows with the same content are compared:

* ``moves``: the transition, the cards dealt, the legal moves, the next game when one ends;
* ``acting``: also the observation vector of the player to move;
* ``all``: also the observation vectors of every player;
* ``AEC``: a PettingZoo loop with ``last()``, an observation and a mask for the player to move, ``step()``.
"""

import ctypes
import importlib.util
import os
import platform
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.games import GAMES
from benchmarks.speed.loops import aec_loop, rollout_loop
from benchmarks.speed.timing import Case, Output, measure, significant
from hanabako.program import run_program
from hanabako.timing import Play, vector_loop
from hanabako.words.ranges import Positive, Size


@dataclass(frozen=True)
class Peer:
    """One way to play Hanabi."""

    name: str
    content: str
    """``moves``, ``acting``, ``all`` or ``AEC``, as above."""
    build: Callable[[int], Play]
    """A function that makes the loop for a number of players."""
    needs: tuple[str, ...] = ()
    """Required modules; without them the peer is skipped."""
    is_for_linux: bool = False
    """Whether it uses the C++ calling convention of x86-64 Linux; it is skipped elsewhere."""
    is_ours: bool = False

    def columns(self, players: int) -> dict[str, Any]:
        """Return the columns that describe it."""
        return {"peer": self.name, "content": self.content, "players": players, "is_ours": self.is_ours}


@dataclass
class Args:
    """Measure Hanabi's throughput and that of its peers."""

    players: list[Size] = field(default_factory=lambda: [2, 5])
    """Numbers of players."""
    seconds: Positive = 0.5
    """CPU seconds per repeat."""
    repeats: Size = 5
    """Repeats per row; the median is reported."""
    only: str = ""
    """Measure only rows whose name contains this."""
    out: Path | None = None
    """The JSON file; by default the committed results, or for a trial .cache/benchmarks."""


# --- Hanabi Learning Environment --------------------------------------------------------------------------------------


class LearningEnvironmentLibrary:
    """The C++ library of the installed Learning Environment, called from a compiled loop, without Python between moves.

    Games are played through its C interface. That interface returns an encoded observation as a string of digits and
    commas, which takes longer than the encoding itself, so the C++ encoder is called by its exported name. It returns a
    ``std::vector<int>`` through a hidden first argument, as on x86-64 Linux; elsewhere that row is skipped. (A C++
    program that uses the classes directly was 5 to 12 % faster here.)
    """

    ENCODE = "_ZNK19hanabi_learning_env27CanonicalObservationEncoder6EncodeERKNS_17HanabiObservationE"

    def __init__(self, players: int):
        spec = importlib.util.find_spec("hanabi_learning_environment")
        assert spec is not None and spec.origin is not None
        self.library = ctypes.CDLL(str(Path(spec.origin).parent / "libpyhanabi.so"))
        self.handles = np.zeros(8, np.uint64)
        """The handles of game, encoder, state, move and observation, then the three words of the returned vector."""
        parameters = (ctypes.c_char_p * 2)(b"players", str(players).encode())
        start, pointer, number = self.handles.ctypes.data, ctypes.c_void_p, ctypes.c_int
        self.function("NewGame", None, pointer, number, pointer)(start, 2, ctypes.cast(parameters, pointer))
        self.function("NewObservationEncoder", None, pointer, pointer, number)(start + 8, start, 0)

    def function(self, name: str, result: Any, *arguments: Any) -> Any:
        """Return the exported function ``name`` with its C types set."""
        found = getattr(self.library, name)
        found.restype, found.argtypes = result, arguments
        return found

    def loop(self, encode: bool, games: int) -> Play:
        """Return a loop that plays ``games`` whole games per call."""
        import numba

        pointer, number = ctypes.c_void_p, ctypes.c_int
        new_state = self.function("NewState", None, pointer, pointer)
        delete_state = self.function("DeleteState", None, pointer)
        end_of_game = self.function("StateEndOfGameStatus", number, pointer)
        current_player = self.function("StateCurPlayer", number, pointer)
        deal_card = self.function("StateDealRandomCard", None, pointer)
        legal_moves = self.function("StateLegalMoves", pointer, pointer)
        count_moves = self.function("NumMoves", number, pointer)
        get_move = self.function("GetMove", None, pointer, number, pointer)
        apply_move = self.function("StateApplyMove", None, pointer, pointer)
        delete_move = self.function("DeleteMove", None, pointer)
        delete_moves = self.function("DeleteMoveList", None, pointer)
        new_observation = self.function("NewObservation", None, pointer, number, pointer)
        delete_observation = self.function("DeleteObservation", None, pointer)
        encode_observation = self.function(self.ENCODE, pointer, pointer, pointer, pointer)
        free = ctypes.CDLL(None).free
        free.restype, free.argtypes = None, (pointer,)

        @numba.njit
        def play(handles):
            game = handles.ctypes.data
            state, move, observation, vector = game + 16, game + 24, game + 32, game + 40
            steps = 0
            for _ in range(games):
                new_state(game, state)
                while end_of_game(state) == 0:
                    player = current_player(state)
                    if player < 0:
                        deal_card(state)
                        continue
                    moves = legal_moves(state)
                    if encode:
                        new_observation(state, player, observation)
                        encode_observation(vector, handles[1], handles[4])
                        free(handles[5])
                        delete_observation(observation)
                    get_move(moves, int(random.random() * count_moves(moves)), move)
                    apply_move(state, move)
                    delete_move(move)
                    delete_moves(moves)
                    steps += 1
                delete_state(state)
            return steps

        return lambda: play(self.handles)


def learning_environment_library(players: int, encode: bool) -> Play:
    """Return a loop over the Learning Environment's C++ library, without Python between moves."""
    return LearningEnvironmentLibrary(players).loop(encode, games=200)


def pyhanabi(players: int, encode: bool) -> Play:
    """Return a loop over the Learning Environment's Python classes."""
    from hanabi_learning_environment import pyhanabi

    game = pyhanabi.HanabiGame({"players": players})
    encoder = pyhanabi.ObservationEncoder(game, pyhanabi.ObservationEncoderType.CANONICAL)

    def play() -> int:
        state, steps = game.new_initial_state(), 0
        while not state.is_terminal():
            if state.cur_player() == pyhanabi.CHANCE_PLAYER_ID:
                state.deal_random_card()
                continue
            moves = state.legal_moves()
            if encode:
                np.array(encoder.encode(state.observation(state.cur_player())), np.int8)
            state.apply_move(random.choice(moves))
            steps += 1
        return steps

    return play


def rl_env(players: int) -> Play:
    """Return a loop over the Learning Environment's interface for learners: dictionaries for all players every step."""
    from hanabi_learning_environment import rl_env

    environment = rl_env.HanabiEnv({"players": players})

    def play() -> int:
        observation, done, steps = environment.reset(), False, 0
        while not done:
            view = observation["player_observations"][observation["current_player"]]
            observation, _, done, _ = environment.step(random.choice(view["legal_moves_as_int"]))
            steps += 1
        return steps

    return play


# --- OpenSpiel --------------------------------------------------------------------------------------------------------


def open_spiel_state(players: int, encode: bool) -> Play:
    """Return a loop over OpenSpiel's states from Python, including chance nodes."""
    import pyspiel

    game = pyspiel.load_game("hanabi", {"players": players})
    actions = game.num_distinct_actions()

    def play() -> int:
        state, steps = game.new_initial_state(), 0
        while not state.is_terminal():
            if state.is_chance_node():
                outcomes, chances = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(random.choices(outcomes, chances)[0])
                continue
            legal = state.legal_actions()
            if encode:
                np.array(state.observation_tensor(state.current_player()), np.float32)
                mask = np.zeros(actions, np.int8)
                mask[legal] = 1
            state.apply_action(random.choice(legal))
            steps += 1
        return steps

    return play


def open_spiel_rl_environment(players: int) -> Play:
    """Return a loop over OpenSpiel's interface for learners: all players' vectors at every step."""
    from open_spiel.python import rl_environment

    environment = rl_environment.Environment("hanabi", players=players)

    def play() -> int:
        time_step, steps = environment.reset(), 0
        while not time_step.last():
            legal = time_step.observations["legal_actions"][time_step.observations["current_player"]]
            time_step = environment.step([random.choice(legal)])
            steps += 1
        return steps

    return play


# --- PettingZoo and JaxMARL -------------------------------------------------------------------------------------------


def hanabi_v5(players: int, wrapped: bool) -> Play:
    """Return a loop over PettingZoo's Hanabi (OpenSpiel behind Shimmy), with or without its standard wrappers."""
    from pettingzoo.classic import hanabi_v5

    make = hanabi_v5.env if wrapped else hanabi_v5.raw_env
    return aec_loop(make(players=players, hand_size=5 if players < 4 else 4), games=1)


def jaxmarl(players: int, batch: int, steps: int) -> Play:
    """Return a loop over JaxMARL on the CPU: ``steps`` steps of ``batch`` games in one compiled scan (64 was best)."""
    import jax
    import jax.numpy as jnp
    from jaxmarl import make

    environment = make("hanabi", num_agents=players)

    def choose(key: Any, state: Any) -> Any:
        legal = environment.get_legal_moves(state)
        masks = jnp.stack([legal[agent] for agent in environment.agents])
        chosen = jax.random.categorical(key, jnp.where(masks > 0, 0.0, -jnp.inf))
        return dict(zip(environment.agents, chosen, strict=True))

    def step_all(key: Any, state: Any) -> tuple[Any, Any]:
        key_choose, key_step = jax.random.split(key)
        actions = jax.vmap(choose)(jax.random.split(key_choose, batch), state)
        observations, state, rewards, _, _ = jax.vmap(environment.step)(
            jax.random.split(key_step, batch), state, actions
        )
        # a sum of everything computed keeps the compiler from removing the observations
        return state, sum(vector.sum() for vector in observations.values()) + rewards["__all__"].sum()

    @jax.jit
    def rollout(key: Any, state: Any) -> tuple[Any, Any]:
        state, seen = jax.lax.scan(lambda state, key: step_all(key, state), state, jax.random.split(key, steps))
        return state, seen.sum()

    key = jax.random.PRNGKey(1)
    _, state = jax.vmap(environment.reset)(jax.random.split(key, batch))
    # a reset state has different number types from a stepped one, and a scan needs equal ones
    stepped, _ = jax.eval_shape(step_all, key, state)
    state = jax.tree.map(lambda value, wanted: value.astype(wanted.dtype), state, stepped)
    held = [key, state]

    def play() -> int:
        held[0], key = jax.random.split(held[0])
        held[1], seen = rollout(key, held[1])
        seen.block_until_ready()
        return batch * steps

    return play


# --- All of them ------------------------------------------------------------------------------------------------------


def hanabako(players: int, observation: str | None, seats: str = "acting") -> Play:
    """Return our compiled roll-out over 1024 games on one thread."""
    return rollout_loop(GAMES["hanabi"].make(players), 1024, observation, seats)


def hanabako_vector(players: int, observation: str) -> Play:
    """Return a loop over our vector environment of 1024 games, stepped from Python."""
    return vector_loop(GAMES["hanabi"].make(players), 1024, observation, copy=False, steps=64)


def hanabako_aec(players: int, wrapped: bool) -> Play:
    """Return a loop over our PettingZoo environment."""
    return aec_loop(GAMES["hanabi"].make_aec(players, wrapped), games=10)


HLE = ("hanabi_learning_environment",)
OPEN_SPIEL = ("pyspiel", "open_spiel")
PETTINGZOO = ("pettingzoo", "shimmy", "pyspiel")
X86_64_LINUX = ("Linux", "x86_64")

PEERS = (
    Peer("Hanabako, roll-out", "moves", lambda n: hanabako(n, None), is_ours=True),
    Peer("Hanabako, roll-out, packed", "acting", lambda n: hanabako(n, "packed"), is_ours=True),
    Peer("Hanabako, roll-out, int8", "acting", lambda n: hanabako(n, "int8"), is_ours=True),
    Peer("Hanabako, vector environment, packed", "acting", lambda n: hanabako_vector(n, "packed"), is_ours=True),
    Peer("Hanabako, roll-out, packed", "all", lambda n: hanabako(n, "packed", "all"), is_ours=True),
    Peer("Hanabako, raw_env", "AEC", lambda n: hanabako_aec(n, wrapped=False), is_ours=True),
    Peer("Hanabako, env", "AEC wrapped", lambda n: hanabako_aec(n, wrapped=True), is_ours=True),
    Peer("Learning Environment, C++ library", "moves", lambda n: learning_environment_library(n, False), HLE),
    Peer(
        "Learning Environment, C++ library",
        "acting",
        lambda n: learning_environment_library(n, True),
        HLE,
        is_for_linux=True,
    ),
    Peer("Learning Environment, pyhanabi", "moves", lambda n: pyhanabi(n, False), HLE),
    Peer("Learning Environment, pyhanabi", "acting", lambda n: pyhanabi(n, True), HLE),
    Peer("Learning Environment, rl_env", "all", rl_env, HLE),
    Peer("OpenSpiel, state", "moves", lambda n: open_spiel_state(n, False), OPEN_SPIEL),
    Peer("OpenSpiel, state", "acting", lambda n: open_spiel_state(n, True), OPEN_SPIEL),
    Peer("OpenSpiel, rl_environment", "all", open_spiel_rl_environment, OPEN_SPIEL),
    Peer("PettingZoo, hanabi_v5.raw_env", "AEC", lambda n: hanabi_v5(n, wrapped=False), PETTINGZOO),
    Peer("PettingZoo, hanabi_v5.env", "AEC wrapped", lambda n: hanabi_v5(n, wrapped=True), PETTINGZOO),
    Peer("JaxMARL, CPU, 64 games", "all", lambda n: jaxmarl(n, batch=64, steps=64), ("jaxmarl",)),
)
PACKAGES = ("hanabi-learning-environment", "open-spiel", "shimmy", "jaxmarl", "jax")


def stay_on_one_core() -> None:
    """Keep this process and its threads on one core, so that no peer uses more."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


def missing(peer: Peer) -> list[str]:
    """Return the requirements of ``peer`` that this machine lacks: modules, or the platform."""
    modules = [module for module in peer.needs if importlib.util.find_spec(module) is None]
    return modules + ["x86-64 Linux"] * (peer.is_for_linux and (platform.system(), platform.machine()) != X86_64_LINUX)


def with_ratios(results: list[dict]) -> list[dict]:
    """Add ``slower_than_hanabako`` to every peer's row: the speed of our fastest row with the same content over its."""
    ours: dict[tuple, float] = {}
    for row in results:
        if row["is_ours"]:
            key = (row["players"], row["content"])
            ours[key] = max(ours.get(key, 0.0), row["steps_per_second"])
    for row in results:
        best = ours.get((row["players"], row["content"]))
        if best and not row["is_ours"]:
            row["slower_than_hanabako"] = significant(best / row["steps_per_second"], digits=3)
    return results


def run(args: Args) -> list[dict[str, Any]]:
    """Measure all installed peers for all numbers of players, and return the rows."""
    wanted = [peer for peer in PEERS if args.only in peer.name]
    for peer in wanted:
        if missing(peer):
            print(f"skipped: {peer.name} ({peer.content}): lacks {', '.join(missing(peer))}")
    stay_on_one_core()
    results = []
    for players in args.players:
        cases = [Case(peer.columns(players), peer.build(players)) for peer in wanted if not missing(peer)]
        results += measure(cases, args.seconds, args.repeats, f"{players} players")
    return with_ratios(results)


def print_rows(rows: list[dict[str, Any]]) -> None:
    """Print the results as aligned text."""
    for row in rows:
        ratio = f"{row['slower_than_hanabako']:>8g}x slower" if "slower_than_hanabako" in row else ""
        print(
            f"{row['players']} players  {row['content']:<12}{row['peer']:<40}"
            f"{row['steps_per_second']:>14,.0f} steps/s {ratio}"
        )


def main(args: Args) -> None:
    """Measure, print and write."""
    output = Output("peers", args, PACKAGES)
    rows = run(args)
    print_rows(rows)
    output.write(rows)
    print(f"written: {output.path}")


if __name__ == "__main__":
    run_program(main, Args, __spec__.name, __doc__)
