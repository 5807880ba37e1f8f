"""Hanabi by a player who is careless but for one thing, ``no misplay``: games as long as between trained agents."""

from collections.abc import Callable

from hanabako.compiler.jit import rule
from hanabako.engine.game import Game
from hanabako.engine.loops import rollout_loops
from hanabako.engine.turns import random_action
from hanabi_env.engine.actions import first_announced_play, first_color_hint, first_play
from hanabi_env.engine.cards import suit_of
from hanabi_env.engine.rules import is_playable
from hanabi_env.engine.tiles import is_tile_pending

MOST_RETRIES = 64  # a careful roll-out looks this often for an action that is no plain error


def careful_rollouts(game: Game) -> tuple[Callable[..., None], Callable[..., None]]:
    """Roll-outs of random actions of Hanabi that play no card which does not fit."""
    return rollout_loops(game.functions, type(game.rules), game.rules, careful_move)


@rule
def careful_move(rules, table, stream, t):
    """A random legal action that is no misplay, if one is found soon."""
    action = random_action(table.mask, stream, t)
    for retry in range(1, MOST_RETRIES):
        if not is_misplay(rules, table.state, action):
            break
        action = random_action(table.mask, stream, (retry << 40) + t)
    return action


@rule
def is_misplay(rules, s, action):
    """The action plays a card that does not fit, or announces a wrong suit."""
    if is_tile_pending(rules, s):
        return False
    slot = action - first_play(rules)
    announced = -1
    if action >= first_announced_play(rules):
        slot = (action - first_announced_play(rules)) // rules.suits
        announced = (action - first_announced_play(rules)) % rules.suits
    elif action < first_play(rules) or action >= first_color_hint(rules):
        return False
    card = s.hands[s.current_player, slot]
    return not is_playable(rules, s, card) or (announced >= 0 and announced != suit_of(rules, card))
