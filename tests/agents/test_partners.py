"""Learning among partners: the seating, the partners' memory, and an exact best response to a fixed partner."""

from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from hanabako import agents
from hanabako.agents.learning.common.partners import PartnersEnvs
from hanabako.agents.learning.common.ranks import ALONE
from hanabako.agents.learning.common.selfplay import SelfPlayEnvs
from hanabako.agents.learning.ppo import Args, train
from hanabako.agents.networks.neural_policy import load_policy
from hanabako.agents.playing.block import Block
from hanabako.agents.playing.play import play
from hanabako.games import game_of
from hanabi_env import PRESETS as HANABI
from ikebana_env import PRESETS as IKEBANA
from tests.agents.test_answers import Answering
from tests.agents.test_ppo import TINY
from tests.agents.test_session import Counting
from tests.agents.tiny_runs import UPDATE, weights

MINI = HANABI["mini"]
THREE = replace(MINI, players=3)


def first_legal(envs: SelfPlayEnvs) -> torch.Tensor:
    return envs.masks.to(torch.int64).argmax(1)


def among(config: Any, names: list[str], games: int = 40, seed: int = 3) -> PartnersEnvs:
    return PartnersEnvs(config, games, seed, ALONE, [agents.load(name, config) for name in names])


# --- The games --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("config", [MINI, THREE, IKEBANA["single_round"]], ids=["two", "three", "ikebana"])
def test_the_learner_is_always_to_move_and_every_seat_is_taken_once(config):
    envs = among(config, ["random"])
    for _ in range(60):
        np.testing.assert_array_equal(np.uint64(1) << envs.players.numpy().astype(np.uint64), envs.learners)
        others = np.array([seated.seats for seated in envs._seated]).sum(0)
        np.testing.assert_array_equal(others + envs.learners, 2**config.players - 1)
        assert envs.masks.any(1).all()
        envs.step(first_legal(envs))
    assert envs.decisions == 60 * 40
    assert envs.statistics()["length"] > 0


@pytest.mark.parametrize(
    ("config", "partner"), [(THREE, "smart"), (THREE, "daring"), (IKEBANA["single_round"], "greedy")]
)
def test_steps_bring_what_the_same_games_bring_in_lock_step(config, partner):
    """Decisions and rewards agree game by game; rewards of a new game's start do not count for the old one.

    The same holds when losing costs a quarter: points that were scored between two decisions are paid in full.
    """
    daring = Answering(lambda mask: np.full(len(mask), THREE.hand_size))  # it plays its first card
    policy = daring if partner == "daring" else agents.load(partner, config)
    envs = PartnersEnvs(config, 40, 3, ALONE, [policy])
    learners, players = envs.learners.copy(), config.players
    got: list[list[tuple[int, list[float], list[float]]]] = [[] for _ in range(40)]
    ended = np.zeros(40, bool)
    while not ended.all():
        actions = first_legal(envs)
        rewards, dones = envs.step(actions)
        priced = envs.priced(rewards, 0.25)
        for game in np.flatnonzero(~ended):
            got[game].append((int(actions[game]), rewards[game].tolist(), priced[game].tolist()))
        ended |= dones.numpy()
    block = Block(game_of(config).make_game(config), 40, observes=True, specialize=False)
    block.deal(int(np.random.SeedSequence(3).spawn(1)[0].generate_state(1)[0]), 0)
    seated = policy.seat(block, range(players))
    seated.seats[:] = 2**players - 1 - learners
    seated.begin()
    wanted: list[list[tuple[int, list[float], list[float]]]] = [[] for _ in range(40)]
    while len(rows := block.open_games):
        own = rows[(learners[rows] >> block.tables["current_player"][rows].astype(np.uint64)) & np.uint64(1) != 0]
        block.actions[own] = block.mask[own].argmax(1)
        for game in own:
            wanted[game].append((int(block.actions[game]), [0.0] * players, [0.0] * players))
        block.go_on([seated])
        for game in rows:
            if wanted[game]:
                action, earned, paid = wanted[game][-1]
                new = block.tables["rewards"][game, :players]
                wanted[game][-1] = action, (earned + new).tolist(), (paid + np.maximum(new, new / 4)).tolist()
    assert all(wanted), "a game is over at once"
    assert got == wanted


def test_a_partner_remembers_its_own_game_only():
    envs = PartnersEnvs(THREE, 30, 3, ALONE, [Counting()])
    forgot = False
    for _ in range(40):
        _, dones = envs.step(first_legal(envs))
        forgot |= bool(dones.any())
        lengths = envs.block.tables["state"]["length"]
        own = np.array([[len(range(seat, length, 3)) for seat in range(3)] for length in lengths])
        own[(envs.learners[:, None] >> np.arange(3, dtype=np.uint64)) & np.uint64(1) != 0] = 0
        np.testing.assert_array_equal(envs._seated[0].memories(), own)
        assert lengths.max() > 3
    assert forgot


@pytest.mark.statistical
def test_seats_and_members_are_drawn_alike():
    """4,000 games of three players and two members have shares within 5 standard errors; false alarms below 1e-5."""
    envs = among(THREE, ["random", "piers"], games=4000)
    seats = [(envs.learners == 1 << player).mean() for player in range(3)]
    assert np.abs(np.array(seats) - 1 / 3).max() < 5 * (2 / 9 / 4000) ** 0.5
    for player in range(3):
        free = envs.learners != 1 << player
        share = ((envs._seated[0].seats[free] >> np.uint64(player)) & np.uint64(1)).mean()
        assert abs(share - 0.5) < 5 * (0.25 / free.sum()) ** 0.5
    both = ((envs._seated[0].seats != 0) & (envs._seated[1].seats != 0)).mean()
    assert abs(both - 0.5) < 5 * (0.25 / 4000) ** 0.5


def test_games_go_on_from_a_checkpoint_to_the_last_bit():
    def played(envs: PartnersEnvs) -> list[bytes]:
        steps = ((*envs.step(first_legal(envs)), envs.observations, envs.players) for _ in range(30))
        return [part.numpy().tobytes() for step in steps for part in step]

    names = ["smart", "random", "piers"]
    envs, again = among(MINI, names), among(MINI, names, seed=9)
    played(envs)
    saved = {name: value.copy() for name, value in envs.state().items()}
    again.restore(saved)
    assert played(again) == played(envs)
    with pytest.raises(ValueError, match="every seat"):
        again.restore(saved | {"seats": saved["seats"] * 0})
    with pytest.raises(ValueError, match="seats must be those of 1 members"):
        among(MINI, ["random"]).restore(saved)
    with pytest.raises(ValueError, match="another pool"):
        among(MINI, ["random", "smart", "piers"]).restore(saved)


def test_who_can_only_begin_all_games_at_once_is_refused():
    class Stubborn:
        def seat(self, games: Any, seats: Any) -> Any: ...

    with pytest.raises(ValueError, match="a partner must be"):
        PartnersEnvs(MINI, 4, 1, ALONE, [Stubborn()])  # type: ignore[list-item]


# --- Training ---------------------------------------------------------------------------------------------------------


def test_it_is_evaluated_among_its_partners_and_an_opponent_goes_before_them():
    args = replace(TINY, partners=("smart,piers", "random"))
    assert args.pool == args.others() == ("smart", "piers", "random")
    competitive = replace(args, game="ikebana", preset="single_round", partners=("greedy",))
    assert competitive.others() == ("greedy",)
    assert replace(competitive, opponent="lookahead").others() == ("lookahead",)
    assert replace(competitive, partners=()).others() == ("random",)


def test_a_run_starts_from_the_weights_of_another(tmp_path):
    first = train(replace(TINY, steps=2 * UPDATE, run_dir=tmp_path / "first"))
    start = str(first / "policy.safetensors")
    still = replace(TINY, steps=UPDATE, learning_rate=1e-20, learning_rate_end=1e-20, start=start)
    second = train(replace(still, run_dir=tmp_path / "second"))
    for name, tensor in weights(first).items():
        torch.testing.assert_close(tensor, weights(second)[name], rtol=0, atol=1e-12)
    with pytest.raises(ValueError, match="holds a symmetric network; this algorithm trains dense"):
        train(replace(still, network="dense", run_dir=tmp_path / "third"))
    (first / "policy.safetensors").unlink()
    assert train(Args(resume=second)) == second, "a run goes on without the file that it started from"


# --- A game that can be solved ----------------------------------------------------------------------------------------


SMALLEST: dict[str, Any] = {"colors": 1, "ranks": 2, "hand_size": 1, "max_information_tokens": 1, "max_life_tokens": 1}
SMALLEST |= {"score_on_loss": "fireworks"}
SOLVED = replace(MINI, **SMALLEST)


def after(env: Any, action: int) -> Any:
    twin = env.copy()
    twin.step(action)
    return twin


def until(envs: list[tuple[float, Any]], seat: int) -> list[tuple[float, Any]]:
    """Play a random partner's moves; return positions, with probabilities, at ``seat``'s turns or at the end."""
    found: list[tuple[float, Any]] = []
    for chance, env in envs:
        agent = env.possible_agents[seat]
        if env.agent_selection == agent or env.terminations[agent]:
            found.append((chance, env))
        else:
            legal = np.flatnonzero(env.infos[env.agent_selection]["action_mask"])
            found += until([(chance / len(legal), after(env, int(action))) for action in legal], seat)
    return found


def best_score(envs: list[tuple[float, Any]], seat: int) -> float:
    """Return the expected score of the best response at ``seat`` to a random partner, by exhaustive search.

    Positions that look alike to the seat, which remembers all that it has seen, get one decision.
    """
    alike: dict[bytes, list[tuple[float, Any]]] = {}
    score = 0.0
    for chance, env in until(envs, seat):
        if env.terminations[env.possible_agents[seat]]:
            score += chance * env.to_dict()["score"]
        else:
            alike.setdefault(env.observe(env.agent_selection)["observation"].tobytes(), []).append((chance, env))
    for some in alike.values():
        legal = np.flatnonzero(some[0][1].infos[some[0][1].agent_selection]["action_mask"])
        score += max(best_score([(chance, after(env, int(a))) for chance, env in some], seat) for a in legal)
    return score


def score_of(policy: Any, envs: list[tuple[float, Any]], seat: int) -> float:
    """Return the expected score of a greedy policy at ``seat``."""
    score = 0.0
    for chance, env in until(envs, seat):
        if env.terminations[env.possible_agents[seat]]:
            score += chance * env.to_dict()["score"]
        else:
            seen = env.observe(env.agent_selection)
            action = policy.act(seen["observation"][None], seen["action_mask"][None], np.zeros(1))
            score += score_of(policy, [(chance, after(env, int(action[0])))], seat)
    return score


@cache
def openings() -> list[tuple[float, Any]]:
    found = []
    for place in range(4):
        deck = ["R1"] * 4
        deck[place] = "R2"
        env = game_of(SOLVED).module("hanabi_v0").raw_env(config=SOLVED)
        env.reset(seed=1, options={"deck": deck})
        found.append((0.25, env))
    return found


@pytest.mark.slow
def test_a_best_response_to_a_random_partner_is_found_exactly(tmp_path: Path):
    fields = tuple(f"{name}={value}" for name, value in SMALLEST.items())
    args = replace(TINY, preset="mini", config=(*fields, "derived=false"), partners=("random",), network="dense")
    args = replace(args, games=128, horizon=16, minibatch=512, epochs=2, steps=40 * 128 * 16, run_dir=tmp_path / "run")
    args = replace(args, learning_rate=5e-3, entropy_end=0.001)
    policy = load_policy(train(args) / "policy.safetensors", SOLVED)
    for seat in range(2):
        best = best_score(openings(), seat)
        assert score_of(policy, openings(), seat) == pytest.approx(best, abs=1e-9), seat
        random = play(SOLVED, agents.load("random", SOLVED), 1000, seed=1).fireworks_score.mean()
        assert best > random + 0.3
