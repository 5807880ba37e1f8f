"""How often two agents would choose the same action."""

from typing import Any

from ..playing.block import GAMES_AT_ONCE, block_for
from ..playing.policy import Agent, line_up
from ..playing.seating import sit

__all__ = ["agreement"]


def agreement(config: Any, one: Agent, other: Agent, games: int, seed: int) -> float:
    """Return the share of decisions at which ``other`` chooses the action of ``one``, 0 to 1.

    The decisions are those of ``one`` in self-play, if at least two actions are legal; without any, the share is 0.
    Both agents see the same, and draw from the same random streams, which ``seed`` determines like the deals. Two runs
    of an algorithm with a unique solution should agree nearly always: Hu et al. 2021, "Off-belief learning".
    """
    seats = line_up(one, config.players), line_up(other, config.players)
    alike = asked = 0
    for first in range(0, games, GAMES_AT_ONCE):
        block = block_for(config, min(GAMES_AT_ONCE, games - first), [*seats[0], *seats[1]], specialize=False)
        playing, shadowing = (sit(block, own) for own in seats)
        block.deal(seed, first)
        for seated in (*playing, *shadowing):
            seated.begin()
        while len(block.open_games):
            for seated in shadowing:
                seated.act()
            guessed = block.actions.copy()
            for seated in playing:
                seated.act()
            chosen = block.open_games[block.mask[block.open_games].sum(1) > 1]
            alike += int((guessed[chosen] == block.actions[chosen]).sum())
            asked += len(chosen)
            block.make_step((*playing, *shadowing))
    return alike / max(asked, 1)
