"""Behaviour cloning: games of the agent, learning from them, a clone that equals the bot, and runs that start there."""

from collections import Counter
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from hanabako import agents
from hanabako.agents.commands.command_line import main
from hanabako.agents.datasets import record
from hanabako.agents.learning import ppo
from hanabako.agents.learning.cloning import Args, Cloning, Lessons, RecordedEnvs
from hanabako.agents.learning.common import trainer
from hanabako.agents.learning.common.launch import from_clone
from hanabako.agents.learning.common.ranks import ALONE
from hanabako.agents.learning.common.runs import read_about, read_metrics
from hanabako.agents.learning.common.settings import Settings
from hanabako.agents.networks.neural_policy import load_policy
from hanabako.agents.playing.play import play
from hanabako.files import write_json
from hanabako.games import make_config
from hanabako.games_file import GamesBlock, writing
from hanabi_env import PRESETS
from tests.agents.tiny_runs import SMALL, UPDATE, assert_resumes, tiny_words

train = partial(trainer.train, algorithm=Cloning)

TINY = Args(**SMALL | {"preset": "mini", "agent": "smart"})
ONE_COLOR = ("colors=1", "ranks=2", "hand_size=2", "max_information_tokens=2", "max_life_tokens=2")


def test_the_agent_plays_its_own_games():
    """Games that follow the agent's advice have as many decisions as its own games."""
    config = PRESETS["mini"]
    bot, steps, lengths = agents.load("smart", config), 0, np.zeros(20, np.int64)
    envs = Lessons(config, 20, 3, ALONE, bot)
    while not lengths.all():
        _, dones = envs.step(envs.advice())
        steps += 1
        lengths[(lengths == 0) & dones.numpy()] = steps
    seed = int(np.random.SeedSequence(3).spawn(1)[0].generate_state(1)[0])
    np.testing.assert_array_equal(lengths, play(config, bot, 20, seed).length)


def test_memories_follow_the_agents_games():
    """After a rollout, in which games end, they are those that the network has after the same decisions."""
    args = replace(TINY, preset="mini", network="recurrent", trunk="float32", horizon=24)
    config = args.make_config()
    envs = Lessons(config, args.games, 3, ALONE, agents.load("smart", config))
    learner = Cloning(args, envs, ALONE)
    for _ in range(3):
        learner.collect()
        before, now, played = learner.memories.at_begin, learner.memories.now, learner.decisions
        assert before is not None and now is not None and played["dones"].any()
        views = played["observations"][:, :, None]
        after = learner.network.replay(views, before, played["players"], played["dones"]).memory
        torch.testing.assert_close(now, after, rtol=0, atol=1e-4)
        assert now.std() > 0.01


@pytest.mark.slow
@pytest.mark.parametrize("network", ["dense", "recurrent"])
def test_a_bot_of_a_tiny_game_is_cloned_exactly(tmp_path, network):
    """On two ranks of one color, no decision differs at the end, and 500 games are equal one by one."""
    size: dict[str, Any] = {"games": 128, "minibatch": 256, "epochs": 2, "learning_rate": 5e-3, "network": network}
    args = replace(TINY, **size, config=ONE_COLOR, steps=40 * 128 * TINY.horizon, run_dir=tmp_path / "run")
    run_dir = train(args)
    rows = read_metrics(run_dir)
    assert rows[0]["agreement"] < 0.9 and rows[-1]["agreement"] == 1 and rows[-1]["cross_entropy"] < 0.05
    config = args.make_config()
    clone, bot = load_policy(run_dir / "policy.safetensors", config), agents.load("smart", config)
    ours, theirs = (play(config, player, 500, seed=7) for player in (clone, bot))
    np.testing.assert_array_equal(ours.length, theirs.length)
    np.testing.assert_array_equal(ours.fireworks_score, theirs.fireworks_score)


def test_recorded_games_are_shown_decision_by_decision_and_all_equally_often(tmp_path):
    """Five recorded games at a time; the learner's actions do not change them."""
    config = PRESETS["very_small"]
    dataset = record(tmp_path / "games.npz", config, agents.load("smart", config), 12, seed=3)
    (decisions,) = dataset.decisions(config)
    whole: dict[Any, int] = {}
    for game in range(12):
        own = decisions.chosen(decisions.games == game)
        rows = zip(own.observations, own.masks, own.actions, own.players, own.rewards, strict=True)
        whole[tuple(b"".join(np.asarray(part).tobytes() for part in row) for row in rows)] = game
    envs = RecordedEnvs(config, 5, 1, ALONE, dataset.file.path)
    ended, reading = Counter[int](), [[] for _ in range(5)]
    while ended.total() < 36:
        shown = [part.numpy().copy() for part in (envs.observations, envs.masks, envs.advice(), envs.players)]
        rewards, dones = envs.step(torch.zeros(5, dtype=torch.int64))
        for column, rows in enumerate(reading):
            rows.append(b"".join(part[column].tobytes() for part in (*shown, rewards.numpy())))
            if dones[column]:
                ended[whole[tuple(rows)]] += 1
                rows.clear()
    assert len(whole) == len(ended) == 12 and max(ended.values()) - min(ended.values()) <= 2
    assert envs.statistics()["score"] == pytest.approx(dataset.results().score.mean(), abs=0.5)


def of_a_search(tmp_path, **changes: Any) -> Args:
    """Record 40 games of one color in which both players search; return settings that learn from them."""
    args = replace(TINY, agent=None, config=ONE_COLOR, dataset=str(tmp_path / "games.npz"), **changes)
    search = agents.load("search:smart", args.make_config(), rollouts=12, seats="all")
    record(tmp_path / "games.npz", args.make_config(), search, 40, seed=1)
    return args


def test_an_interrupted_run_goes_on_in_its_dataset(tmp_path):
    """With a recurrent network, the memory of every game is restored too."""
    assert_resumes(train, of_a_search(tmp_path, steps=4 * UPDATE, network="recurrent"), tmp_path)


def test_a_dataset_without_a_decision_is_refused(tmp_path):
    seeds = np.zeros(2, np.uint64)
    block = GamesBlock(seeds, seeds + 1, np.zeros((2, 2), np.uint16), np.zeros(2, np.uint32), np.zeros(0, np.uint16))
    with writing(tmp_path / "empty.npz", PRESETS["mini"]) as writer:
        writer.places(["smart"])
        writer.add(block)
    with pytest.raises(ValueError, match=r"dataset must hold a decision, and all games of .*empty\.npz are empty"):
        train(replace(TINY, agent=None, dataset=str(tmp_path / "empty.npz"), run_dir=tmp_path / "run"))


@pytest.mark.parametrize(("game", "preset"), [("hanabi", "very_small"), ("ikebana", "single_round")])
def test_the_rules_are_those_of_the_dataset_if_nothing_else_is_said(tmp_path, game, preset):
    """Without options, the rules are those of the dataset, with the usual observation.

    Options change the observation; players and rules must agree with the dataset.
    """
    played = make_config(game, preset)
    path = str(record(tmp_path / "lessons.npz", played, agents.load("random", played), 1, seed=1).file.path)
    args = Args(game=game, dataset=path)
    config = args.make_config()
    args.check_agents(args.learned(config))
    assert config == played and args.learned(config) == replace(played, derived=True)
    with pytest.raises(ValueError, match="--features derived"):
        args.learned(replace(args, config=("derived=true",)).make_config())
    assert args.usual_name(config) == f"{game}-lessons-2p"
    assert replace(args, preset=preset).usual_name(config) == f"{game}-{preset}-2p"
    for other, refused in (
        (replace(args, players=3), "players=2, got 3"),
        (replace(args, config=("random_start_player=true",)), "random_start_player=False, got True"),
    ):
        with pytest.raises(ValueError, match=f"the games were played with {refused}"):
            other.check_agents(other.make_config())


def test_a_competitive_game_is_evaluated_against_the_agent():
    competitive = replace(TINY, game="ikebana", preset="single_round", agent="greedy")
    assert competitive.others() == ("greedy",)
    assert replace(competitive, opponent="random").others() == ("random",)
    assert TINY.others() == ()


@pytest.mark.slow
def test_a_run_starts_from_the_clone_of_a_bot(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run_dir = tmp_path / "run"
    main(["train", "--start", "smart", "--clone-part", "0.25", "--ranks", "1", *tiny_words(run_dir, 4)])
    clone, run = read_about(run_dir / "clone"), read_about(run_dir)
    assert (clone["algorithm"], clone["args"]["agent"], clone["args"]["steps"]) == ("cloning", "smart", UPDATE)
    assert (run["algorithm"], run["args"]["steps"]) == ("ppo", 3 * UPDATE)
    assert run["args"]["start"] == str(run_dir / "clone" / "policy.safetensors")
    assert clone["args"]["width"] == run["args"]["width"] == 32
    assert "agreement" in read_metrics(run_dir / "clone")[-1]
    assert f"A network learns to imitate smart first, in {run_dir / 'clone'}." in capsys.readouterr().out


def test_an_interrupted_clone_is_continued_and_a_finished_one_is_kept(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The clone of something else is neither continued nor kept, and none of its code runs."""
    args = ppo.Args(preset="very_small", start="smart", steps=400, run_dir=tmp_path)
    asked: list[Settings] = []
    config = tmp_path / "clone" / "config.json"

    def train(settings: Settings) -> None:
        asked.append(settings)
        for update in ("1", "2"):
            (tmp_path / "clone" / "checkpoint" / update).mkdir(parents=True, exist_ok=True)
        fraction = 1 if len(asked) == 3 else 0.5
        row = f'{{"update": 1, "steps": 1, "fraction": {fraction}}}\n'
        (tmp_path / "clone" / "metrics.jsonl").write_text(row, encoding="utf-8")
        if settings.resume is None:
            write_json(config, {"args": settings.to_json()})

    for _ in range(2):
        assert from_clone(args, 0.5, train) is None
        assert f"--run-dir {tmp_path} continues the clone" in capsys.readouterr().out
    for change in ({"agent": "evil.py:X"}, {"opponent": "evil.py:X"}):
        write_json(config, {"args": asked[0].to_json() | change})
        with pytest.raises(ValueError, match=r"has a clone with (agent|opponent)='evil.py:X', not .*: choose another"):
            from_clone(args, 0.5, lambda _: pytest.fail("code of the clone may run"))
    write_json(config, {"args": asked[0].to_json()})
    for _ in range(2):
        rest = from_clone(args, 0.5, train)
        assert rest is not None
        assert (rest.start, rest.steps) == (str(tmp_path / "clone" / "policy.safetensors"), 200)
    assert [settings.resume for settings in asked] == [None, tmp_path / "clone", tmp_path / "clone"]
    for other in (replace(args, start="cautious"), replace(args, width=32), replace(args, steps=800)):
        with pytest.raises(ValueError, match=r"has a clone with (agent|width|steps)=.*: choose another --run-dir"):
            from_clone(other, 0.5, train)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--start", "no_agent"], "no_agent"),
        (["--start", "smart", "--clone-part", "1"], "clone_part must be"),
        (["--start", "smart", "--algorithm", "sad"], "start must be a network, got the bot smart: .* are greedy-dense"),
        (["--start", "smart", "--algorithm", "iql", "--minibatch", "30"], "minibatch must be a multiple of"),
        (["--start", "smart", "--partners", "nosuch"], "an agent must be one of .* got 'nosuch'"),
    ],
)
def test_what_cannot_work_is_refused(words: list[str], message: str, tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match=message):
        main(["train", *tiny_words(tmp_path / "run"), *words])
