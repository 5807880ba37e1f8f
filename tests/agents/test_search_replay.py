"""Hands that fit the partners' actions: many decisions and hands in one replay, against one decision after another."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from hanabako import agents
from hanabako.agents import play
from hanabako.agents.playing.seating import OneTable
from hanabako.agents.search.hanabi.beliefs import Belief
from hanabako.agents.search.hanabi.policy import SearchPolicy, SingleSeated
from hanabako.agents.search.hanabi.rollouts import Question, answers, ask_together
from hanabi_env import PRESETS, HanabiConfig, hanabi_v0

MINI = PRESETS["mini"]
SEEN = replace(MINI, derived=True)
NETWORK = "hanabi-mini-2p"


def searchers(blueprint: str, config: Any, games: int, hands: int) -> SingleSeated:
    search, seated = agents.load(f"search:{blueprint}", config, rollouts=4), []
    assert isinstance(search, SearchPolicy)
    search.most_hands = hands
    seat = search.seat
    search.seat = lambda *args: seated.append(seat(*args)) or seated[-1]  # type: ignore[method-assign]
    play(config, search, games, seed=5)
    return seated[0]


def came_to(belief: Any, asking: Any) -> Any:
    """Return the result of a replay that runs alone."""
    end = []

    def to_the_end() -> Any:
        end.append((yield from asking))

    ask_together(belief.simulator, [to_the_end()])
    return end[0]


def hands_then(belief: Any, hands: Any, at: int) -> Any:
    """Return what the present hands were at decision ``at``: lost cards are put back in their slots."""
    for k in range(belief.at - 1, at - 1, -1):
        slot, card = belief._lost(k)
        hands = hands[:, : int(belief.history[k].state.hand_count[belief.player]) - (slot is not None)]
        hands = hands if slot is None else np.insert(hands, slot, np.uint8(card), axis=1)
    return hands


def step_by_step(belief: Any, hands: Any) -> tuple[Any, Any]:
    """Return which hands (n, slots) fit all actions of partners, and the partners' memories for each of them."""
    fits = np.ones(len(hands), np.bool_)
    memories = np.zeros((len(hands), *belief.memories.shape[1:]), belief.memories.dtype)
    for at, moment in enumerate(belief.history[: belief.at + 1]):
        then = hands_then(belief, hands, at)
        memories = belief._observe(at, then, memories)
        if at < belief.at and moment.player != belief.player:
            actions, _, memories = belief.choices(at, then, memories)
            fits &= actions == belief._act(at)[0]
    return np.flatnonzero(fits), memories


def level_0_hands(belief: Any, count: int) -> Any:
    """Return different hands that the rules alone allow now, in random order."""
    table, slots = belief.history[belief.at].table, int(belief.history[belief.at].state.hand_count[belief.player])
    dealt = np.zeros((1, count, slots), np.uint8)
    game, loops = belief.simulator.game, belief.simulator.belief
    loops.draw(game.rules_array, table, belief.player, np.array([7], np.uint64), belief.simulator.scratch, dealt)
    return np.random.default_rng(3).permutation(np.unique(dealt[0], axis=0))


@pytest.mark.parametrize(
    ("blueprint", "config"), [(NETWORK, SEEN), ("piers", MINI), ("smart", replace(MINI, players=3))]
)
def test_a_replay_keeps_the_hands_that_fit_step_by_step(blueprint: str, config: HanabiConfig):
    kept, dropped = 0, 0
    for belief in searchers(blueprint, config, 4, 40).beliefs.values():
        assert isinstance(belief, Belief)
        for at in range(3, len(belief.history) - 1, 3):
            belief.at = at
            hands = level_0_hands(belief, 60)
            rows, memories = came_to(belief, belief._replay(hands))
            expected, remembered = step_by_step(belief, hands)
            assert rows.tolist() == expected.tolist()
            np.testing.assert_array_equal(memories, remembered[rows])
            kept, dropped = kept + len(rows), dropped + len(hands) - len(rows)
    assert kept > 100 and dropped > 100


def test_a_sampled_hand_weighs_as_often_as_it_was_drawn():
    """As many hands are drawn as are listed at most, some of them several times.

    More draws join them by the effective size of the sample, so it does not matter how large its weights are.
    """
    env: Any = hanabi_v0.raw_env(config=MINI)
    env.reset(seed=1)
    search = agents.load("search:piers", MINI, rollouts=4)
    assert isinstance(search, SearchPolicy)
    search.most_hands = 200
    table = OneTable(env, search, seed=1)
    table.action()
    (seated,) = table.players
    belief: Any = seated.beliefs[0]  # type: ignore[attr-defined]
    assert not belief.exact and belief.weights.sum() == 200 and belief.weights.max() > 3
    before, found = (belief.hands, belief.weights), []
    for scale in (1.0, 1000.0):
        belief.hands, belief.weights = before[0], before[1] * scale
        came_to(belief, belief._join(np.random.default_rng(3)))
        found.append((belief.hands, belief.weights))
    np.testing.assert_array_equal(found[0][0], found[1][0])
    np.testing.assert_allclose(*(weights for _, weights in found))
    size = 200**2 / (before[1] ** 2).sum()
    assert found[0][1].sum() == pytest.approx(200 + size)


def test_questions_of_several_games_are_answered_as_each_alone():
    beliefs: Any = searchers(NETWORK, SEEN, 6, 40).beliefs
    simulator, questions = beliefs[0].simulator, []
    for belief in beliefs.values():
        for at in range(1, len(belief.history) - 1, 2):
            belief.at = at
            questions.append(belief._question(at, level_0_hands(belief, 90)))
    assert sum(len(question.hands) for question in questions) > 1024, "more than fit into a room"
    together = answers(simulator, questions)
    for question, actions in zip(questions, together, strict=True):
        np.testing.assert_array_equal(actions, answers(simulator, [question])[0])
    assert len({tuple(np.unique(actions)) for actions in together}) > 5


def test_a_question_of_more_hands_than_a_room_holds_is_answered_in_pieces():
    belief = searchers(NETWORK, SEEN, 1, 40).beliefs[0]
    belief.at = 5
    question: Question = belief._question(5, level_0_hands(belief, 60))
    (few,) = answers(belief.simulator, [question])
    (many,) = answers(belief.simulator, [question._replace(hands=np.tile(question.hands, (50, 1)))])
    assert many.tolist() == few.tolist() * 50 and len(many) > 1024


def test_random_actions_are_those_of_the_step_and_the_game():
    """The partner of a random player knows the random key, so the true hand stays possible."""
    config = replace(MINI, colors=2)
    search = agents.load("search:random", config, rollouts=4)
    assert isinstance(search, SearchPolicy)
    play(config, search, 30, seed=5)
    assert not search.counts["empty"] and search.counts["exact"] > 50
