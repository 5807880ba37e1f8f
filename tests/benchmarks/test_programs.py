"""Every benchmark runs for an instant, and its output has the columns that the pages read."""

import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from benchmarks import games, pages
from benchmarks.speed import compile_time, learner, learners, peers, products, throughput, timing
from hanabako.agents.networks.kinds import BASIC_NETWORKS
from hanabako.agents.results.store import read_results
from hanabako.envs.vector import CardGameVectorEnv
from hanabako.program import run_program
from hanabako.timing import recorded_actions
from tests.processes import ROOT

pytestmark = pytest.mark.slow

GAME = games.GAMES["hanabi"].make(2)


@pytest.mark.parametrize("group", throughput.GROUPS)
def test_every_group_of_throughput_runs(group: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(throughput, "FORMATS", (None, "packed"))
    monkeypatch.setattr("hanabako.timing.STEPS_PER_CALL", 64)
    wishes = replace(games.WISHES["hanabi"], presets={"standard": {"preset": "standard"}})
    monkeypatch.setitem(games.GAMES, "hanabi", replace(games.GAMES["hanabi"], wishes=wishes))
    settings = {
        "players": [2],
        "seconds": 1e-6,
        "repeats": 2,
        "sizes": [1, 8],
        "threads": 1,
        "out": tmp_path / "speeds.json",
    }
    throughput.main(throughput.Args(game=["hanabi"], only=group, **settings))
    rows = read_results(tmp_path / "speeds.json")
    assert rows[0]["versions"]["numba"]
    assert rows[0]["path"] == ("raw_env" if group == "aec" else "roll-out")
    for row in rows:
        assert row["group"] == group and row["players"] == 2
        assert len(row["repeats"]) == 2 and row["lowest"] <= row["steps_per_second"] <= row["highest"]


def test_every_game_is_measured_and_rows_of_other_games_are_kept(tmp_path: Path):
    settings = {"players": [2], "only": "aec", "seconds": 1e-6, "repeats": 1, "out": tmp_path / "speeds.json"}
    throughput.main(throughput.Args(**settings))
    throughput.main(throughput.Args(game=["hanabi"], **settings))
    rows = [(row["game"], row["path"]) for row in read_results(tmp_path / "speeds.json")]
    assert sorted(rows) == sorted((game, path) for game in games.GAMES for path in ("raw_env", "env"))
    assert len(rows) == len(set(rows)) and rows[-1][0] == "hanabi"


def test_peers_compares_within_a_content_and_says_what_is_missing(tmp_path: Path, monkeypatch, capsys):
    absent = peers.Peer("Absent", "moves", lambda _: lambda: 1, needs=("a_module_that_does_not_exist",))
    other = peers.Peer("Tortoise", "moves", lambda _: lambda: 1)
    ours = next(peer for peer in peers.PEERS if peer.is_ours and peer.content == "moves")
    monkeypatch.setattr(peers, "PEERS", (ours, other, absent))
    monkeypatch.setattr(peers, "stay_on_one_core", lambda: None)
    out = tmp_path / "peers.json"
    peers.main(peers.Args(players=[2], seconds=0.01, repeats=1, out=out))
    assert "skipped: Absent (moves): lacks a_module_that_does_not_exist" in capsys.readouterr().out
    rows = {row["peer"]: row for row in read_results(out)}
    assert set(rows) == {ours.name, "Tortoise"}
    ratio = rows[ours.name]["steps_per_second"] / rows["Tortoise"]["steps_per_second"]
    assert rows["Tortoise"]["slower_than_hanabako"] == pytest.approx(ratio, rel=0.01)


OTHERS = [pytest.param(peer, id=f"{peer.name}, {peer.content}") for peer in peers.PEERS if not peer.is_ours]


@pytest.mark.filterwarnings("ignore")  # warnings about unclosed files or deprecated names come from other packages
@pytest.mark.parametrize("peer", OTHERS)
def test_every_installed_peer_plays(peer: peers.Peer):
    if peers.missing(peer):
        pytest.skip(f"lacks {', '.join(peers.missing(peer))}")
    assert peer.build(2)() > 0


def test_the_learner_is_measured_with_every_network(tmp_path: Path):
    out = tmp_path / "learner.json"
    learner.main(learner.Args(device="cpu", games=16, minibatch=64, seconds=1e-6, repeats=1, out=out))
    rows = read_results(out)
    assert [row["network"] for row in rows if row["trunk"] == "float32"] == [network.kind for network in BASIC_NETWORKS]
    for row in rows:
        assert row["steps_per_second"] > 0
        assert row["share_of_peak"] == pytest.approx(
            row["steps_per_second"] * row["kflop"] / row["peak_gflops"] / 1e6, rel=0.01
        )
    assert rows[0]["versions"]["torch"]
    assert "share of the peak of matrix products" in pages.learning_speeds(rows)


def test_matrix_products_are_recorded_forward_and_backward():
    layer, seen = torch.nn.Linear(5, 3), torch.ones(2, 4, 5, requires_grad=True)
    with products.RecordedProducts() as recorded:
        layer(seen).sum().backward()
    sizes = {(*product.left.shape, product.right.shape[1]): times for product, times in recorded.times.items()}
    assert sizes == {(8, 5, 3): 1, (8, 3, 5): 1, (3, 8, 5): 1}  # output, gradients of the input and of the weights
    assert all(product.flops == 240 for product in recorded.times)
    assert all(products.best_seconds(product, 1e-6, time.perf_counter) > 0 for product in recorded.times)


@pytest.mark.parametrize("program", [peers, learner, learners, compile_time, throughput])
def test_what_cannot_be_written_is_said_before_anything_is_measured(
    program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("hanabako.results_file.describe", lambda *_: pytest.fail("the measuring begins"))
    (tmp_path / "file").write_text("kept", encoding="utf-8")
    with pytest.raises(NotADirectoryError, match="cannot be written"):
        program.main(program.Args(out=tmp_path / "file" / "results"))


@pytest.mark.parametrize(
    ("program", "words", "says"),
    [
        *(
            (program, "--repeats 0", "repeats must be at least 1, got 0")
            for program in (peers, learner, learners, compile_time)
        ),
        *((program, "--seconds nan", "seconds must be a number from 0 to") for program in (peers, learner, throughput)),
        (throughput, "--seconds -1", "seconds must be above 0, got -1.0"),
        (throughput, "--sizes 8 0", "sizes must be at least 1, got 0"),
        (throughput, "--only", "--only must not be empty"),
        (learner, "--games 0", "games must be at least 1, got 0"),
        (learner, f"--minibatch 1{30 * '0'}", "minibatch must be at most 2,147,483,647, got 10"),
        (compile_time, "--cold-repeats -1", "cold_repeats must be at least 1, got -1"),
    ],
)
def test_a_size_that_cannot_be_is_refused_before_a_file_is_tried(
    program, words: str, says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(timing, "check_writable", lambda *_: pytest.fail("a file is tried"))
    told = [*words.split(), *([""] if words == "--only" else [])]
    with pytest.raises(SystemExit, match=f"^{program.__name__.rpartition('.')[2]}: {says}"):
        run_program(program.main, program.Args, program.__name__, None, [*told, "--out", str(tmp_path / "out")])


@pytest.mark.parametrize("program", [peers, learner, learners, compile_time])
def test_a_trial_is_kept_apart_from_the_committed_results(program, tmp_path: Path):
    usual = program.Args()
    committed, trials = Path("benchmarks/speed/results/a.json"), Path(".cache/benchmarks/a.json")
    assert timing.place(usual, "a.json") == ROOT / committed
    assert timing.place(replace(usual, repeats=usual.repeats + 1), "a.json") == ROOT / committed
    assert timing.place(replace(usual, repeats=usual.repeats - 1), "a.json") == ROOT / trials
    if hasattr(usual, "seconds"):
        assert timing.place(replace(usual, seconds=0.02), "a.json") == ROOT / trials
    if hasattr(usual, "only"):
        assert timing.place(replace(usual, only="x"), "a.json") == ROOT / trials
    assert timing.place(replace(usual, repeats=1, out=tmp_path), "a.json") == tmp_path


def test_a_part_of_the_throughput_is_a_trial(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(throughput, "run", lambda *_: [])
    monkeypatch.setattr(timing, "RESULTS", tmp_path / "committed")
    monkeypatch.setattr(timing, "TRIALS", tmp_path / "trials")
    throughput.main(throughput.Args(game=["hanabi"]))
    assert [path.parent.name for path in tmp_path.rglob("*.json")] == ["committed"]
    throughput.main(throughput.Args(game=["ikebana"], only="aec"))
    (path,) = (tmp_path / "trials").rglob("*.json")
    path.unlink()
    throughput.main(throughput.Args(game=["koikoi"], seconds=0.02))
    assert path.exists()


def test_a_start_is_measured_in_a_process_of_its_own(tmp_path: Path):
    assert 0 < compile_time.start("    sum(range(10))", str(tmp_path)) < 10


def test_recorded_actions_stay_legal_when_they_are_replayed():
    environment = CardGameVectorEnv(GAME, 3, observation="packed")
    actions = recorded_actions(environment, 40)
    environment.reset(seed=0)
    ends = 0
    for row in actions:
        *_, infos = environment.step(row)
        assert not np.any(infos.get("illegal", False))
        ends += np.count_nonzero(infos.get("_score", False))
    assert ends > 0
