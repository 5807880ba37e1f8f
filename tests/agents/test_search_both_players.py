"""Multi-agent search in Hanabi: common knowledge against all deals, and agreeing replicas."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice, permutations
from typing import Any

import numpy as np
import pytest

from hanabako import agents
from hanabako.agents import play
from hanabako.agents.playing.seating import OneTable
from hanabako.agents.search.hanabi import both_players
from hanabako.agents.search.hanabi.policy import JointSeated, SearchPolicy
from hanabi_env import PRESETS, HanabiConfig, hanabi_v0
from hanabi_env.engine.private_view import last_event
from hanabi_env.words.notation import card_names
from tests.agents.test_search import recurrent_network, watched

ONE_COLOR = HanabiConfig(colors=1, ranks=3, hand_size=2, max_information_tokens=3, max_life_tokens=2)
DEALS = sorted(set(permutations(["R1", "R1", "R1", "R2", "R2", "R3"])))
TINY = HanabiConfig(players=2, colors=2, ranks=3, hand_size=2)
MINI = PRESETS["mini"]


def searching(blueprint: str, config: Any, **effort: Any) -> SearchPolicy:
    policy = agents.load(f"search:{blueprint}", config, seats="all", **effort)
    assert isinstance(policy, SearchPolicy)
    return policy


def decisions(deck: tuple[str, ...], policy: Any) -> Iterator[tuple[OneTable, tuple[Any, ...], Any, int, int]]:
    """Play the game of that deck, and yield each decision: the seats, public history, both hands, player and action."""
    env: Any = hanabi_v0.raw_env(config=ONE_COLOR)
    env.reset(seed=0, options={"deck": list(deck)})
    seats, history = OneTable(env, policy, seed=5), []
    while not all(env.terminations.values()):
        position, action = env.to_dict(), seats.action()
        hands = tuple(tuple(hand) for hand in position["hands"])
        yield seats, tuple(history), hands, position["current_player"], action
        env.step(action)
        seats.observe()
        state = env.unwrapped.tables["state"].view(np.recarray)[0]
        history.append((action, last_event(env.unwrapped.game.rules, state).tobytes()))


def searcher_of(seats: OneTable) -> Any:
    (searcher,) = seats.players
    assert isinstance(searcher, JointSeated)
    return searcher


def followed(deck: tuple[str, ...], search: SearchPolicy) -> list[tuple[Any, ...]]:
    """Play the game of that deck and return a row per decision.

    A row has the public history, both hands, the player to move, the action, the common belief, and the records that it
    depends on.
    """
    rows = []
    for seats, history, hands, actor, action in decisions(deck, search):
        assert seats.action() == action, "to be asked twice changes nothing"
        common = searcher_of(seats).beliefs[0]
        records = [believed.history[-1].table["state"][0] for believed in common.beliefs]
        shown = str([record[name].tolist() for record in records for name in record.dtype.names])
        rows.append((history, hands, actor, action, pairs_of(common, actor), shown))
    return rows


def pairs_of(common: Any, actor: int) -> dict[Any, float]:
    """Return the possible pairs of hands, player 0's first, and in how many ways the actor may hold its own."""
    names, pairs = card_names(ONE_COLOR), {}
    for i, j in zip(*np.nonzero(ways := common.ways(actor)), strict=True):
        seen, own = common.beliefs[1 - actor].hands[i], common.beliefs[actor].hands[j]
        pair = (own, seen) if actor == 0 else (seen, own)
        pairs[tuple(tuple(names[card] for card in hand) for hand in pair)] = float(ways[i, j])
    return pairs


@pytest.mark.slow
@pytest.mark.parametrize("blueprint", ["smart", "piers"])
def test_what_all_know_is_every_deal_that_comes_to_the_same_history(blueprint: str):
    """All 60 deals are played. Common knowledge after a public history is exactly the deals with that history.

    For one history and one visible hand, an actor has one action, whatever its own hand and the coming cards.
    """
    known, actions = defaultdict(Counter), defaultdict(set)
    rows = [row for deck in DEALS for row in followed(deck, searching(blueprint, ONE_COLOR, rollouts=24, margin=0))]
    for history, hands, actor, action, *_ in rows:
        known[history][hands] += 1
        actions[history, hands[1 - actor]].add(action)
    for history, hands, actor, _, pairs, _ in rows:
        assert pairs.keys() == known[history].keys()
        seen = [pair for pair in pairs if pair[1 - actor] == hands[1 - actor]]
        scale = sum(pairs[pair] for pair in seen) / sum(known[history][pair] for pair in seen)
        assert all(pairs[pair] == pytest.approx(scale * known[history][pair]) for pair in seen)
    assert all(len(choices) == 1 for choices in actions.values())
    assert len({(history, shown) for history, *_, shown in rows}) == len(known), "no record shows what not all know"
    assert any(len({next(iter(actions[key])) for key in actions if key[0] == history}) > 1 for history in known)
    assert len(DEALS) == 60 and min(map(len, known.values())) == 1 < max(map(len, known.values()))


def score_after(deck: tuple[str, ...], moves: list[int], blueprint: Any) -> int:
    """Return the score of the game of that deck if, after ``moves``, the blueprint plays it to the end."""
    env: Any = hanabi_v0.raw_env(config=ONE_COLOR)
    env.reset(seed=0, options={"deck": list(deck)})
    seats = OneTable(env, blueprint, seed=5)
    while not all(env.terminations.values()):
        action = seats.action()
        env.step(moves.pop(0) if moves else action)
        seats.observe()
    return int(env.unwrapped.tables["score"][0])


@pytest.mark.parametrize("blueprint", ["piers", "recurrent"])
def test_roll_outs_are_the_games_that_may_follow(blueprint: str):
    """The scores of an action come from all deals that fit what the actor knows, with the right frequencies.

    Their means at six decisions are within 6 standard errors of the mean over the deals; with about 30 actions, false
    alarms are below 1e-6.
    """
    policy = recurrent_network(ONE_COLOR, 0, 4.0) if blueprint == "recurrent" else agents.load(blueprint, ONE_COLOR)
    known = defaultdict(list)
    for deck in DEALS:
        for _, history, hands, actor, _ in islice(decisions(deck, policy), 6):
            known[history, hands[1 - actor]].append(deck)
    search, compared = SearchPolicy(policy, ONE_COLOR, rollouts=3_000, margin=1e9, seats="all"), 0
    for seats, history, hands, actor, _ in islice(decisions(DEALS[17], search), 6):
        names = card_names(ONE_COLOR)
        thoughts = searcher_of(seats).beliefs[0].thoughts.items()
        (thought,) = [value for hand, value in thoughts if tuple(names[card] for card in hand) == hands[1 - actor]]
        for action, found in thought.scores.items():
            moves = [*(move for move, _ in history), action]
            scores = [score_after(deck, [*moves], policy) for deck in known[history, hands[1 - actor]]]
            assert set(found) <= set(scores)
            assert abs(found.mean() - np.mean(scores)) <= 6 * np.std(scores) / len(found) ** 0.5 + 1e-9
            compared += np.std(scores) > 0
    assert compared >= 10, compared


@pytest.mark.parametrize("fields", [{}, {"flamboyants": True}, {"random_start_player": True}], ids=str)
def test_the_true_hands_are_always_among_what_all_know(fields: dict[str, Any], monkeypatch: pytest.MonkeyPatch):
    search = searching("piers", replace(TINY, **fields), rollouts=12, margin=0)
    held = watched(search, monkeypatch)
    play(replace(TINY, **fields), search, 3, seed=3)
    assert len(held) > 40 and all(held)
    assert search.counts["exact"] == search.counts["decisions"] and search.counts["changed"] > 5


def test_where_hands_are_too_many_the_blueprint_plays_and_its_acts_tell_as_much(monkeypatch: pytest.MonkeyPatch):
    """Sets of hands are listed late, earlier searches are replayed, and draws make the sets too large again."""
    monkeypatch.setattr(both_players, "LISTED", 80)
    forgotten = []
    forget = both_players.CommonBelief._sample
    monkeypatch.setattr(
        both_players.CommonBelief,
        "_sample",
        lambda hands, rng: [forgotten.append(bool(hands.decided)), forget(hands, rng)][1],
    )
    search = searching("piers", MINI, rollouts=12, margin=0)
    search.most_hands = 60
    held = watched(search, monkeypatch)
    play(MINI, search, 12, seed=3)
    assert len(held) > 60 and all(held) and any(forgotten)
    assert search.counts["large"] > 20 and search.counts["exact"] > 40 and not search.counts["empty"]


def outcome(policy: Any, games: int, **fields: Any) -> list[Any]:
    played = play(TINY, policy, games, seed=7, **fields)
    return [played.score.tolist(), played.length.tolist()]


def test_two_that_search_apart_come_to_the_same_choices_as_one_for_both_seats():
    effort = {"rollouts": 12, "margin": 0}
    both = outcome(searching("piers", TINY, **effort), 5)
    assert both == outcome([searching("piers", TINY, **effort), searching("piers", TINY, **effort)], 5)
    assert both != outcome(agents.load("search:piers", TINY, **effort), 5)


def test_a_partner_who_does_otherwise_empties_what_all_know_and_the_blueprint_plays():
    search, random = searching("smart", TINY, rollouts=12), agents.load("random", TINY)
    play(TINY, [search, random], 4, seed=3)
    assert search.counts["empty"] > 5
