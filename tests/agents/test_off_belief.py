"""Off-Belief Learning: its target, level 1 against exact values, what level 2 reads, and resuming."""

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from hanabako.agents.learning.common import trainer
from hanabako.agents.learning.common.ranks import ALONE
from hanabako.agents.learning.common.selfplay import SelfPlayEnvs
from hanabako.agents.learning.off_belief import Args, OffBelief, Reading, Scores, hands_of, one_of
from hanabako.agents.learning.ppo import last_actions
from hanabako.agents.networks.network import Network, q_values
from hanabako.agents.networks.neural_policy import NeuralPolicy, load_policy
from hanabako.agents.networks.policy_file import save_policy
from hanabako.agents.playing.play import play
from hanabako.engine.game import Game
from hanabako.engine.protocol import DISABLED
from hanabako.games import game_of
from hanabako.packing import pack, unpack
from hanabi_env import PRESETS, HanabiConfig, hanabi_v0
from hanabi_env.engine.layout import layout

from .grounded import Grounded, begin
from .tiny_runs import SMALL, assert_resumes

train = partial(trainer.train, algorithm=OffBelief)

TINY = Args(**SMALL | {"horizon": 4})
UPDATE = TINY.games * TINY.horizon
VERY_SMALL = replace(PRESETS["very_small"], derived=True)
EXACT = {"colors": 1, "ranks": 3, "hand_size": 1, "max_information_tokens": 1, "max_life_tokens": 1}


def learner_of(config: HanabiConfig, games: int = TINY.games, **settings: Any) -> OffBelief:
    torch.manual_seed(1)
    learner = OffBelief(replace(TINY, games=games, **settings), SelfPlayEnvs(config, games, 1, ALONE), ALONE)
    for weight in learner.network.parameters():
        torch.nn.init.normal_(weight, std=0.3)
    return learner


def slow_target(network: Network, game: Game, record: np.ndarray, action: int, price: float) -> tuple[float, float]:
    """Return from the definition, for one game (1,): the rewards, and the value of the position after them."""
    words, mask = np.zeros((1, network.words), np.uint64), np.zeros((1, game.num_actions), np.int8)
    final, player, total = np.zeros((1, 0), np.uint64), record["current_player"][0], 0.0
    while True:
        game.loops(False).step(game.rules_array, record, np.array([action]), words, mask, final, DISABLED)
        reward = float(record["reward"][0])
        total += reward if reward > 0 else price * reward
        if record["terminated"][0]:
            return total, 0.0
        logits, value = network(torch.from_numpy(words.view(np.int64)))
        legal = np.flatnonzero(mask[0])
        q = {int(a): float(value + logits[0, a] - logits[0, legal].mean()) for a in legal}
        action = max(q, key=lambda a: q[a])
        if record["current_player"][0] == player:
            return total, q[action]


@pytest.mark.parametrize("players", [2, 3])
@torch.no_grad()
def test_targets_are_those_of_the_definition(players):
    config = replace(PRESETS["mini"], players=players, max_life_tokens=1)
    learner = learner_of(config, gamma=0.9)
    scale = 3 / config.max_score
    ends = 0
    for _ in range(8):
        learner.deal()
        records = learner.fictions._block.tables.copy()
        actions = torch.tensor([int(np.flatnonzero(mask)[-1 - k % 4]) for k, mask in enumerate(learner.envs.masks)])
        targets = learner.targets(learner.network, actions, 0.5)
        for k, target in enumerate(targets.tolist()):
            record = records[k : k + 1]
            total, value = slow_target(learner.network, learner.envs.game, record, int(actions[k]), 0.5)
            assert target == pytest.approx(scale * total + 0.9 * value, abs=1e-4)
            ends += bool(record["terminated"][0])
        learner.envs.step(actions)
    assert 0 < ends < 8 * TINY.games


def test_the_learners_games_are_not_touched():
    learner = learner_of(PRESETS["mini"])
    before = learner.envs.tables.copy()
    learner.deal()
    dealt = learner.fictions._block.tables["state"]["hands"]
    assert (dealt[:, 0, :3] != before["state"]["hands"][:, 0, :3]).any(1).mean() > 0.8
    np.testing.assert_array_equal(dealt[:, 1], before["state"]["hands"][:, 1])
    learner.targets(learner.network, learner.envs.masks.argmax(1), 1.0)
    np.testing.assert_array_equal(learner.envs.tables, before)


def seen_bits(envs: SelfPlayEnvs) -> np.ndarray:
    """Return what the players to move observe in the records as they are now, (games, bits)."""
    game, words = envs.game, np.zeros((envs.games, envs.observations.shape[1]), np.uint64)
    loops = game.loops(envs.tables.dtype == game.table_dtype(specialize=True))
    loops.observe(game.rules_array, envs.tables, -1, words, np.zeros_like(envs.masks.numpy()))
    return unpack(words, envs.config.observation_bits)


@pytest.mark.parametrize("players", [2, 3])
@torch.no_grad()
def test_the_targets_of_level_1_do_not_depend_on_the_last_action(players: int):
    """What the last action was, as far as hints have not told it, changes neither the dealt hands nor any target."""
    learner, found = learner_of(replace(PRESETS["mini"], players=players)), []
    learner.collect(0.5, 1.0)
    events, actions = learner.envs.tables["state"]["events"], learner.envs.masks.argmax(1)
    for _ in range(2):
        learner.generator.manual_seed(3)
        learner.deal()
        hands = learner.fictions._block.tables["state"]["hands"].copy()
        found.append((seen_bits(learner.envs), hands, learner.targets(learner.network, actions, 1.0)))
        events[:] = events[::-1].copy()  # the last actions of other games
    (seen, *before), (seen_otherwise, *after) = found
    (columns,) = np.nonzero((seen != seen_otherwise).any(0))
    fields = game_of(learner.envs.config).layout(learner.envs.config).fields
    places = [(field.section, place) for field in fields for place in field.places()]
    assert {name for name, place in places for k in columns if place.start <= k < place.stop} == {"last_action"}
    np.testing.assert_array_equal(before[0], after[0])
    assert torch.equal(before[1], after[1])


def test_a_hand_is_chosen_by_its_weight():
    """The weights are 1, 3 and 0; of 10,000 hands, 7,500 ± 250 are the second. False alarm: below 1e-8."""
    hands = np.arange(3, dtype=np.uint8)[None, :, None].repeat(10_000, 0)
    logs = torch.tensor([[0.0, np.log(3), -np.inf]]).repeat(10_000, 1) - 800
    chosen = np.bincount(one_of(hands, logs, torch.Generator().manual_seed(1))[:, 0], minlength=3)
    assert abs(chosen[1] - 7_500) < 250 and chosen[2] == 0


def only_fourth(monkeypatch: pytest.MonkeyPatch, judge: Any, name: str, others: float) -> list[np.ndarray]:
    """Let ``judge`` prefer the fourth of a player's hands by far, and return a list of the hands that it is shown."""
    shown: list[np.ndarray] = []

    def preferred(hands: np.ndarray) -> torch.Tensor:
        shown.append(hands)
        return torch.where(torch.arange(hands.shape[1]) == 3, 0.0, others).repeat(len(hands), 1)

    monkeypatch.setattr(judge, name, preferred)
    return shown


def own_hands(learner: OffBelief) -> np.ndarray:
    """Return the hands (games, cards) that were dealt to the players to move."""
    hands = learner.fictions._block.tables["state"]["hands"]
    return hands[np.arange(TINY.games), learner.envs.players, : learner.envs.config.cards_in_hand]


def test_level_1_deals_hands_by_what_the_partners_did(monkeypatch):
    """Only the hand with the greatest weight is dealt here; without weights, other hands are dealt too."""
    learner = learner_of(PRESETS["mini"])
    learner.collect(0.5, 1.0)
    assert learner.weighs and learner.fictions._pasts["count"].any()
    shown = only_fourth(monkeypatch, learner.fictions, "log_likelihoods", -torch.inf)
    learner.deal()
    np.testing.assert_array_equal(own_hands(learner), shown[0][:, 3])
    learner.weighs = False
    learner.deal()
    assert len(shown) == 1
    assert (own_hands(learner) != shown[0][:, 3]).any(1).mean() > 0.5


def test_level_2_deals_hands_by_its_belief(below, monkeypatch):
    learner = learner_of(VERY_SMALL, level_below=below)
    learner.collect(0.5, 1.0)
    shown = only_fourth(monkeypatch, learner.reading, "scores_of", -50.0)
    learner.deal()
    np.testing.assert_array_equal(own_hands(learner), shown[0][:, 3])


@pytest.mark.parametrize(
    ("change", "weighs"), [({}, True), ({"weighted": False}, False), ({"config": ("empty_hints=true",)}, False)]
)
def test_hands_are_weighted_if_hints_depend_on_them(change: dict[str, Any], weighs: bool):
    args = replace(TINY, preset="mini", **change)
    learner = OffBelief(args, SelfPlayEnvs(args.make_config(), args.games, 1, ALONE), ALONE)
    assert learner.weighs is weighs
    assert ("noted" in learner.state()) is weighs


def trained(tmp_path: Path, game: dict[str, int], seed: int, **settings: Any) -> NeuralPolicy:
    """Train level 1 for a hundred and fifty thousand decisions, and return its policy."""
    fields = tuple(f"{name}={value}" for name, value in game.items())
    told: dict[str, Any] = {"games": 128, "horizon": 8, "minibatch": 256, "width": 64, "steps": 150 * 128 * 8}
    told |= {"learning_rate": 3e-3, "loss_ramp": 0.0, "gamma": 1.0, "explore": 0.5, "explore_end": 0.2}
    args = replace(TINY, config=fields, seed=seed, run_dir=tmp_path / f"run-{seed}", **told | settings)
    return load_policy(train(args) / "policy.safetensors")


@pytest.mark.slow
@pytest.mark.statistical
def test_level_1_plays_as_well_as_anybody_who_reads_hints_literally(tmp_path):
    """Two runs are compared with the exact values at the decisions of 40 games.

    The first loses 0.02 points per decision; the same learner loses 0.11 if it is shown the true hands. Where the best
    action is at least 0.1 points better than any other, the two runs agree at 195 of 201 decisions;
    elsewhere they may choose differently. The results depend on the seeds, and are the same on equal machines.
    """
    config = HanabiConfig(**EXACT)
    first, second = (trained(tmp_path, EXACT, seed) for seed in (1, 2))
    env, exact = hanabi_v0.raw_env(config=config), Grounded()
    lost: list[float] = []
    agree: list[bool] = []
    for seed in range(40):
        env.reset(seed=seed)
        game = begin(config, env.to_dict())
        while game.end_reason is None:
            seen = env.observe(env.agent_selection)
            shown = seen["observation"][None], seen["action_mask"][None], np.zeros(1)
            action, other = (int(policy.act(*shown)[0]) for policy in (first, second))
            values, move = exact.values(game), env.action_to_str(action)
            best, *rest = sorted(values.values(), reverse=True)
            lost.append(best - values[move])
            if rest and best >= rest[0] + 0.1:
                agree.append(action == other)
            env.step(action)
            game.move(move)
    assert np.mean(lost) < 0.05
    assert len(agree) > 60
    assert np.mean(agree) > 0.9


@pytest.mark.slow
@pytest.mark.statistical
def test_level_1_learns_the_exact_values_in_two_colors_and_two_ranks(tmp_path):
    """Hands have two cards, so their weights differ. The mean error is 0.22 points, where the values spread by 1.5.

    With seeds 2 and 3 it is 0.28 and 0.24, and without the rewards of the partners' answers 0.45. The values of all
    legal moves are compared when at most one card is left in the deck, at the decisions of 60 games in which three in
    ten moves are random. Nor does it matter what the last action was: with the last action of another position, the
    learned values change by 0.17 points. The results depend on the seed, and are the same on equal machines.
    """
    game = {"colors": 2, "ranks": 2, "hand_size": 2, "max_information_tokens": 1, "max_life_tokens": 1}
    config = HanabiConfig(**game, derived=True)
    policy = trained(tmp_path, game, 1, explore=0.8, explore_end=0.5, epochs=2, steps=300 * 128 * 8)
    env, exact, generator = hanabi_v0.raw_env(config=config), Grounded(), np.random.default_rng(1)
    learned: list[float] = []
    true: list[float] = []
    shown: list[dict[str, np.ndarray]] = []
    for seed in range(60):
        env.reset(seed=seed)
        position = begin(config, env.to_dict())
        while position.end_reason is None:
            seen = env.observe(env.agent_selection)
            shown.append({name: part.copy() for name, part in seen.items()})
            q = q_of(policy, seen["observation"], seen["action_mask"])
            if len(position.deck) <= 1:
                values = exact.values(position)
                learned += q.values()
                true += (values[env.action_to_str(action)] for action in q)
            action = max(q, key=lambda action: q[action])
            if generator.random() < 0.3:
                action = int(generator.choice(list(q)))
            position.move(env.action_to_str(action))
            env.step(action)
    assert len(true) > 500
    assert np.abs(np.subtract(learned, true)).mean() < 0.33 < np.std(true) / 4
    assert np.corrcoef(learned, true)[0, 1] > 0.95
    change: list[float] = []
    for seen, other in zip(shown, generator.permutation(len(shown)), strict=True):
        otherwise = seen["observation"].copy()
        for place in last_actions(config):
            otherwise[place] = shown[other]["observation"][place]
        before, after = (q_of(policy, bits, seen["action_mask"]) for bits in (seen["observation"], otherwise))
        change += (abs(before[action] - after[action]) for action in before)
    assert np.mean(change) < 0.25


@torch.no_grad()
def q_of(policy: NeuralPolicy, observation: np.ndarray, mask: np.ndarray) -> dict[int, float]:
    """Return the learned value of every legal action, in points."""
    words = torch.from_numpy(pack(observation[None], policy.network.words).view(np.int64))
    logits, values = policy.network(words)
    q = q_values(logits, values, torch.from_numpy(mask[None]))[0] * policy.config.max_score / 3
    return {int(action): float(q[action]) for action in np.flatnonzero(mask)}


@pytest.fixture
def below(tmp_path: Path) -> str:
    """The file of an untrained policy, whose actions depend on what it sees in its own way."""
    path = tmp_path / "below.safetensors"
    save_policy(path, learner_of(VERY_SMALL, norm=False).network, VERY_SMALL, {"name": "below"})
    return str(path)


@pytest.mark.slow
def test_a_stopped_run_of_level_2_resumes_to_the_last_bit(below, tmp_path):
    rows = assert_resumes(train, replace(TINY, steps=8 * UPDATE, level_below=below, belief_part=0.5), tmp_path, 3)
    assert "belief_loss" in rows[2]


@torch.no_grad()
def test_the_score_of_a_hand_is_the_sum_over_its_slots():
    envs = SelfPlayEnvs(PRESETS["mini"], 16, 1, ALONE)
    for _ in range(30):  # hands lack cards near the end
        envs.step(torch.where(envs.masks[:, :3].any(1), 0, envs.masks.argmax(1)))
    hands, counts = hands_of(envs)
    scores = Scores(envs)
    found = scores(envs.observations, torch.from_numpy(hands)[:, None].repeat(1, 2, 1), counts)
    every = scores.layers(torch.from_numpy(np.stack([bits(row) for row in envs.observations ^ scores.opening])))
    for row in range(16):
        expected = sum(float(every[row, slot * 9 + hands[row, slot]]) for slot in range(int(counts[row])))
        assert found[row].tolist() == pytest.approx([expected] * 2, abs=1e-4)


def bits(words: torch.Tensor) -> np.ndarray:
    return np.unpackbits(words.numpy().view(np.uint8), bitorder="little").astype(np.float32)


@pytest.mark.slow
@pytest.mark.statistical
def test_level_2_learns_what_the_level_below_says_by_its_actions(below):
    """A true hand is distinguished from one dealt hand better than by guessing, whose loss is 0.69."""
    args = replace(TINY, level_below=below, candidates=1, games=128, horizon=8)
    learner = OffBelief(args, SelfPlayEnvs(VERY_SMALL, 128, 1, ALONE), ALONE)
    assert isinstance(learner.reading, Reading)
    losses = [learner.learn(0.0)["belief_loss"] for _ in range(60)]
    assert losses[0] == pytest.approx(np.log(2), abs=0.3)
    assert np.mean(losses[-10:]) < np.log(2) - 0.03


def test_level_2_reads_a_level_below_that_sees_less(tmp_path):
    """It sees one past action, level 2 sees two: its actions are those of its policy."""
    seen, path = replace(PRESETS["small"], derived=True, history=1), tmp_path / "below.safetensors"
    save_policy(path, learner_of(seen, norm=False).network, seen, {"name": "below"})
    config = replace(seen, history=2)
    below, own, learned = load_policy(path, config), *(SelfPlayEnvs(config, TINY.games, 1, ALONE) for _ in range(2))
    places = layout(seen.rules()).within(layout(config.rules()))
    for _ in range(TINY.horizon):
        shown = unpack(own.observations.numpy().view(np.uint64), config.observation_bits)[:, places]
        own.step(torch.from_numpy(below.act(shown, own.masks.numpy(), np.zeros(TINY.games))))
    OffBelief(replace(TINY, level_below=str(path), explore_end=0.0), learned, ALONE).learn(0.0)
    np.testing.assert_array_equal(learned.tables, own.tables)


def test_level_2_has_the_schedules_of_its_own_part(below):
    """They begin when the belief is learned, and end with the budget."""
    schedules = {"belief_part": 0.5, "explore": 0.2, "explore_end": 0.02, "loss_ramp": 0.4}
    learner = learner_of(VERY_SMALL, level_below=below, **schedules)
    assert "belief_loss" in learner.learn(0.49)
    rows = [learner.learn(fraction) for fraction in (0.5, 0.6, 0.75, 1.0)]
    assert [row["price_of_losing"] for row in rows] == pytest.approx([0, 0.5, 1, 1])
    assert [row["explore"] for row in rows] == pytest.approx([0.2, 0.2 * 0.1**0.2, 0.2 * 0.1**0.5, 0.02])
    first, last = learner.args.learning_rate, learner.args.learning_rate_end
    assert rows[0]["learning_rate"] == pytest.approx(first) and rows[-1]["learning_rate"] == pytest.approx(last)


@pytest.mark.parametrize("network", ["symmetric", "dense"])
def test_hidden_layers_are_normalized_if_asked_for(tmp_path, network):
    """Ten times the weights of hidden layers then change nothing; the file plays as any other."""
    args = replace(TINY, steps=2 * UPDATE, network=network, norm=True, preset="mini", run_dir=tmp_path / "run")
    policy = load_policy(train(args) / "policy.safetensors")
    assert policy.network.kind == f"normed-{network}"
    assert len(play(policy.config, policy, 10, seed=1).score) == 10
    learner = learner_of(PRESETS["mini"], network=network, norm=True, trunk="float32")
    before, _ = learner.network(learner.envs.observations)
    layers = learner.network.trunk if network == "dense" else [*learner.network.own, *learner.network.pooled]
    with torch.no_grad():
        for layer in layers:
            layer.weight.mul_(10)
            if layer.bias is not None:
                layer.bias.mul_(10)
    torch.testing.assert_close(learner.network(learner.envs.observations)[0], before, rtol=1e-2, atol=1e-4)
