"""List the agents that commands know by name: the kind of each, what it observes, and its score.

    hanabako agents hanabi
    hanabako agents hanabi-standard-2p      # the card of a network

Scores are self-play means in cooperative games. In competitive ones they are ratings from a tournament with all bots:
Elo, or the points that an agent takes from the others in a round. They were measured for the project's scoreboards. A
network's score is for the game that it was trained for, with the config beside it. The names can be given to
--agents, --with, --partners, --opponent and `agents.load`, which also take a policy file, a run's folder, and agents of
your own, whose code is imported and run.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any

import tyro

from hanabako.files import read_json
from hanabako.games import config_from_dict, game_in_words, game_named, game_names, game_of

from ..registry import BRIDGES, PRETRAINED, AgentName, bots_of, names, pretrained

SCORES = Path(__file__).resolve().parents[1] / "scores.json"
"""The measured scores by game and agent; `benchmarks.pages` writes this file."""
NAMES = 34
"""Width of the column of names."""
OWN = {
    "search:NAME": "a seat that searches over the agent NAME",
    "runs/NAME": "the network of a training run",
    "FILE.safetensors": "a network in a file",
    "FILE.py:NAME": "an agent of your own in a file",
    "package.module:NAME": "an agent of your own in a module",
}


@dataclass(frozen=True)
class Args:
    """List the agents that commands know by name."""

    game: Annotated[tyro.conf.Positional[str | None], tyro.conf.arg(metavar="[GAME|NETWORK]")] = None
    """hanabi, ikebana or koikoi, by default all of them; or a network that ships, whose card is printed."""


def run(args: Args) -> None:
    """Print the agents."""
    if any(args.game in pretrained(game) for game in game_names()):
        print("\n".join(card(str(args.game))))
        return
    for game in game_names() if args.game is None else [args.game]:
        print("\n".join(lines(game)))
    also = OWN | {f"{prefix}{bridge.behind}": bridge.about for prefix, bridge in BRIDGES.items()}
    print("\n".join(["all games", *(f"  {name:<{NAMES}}{about}" for name, about in also.items())]))


def lines(game: str) -> Iterator[str]:
    """Yield the name of a game, then one line per agent."""
    game_named(game)
    measured, bots, networks = read_json(SCORES)[game], bots_of(game), pretrained(game)
    yield game
    for name in (*names(game), *networks):
        kind, sees = "random", "nothing"
        if name in networks:
            kind, sees = "network", observation_of(name)
        elif name in bots:
            kind, sees = "bot", "all cards" if bots[name].cheats else "what its seat sees"
        yield f"  {name:<{NAMES}}{kind:<9}{sees:<25}{score_of(measured.get(name))}"


def card(name: str) -> Iterator[str]:
    """Yield what a network that ships plays, reads and is, how it was trained, and its score, as lines."""
    from ..networks.policy_file import read_network  # imports torch
    from ..results.tables import training_in_words

    path = PRETRAINED / f"{name}.safetensors"
    metadata = AgentName.parse(name).metadata() or {}
    config, about, network = config_from_dict(metadata["config"]), metadata["about"], metadata["network"]
    weights = sum(tensor.numel() for tensor in read_network(path, network, config).parameters())
    digest = sha256(path.read_bytes()).hexdigest()
    sizes = ", ".join(f"{size} {network[size]}" for size in ("width", "layers") if size in network)
    measured = read_json(SCORES)[game_of(config).name].get(name)
    yield name
    rows = {
        "game": game_in_words(config),
        "observation": f"{config.observation_name}, {config.observation_bits:,} bits; features {network['features']}",
        "network": f"{network['kind']}, {sizes}: {weights:,} weights",
        "training": training_in_words(about),
        "seed, ranks": f"{about['seed']}, {about['ranks']}",
        "score": score_of(measured),
        "file": f"{path.stat().st_size / 1e3:,.0f} kB, SHA-256 {digest[:16]}",
    }
    yield from (f"  {head:<14}{text}" for head, text in rows.items())


def observation_of(name: str) -> str:
    """Return the short names of what a network observes, and of its features if it has any."""
    metadata = AgentName.parse(name).metadata()
    assert metadata is not None
    observation, features = config_from_dict(metadata["config"]).observation_name, metadata["network"]["features"]
    return observation if features == "none" else f"{observation}, {features}"


def score_of(measured: Mapping[str, Any] | None) -> str:
    """Return a measured score, and the game that it is of."""
    if measured is None:
        return "not measured"
    unit = measured["unit"]
    digits, sign = ".0f" if unit == "Elo" else ".2f", "" if unit == "points" else "+"
    number = f"{measured['score']:{sign}{digits}} ± {measured['error']:{digits}} {unit}"
    return f"{number:<30}{measured['preset']}, {measured['players']} players"
