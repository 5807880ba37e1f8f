"""The shipped Hanabi networks with bots and with networks of other seeds.

    hanabako study run network_partners
    hanabako study run network_partners --where network=hanabi-small-2p-1

Both seatings are played on the same deals: the network at player 0's seat and the partner at all others, and the
reverse. `docs.build.network_cards` writes the scores into the networks' cards.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from agents.playing.play import play, standard_error
from agents.registry import load
from agents.studies import Row, Study
from agents.studies.study import Result
from benchmarks.recipes import RECIPES
from hanabako.games import make_config

__all__ = ["STUDY", "Pair"]

BOTS = ("smart", "piers")
GAMES, SEED = 1000, 1


@dataclass(frozen=True)
class Pair(Row):
    """A network and a partner."""

    network: str
    partner: str

    @property
    def agents(self) -> tuple[str, ...]:
        """The network and the partner."""
        return self.network, self.partner


def pairs() -> Iterator[Pair]:
    """Yield every network with every bot, and all pairs of networks that differ only in their seeds."""
    networks = [name for name, recipe in RECIPES.items() if recipe.opponent is None]
    yield from (Pair(name, bot) for name in networks for bot in BOTS)
    seeds: dict[str, list[str]] = {}
    for name in networks:
        kind, _, seed = name.rpartition("-")
        if seed.isdigit():
            seeds.setdefault(kind, []).append(name)
    yield from (Pair(*pair) for own in seeds.values() for pair in combinations(own, 2))


def measured(row: Pair, _before: Result | None) -> dict[str, Any]:
    """Return the mean scores of both seatings, ``[score, standard error]`` each, the network at player 0 first."""
    recipe = RECIPES[row.network]
    config = make_config(recipe.game, recipe.preset, recipe.changed_players(), recipe.measured)
    network, partner = (load(name, config) for name in row.agents)
    scores = []
    for one, other in ((network, partner), (partner, network)):
        found = play(config, [one, *[other] * (config.players - 1)], GAMES, SEED).score
        scores.append([float(found.mean()), standard_error(found)])
    return {"done": 1, "games": GAMES, "seed": SEED, "scores": scores}


STUDY = Study("network_partners", list(pairs()), measured, unit="pair")
