"""The policy ``no misplay`` for Hanabi, random but without misplays: its games are as long as trained agents'."""

from collections.abc import Callable

from hanabako.compiler.jit import rule
from hanabako.engine.game import Game
from hanabako.engine.loops import rollout_loops
from hanabako.engine.turns import random_action
from hanabi_env.engine.actions import first_announced_play, first_color_hint, first_play
from hanabi_env.engine.cards import suit_of
from hanabi_env.engine.rules import is_playable
from hanabi_env.engine.tiles import is_tile_pending

MOST_RETRIES = 64  # the most draws of an action that is no misplay


def careful_rollouts(game: Game) -> tuple[Callable[..., None], Callable[..., None]]:
    """Return the loops of roll-outs with random actions that are no misplays."""
    return rollout_loops(game.functions, type(game.rules), game.rules, careful_move)


@rule
def careful_move(rules, table, stream, t):
    """Return a random legal action that is no misplay, if one is found within `MOST_RETRIES` draws."""
    action = random_action(table.mask, stream, t)
    for retry in range(1, MOST_RETRIES):
        if not is_misplay(rules, table.state, action):
            break
        action = random_action(table.mask, stream, (retry << 40) + t)
    return action


@rule
def is_misplay(rules, s, action):
    """Whether the action plays a card that is not playable, or announces a wrong suit."""
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
