"""The entry points that `hostile` tests: their valid inputs, and what must not change."""

import io
import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import safetensors.torch
import torch

from hanabako.agents.networks.network import DenseNetwork
from hanabako.agents.networks.neural_policy import load_policy
from hanabako.agents.networks.policy_file import save_policy
from hanabako.games import config_to_dict
from hanabako.record import GameRecord, read_record
from hanabi_env import HanabiConfig, hanablive
from tests.games import GAMES, GameUnderTest, legal_action
from tests.mutations import JSON_THINGS, positions_of
from tests.soak import command_lines, hostile
from tests.soak.hostile import Door

AFTERWARDS = 3
"""Steps to play after an accepted input."""


def doors(group: str, folder: Path) -> dict[str, Door]:
    """Return the entry points of a group by name; files are written to ``folder``."""
    if group == hostile.LINES:
        return {group: Door(command_lines.valid, command_lines.Taker(folder), things=command_lines.THINGS)}
    if group == hostile.FILES:
        return {
            "hanab.live": hanab_live_door(folder / "game.json"),
            "policy file": policy_door(folder / "p.safetensors"),
            **{f"record of {one.name}": record_door(one, folder / f"{one.name}.json") for one in GAMES},
        }
    under_test = next(one for one in GAMES if one.name == group)
    return {
        "config": config_door(under_test),
        "arguments of an environment": arguments_door(under_test),
        **single_doors(under_test),
        **vector_doors(under_test),
    }


# --- What an environment is made of -----------------------------------------------------------------------------------


def config_door(under_test: GameUnderTest) -> Door:
    presets = [{**vars(config)} for config in under_test.presets.values()]
    return Door(lambda rng: rng.choice(presets), lambda fields: under_test.config(**words_only(fields)).rules())


def words_only(fields: Any) -> dict[str, Any]:
    """Return the fields if they are keywords; Python itself refuses keywords that are not strings."""
    return fields if isinstance(fields, dict) else {"config": fields}


def arguments_door(under_test: GameUnderTest) -> Door:
    """Return the entry point for arguments of the vector environment; large valid ones are left out to save memory."""
    valid = {
        "num_envs": 2,
        "seed": 5,
        "observation": "packed",
        "num_threads": 1,
        "autoreset_mode": "NextStep",
        "copy": True,
        "specialize": False,
        "preset": under_test.entry.first_preset,
    }

    def take(arguments: Any) -> None:
        count = words_only(arguments).get("num_envs", 1)
        if words_only(arguments).get("specialize") is True or (type(count) is int and 256 < count <= 2**24):
            return
        under_test.entry.make_vector(**{"num_envs": 1, **words_only(arguments)})

    return Door(lambda _: valid, take)


# --- One game ---------------------------------------------------------------------------------------------------------


def single_doors(under_test: GameUnderTest) -> dict[str, Door]:
    """Return the entry points for resets, positions, steps and words of a PettingZoo environment."""
    env = under_test.raw_env()
    positions, rng = positions_of(env), np.random.default_rng(1)
    decks = [deal_of(under_test, env, seed) for seed in range(3)]

    def state() -> bytes:
        return env._tables.tobytes()

    def play_on() -> None:
        for _ in range(AFTERWARDS):
            if all(env.terminations.values()):
                return
            env.step(legal_action(env.observe(env.agent_selection)["action_mask"], rng))

    def reset(arguments: Any) -> None:
        env.reset(**words_only(arguments))
        play_on()

    def place(position: Any) -> None:
        env.reset(options={"state": position})
        play_on()

    def action_now(rng: random.Random) -> list[int]:
        if all(env.terminations.values()):
            env.reset(seed=3)
        return [rng.choice(actions)]

    env.reset(seed=3)
    actions = range(-1, env.action_space(env.possible_agents[0]).n + 1)
    words = [env.action_to_str(action) for action in actions[1:-1]]
    return {
        "reset": Door(
            lambda rng: {"seed": rng.randrange(2**64), "options": {"game_index": 4, **rng.choice(decks)}}, reset, state
        ),
        "position": Door(lambda rng: rng.choice(positions), place, state),
        "step": Door(action_now, lambda action: env.step(alone(action)), state),
        "word of an action": Door(lambda rng: [rng.choice(words)], lambda text: env.str_to_action(alone(text)), state),
    }


def alone(value: Any) -> Any:
    """Return the element of a list of one, so that single values are mutated too."""
    return value[0] if isinstance(value, list) and len(value) == 1 else value


def deal_of(under_test: GameUnderTest, env: Any, seed: int) -> dict[str, Any]:
    """Return options of a reset that fix the deal."""
    env.reset(seed=seed)
    position = env.to_dict()
    if under_test.name == "hanabi":
        return {"deck": [card for hand in position["hands"] for card in hand] + position["deck"]}
    if under_test.name == "ikebana":
        return {"decks": [position["deck"]]}
    hands = [card for hand in position["hands"] for card in hand]
    return {"decks": [hands + position["field"] + position["deck"]], "dealer": 0}


# --- Many games -------------------------------------------------------------------------------------------------------


def vector_doors(under_test: GameUnderTest) -> dict[str, Door]:
    """Return the entry points for resets and steps of a vector environment."""
    envs = under_test.vector(3, {})
    positions, rng = positions_of(under_test.raw_env()), np.random.default_rng(1)
    envs.reset(seed=1)

    def state() -> bytes:
        return envs.tables.tobytes() + repr((envs._seed, envs._was_reset)).encode()

    def reset(arguments: Any) -> None:
        envs.reset(**words_only(arguments))
        played(envs, rng)

    def options(rng: random.Random) -> dict[str, Any]:
        mask = np.array([True, rng.random() < 0.5, True]).tolist()
        given = {0: rng.choice(positions), 2: rng.choice(positions)}
        return {"seed": rng.randrange(2**64), "options": {"reset_mask": mask, "game_index": 3, "state": given}}

    def reset_with_mask(arguments: Any) -> None:
        chosen = words_only(arguments).get("options")
        mask = chosen.get("reset_mask") if isinstance(chosen, dict) else None
        if isinstance(chosen, dict) and isinstance(mask, list) and all(type(one) is bool for one in mask):
            chosen["reset_mask"] = np.array(mask, np.bool_)  # lists are always refused
        reset(arguments)

    return {
        "reset of many": Door(options, reset_with_mask, state),
        "steps of many": Door(lambda rng: [rng.randrange(-1, 60) for _ in range(3)], envs.step, state),
    }


def played(envs: Any, rng: np.random.Generator) -> None:
    for _ in range(AFTERWARDS):
        envs.step(rng.integers(0, envs.single_action_space.n, envs.num_envs))


# --- Files ------------------------------------------------------------------------------------------------------------


def hanab_live_door(path: Path) -> Door:
    """Return the entry point for a file of hanab.live."""
    games = []
    for seed, config in enumerate((HanabiConfig(), HanabiConfig(players=3, multicolor="all_colors"))):
        record = random_record(config, seed)
        env = record.begin()
        position = env.to_dict()
        deck = [card for hand in position["hands"] for card in hand] + position["deck"]
        hanablive.save(path, config, deck, [env.str_to_action(words) for words in record.actions])
        games.append(json.loads(path.read_text(encoding="utf-8")))
    return Door(
        lambda rng: rng.choice(games), lambda game: hanablive.load(io.StringIO(json.dumps(game))), things=JSON_THINGS
    )


def record_door(under_test: GameUnderTest, path: Path) -> Door:
    """Return the entry point for a record of a game, which is read and replayed."""
    games = []
    for seed in range(3):
        random_record(under_test.config(**under_test.short), seed).save(path)
        games.append(json.loads(path.read_text(encoding="utf-8")))

    def take(game: Any) -> None:
        path.write_text(json.dumps(game), encoding="utf-8")
        read_record(path).replayed()

    return Door(lambda rng: rng.choice(games), take, things=JSON_THINGS)


def random_record(config: Any, seed: int) -> GameRecord:
    record = GameRecord(config, seed, tuple(f"p{k}" for k in range(config.players)))
    env, rng, words = record.begin(), np.random.default_rng(seed), []
    while len(words) < 20 and not all(env.terminations.values()):
        action = legal_action(env.observe(env.agent_selection)["action_mask"], rng)
        words.append(env.action_to_str(action))
        env.step(action)
    return GameRecord(config, seed, record.players, tuple(words))


def policy_door(path: Path) -> Door:
    """Return the entry point for the metadata of a policy file."""
    config = HanabiConfig(colors=1, hand_size=2, derived=True)
    network = DenseNetwork(config, width=8, layers=1)
    save_policy(path, network, config, {"name": "small", "config": config_to_dict(config)})
    with safetensors.safe_open(path, "pt") as file:
        entries = {key: json.loads(text) for key, text in file.metadata().items() if key != "sha256"}
    weights = {name: tensor.contiguous() for name, tensor in torch.nn.Module.state_dict(network).items()}

    def take(changed: Any) -> None:
        texts = {str(key): json.dumps(value) for key, value in words_only(changed).items()}
        path.write_bytes(safetensors.torch.save(weights, texts))
        load_policy(path)

    return Door(lambda _: entries, take, things=JSON_THINGS)
