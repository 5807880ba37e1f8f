"""What `make train` prints at its end."""

from dataclasses import replace

import pytest

from benchmarks import demo
from hanabako.agents.commands import watch
from hanabako.agents.learning import ppo
from hanabako.agents.learning.common import runs
from tests.agents.test_ppo import TINY
from tests.agents.tiny_runs import UPDATE


def test_a_run_ends_with_its_score_its_observation_and_where_things_are(tmp_path):
    run_dir = ppo.train(replace(TINY, preset="mini", steps=UPDATE, run_dir=tmp_path / "run"))
    page = watch.page_of(watch.Args(str(run_dir)))
    text = demo.describe(run_dir, runs.read_metrics(run_dir)[-1])
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert "observation card_knowledge, features derived" in text
    assert "of 9" in text
    for name in ("curve.png", "replay.html", "policy.safetensors"):
        assert str(run_dir / name) in text
        assert (run_dir / name).is_file()


def test_the_published_figures_stand_beside_a_full_game_with_the_caveat(tmp_path):
    run_dir = ppo.train(replace(TINY, preset="standard", steps=UPDATE, run_dir=tmp_path / "run"))
    text = demo.describe(run_dir, runs.read_metrics(run_dir)[-1])
    assert "Rainbow (Bard et al. 2020)                     20.64" in text
    assert "compare steps only with learners that have them too" in text


def test_a_run_that_cannot_be_written_is_said_before_anything_is_compiled(tmp_path, monkeypatch):
    monkeypatch.setattr(demo, "compile_game", lambda _: pytest.fail("compiled"))
    (tmp_path / "file").write_text("kept", encoding="utf-8")
    with pytest.raises(SystemExit, match=r"^demo: .*config\.json cannot be written"):
        demo.main(["--run-dir", str(tmp_path / "file")])


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("--minutes 0", "minutes must be above 0, got 0.0"),
        ("--minutes nan", "minutes must be a finite number, got nan"),
        ("--seed -1", "seed must be at least 0, got -1"),
        ("--ranks 0", "ranks must be at least 1, got 0"),
        ("--ranks 3", "games must be a multiple of the 3 ranks, got 1024"),
    ],
)
def test_what_a_demo_cannot_do_is_refused_before_anything_is_compiled(words, says, cwd, monkeypatch):
    monkeypatch.setattr(demo, "compile_game", lambda _: pytest.fail("compiled"))
    with pytest.raises(SystemExit, match=f"^demo: {says}"):
        demo.main(words.split())
    assert not list(cwd.iterdir())


def test_a_demo_without_a_run_to_resume_says_so(tmp_path):
    with pytest.raises(SystemExit, match=r"^demo: .* holds no run to resume"):
        demo.main(["--resume", str(tmp_path)])
