"""What Hanabi brings to the compiled loops of `env_core.loops`: a step's rewards, a finished game's statistics."""

from env_core.jit import rule
from env_core.loops import Program
from hanabi_env.actions import first_announced_play, first_color_hint, first_play
from hanabi_env.box import END_ILLEGAL, rules_from, suit_of
from hanabi_env.observation import observe
from hanabi_env.rules import fireworks_score, init, is_playable, is_terminal, legal_action_mask, score, step
from hanabi_env.tiles import is_tile_pending

STATISTICS = ("score", "fireworks_score", "end_reason")


@rule
def act(rules, table, action):
    """A step, whose reward is the change of score (E7). Hanabi is co-operative: every player gets the same."""
    before = score(rules, table.state)
    step(rules, table.state, action)
    reward = score(rules, table.state) - before
    for player in range(rules.players):
        table.rewards[player] = reward


@rule
def forfeit(rules, s):  # noqa: ARG001 - as every game's
    """The game is over."""
    s.end_reason = END_ILLEGAL


@rule
def end_game(rules, table):
    """Note the statistics of the game."""
    s = table.state
    table.score = score(rules, s)
    table.fireworks_score = fireworks_score(rules, s)
    table.end_reason = s.end_reason


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


PROGRAM = Program(
    rules_from=rules_from,
    init=init,
    legal_action_mask=legal_action_mask,
    observe=observe,
    is_terminal=is_terminal,
    act=act,
    forfeit=forfeit,
    end_game=end_game,
    is_careless=is_misplay,
)
