"""Play many games with given players and say how good they are.

python -m agents.evaluate hanabi --preset standard --players 2 --agents random --games 10000 --seed 1
python -m agents.evaluate hanabi --agents random,runs/mine/policy.safetensors --cross-play --json result.json
"""

import json
import math
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import tyro
from numpy.typing import NDArray
from scipy.stats import binomtest
from tqdm import tqdm

from agents.bot import BotPolicy
from agents.games import config_from_dict, config_to_dict, game_of, make_config
from agents.playing import Block, sit
from agents.policy import Policy, load
from env_core.jit import usable_threads
from env_core.svg import write_text
from env_core.vector import SPECIAL_FROM

GAMES_AT_ONCE = 1024  # a block of tables: its records and memories stay in the processor's cache


@dataclass(frozen=True)
class Games:
    """What happened in some games; every array begins with their number."""

    score: NDArray[np.int64]
    """Points by the booklet, lost games as with ``score_on_loss="zero"``; in a contest those of the winners."""
    fireworks_score: NDArray[np.int64]
    """Points on the table at the end, lost games too; as all below but length and rewards, 0 in a contest."""
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
    special: bool | None = None,
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
        num_threads: blocks of games that are played at the same time.
        progress: show a progress bar.
        special: compile the loops for this config alone; None: where no bot plays, from 256 games on. (The general
            loops of a bot are compiled once for all configs, and nearly as fast.)

    Raises:
        ValueError: ``games`` is below 1, ``num_threads`` is out of range, or the number of players does not fit the
            table.
    """
    if games < 1:
        raise ValueError(f"games must be at least 1, got {games}")
    usable_threads(num_threads)
    seats = [policies] * config.players if not isinstance(policies, Sequence) else list(policies)
    if len(seats) != config.players:
        raise ValueError(f"policies must be one, or one for each of the {config.players} seats, got {len(seats)}")
    if special is None:
        special = games >= SPECIAL_FROM and not any(isinstance(policy, BotPolicy) for policy in seats)
    game = game_of(config).vector_env(1, config=config).game
    record = Record(config, games)
    with tqdm(total=games, unit="game", disable=not progress) as bar, ThreadPoolExecutor(num_threads) as threads:

        def play_block(first: int) -> None:
            block = Block(game, min(GAMES_AT_ONCE, games - first), any(map(observes, seats)), special)
            for step in steps_of(block, seats, seed, first):
                record.add(step, first)
                bar.update(int(step["ended"].sum()))

        list(threads.map(play_block, range(0, games, GAMES_AT_ONCE)))
    return record.games


def steps_of(block: Block, seats: Sequence[Policy], seed: int, first: int) -> Iterator[NDArray[Any]]:
    """Play the block's games, from game ``first`` of ``seed`` on: its tables after every step."""
    players = sit(block, seats)
    block.deal(seed, first)
    for player in players:
        player.begin()
    while not block.tables["terminated"].all():
        block.go_on(players)
        yield block.tables


def observes(policy: Any) -> bool:
    """The policy looks at observations."""
    return not isinstance(policy, BotPolicy) and getattr(policy, "observes", True)


class Record:
    """`Games` in the making."""

    def __init__(self, config: Any, games: int) -> None:
        self.config = config
        self.game = game_of(config)
        self.games = Games(
            score=np.zeros(games, np.int64),
            fireworks_score=np.zeros(games, np.int64),
            length=np.zeros(games, np.int64),
            rewards=np.zeros((games, config.players)),
            lost=np.zeros(games, np.bool_),
            perfect=np.zeros(games, np.bool_),
        )

    def add(self, tables: NDArray[Any], first: int) -> None:
        """Note a step of the tables, the first of which plays game ``first``; one that is over is rewarded 0."""
        games = self.games
        games.rewards[first : first + len(tables)] += tables["rewards"][:, : self.config.players]
        ended = np.flatnonzero(tables["ended"])
        if not len(ended):
            return
        tables = tables[ended]
        if not self.game.cooperative:
            games.score[first + ended], games.length[first + ended] = tables["score"], tables["length"]
            return
        lost = self.game.lost(tables)
        points = tables["fireworks_score"]
        own = (games.score, games.fireworks_score, games.length, games.lost, games.perfect)
        score = np.where(lost, self.game.lost_score(self.config), points)
        news = (score, points, tables["length"], lost, points == self.config.max_score)
        for array, new in zip(own, news, strict=True):
            array[first + ended] = new


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
