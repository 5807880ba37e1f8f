"""A tree of information sets (single-observer search, Cowling, Powley & Whitehouse 2012).

Every pass through the tree deals the unseen cards again, as K14 allows, and walks down with that deal. At each choice
the actions that are legal in this deal compete by upper confidence bounds, for the player to move. A bound counts how
often the action was *available*, not how often the node was visited. A node is identified by everything that both
players have seen since the root (actions and cards from the deck), so deals that the searcher cannot tell apart share a
node. The first new node of a pass is added to the tree, and from there the blueprint plays the round out. The
blueprint's first action there is counted too, so that its advice is tried first.

The scale of the bounds is the standard deviation of the points so far, as a round may pay one point or a hundred.
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
from ...bots.koikoi.judgement import lead_in, lowest_card
from ...bots.koikoi.monte_carlo import MONTE_CARLO, random_move
from .one_round import hand_out, hidden_cards

EDGE = interned(
    np.dtype(
        [
            ("key", np.uint64),  # hash of the node and the action, 0 if free
            ("visits", np.int64),
            ("available", np.int64),  # visits of the node with deals that allow the action
            ("total", np.float64),  # summed points of the player who chooses there
        ]
    )
)
PATH = interned(np.dtype([("edge", np.int64), ("player", np.int64)]))
SUMS = interned(np.dtype([("passes", np.int64), ("used", np.int64), ("points", np.float64), ("squares", np.float64)]))
EXPLORATION = 0.7
DEEPEST = 16
ROOT = np.uint64(0x9E3779B97F4A7C15)
DECK_STREAM, PLAY_STREAM = 1, 2


class Scratch(NamedTuple):
    """The arrays to which a pass writes."""

    state: np.ndarray  # (1,): the position
    seen: np.ndarray  # (1,): the blueprint's view of the position
    mask: np.ndarray  # (1,): the blueprint's legal actions, as a bit set
    memory: np.ndarray  # (2,): the blueprint's memory at each seat


class Tree(NamedTuple):
    """The statistics of all passes so far."""

    edges: np.ndarray  # a hash table of `EDGE`; its length is a power of two
    path: np.ndarray  # the edges of the current pass
    sums: np.ndarray  # (1,): sums over all passes


def empty_tree(passes: int) -> Tree:
    """Return an empty tree for this many passes. Once three quarters of its edges are used, it stops growing."""
    size = 1 << min(max(10, int(8 * passes).bit_length()), 20)  # a power of two
    return Tree(np.zeros(size, EDGE), np.zeros(DEEPEST, PATH), np.zeros(1, SUMS))


@rule
def one_pass(rules, root, scratch, advise, hidden, missing, tree, key, first_action):
    """Deal, select down the tree, expand it by a node, play the round out, and update the statistics of the path.

    ``root`` is the searcher's view, and ``first_action`` its action. ``hidden`` (2,) are the cards that it does not
    see, of which the other holds ``missing``, and those that the other cannot hold. ``advise`` is from `advice_of`.
    """
    s, path, sums = scratch.state, tree.path, tree.sums[0]
    player = np.int64(root.current_player)
    s[0] = root
    hand_out(s[0], hidden[0], hidden[1], missing, 1 - player, random_word(key, DECK_STREAM))
    node, length, is_new, moves = ROOT, 0, False, 0
    play_key = random_word(key, PLAY_STREAM)
    while s[0].phase != PHASE_END:
        actions = legal_actions(rules, s[0])
        moves += 1
        action = lowest_card(actions)
        if popcount(actions) > 1:
            chosen = np.int64(-1)
            has_room = length < path.shape[0] and 4 * sums.used < 3 * tree.edges.shape[0]
            in_tree = not is_new and (length == 0 or has_room)
            if length == 0:
                chosen = first_action
            elif in_tree:
                chosen = select(tree, node, actions, random_word(play_key, moves))
            if chosen < 0:
                is_new = True
                chosen = np.int64(advise(rules, scratch, actions, random_word(play_key, moves)))
            action = chosen
            if in_tree:
                path[length].edge = edge_of(tree, node, action)
                path[length].player = s[0].current_player
                length += 1
        drawn = np.int64(s[0].drawn)
        step(rules, s[0], action)
        if not is_new:
            turned_up = np.int64(s[0].deck[drawn]) if s[0].drawn > drawn else NO_CARD
            node = mix64(node ^ np.uint64(64 * (action + 1) + turned_up))
    points = np.float64(lead_in(s[0].results[0], player))
    sums.passes += 1
    sums.points += points
    sums.squares += points * points
    for k in range(length):
        edge = tree.edges[path[k].edge]
        edge.visits += 1
        edge.total += points if path[k].player == player else -points


@rule
def select(tree, node, actions, key):
    """Return the action with the highest bound, or -1 if the node is new, in which case the blueprint is asked."""
    sums = tree.sums[0]
    mean = sums.points / max(1, sums.passes)
    scale = math.sqrt(max(1e-6, sums.squares / max(1, sums.passes) - mean * mean))
    best, best_bound = np.int64(-1), -np.inf
    untried, known = ZERO, 0
    rest = actions
    while rest != ZERO:
        action = lowest_card(rest)
        rest &= rest - ONE
        edge = tree.edges[edge_of(tree, node, action)]
        edge.available += 1
        if edge.visits == 0:
            untried |= ONE << np.uint64(action)
            continue
        known += 1
        bound = edge.total / edge.visits
        bound += EXPLORATION * scale * math.sqrt(math.log(np.float64(edge.available)) / edge.visits)
        if bound > best_bound:
            best, best_bound = action, bound
    if known == 0:
        return best
    if untried != ZERO:
        return nth_set_bit(untried, random_below(key, 0, popcount(untried)))
    return best


@rule
def edge_of(tree, node, action):
    """Return the index of an action's edge, which is added if it does not exist."""
    edges = tree.edges
    key = mix64(node ^ np.uint64(action)) | ONE
    mask = np.uint64(edges.shape[0] - 1)
    at = key & mask
    while edges[at].key != key:
        if edges[at].key == ZERO:
            edges[at].key = key
            tree.sums[0].used += 1
            break
        at = (at + ONE) & mask
    return np.int64(at)


class TreeLoops(NamedTuple):
    """The compiled loops for trees over one blueprint."""

    grow: Callable[..., None]  # (rules_array, root (1,), hidden (2,), scratch, tree, key, step, first, count, left)
    read: Callable[..., None]  # (rules_array, root (1,), tree, points (actions,)): the actions' mean points


def advice_of(bot: Bot) -> Callable[..., Any]:
    """Return a rule ``(rules, scratch, actions, key)`` for a bot's action in the position of a pass."""
    if bot.act is MONTE_CARLO.act:

        @rule
        def advise(rules, scratch, actions, key):  # noqa: ARG001 - same arguments for all bots
            return random_move(rules, scratch.state[0], key, 0)

        return advise
    bot_acts = bot.act

    @rule
    def advise_by_bot(rules, scratch, actions, key):
        player = np.int64(scratch.state[0].current_player)
        scratch.seen[0] = scratch.state[0]
        hide(rules, scratch.seen[0], player)
        scratch.mask[0] = actions
        return bot_acts(rules, scratch.memory[player], scratch.seen[0], scratch.mask, key)

    return advise_by_bot


@cache
def tree_loops(bot: Bot) -> TreeLoops:
    """Return the loops for trees over a bot."""
    rules_of, advise = reader_of(Rules, None), advice_of(bot)
    digest = digest_of(advise, one_pass, hidden_cards, tree_loops)

    @kernel
    def grow_tree(rules_array, root, hidden, scratch, tree, key, step, first, count, left):
        rules = keyed(rules_of(rules_array), digest)
        stream = random_word(key, step)
        missing = hidden_cards(rules, root[0], hidden)
        for k in range(first, first + count):
            for j in range(popcount(left)):
                action = nth_set_bit(left, j)
                one_pass(rules, root[0], scratch, advise, hidden, missing, tree, random_word(stream, k), action)

    @kernel
    def read_tree(rules_array, root, tree, points):
        actions = legal_actions(keyed(rules_of(rules_array), digest), root[0])
        for j in range(points.shape[0]):
            edge = tree.edges[edge_of(tree, ROOT, nth_set_bit(actions, j))]
            points[j] = edge.total / max(1, edge.visits)

    return TreeLoops(grow_tree, read_tree)
