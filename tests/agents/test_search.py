"""Search in Hanabi: the belief against brute force, and how actions are chosen."""

from collections import Counter
from dataclasses import replace
from itertools import product
from math import prod
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch

from hanabako import agents
from hanabako.agents import play
from hanabako.agents.bots.hanabi.smart import SMART
from hanabako.agents.networks.neural_policy import NeuralPolicy
from hanabako.agents.networks.recurrent import RecurrentNetwork
from hanabako.agents.playing.block import random_keys
from hanabako.agents.playing.seating import OneTable
from hanabako.agents.search import choosing
from hanabako.agents.search.choosing import Request, Thought
from hanabako.agents.search.hanabi.policy import SearchPolicy, SingleSeated
from hanabako.agents.search.policy import Effort
from hanabako.engine.rng import random_word
from hanabi_env import PRESETS, HanabiConfig, hanabi_v0
from hanabi_env.engine.private_view import hide, last_event

HELD = 2
TINY = HanabiConfig(players=2, colors=2, ranks=3, hand_size=HELD)
MINI = PRESETS["mini"]


def searching(blueprint: str, config: Any, hands: int, **effort: Any) -> SearchPolicy:
    policy = agents.load(f"search:{blueprint}", config, **effort)
    assert isinstance(policy, SearchPolicy)
    policy.most_hands = hands
    return policy


# --- The belief -------------------------------------------------------------------------------------------------------


class PlainSmart:
    """One seat of the bot `smart`, whose functions are run by Python."""

    def __init__(self, env: Any, player: int, key: Any) -> None:
        self.player, self.key = player, key
        self.env: Any = env.unwrapped
        self.rules = self.env.game.rules
        self.memory = np.zeros(1, SMART.memory_dtype(self.rules)).view(np.recarray)[0]
        SMART.begin(self.rules, self.memory, self.view(), player, SMART.style)

    def view(self) -> Any:
        view = self.env.tables["state"].copy().view(np.recarray)[0]
        hide(self.rules, view, self.player)
        return view

    def observe(self) -> None:
        view = self.view()
        SMART.observe(self.rules, self.memory, view, last_event(self.rules, view))

    def act(self, step: int) -> int:
        key = random_word(self.key, np.uint64(step))
        return int(SMART.act(self.rules, self.memory, self.view(), self.env.tables["mask"][0], key))


def is_consistent(deck: list[str], moves: list[int], events: list[bytes], player: int, key: Any) -> bool:
    """Return whether, with this deck, all see the same events and ``player``'s partner takes the same actions."""
    env: Any = hanabi_v0.raw_env(config=TINY)
    env.reset(seed=0, options={"deck": deck})
    partner = PlainSmart(env, 1 - player, key)
    for step, (move, event) in enumerate(zip(moves, events, strict=True)):
        if env.unwrapped.tables["current_player"][0] != player and partner.act(step) != move:
            return False
        env.step(move)
        if seen(env) != event:
            return False
        partner.observe()
    return True


def with_hand(deck: list[str], drawn: int, held: list[int], hand: tuple[str, ...]) -> list[str]:
    """Return the deck from the start if it had dealt ``hand`` to its places ``held``."""
    rest = Counter(deck[k] for k in [*held, *range(drawn, len(deck))]) - Counter(hand)
    trial = deck[:drawn] + list(rest.elements())
    for place, card in zip(held, hand, strict=True):
        trial[place] = card
    return trial


def seen(env: Any) -> bytes:
    state = env.unwrapped.tables["state"].view(np.recarray)[0]
    return last_event(env.unwrapped.game.rules, state).tobytes()


@pytest.mark.filterwarnings("ignore:overflow")
@pytest.mark.parametrize(("seed", "player"), [(1, 0), (2, 1), (5, 0)])
def test_an_exact_belief_is_every_hand_that_a_plain_replay_of_the_whole_game_allows(seed: int, player: int):
    """The probabilities also agree: all orders of the unseen copies are counted."""
    env: Any = hanabi_v0.raw_env(config=TINY)
    env.reset(seed=seed)
    start = env.to_dict()
    deck = [*start["hands"][0], *start["hands"][1], *start["deck"]]
    blueprint, search = agents.load("smart", TINY), searching("smart", TINY, 100, rollouts=20)
    table = OneTable(env, [search, blueprint] if player == 0 else [blueprint, search], seed)
    (believer,) = [seated for seated in table.players if isinstance(seated, SingleSeated)]
    key = random_keys(seed, 0)[0]
    places = [list(range(2)), list(range(2, 4))]  # of the players' cards in the deck
    drawn, moves, events, sizes = 4, [], [], []
    while not all(env.terminations.values()):
        mover = int(table.tables["current_player"][0])
        action = table.action()
        belief: Any = believer.beliefs[0]
        if mover == player and belief.at == len(moves):
            assert belief.exact
            held = places[player]
            unseen = Counter(deck[k] for k in [*held, *range(drawn, len(deck))])
            expected = {}
            for hand in product(sorted(unseen), repeat=len(held)):
                if not Counter(hand) - unseen:
                    trial = with_hand(deck, drawn, held, hand)
                    if is_consistent(trial, moves, events, player, key):
                        ways = (unseen[card] - hand[:slot].count(card) for slot, card in enumerate(hand))
                        expected[hand] = prod(ways)
            names = [f"{'RY'[card // 3]}{card % 3 + 1}" for card in range(6)]
            got = {tuple(names[c] for c in hand): w for hand, w in zip(belief.hands, belief.weights, strict=True)}
            assert set(got) == set(expected)
            scale = sum(got.values()) / sum(expected.values())
            assert all(got[hand] == pytest.approx(scale * expected[hand]) for hand in expected)
            assert tuple(deck[k] for k in held) in got, "the true hand always survives"
            sizes.append((len(got), len(unseen) ** len(held)))
        count = len(env.to_dict()["hands"][mover])
        env.step(action)
        table.observe()
        moves.append(action)
        events.append(seen(env))
        uses = action < 2 * HELD
        if uses:
            places[mover].pop(action % HELD)
            if len(env.to_dict()["hands"][mover]) == count:
                places[mover].append(drawn)
                drawn += 1
    assert len(sizes) > 2 and any(1 < few < many for few, many in sizes), "there was something to exclude"


def watched(search: SearchPolicy, monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Return a list to which a search adds, at every decision, whether each of its exact beliefs has the true hand."""
    held, seat = [], search.seat

    def watch(games: Any, seats: Any) -> Any:
        searcher: Any = seat(games, seats)
        decide = searcher.decide

        def decide_and_look(rows: list[int]) -> None:
            decide(rows)
            for i in rows:
                state, found = games.tables["state"][i], searcher.beliefs[i]
                for belief in getattr(found, "beliefs", [found]):  # common knowledge has one for each player
                    if belief.exact and belief.at == len(belief.history) - 1:
                        true = state["hands"][belief.player, : state["hand_count"][belief.player]]
                        held.append(bool((belief.hands == true).all(axis=1).any()))

        monkeypatch.setattr(searcher, "decide", decide_and_look)
        return searcher

    monkeypatch.setattr(search, "seat", watch)
    return held


def recurrent_network(config: HanabiConfig, seed: int, scale: float) -> NeuralPolicy:
    """Return an untrained network whose choices depend on its memory, as its weights are multiplied by ``scale``."""
    torch.manual_seed(seed)
    network = RecurrentNetwork(config, 32, 2)
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.mul_(scale)
    return NeuralPolicy(network, config, greedy=True)


@pytest.mark.parametrize(
    "fields",
    [{}, {"players": 3}, {"flamboyants": True}, {"random_start_player": True}, {"network": 0}, {"network": 1}],
    ids=str,
)
def test_an_exact_belief_holds_the_true_hand(fields: dict[str, Any], monkeypatch: pytest.MonkeyPatch):
    """A recurrent network's memory under each hand is that which a player with this hand would have."""
    seed = fields.get("network")
    config = TINY if seed is not None else replace(TINY, **fields)
    blueprint = agents.load("piers", config) if seed is None else recurrent_network(TINY, seed, 2.0)
    search = SearchPolicy(blueprint, config, rollouts=10)
    search.most_hands = 1000
    held = watched(search, monkeypatch)
    play(config, search, 10, seed=3)
    assert len(held) > 30 and all(held)
    assert search.counts["exact"] and not search.counts["sampled"] + search.counts["empty"]


def test_a_belief_with_too_many_hands_is_sampled_and_says_so():
    search = searching("piers", MINI, 40, rollouts=10)
    play(MINI, search, 5, seed=3)
    assert search.counts["sampled"] > 20


def test_partners_who_play_otherwise_empty_the_belief_and_the_blueprint_plays():
    search, random = searching("smart", TINY, 100, rollouts=10), agents.load("random", TINY)
    play(TINY, [search, random], 10, seed=3)
    assert search.counts["empty"] > 5


@pytest.mark.parametrize("blueprint", ["smart", "piers"])
def test_a_roll_out_of_the_true_hand_is_the_game_that_the_blueprint_plays(blueprint: str):
    """With one card left in the deck, a roll-out equals the game, because all players remember the same in both."""
    compared = 0
    for seed in range(40):
        env: Any = hanabi_v0.raw_env(config=MINI)
        env.reset(seed=seed)
        table = OneTable(env, searching(blueprint, MINI, 1000, rollouts=4, margin=1e9), seed)
        (seated,) = table.players
        assert isinstance(seated, SingleSeated)
        scores = []
        while not all(env.terminations.values()):
            action = table.action()
            belief: Any = seated.beliefs[0]
            if table.tables["state"]["deck_count"][0] < 2 and belief.at == len(belief.history) - 1:
                assert belief.exact
                true = belief.history[-1].state.hands[belief.player, : belief.hands.shape[1]]
                weights, belief.weights = belief.weights, (belief.hands == true).all(axis=1).astype(float)
                scores += seated.play_out([Request(0, np.array([action]), 1)]).tolist()
                belief.weights = weights
            env.step(action)
            table.observe()
        assert all(score == env.unwrapped.tables["score"][0] for score in scores)
        compared += len(scores)
    assert compared > 15


# --- The choice -------------------------------------------------------------------------------------------------------


def test_of_the_seats_of_one_search_one_searches():
    search, blueprint = agents.load("search:piers", MINI, rollouts=20), agents.load("piers", MINI)
    all_seats, first, second = (
        play(MINI, policy, 6, seed=7).length.tolist() for policy in (search, [search, blueprint], [blueprint, search])
    )
    assert all_seats == first != second


def think(thought: Thought, play_out: Any) -> Thought:
    for left, n in thought.requests():
        thought.add(left, play_out(left, thought.deals, n))
    return thought


def values_of(means: dict[int, float], noise: float, log: list[Any]) -> Any:
    rng = np.random.default_rng(1)

    def play_out(actions: Any, _first: int, n: int) -> Any:
        log.append((actions.tolist(), n))
        common = rng.normal(size=(n, 1))
        return common + [means[int(action)] for action in actions] + noise * rng.normal(size=(n, len(actions)))

    return play_out


def test_the_best_action_wins_by_halving_and_the_blueprints_own_meets_the_same_deals():
    log: list[Any] = []
    means = {3: 1.0, 5: 0.0, 8: 2.0, 9: 0.5, 11: -1.0}
    effort = Effort(rollouts=300, budget=None, margin=2.0)
    thought = think(Thought(np.array([3, 5, 8, 9, 11]), 5, effort, 0.0), values_of(means, 0.1, log))
    assert thought.verdict() == 8 and 200 < thought.spent <= 300
    assert [len(left) for left, _ in log] == [5, 4, 3] and all(5 in left and 8 in left for left, _ in log)
    values = thought.values()
    assert {action: value - values[5] for action, value in values.items()} == pytest.approx(means, abs=0.1), "common"


def test_an_action_must_gain_more_points_than_the_threshold():
    means = {3: 0.2, 5: 0.0, 8: 0.1}
    for threshold, played in ((0.0, 3), (0.15, 3), (0.25, 5)):
        effort = Effort(rollouts=300, budget=None, margin=0.0, threshold=threshold)
        assert think(Thought(np.array([3, 5, 8]), 5, effort, 0.0), values_of(means, 1e-3, [])).verdict() == played


def test_the_luckiest_of_many_actions_that_are_alike_is_seldom_taken():
    """One decision in ten takes it; without widening, one in four would. More than 70 of 400 happens once in 10^6."""
    rng, actions, taken = np.random.default_rng(7), np.arange(20), 0
    for _ in range(400):
        points = rng.integers(-1, 2, (20, 40)).astype(float)

        def play_out(left: Any, first: int, n: int, points: Any = points) -> Any:
            return points[left][:, first : first + n].T

        effort = Effort(rollouts=40, budget=None, margin=2.0)
        taken += think(Thought(actions, 5, effort, 0.0), play_out).verdict() != 5
    assert taken <= 70


def test_a_search_that_the_clock_interrupts_answers_with_what_it_has(monkeypatch: pytest.MonkeyPatch):
    """The test's clock moves only while roll-outs are played."""
    now = 0.0
    monkeypatch.setattr(choosing, "time", SimpleNamespace(perf_counter=lambda: now))
    log: list[Any] = []
    effort = Effort(rollouts=1, budget=1.0, margin=2.0)
    thought = think(Thought(np.array([3, 5]), 5, effort, -1.0), values_of({3: 9.0, 5: 0.0}, 0.1, log))
    assert (thought.verdict(), thought.spent, thought.values()) == (5, 0, {}) and not log

    def slow(actions: Any, first: int, n: int) -> Any:
        nonlocal now
        now += 0.004
        return values_of({3: 9.0, 5: 0.0}, 0.1, log)(actions, first, n)

    thought = think(Thought(np.array([3, 5]), 5, effort, now), slow)
    assert thought.verdict() == 3 and thought.spent == 8


def test_what_is_interrupted_while_it_is_added_is_not_added(monkeypatch: pytest.MonkeyPatch):
    thought = Thought(np.array([3, 5]), 5, Effort(rollouts=1, budget=1.0, margin=2.0), 0.0)
    thought.add(np.array([3, 5]), np.zeros((4, 2)))
    before, real, calls = thought.values(), np.concatenate, iter((0, 1))

    def interrupted(parts: Any) -> Any:
        if next(calls):
            raise KeyboardInterrupt
        return real(parts)

    monkeypatch.setattr(np, "concatenate", interrupted)
    with pytest.raises(KeyboardInterrupt):
        thought.add(np.array([3, 5]), np.ones((4, 2)))
    assert thought.values() == before


def test_a_search_that_a_person_interrupts_answers_with_what_it_has(monkeypatch: pytest.MonkeyPatch):
    """After Ctrl-C in the third of thousands of batches, the interrupt is raised; action and values are there."""
    env: Any = hanabi_v0.raw_env(config=MINI)
    env.reset(seed=3)
    table = OneTable(env, agents.load("search:piers", MINI, rollouts=10**7), 3)
    (seated,) = table.players
    assert isinstance(seated, SingleSeated)
    play_out, batches = seated.play_out, []

    def interrupted(batch: list[Request]) -> Any:
        batches.append(sum(request.rollouts for request in batch))
        if len(batches) == 3:
            raise KeyboardInterrupt
        return play_out(batch)

    monkeypatch.setattr(seated, "play_out", interrupted)
    with pytest.raises(KeyboardInterrupt):
        table.action()
    (thought,) = seated.thoughts
    assert thought is not None and thought.spent == sum(batches[:2]) > 0
    assert set(thought.values()) == set(np.flatnonzero(table.mask[0]).tolist())
    assert table.actions[0] == thought.verdict()
