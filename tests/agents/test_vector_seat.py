"""One seat in many games, with partners in batches, plays the same games as single seats, decision for decision."""

import copy
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

import hanabako
from hanabako import agents
from hanabako.envs.partners import random_partner
from hanabako.games import games

IDS = {"hanabi": "hanabako/HanabiSeat-v0", "ikebana": "hanabako/IkebanaSeat-v0", "koikoi": "hanabako/KoiKoiSeat-v0"}
GAMES, STEPS, SEED = 6, 60, 11
MINI: dict[str, Any] = {"preset": "mini"}
ONE_ROUND = {"rounds": 1}


class LastLegal(agents.PlainBot):
    name = "last"

    def act(self, view):
        return view.legal[-1]


def first_or_random(observation: dict[str, np.ndarray], generator: np.random.Generator) -> int:
    """Take the first legal action or a random one; the generator must be the single seat's."""
    legal = np.flatnonzero(observation["action_mask"])
    return int(legal[0] if observation["observation"].sum() % 2 else generator.choice(legal))


TEAMS = {
    "bot": ("hanabi", MINI, "piers", 0),
    "second seat": ("hanabi", MINI, "smart", 1),
    "network": ("hanabi", MINI | {"derived": True}, "hanabi-mini-2p", 0),
    "pool": ("hanabi", MINI, {"pool": ["piers", "random", None, LastLegal()]}, 1),
    "one each": ("hanabi", MINI | {"players": 3}, ["random", first_or_random], 2),
    "ikebana": ("ikebana", {"players": 3}, {"pool": ["greedy", first_or_random, "random"]}, 1),
    "koikoi": ("koikoi", ONE_ROUND, {"pool": ["counting", random_partner]}, 1),
}


def chosen(masks: np.ndarray, generator: np.random.Generator) -> np.ndarray:
    """Return a random legal action for each row, 0 for rows without one."""
    return np.where(masks, generator.random(masks.shape), -1).argmax(axis=1)


def assert_shows(observation: dict[str, np.ndarray], row: int, single: dict[str, np.ndarray]) -> None:
    for name, expected in single.items():
        np.testing.assert_array_equal(observation[name][row], expected)


@pytest.mark.parametrize("team", TEAMS)
@pytest.mark.parametrize("mode", [AutoresetMode.SAME_STEP, AutoresetMode.NEXT_STEP])
def test_every_game_is_the_one_that_a_single_seat_plays(team: str, mode: AutoresetMode):
    assert_as_single_seats(*TEAMS[team], mode)


def assert_as_single_seats(game: str, fields: dict[str, Any], partners: Any, seat: int, mode: AutoresetMode) -> None:
    kwargs: dict[str, Any] = {**fields, "partners": partners, "seat": seat}
    envs = gymnasium.make_vec(IDS[game], GAMES, autoreset_mode=mode, **kwargs)
    singles = [gymnasium.make(IDS[game], **kwargs) for _ in range(GAMES)]
    observation, _ = envs.reset(seed=SEED)
    for i, single in enumerate(singles):
        assert_shows(observation, i, single.reset(seed=SEED, options={"game_index": i})[0])
    generator, over, ends = np.random.default_rng(1), np.zeros(GAMES, bool), 0
    for _ in range(STEPS):
        actions = chosen(observation["action_mask"], generator)
        observation, rewards, terminations, truncations, infos = envs.step(actions)
        assert not truncations.any()
        for i, single in enumerate(singles):
            if over[i]:
                assert rewards[i] == 0 and not terminations[i]
                assert_shows(observation, i, single.reset()[0])
                continue
            seen, reward, terminated, _, info = single.step(int(actions[i]))
            assert rewards[i] == pytest.approx(reward) and terminations[i] == terminated
            if not terminated:
                assert_shows(observation, i, seen)
                continue
            ends += 1
            assert infos["_length"][i] and infos["length"][i] == info["length"]
            if mode == AutoresetMode.SAME_STEP:
                assert infos["_final_obs"][i]
                assert_shows(infos["final_obs"], i, seen)
                assert_shows(observation, i, single.reset()[0])
            else:
                assert_shows(observation, i, seen)
        over = terminations & (mode == AutoresetMode.NEXT_STEP)
    assert ends >= GAMES


def test_partners_of_a_pool_differ_from_game_to_game():
    """If the index of a game did not count, all games of one seed would have the same partner."""
    envs: Any = gymnasium.make_vec(IDS["hanabi"], 64, **MINI, partners={"pool": ["piers", "random"]})
    envs.reset(seed=1)
    piers, random = (seated.seats != 0 for seated in envs._games._seated)
    assert (piers ^ random).all() and 8 < piers.sum() < 56


def test_a_finished_game_waits_if_it_is_asked_to():
    envs = gymnasium.make_vec(IDS["hanabi"], 4, **MINI, partners="random", autoreset_mode=AutoresetMode.DISABLED)
    observation, _ = envs.reset(seed=1)
    generator = np.random.default_rng(1)
    over = np.zeros(4, bool)
    while not over.all():
        observation, rewards, terminations, _, _ = envs.step(chosen(observation["action_mask"], generator))
        assert (terminations[over]).all() and not rewards[over].any()
        over = terminations
    mask = np.array([True, False, False, True])
    again, _ = envs.reset(options={"reset_mask": mask})
    assert again["action_mask"].any(axis=1).tolist() == mask.tolist()
    np.testing.assert_array_equal(again["observation"][~mask], observation["observation"][~mask])


def test_an_illegal_action_ends_its_game_alone():
    envs = gymnasium.make_vec(IDS["hanabi"], 3, **MINI, partners="random")
    observation, _ = envs.reset(seed=1)
    actions = observation["action_mask"].argmax(axis=1)
    actions[1] = 10_000
    _, rewards, terminations, _, infos = envs.step(actions)
    assert terminations.tolist() == [False, True, False] and rewards[1] == -1
    assert infos["illegal"][1] == 1 and infos["_illegal"].tolist() == [False, True, False]
    assert not infos["final_obs"]["action_mask"].any()


def test_the_same_seed_is_the_same_in_every_format():
    shown = {}
    for form in ("int8", "float32", "packed"):
        envs = gymnasium.make_vec(IDS["hanabi"], 5, **MINI, partners="random", observation=form)
        observation, _ = envs.reset(seed=3)
        observation, *_ = envs.step(observation["action_mask"].argmax(axis=1))
        assert observation in envs.observation_space
        shown[form] = observation["observation"]
    np.testing.assert_array_equal(shown["int8"], shown["float32"])
    bits = shown["int8"].shape[1]
    np.testing.assert_array_equal(hanabako.unpack(shown["packed"], bits), shown["int8"])


@pytest.mark.parametrize(
    ("keywords", "words"),
    [
        ({"num_envs": 0}, "num_envs must be an int from 1 to 16777216, got 0"),
        ({"seat": 2}, "seat must be an int from 0 to 1, got 2"),
        ({"partners": ["random", "random"]}, "one for each of 1 other players, got 2"),
        ({"partners": "nobody"}, "an agent must be one of"),
        ({"partners": "search:piers"}, "a partner must be a bot, a network or have an act of its own"),
        ({"observation": "int4"}, "observation must be one of"),
        ({"autoreset_mode": "soon"}, "autoreset_mode must be one of"),
        ({"seeed": 1}, "unexpected keyword argument 'seeed'"),
    ],
)
def test_what_is_wrong_is_said(keywords: dict[str, Any], words: str):
    with pytest.raises(ValueError, match=words):
        games()["hanabi"].make_vector_seat(**{"num_envs": 2, **MINI, **keywords})


def test_a_failed_call_changes_nothing():
    envs = games()["hanabi"].make_vector_seat(2, preset="mini", partners="random")
    with pytest.raises(gymnasium.error.ResetNeeded):
        envs.step(np.zeros(2, np.int64))
    envs.reset(seed=1)
    before = envs._games.tables.copy()
    for call, words in (
        (lambda: envs.step(np.zeros(3, np.int64)), r"actions must be integers of shape \(2,\)"),
        (lambda: envs.step(np.zeros(2)), "actions must be integers"),
        (lambda: envs.reset(seed=-1), "seed must be an int"),
        (lambda: envs.reset(options={"deck": []}), "reset has no option 'deck'"),
        (lambda: envs.reset(options={"reset_mask": [1, 0]}), "reset_mask must be a bool array"),
    ):
        with pytest.raises(ValueError, match=words):
            call()
    np.testing.assert_array_equal(envs._games.tables, before)


@pytest.mark.parametrize("game", IDS)
@pytest.mark.parametrize("action", [999, -1, True, 6.7, None, 2**70])
@pytest.mark.parametrize("seat", [0, 1])
def test_a_partners_wrong_action_is_an_error(game: str, action: Any, seat: int):
    envs = gymnasium.make_vec(IDS[game], 2, partners=lambda *_: action, seat=seat)

    def play() -> None:
        observation, _ = envs.reset(seed=1)
        for _ in range(50):
            observation, *_ = envs.step(observation["action_mask"].argmax(axis=1))

    with pytest.raises(ValueError, match=rf"a partner's action in game \d must be one of .*, got {action}"):
        play()


@pytest.mark.parametrize("vector", [False, True])
def test_a_seat_that_gets_no_decision_is_an_error(vector: bool):
    """One card in hand, which the first player must play: the game ends at once."""
    fields: dict[str, Any] = {"colors": 1, "ranks": 1, "hand_size": 1, "max_information_tokens": 0, "seat": 1}
    env: Any = gymnasium.make(IDS["hanabi"], **fields) if not vector else gymnasium.make_vec(IDS["hanabi"], 2, **fields)
    with pytest.raises(ValueError, match="seat must get a decision within 1000 games, and 1 got none"):
        env.reset(seed=1)


@pytest.mark.parametrize("partners", [None, first_or_random, "random", "smart"])
def test_a_seat_is_copied_right_or_not_at_all(partners: Any):
    env = gymnasium.make(IDS["hanabi"], **MINI, partners=partners).unwrapped
    env.reset(seed=3)
    if isinstance(partners, str):
        with pytest.raises(TypeError, match="only before its first reset"):
            copy.deepcopy(env)
        return
    other = copy.deepcopy(env)
    for _ in range(4):
        action = int(env.action_masks().argmax())  # type: ignore[attr-defined]
        np.testing.assert_array_equal(env.step(action)[0]["observation"], other.step(action)[0]["observation"])
