"""Search in Koi-Koi and Ikebana: endings against a plain solver, knowledge about hands, and roll-outs."""

import copy
import itertools
import random
import time
from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from hanabako import agents
from hanabako.agents.playing.block import Block
from hanabako.agents.playing.policy import BatchedPolicy, uniform
from hanabako.agents.playing.seating import sit
from hanabako.agents.search import choosing
from hanabako.agents.search.ikebana.rollouts import IkebanaRollouts, deal_unseen, list_unseen, round_value
from hanabako.agents.search.ikebana.rollouts import unseen_loop as ikebana_unseen
from hanabako.agents.search.koikoi.endings import ending_loop, walk_scratch
from hanabako.agents.search.koikoi.one_round import (
    ROUND_STATE,
    Exclusions,
    KoiKoiRollouts,
    round_rules,
    round_state,
    unseen_loop,
)
from hanabako.agents.search.koikoi.policy import Passes
from hanabako.agents.search.policy import Effort
from hanabako.engine.protocol import rules_array
from hanabako.games import game_of
from hanafuda_env import PRESETS, KoiKoiConfig, koikoi_v0
from hanafuda_env.engine.actions import STOP
from ikebana_env import IkebanaConfig, ikebana_v0
from ikebana_env.engine.private_view import hide
from ikebana_env.engine.rules import legal_action_mask, step
from tests.agents.test_search import think
from tests.reference.koikoi_plain import BOX, PlainKoiKoi

ROUND = replace(PRESETS["document"], rounds=1, hand_swap=False, reward="points")
NAMES = ["document", "document_options", "koikoi_japan", "nintendo"]


def test_halving_that_the_clock_stops_answers_with_what_it_has():
    """The time of all rounds is over before the second one begins."""
    passes = Passes(np.array([2, 5, 7, 8]), Effort(1, 1e-6, 2.0), time.perf_counter())
    for left, deals in passes.requests():
        passes.points[:] = [1.0, 0.0, 2.0, 3.0]
        passes.deals += deals
        passes.spent += deals * len(left)
    assert passes.left.tolist() == [8] and passes.spent == 4 * choosing.FIRST_BATCH


def test_batches_grow_with_what_the_clock_allows(monkeypatch: pytest.MonkeyPatch):
    """A batch takes one millisecond plus a tenth per deal, and batches grow with the time left."""
    now, sizes = [0.0], []
    monkeypatch.setattr(choosing.time, "perf_counter", lambda: now[0])

    def play_out(left: np.ndarray, _first: int, deals: int) -> np.ndarray:
        sizes.append(deals)
        now[0] += 0.001 + 0.0001 * deals
        return np.tile(left, (deals, 1))

    thought = think(choosing.Thought(np.arange(4), 0, Effort(1, 30.0, 2.0), 0.0), play_out)
    assert sizes[:3] == [4, 16, 64] and sum(sizes) > 200  # batches of 4 would be 86 deals
    assert 27 < 1000 * now[0] < 31
    assert thought.verdict() == 3


# --- Koi-Koi: a plain solver ------------------------------------------------------------------------------------------


def lead(game: PlainKoiKoi) -> float:
    """Return player 0's lead in points in the last finished round."""
    result = game.results[-1]
    return {0: 1, 1: -1, None: 0}[result["winner"]] * result["points"]


def ways(game: PlainKoiKoi, move: str) -> dict[str | None, PlainKoiKoi]:
    """Return what a move may lead to, by the card that it turns up; all are equally likely."""
    found: dict[str | None, PlainKoiKoi] = {}
    for card in game.deck:
        after = copy.copy(game)
        for name, value in vars(game).items():
            setattr(after, name, value if name in ("config", "deck_of") else copy.deepcopy(value))
        after.deck = [card, *(other for other in game.deck if other != card)]
        after.move(move)
        if len(after.deck) == len(game.deck):
            return {None: after}
        found[card] = after
    return found


def open_value(game: PlainKoiKoi) -> float:
    if game.phase == "end":
        return lead(game)
    best = max if game.player == 0 else min
    return best(float(np.mean([open_value(after) for after in ways(game, move).values()])) for move in game.legal())


def root_of(env: Any) -> np.ndarray:
    root = np.zeros(1, ROUND_STATE)
    round_state(env.game.rules, env.tables["state"][0], root)
    return root


def position(config: KoiKoiConfig, turn: int, seed: int, phase: str = "play") -> tuple[PlainKoiKoi, Any]:
    """Return such a position, or one of another phase, as a plain game and as an environment."""
    for attempt in itertools.count(1000 * seed):
        rng = random.Random(attempt)
        env: Any = koikoi_v0.raw_env(config=config)
        env.reset(seed=attempt)
        start = env.unwrapped.to_dict()
        other = 1 - start["dealer"]
        hands = [start["hands"][other], start["hands"][1 - other]]
        deck = [*hands[0][:4], *hands[1][:4], *start["field"][:4], *hands[0][4:], *hands[1][4:], *start["field"][4:]]
        game = PlainKoiKoi(config, start["dealer"], lambda _, deck=deck, start=start: [*deck, *start["deck"]])
        while game.phase != "end":
            if game.turn == turn and game.phase == phase:
                return game, env.unwrapped
            moves = game.legal()
            move = "koikoi" if "koikoi" in moves else rng.choice(moves)
            game.move(move)
            env.step(env.unwrapped.str_to_action(move))
    raise AssertionError


def number_of(move: str) -> int:
    others = ["stop", "koikoi", "hiki", "keep hands", "swap hands", "joker"]
    return 48 + others.index(move) if move in others else BOX.index(move.split()[1])


def with_hands(game: PlainKoiKoi, hands: Any) -> PlainKoiKoi:
    after = copy.deepcopy(game)
    hidden = {*game.hands[0], *game.hands[1], *game.deck}
    after.hands = [[card for card in BOX if int(cards) >> BOX.index(card) & 1] for cards in hands]
    after.deck = [card for card in BOX if card in hidden - {*after.hands[0], *after.hands[1]}]
    return after


@pytest.mark.parametrize("name", NAMES)
def test_open_hands_are_worth_what_a_plain_minimax_says(name: str):
    """The other may hold the first, or one in the middle, of the hands that the player cannot exclude."""
    config = replace(PRESETS[name], rounds=1, hand_swap=False)
    for seed in range(2):
        game, env = position(config, 16 if name == "nintendo" else 15, seed)
        player, hands = game.player, [sum(1 << BOX.index(card) for card in hand) for hand in game.hands]
        hidden = [card for card in BOX if card in {*game.hands[1 - player], *game.deck}]
        size = len(game.hands[1 - player])
        others = [sum(1 << BOX.index(card) for card in hand) for hand in itertools.combinations(hidden, size)]
        chosen = others[:: max(1, len(others) // 2)]
        excluded = ~np.bitwise_or.reduce(np.array(chosen, np.uint64))
        deals = [[hands[0], other] if player == 0 else [other, hands[1]] for other in chosen]
        moves = sorted(game.legal(), key=number_of)
        values = np.zeros(len(moves))
        words = rules_array(round_rules(env.game.rules)), root_of(env), np.array([0, excluded], np.uint64)
        ending_loop()(*words, walk_scratch(), values)
        for move, value in zip(moves, values, strict=True):
            after = [np.mean([open_value(a) for a in ways(with_hands(game, deal), move).values()]) for deal in deals]
            assert value == pytest.approx((1 if player == 0 else -1) * np.mean(after))


class Keen(BatchedPolicy):
    """Plays the legal action with the highest number: in Ikebana it buys, keeps, or else draws."""

    name = "keen"

    def act(self, observation: Any, mask: Any, noise: Any, memory: Any = None) -> Any:
        return mask.shape[1] - 1 - mask[:, ::-1].argmax(axis=1)


class Highest(Keen):
    """Stops, or plays the legal action with the highest number."""

    name = "highest"

    def act(self, observation: Any, mask: Any, noise: Any, memory: Any = None) -> Any:
        assert observation.shape[1]
        return np.where(mask[:, STOP] == 1, STOP, super().act(observation, mask, noise))


class Hearing(Keen):
    """Plays like `Keen`, and keeps the random numbers that it is given."""

    def __init__(self) -> None:
        self.heard: set[float] = set()

    def act(self, observation: Any, mask: Any, noise: Any, memory: Any = None) -> Any:
        self.heard.update(noise.tolist())
        return super().act(observation, mask, noise)


def test_a_blueprint_that_samples_does_not_get_the_random_numbers_that_dealt_the_hidden_cards():
    config, blueprint = replace(PRESETS["document"], rounds=1, hand_swap=False), Hearing()
    found = KoiKoiRollouts(game_of(config).make_game(config), blueprint, specialize=False, size=64)
    _, env = position(config, 6, seed=6)
    root, deals = root_of(env), np.zeros(20, ROUND_STATE)
    unseen_loop()(rules_array(round_rules(env.game.rules)), root, np.zeros(2, np.uint64), np.uint64(7), 1, 0, deals)
    found.values(env.tables, deals, np.flatnonzero(env.observe(env.agent_selection)["action_mask"])[:1])
    dealt = {number for step in range(100) for number in uniform(deals["key"], step).tolist()}
    assert len(blueprint.heard) > 50 and not blueprint.heard & dealt


@pytest.mark.parametrize(("name", "rounds"), [(name, rounds) for name in NAMES for rounds in (1, 3)])
def test_rounds_are_played_out_as_a_plain_player_plays_them(name: str, rounds: int):
    config = replace(PRESETS[name], rounds=rounds, hand_swap=False)
    found, seen = KoiKoiRollouts(game_of(config).make_game(config), Highest(), specialize=False, size=64), set()
    for turn in (3, 8, 12):
        game, env = position(config, turn, seed=turn)
        actions = np.flatnonzero(env.observe(env.agent_selection)["action_mask"])
        root, deals = root_of(env), np.zeros(5, ROUND_STATE)
        words = rules_array(round_rules(env.game.rules)), root, np.zeros(2, np.uint64), np.uint64(7), 1
        unseen_loop()(*words, 0, deals)
        assert len({deal["hand"].tobytes() for deal in deals}) == 5
        leads = found.values(env.tables, deals, actions)
        for deal, row in zip(deals, leads, strict=True):
            for action, value in zip(actions.tolist(), row, strict=True):
                imagined = with_hands(game, deal["hand"])
                imagined.deck = [BOX[card] for card in deal["deck"][deal["drawn"] :] if card < len(BOX)]
                move = {number_of(move): move for move in game.legal()}[action]
                while len(imagined.results) == len(game.results):
                    imagined.move(move)
                    legal = imagined.legal()
                    move = "stop" if "stop" in legal else max(legal, key=number_of, default="")
                assert value == (1 if game.player == 0 else -1) * lead(imagined)
                seen.add(value)
    assert min(seen) < 0 < max(seen)


# --- Koi-Koi: what is known, what is chosen ---------------------------------------------------------------------------


def test_K14_tells_of_hands_and_never_wrongly():
    config = replace(PRESETS["document_options"], rounds=2)
    block = Block(game_of(config).make_game(config), 40, observes=False, specialize=False)
    players = sit(block, [agents.load("random", config), agents.load("counting", config)])
    known, told = Exclusions(block.game.rules, block.tables), 0
    block.deal(5, 0)
    known.begin(np.arange(40))
    for player in players:
        player.begin()
    while len(block.open_games):
        hands = block.tables["state"]["hand"]
        assert not (hands & known.excluded)[block.open_games].any()
        told += int((known.excluded != 0).sum())
        block.go_on(players)
        known.observe(np.arange(40))
    assert told > 1000


# --- Ikebana ----------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:overflow")
def test_an_imagined_deal_of_ikebana_keeps_all_that_is_seen():
    env: Any = ikebana_v0.raw_env(config=IkebanaConfig(players=3))
    rules, rng, buried = env.unwrapped.game.rules, random.Random(1), 0
    env.reset(seed=4)
    while not all(env.terminations.values()):
        state = env.unwrapped.tables["state"].copy().view(np.recarray)[0]
        player = int(state.current_player)
        hide(rules, state, player)
        view, unseen = state.tobytes(), np.zeros(55, np.int64)
        deal_unseen(rules, state, unseen, list_unseen(rules, state, unseen), np.uint64(rng.getrandbits(64)))
        true = env.unwrapped.tables["state"].view(np.recarray)[0]
        cards = [Counter(deal.cards[: deal.deck_count].tolist()) for deal in (state, true)]
        for seat in range(3):
            for deal, own in zip((state, true), cards, strict=True):
                own.update(deal.discards[seat, : deal.discard_count[seat]].tolist())
            buried += max(0, int(state.discard_count[seat]) - 1)
        assert cards[0] == cards[1] and state.deck_count == true.deck_count
        hide(rules, state, player)
        assert state.tobytes() == view
        legal = np.flatnonzero(env.observe(env.agent_selection)["action_mask"]).tolist()
        env.step(rng.choice([action for action in legal if action != 1 or rng.random() < 0.3] or [1]))
    assert buried > 20


@pytest.mark.filterwarnings("ignore:overflow")
@pytest.mark.parametrize(("players", "reward"), [(2, "win"), (3, "prestige")])
def test_rounds_of_ikebana_are_played_out_as_the_rules_play_them(players: int, reward: str):
    """Roll-outs agree with the rules' own deals and moves, played one at a time without the compiler."""
    config, seen = IkebanaConfig(players=players, reward=reward, rounds=2), set()
    for seed in range(3):
        env: Any = ikebana_v0.raw_env(config=config)
        env.reset(seed=seed)
        for _ in range(4 + 9 * seed):
            env.step(Keen().act(None, env.observe(env.agent_selection)["action_mask"][None], None)[0])
        game, table = env.unwrapped.game, env.unwrapped.tables
        root, deals = table["state"].copy(), np.zeros(4, table.dtype["state"])
        player, number = int(root["current_player"][0]), int(root["round_index"][0])
        actions = np.flatnonzero(env.observe(env.agent_selection)["action_mask"])
        ikebana_unseen()(game.rules_array, root, np.zeros(55, np.int64), np.uint64(3), 1, 0, deals)
        found = IkebanaRollouts(game, Keen(), specialize=False, size=64).values(table, deals, actions)
        for deal, row in zip(deals, found, strict=True):
            for action, value in zip(actions.tolist(), row, strict=True):
                state, words, move = np.array([deal]).view(np.recarray)[0], np.zeros(1, np.uint64), action
                while state.end_reason == 0 and state.round_index == number:
                    step(game.rules, state, move)
                    legal_action_mask(game.rules, state, words)
                    move = int(words[0]).bit_length() - 1
                assert value == pytest.approx(round_value(game.rules, state, player), abs=1e-12)
                seen.add(value)
    assert len(seen) > 5


def test_prestige_at_the_end_is_a_game_won_or_lost():
    env: Any = ikebana_v0.raw_env(config=IkebanaConfig())
    env.reset(seed=1)
    state, rules = env.unwrapped.tables["state"].view(np.recarray)[0], env.unwrapped.game.rules
    state.prestige[:2] = (30, 20)
    assert 0.5 < round_value(rules, state, 0) < 1 and round_value(rules, state, 0) + round_value(rules, state, 1) == 1
    state.end_reason = 1
    assert (round_value(rules, state, 0), round_value(rules, state, 1)) == (1.0, 0.0)
    state.prestige[:2] = (20, 20)
    assert round_value(rules, state, 0) == 0.5
