"""Play many games with given players and say how good they are.

python -m agents.evaluate hanabi --preset standard --players 2 --agents random --games 10000 --seed 1
python -m agents.evaluate hanabi --agents random,runs/mine/policy.safetensors --cross-play --json result.json
"""

import json
import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import tyro
from numpy.typing import NDArray
from scipy.stats import binomtest
from tqdm import tqdm

from agents.games import config_from_dict, config_to_dict, game_of, make_config
from agents.policy import Policy, load
from env_core.rng import episode_key, game_key, random_word
from env_core.svg import write_text

NEVER_PLAYED = np.array([2**32 - 1], np.uint64)  # the players' chance comes from an episode that no table reaches


@dataclass(frozen=True)
class Games:
    """What happened in some games; every array begins with their number."""

    score: NDArray[np.int64]
    """Points by the booklet, lost games as with ``score_on_loss="zero"``."""
    fireworks_score: NDArray[np.int64]
    """Points on the table at the end, lost games too."""
    length: NDArray[np.int64]
    """Decisions."""
    rewards: NDArray[np.float64]
    """(games, players): the return of every player."""
    lost: NDArray[np.bool_]
    """The last life was lost."""
    perfect: NDArray[np.bool_]
    """The highest score there is."""

    def summary(self) -> dict[str, Any]:
        """Means with standard errors, and rates with 95 % intervals (Wilson), as JSON types."""
        games = len(self.score)
        result: dict[str, Any] = {"games": games}
        for name in ("score", "fireworks_score", "length"):
            values = getattr(self, name)
            result[name] = float(values.mean())
            result[f"{name}_error"] = float(values.std(ddof=1) / math.sqrt(games)) if games > 1 else None
        for name in ("perfect", "lost"):
            count = int(getattr(self, name).sum())
            interval = binomtest(count, games).proportion_ci(method="wilson")
            result[f"{name}_rate"] = count / games
            result[f"{name}_interval"] = [float(interval.low), float(interval.high)]
        result["rewards"] = [float(mean) for mean in self.rewards.mean(axis=0)]
        return result


def play(
    config: Any,
    policies: Policy | Sequence[Policy],
    games: int,
    seed: int,
    num_threads: int = 1,
    progress: bool = False,
) -> Games:
    """Play ``games`` games, once each. Game i is game i of a vector environment of that seed.

    What happens in a game depends on its index, the seed and the players only, not on how many games are played along
    with it nor on the number of threads. (A network's sums may be rounded differently in batches of another size; two
    actions equally likely to the last digit may then change places.)

    Args:
        config: the table.
        policies: one player for all seats, or one per seat.
        games: how many, at least 1.
        seed: of the deals and of the players' chance.
        num_threads: of the simulator.
        progress: show a progress bar.

    Raises:
        ValueError: ``games`` is below 1, or the number of players does not fit the table.
    """
    if games < 1:
        raise ValueError(f"games must be at least 1, got {games}")
    seats = [policies] * config.players if not isinstance(policies, Sequence) else list(policies)
    if len(seats) != config.players:
        raise ValueError(f"policies must be one, or one for each of the {config.players} seats, got {len(seats)}")
    table = game_of(config)
    env = table.vector_env(
        games, config=config, observation="packed", num_threads=num_threads, autoreset_mode="Disabled", copy=False
    )
    observation, infos = env.reset(seed=seed)
    record = Record(config, games)
    keys = chance_keys(seed, games)
    actions = np.zeros(games, np.int64)  # a finished game takes no notice of its own
    open_games = np.arange(games)
    with tqdm(total=games, unit="game", disable=not progress) as bar:
        step = 0
        while len(open_games):
            actions[open_games] = decide(seats, observation, infos["current_player"], open_games, uniform(keys, step))
            observation, _, terminations, truncations, infos = env.step(actions)
            ended = (terminations | truncations)[open_games]
            record.add(open_games, open_games[ended], infos)
            bar.update(int(ended.sum()))
            open_games = open_games[~ended]
            step += 1
    return record.games


def decide(
    seats: Sequence[Policy], observation: dict[str, NDArray], current_player: NDArray, rows: NDArray, noise: NDArray
) -> NDArray[np.int64]:
    """The actions of ``rows``, each by the policy that sits where that game's player to move sits."""
    actions = np.empty(len(rows), np.int64)
    to_move = current_player[rows]
    for policy in {id(policy): policy for policy in seats}.values():
        own = np.isin(to_move, [seat for seat, other in enumerate(seats) if other is policy])
        mine = rows[own]
        if len(mine):
            masks = observation["action_mask"][mine]
            actions[own] = policy.act(observation["observation"][mine], masks, noise[mine])
    return actions


class Record:
    """`Games` in the making."""

    def __init__(self, config: Any, games: int) -> None:
        self.config = config
        self.games = Games(
            score=np.zeros(games, np.int64),
            fireworks_score=np.zeros(games, np.int64),
            length=np.zeros(games, np.int64),
            rewards=np.zeros((games, config.players)),
            lost=np.zeros(games, np.bool_),
            perfect=np.zeros(games, np.bool_),
        )

    def add(self, played: NDArray, ended: NDArray, infos: dict[str, Any]) -> None:
        """Note a step of the games ``played``, which ended the games ``ended``."""
        games = self.games
        games.rewards[played] += infos["rewards"][played]
        if not len(ended):
            return
        lost = game_of(self.config).lost(infos)
        points = infos["fireworks_score"]
        score = infos["score"] if self.config.score_on_loss == "zero" else np.where(lost, 0, points)
        own = (games.score, games.fireworks_score, games.length, games.lost, games.perfect)
        news = (score, points, infos["length"], lost, points == self.config.max_score)
        for array, new in zip(own, news, strict=True):
            array[ended] = new[ended]


def chance_keys(seed: int, games: int) -> NDArray[np.uint64]:
    """A random stream a game for its players, apart from those of its deals."""
    keys = game_key(np.full(games, seed, np.uint64), np.arange(games, dtype=np.uint64))
    return np.asarray(episode_key(keys, NEVER_PLAYED))


def uniform(keys: NDArray[np.uint64], step: int) -> NDArray[np.float64]:
    """The ``step``-th number in [0, 1) of every stream."""
    words = np.asarray(random_word(keys, np.full(1, step, np.uint64)))
    return (words >> np.uint64(11)).astype(np.float64) * 2.0**-53


# --- The command line -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Args:
    """Play games and print how good the players are."""

    game: tyro.conf.Positional[str]
    """The game."""
    preset: str = "standard"
    """A preset of the game."""
    players: int | None = None
    """Players at the table; the preset's number where it is not given."""
    config: tuple[str, ...] = ()
    """More fields of the game's config, as name=value. What players observe follows the networks among them."""
    agents: str = "random"
    """NAME[,NAME...]: one player for all seats, or one per seat; names of agents or policy files."""
    games: int = 10_000
    """How many."""
    seed: int = 1
    """Of the deals and of the players' chance: with the same seed all players meet the same deals."""
    num_threads: int = 1
    """Threads of the simulator and of the networks."""
    cross_play: bool = False
    """All ordered pairs of the agents: one at player 0's seat, the other at all others."""
    json: Path | None = None
    """Also write the results to this file."""


def evaluate(args: Args) -> dict[str, Any]:
    """Do what ``args`` say; the result as JSON types.

    Raises:
        ValueError: an unknown name, a wrong value, or an agent that cannot play this table.
    """
    names = args.agents.split(",")
    config = with_observation_of(make_config(args.game, args.preset, args.players, args.config), names)
    agents = [load(name, config) for name in names]
    if "torch" in sys.modules:
        sys.modules["torch"].set_num_threads(args.num_threads)
    about = {
        "config": config_to_dict(config),
        "preset": args.preset,
        "observation": config.observation_name,
        "agents": names,
        "training": [(metadata_of(name) or {}).get("about") for name in names],
        "seed": args.seed,
    }
    if not args.cross_play:
        seats = agents if len(agents) > 1 else agents * config.players
        return about | play(config, seats, args.games, args.seed, args.num_threads, progress=True).summary()
    others = config.players - 1
    rows = [
        [
            play(config, [first, *[other] * others], args.games, args.seed, args.num_threads).summary()
            for other in agents
        ]
        for first in tqdm(agents, unit="agent")
    ]
    return about | {"games": args.games, "cross_play": rows}


def metadata_of(name: str) -> dict[str, Any] | None:
    """What a policy file says of itself; None for an agent known by name."""
    if not name.endswith(".safetensors"):
        return None
    from agents.network import read_metadata  # torch takes two seconds to import, and programs do not need it

    return read_metadata(Path(name))


def with_observation_of(config: Any, names: Sequence[str]) -> Any:
    """The config with the observation that the networks among ``names`` were trained on (the first one's)."""
    for metadata in filter(None, map(metadata_of, names)):
        trained_for = config_from_dict(metadata["config"])
        if type(trained_for) is type(config):
            fields = game_of(config).observation_fields
            return replace(config, **{field: getattr(trained_for, field) for field in fields})
    return config


def describe(result: dict[str, Any]) -> str:
    """The result in words."""
    head = f"{result['config']['game']} {result['preset']}, {result['config']['players']} players"
    lines = [f"{head}, observation {result['observation']}, {result['games']} games of seed {result['seed']}"]
    if "cross_play" in result:
        lines.append("score of the row's agent at player 0's seat with the column's agent at all others:")
        lines.append(" " * 24 + "".join(f"{name[-22:]:>24}" for name in result["agents"]))
        for name, row in zip(result["agents"], result["cross_play"], strict=True):
            cells = "".join(f"{cell['score']:>15.3f} +- {cell['score_error'] or 0:5.3f}" for cell in row)
            lines.append(f"{name[-22:]:<24}{cells}")
        return "\n".join(lines)
    for name, words in (
        ("score", "score, a lost game 0"),
        ("fireworks_score", "score, fireworks count"),
        ("length", "decisions a game"),
    ):
        lines.append(f"{words:<24}{result[name]:>8.3f} +- {result[f'{name}_error'] or 0:.3f}")
    for name in ("perfect", "lost"):
        low, high = result[f"{name}_interval"]
        lines.append(f"{name + ' games':<24}{result[f'{name}_rate']:>8.2%}  ({low:.2%} to {high:.2%})")
    return "\n".join(lines)


def main(argv: list[str] | None = None) -> None:
    """The command line."""
    args = tyro.cli(Args, args=argv, description=__doc__)
    try:
        result = evaluate(args)
    except ValueError as error:
        raise SystemExit(f"evaluate: {error}") from error
    print(describe(result))
    if args.json:
        write_text(args.json, json.dumps(result, indent=2) + "\n")


if __name__ == "__main__":
    main()
