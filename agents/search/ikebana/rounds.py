"""The rest of a round of Ikebana as a search sees it: unseen cards dealt anew, a bot plays on, what it is worth."""

import math
from collections.abc import Callable
from functools import cache

import numpy as np

from hanabako.compiler.digest import digest_of
from hanabako.compiler.jit import kernel, keyed, rule
from hanabako.engine.bits import ZERO, has_bit, nth_set_bit, popcount
from hanabako.engine.loops import reader_of
from hanabako.engine.rng import random_below, random_word
from ikebana_env.engine.cards import copies, first_copy
from ikebana_env.engine.private_view import hide
from ikebana_env.engine.rules import is_terminal, legal_action_mask, step
from ikebana_env.engine.state import KINDS, NO_CARD, REWARD_WIN, Rules

from ...bots.bot import Bot
from .lookahead import SPREAD
from .relaxed import won

__all__ = ["deal_unseen", "list_unseen", "play_out_loop", "worth_of"]


@cache
def play_out_loop(bot: Bot) -> Callable[..., None]:
    """The loop: ``(rules_array, memory, states (3,), words (1,), unseen, key, step, first, actions, found)``.

    The position is ``states[0]``; to ``found`` (n, actions) goes what the actions are worth to its player with deals
    ``first`` to ``first`` + n.
    """
    rules_of, bot_acts = reader_of(Rules, None), bot.act
    digest = digest_of(bot_acts, deal_unseen, hide, legal_action_mask, step, worth_of, play_out_loop)

    @kernel
    def play_out(rules_array, memory, states, words, unseen, key, number, first, actions, found):
        rules = keyed(rules_of(rules_array), digest)
        root, player = states[0], np.int64(states[0].current_player)
        hide(rules, root, player)
        stream = random_word(key, number)
        for k in range(found.shape[0]):
            chance = random_word(stream, first + k)
            for place in range(actions.shape[0]):
                states[1] = root
                s = states[1]
                deal_unseen(rules, s, unseen, list_unseen(rules, root, unseen), chance)  # listed anew: it is shuffled
                action, moves = actions[place], 0
                while True:
                    step(rules, s, action)
                    moves += 1
                    if is_terminal(s) or s.round_index != root.round_index:
                        break
                    legal_action_mask(rules, s, words)
                    actor = np.int64(s.current_player)
                    action = np.int64(nth_set_bit(words[0], 0))
                    if popcount(words[0]) > 1:
                        states[2] = s
                        hide(rules, states[2], actor)
                        action = np.int64(
                            bot_acts(rules, memory[actor], states[2], words, random_word(chance, 64 + moves))
                        )
                found[k, place] = worth_of(rules, s, player)

    return play_out


@rule
def list_unseen(rules, view, unseen):
    """List the cards that the player of a view cannot place, to ``unseen``; how many they are."""
    found = 0
    for card in range(KINDS):
        left = np.int64(copies(card))
        for player in range(rules.players):
            for k in range(copies(card)):
                left -= np.int64(has_bit(view.bouquets[player], first_copy(card) + k) != ZERO)
            for k in range(view.discard_count[player]):
                left -= np.int64(view.discards[player, k] == card)
        left -= np.int64(view.drawn == card)
        for _ in range(left):
            unseen[found] = card
            found += 1
    return found


@rule
def deal_unseen(rules, s, unseen, count, key):
    """Deal the unseen cards anew: some are buried in discards, the others are the deck, drawn as ``key`` has it."""
    s.key = key
    left = count
    for player in range(rules.players):
        for k in range(s.discard_count[player]):
            if s.discards[player, k] == NO_CARD:
                place = random_below(key, left, left)
                left -= 1
                unseen[place], unseen[left] = unseen[left], unseen[place]
                s.discards[player, k] = unseen[left]
    s.deck_count = left
    for place in range(left):
        s.cards[place] = unseen[place]


@rule
def worth_of(rules, s, player):
    """What the prestige of all is worth to ``player`` once a round is over, see the module's docstring.

    The lead that a round to come will bring over each of the others is taken to be normal, with mean 0 and the standard
    deviation `SPREAD`.
    """
    own, others, chance = np.float64(s.prestige[player]), 0.0, 1.0
    left = 0 if is_terminal(s) else rules.rounds - np.int64(s.round_index)
    for other in range(rules.players):
        if other != player:
            lead = own - s.prestige[other]
            others += s.prestige[other]
            if left > 0:
                chance *= 0.5 * (1.0 + math.erf(lead / (SPREAD * math.sqrt(2.0 * left))))
            else:
                chance *= won(lead)
    if rules.reward == REWARD_WIN:
        return chance
    return own - others / (rules.players - 1)
