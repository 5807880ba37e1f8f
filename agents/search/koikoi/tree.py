"""A tree over what players know: information-set search (single observer, Cowling, Powley & Whitehouse 2012).

Every pass through the tree deals the unseen cards anew, as K14 allows, and walks down with that deal: where a player
chooses, the actions that this deal allows compete by upper confidence bounds, each for its own player, counted against
how often it was *available* there, not how often the place was reached. A place is told by all that both players have
seen since the root (actions and cards from the deck), so that in one place all deals meet which the searcher cannot
tell apart. The first new place of a pass joins the tree, and from there the blueprint plays the round out; the action
that it chooses first counts there too, so that its advice is followed first.

The scale of the bounds is the standard deviation of the points seen so far: a round may pay one point or a hundred.
"""

import math
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from hanabako.compiler.digest import digest_of
from hanabako.compiler.jit import interned, kernel, keyed, rule
from hanabako.engine.bits import ONE, ZERO, nth_set_bit, popcount
from hanabako.engine.loops import reader_of
from hanabako.engine.rng import mix64, random_below, random_word
from hanafuda_env.engine.cards import NO_CARD
from hanafuda_env.engine.private_view import hide
from hanafuda_env.engine.rules import legal_actions, step
from hanafuda_env.engine.state import PHASE_END, Rules

from ...bots.bot import Bot
from ...bots.koikoi.judgement import lowest_card
from ...bots.koikoi.monte_carlo import MONTE_CARLO, random_move
from .one_round import ROUND_STATE, hand_out, hidden_cards, lead_of

__all__ = ["Rooms", "Tree", "TreeLoops", "empty_tree", "rooms_of", "tree_loops", "tree_size"]

BRANCH = interned(
    np.dtype(
        [
            ("key", np.uint64),  # of a place and an action, 0: free
            ("visits", np.int64),
            ("available", np.int64),  # visits of the place with a deal that allows the action
            ("total", np.float64),  # points, to the player who chooses there
        ]
    )
)
PATH = interned(np.dtype([("branch", np.int64), ("player", np.int64)]))
SUMS = interned(np.dtype([("passes", np.int64), ("used", np.int64), ("points", np.float64), ("squares", np.float64)]))
EXPLORATION = 0.7
DEEPEST = 16
KEY_ROOT = np.uint64(0x9E3779B97F4A7C15)
DECK_STREAM, PLAY_STREAM = 1, 2


class Rooms(NamedTuple):
    """Room for one way down."""

    state: np.ndarray
    """(1,): the position."""
    seen: np.ndarray
    """(1,): what the blueprint sees of it."""
    mask: np.ndarray
    """(1,): the actions that it has, as a word."""
    memory: np.ndarray
    """(2,): what it remembers at each seat, its seat and style and nothing else."""


class Tree(NamedTuple):
    """What passes have learnt."""

    branches: np.ndarray
    """An index by hash; its length is a power of two."""
    path: np.ndarray
    """Room for the way down."""
    sums: np.ndarray
    """(1,): of all passes."""


def rooms_of(memory: np.ndarray) -> Rooms:
    """Room for passes with a blueprint that remembers ``memory`` (2,)."""
    return Rooms(np.zeros(1, ROUND_STATE), np.zeros(1, ROUND_STATE), np.zeros(1, np.uint64), memory)


def tree_size(rollouts: int) -> int:
    """Branches for which a tree of so many passes has room; where it is too small, later places do not join it."""
    return 1 << min(max(10, int(rollouts * 8).bit_length()), 20)


def empty_tree(size: int) -> Tree:
    """A tree with room for three quarters of ``size`` branches, a power of two."""
    return Tree(np.zeros(size, BRANCH), np.zeros(DEEPEST, PATH), np.zeros(1, SUMS))


@rule
def one_pass(rules, root, rooms, advise, hidden, missing, tree, key, begin):
    """One deal, one way down, one round played out.

    Args:
        rules: of one round.
        root: the searcher's view.
        rooms: `Rooms` for the way down.
        advise: what the blueprint does, ``(rules, rooms, actions, chance)`` in the position ``rooms.state[0]``.
        hidden: (2,): the cards that the searcher does not see, and the cards that the other cannot hold.
        missing: how many of the hidden cards the other holds.
        tree: what earlier passes have learnt.
        key: a random stream.
        begin: the searcher's action.
    """
    s, path, sums = rooms.state, tree.path, tree.sums[0]
    player = np.int64(root.current_player)
    s[0] = root
    hand_out(s[0], hidden[0], hidden[1], missing, 1 - player, random_word(key, DECK_STREAM))
    place, length, is_new, moves = KEY_ROOT, 0, False, 0
    chance = random_word(key, PLAY_STREAM)
    while s[0].phase != PHASE_END:
        actions = legal_actions(rules, s[0])
        moves += 1
        action = lowest_card(actions)
        if popcount(actions) > 1:
            chosen = np.int64(-1)
            in_tree = not is_new and (length == 0 or (length < path.shape[0] and has_room(tree)))
            if length == 0:
                chosen = begin
            elif in_tree:
                chosen = select(tree, place, actions, random_word(chance, moves))
            if chosen < 0:
                is_new = True
                chosen = np.int64(advise(rules, rooms, actions, random_word(chance, moves)))
            action = chosen
            if in_tree:
                path[length].branch = branch_of(tree, place, action)
                path[length].player = s[0].current_player
                length += 1
        drawn = np.int64(s[0].drawn)
        step(rules, s[0], action)
        if not is_new:
            turned_up = np.int64(s[0].deck[drawn]) if s[0].drawn > drawn else NO_CARD
            place = mix64(place ^ np.uint64(64 * (action + 1) + turned_up))
    points = np.float64(lead_of(s[0], player))
    sums.passes += 1
    sums.points += points
    sums.squares += points * points
    for k in range(length):
        branch = tree.branches[path[k].branch]
        branch.visits += 1
        branch.total += points if path[k].player == player else -points


@rule
def has_room(tree):
    """Another place may join the tree."""
    return 4 * tree.sums[0].used < 3 * tree.branches.shape[0]


@rule
def select(tree, place, actions, chance):
    """The action to follow, or -1 if the place is new: then the blueprint is asked instead."""
    sums = tree.sums[0]
    mean = sums.points / max(1, sums.passes)
    scale = math.sqrt(max(1e-6, sums.squares / max(1, sums.passes) - mean * mean))
    best, best_bound = np.int64(-1), -np.inf
    untried, known = ZERO, 0
    rest = actions
    while rest != ZERO:
        action = lowest_card(rest)
        rest &= rest - ONE
        branch = tree.branches[branch_of(tree, place, action)]
        branch.available += 1
        if branch.visits == 0:
            untried |= ONE << np.uint64(action)
            continue
        known += 1
        bound = branch.total / branch.visits
        bound += EXPLORATION * scale * math.sqrt(math.log(np.float64(branch.available)) / branch.visits)
        if bound > best_bound:
            best, best_bound = action, bound
    if known == 0:
        return best
    if untried != ZERO:
        return nth_set_bit(untried, random_below(chance, 0, popcount(untried)))
    return best


@rule
def branch_of(tree, place, action):
    """Where the branch of an action is, made anew if it is not there yet."""
    branches = tree.branches
    key = mix64(place ^ np.uint64(action)) | ONE
    mask = np.uint64(branches.shape[0] - 1)
    at = key & mask
    while branches[at].key != key:
        if branches[at].key == ZERO:
            branches[at].key = key
            tree.sums[0].used += 1
            break
        at = (at + ONE) & mask
    return np.int64(at)


class TreeLoops(NamedTuple):
    """The compiled loops of a blueprint's trees."""

    grow: Callable[..., None]  # (rules_array, root (1,), hidden (2,), rooms, tree, key, step, first, count, left)
    read: Callable[..., None]  # (rules_array, root (1,), tree, found (actions,)): mean points


def advice_of(bot: Bot) -> Callable[..., Any]:
    """What a bot does in a position of a roll-out, as a rule ``(rules, rooms, actions, chance)``."""
    if bot.act is MONTE_CARLO.act:

        @rule
        def advise(rules, rooms, actions, chance):  # noqa: ARG001 - as that of other bots
            return random_move(rules, rooms.state[0], chance, 0)

        return advise
    bot_acts = bot.act

    @rule
    def advise_by_bot(rules, rooms, actions, chance):
        player = np.int64(rooms.state[0].current_player)
        rooms.seen[0] = rooms.state[0]
        hide(rules, rooms.seen[0], player)
        rooms.mask[0] = actions
        return bot_acts(rules, rooms.memory[player], rooms.seen[0], rooms.mask, chance)

    return advise_by_bot


@cache
def tree_loops(bot: Bot) -> TreeLoops:
    """The loops of a blueprint."""
    rules_of, advise = reader_of(Rules, None), advice_of(bot)
    digest = digest_of(advise, one_pass, hidden_cards, tree_loops)

    @kernel
    def grow_tree(rules_array, root, hidden, rooms, tree, key, step, first, count, left):
        rules = keyed(rules_of(rules_array), digest)
        stream = random_word(key, step)
        missing = hidden_cards(rules, root[0], hidden)
        for k in range(first, first + count):
            for place in range(popcount(left)):
                begin = nth_set_bit(left, place)
                one_pass(rules, root[0], rooms, advise, hidden, missing, tree, random_word(stream, k), begin)

    @kernel
    def read_tree(rules_array, root, tree, found):
        actions = legal_actions(keyed(rules_of(rules_array), digest), root[0])
        for place in range(found.shape[0]):
            branch = tree.branches[branch_of(tree, KEY_ROOT, nth_set_bit(actions, place))]
            found[place] = branch.total / max(1, branch.visits)

    return TreeLoops(grow_tree, read_tree)
