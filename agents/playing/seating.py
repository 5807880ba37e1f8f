"""Seating policies: in games that are played together, or in one PettingZoo environment (`OneTable`).

A seated policy is an `agents.playing.policy.Seated`: it begins when the cards are dealt, acts if one of its seats is to
move, and observes every step.
"""

from collections.abc import Sequence
from typing import Any, TypeVar

import numpy as np

from .block import Block, random_keys
from .fitting import fits
from .policy import Agent, Policy, Seated, line_up

T = TypeVar("T")


def sit(games: Block, policies: Sequence[Policy]) -> list[Seated]:
    """Let one policy per seat take its seats in all the games, as `sit_down`; one with several seats sits once."""
    seats: dict[int, list[int]] = {}
    for player, policy in enumerate(policies):
        seats.setdefault(id(policy), []).append(player)
    return [sit_down(policies[own[0]], games, own) for own in seats.values()]


def sit_down(policy: Policy, games: Block, seats: Sequence[int]) -> Seated:
    """Let a policy take seats in all the games; raise ``ValueError`` if it has other rules or reads what they lack."""
    fits(policy, games.game.config)
    return policy.seat(games, seats)


def turns_of(policy: T, others: Sequence[T], players: int) -> list[tuple[int, list[T]]]:
    """Return all seatings, each as the seat of ``policy`` and the policies, or their names, of all seats.

    ``policy`` takes every seat in turn, among every run of consecutive ``others`` (cyclic), so that it meets each of
    them equally often. Without others there is one seating, with ``policy`` at all seats.
    """
    if not others:
        return [(0, [policy] * players)]
    runs = [[others[(first + player) % len(others)] for player in range(players)] for first in range(len(others))]
    return [
        (seat, [policy if player == seat else other for player, other in enumerate(run)])
        for seat in range(players)
        for run in runs
    ]


class OneTable(Block):
    """Policies at the seats of one PettingZoo environment.

        env.reset(seed=7)
        table = OneTable(env, [agents.load("cheat", env.config), agents.load("random", env.config)], seed=7)
        while not all(env.terminations.values()):
            env.step(table.action())
            table.observe()

    They play as in `agents.play`, where the same game has the index ``game_index`` and the seed ``seed``.

    Args:
        env: an AEC environment of ours, just reset.
        policies: one for all seats, or one per seat.
        seed: the seed of the policies' randomness.
        game_index: the index of the game for that seed, as in ``reset``.
    """

    def __init__(self, env: Any, policies: Agent | Sequence[Agent], seed: int = 0, game_index: int = 0) -> None:
        super().__init__(env.unwrapped.game, 1, observes=False, specialize=False)
        self.tables, self.keys = env.unwrapped.tables, random_keys(seed, game_index)
        self.observation = np.zeros((1, self.game.observation_bits), np.int8)  # as the environment's
        self.show()
        self.players = sit(self, line_up(policies, self.game.players))
        for player in self.players:
            player.begin()

    def action(self) -> int:
        """Return the action of the player to move."""
        for player in self.players:
            player.act()
        return int(self.actions[0])

    def observe(self) -> None:
        """Take note of a step of the environment; call this after every step, whichever player acted."""
        self.step += 1
        self.show()
        for player in self.players:
            player.observe()
