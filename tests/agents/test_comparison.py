"""Comparisons of algorithms: files are read strictly and run no code, runs are independent, and tables are correct."""

import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from hanabako import agents
from hanabako.agents import play
from hanabako.agents.commands.command_line import main
from hanabako.agents.learning.common import launch
from hanabako.agents.learning.common.runs import read_metrics
from hanabako.agents.results.comparison.measuring import check, check_folder, play_pair, settings_of
from hanabako.agents.results.comparison.reading import read
from hanabako.agents.results.comparison.rows import Pair, Run
from hanabako.agents.results.finding import STUDIES, find, load
from hanabako.agents.results.store import is_stale, read_results
from hanabako.agents.results.study import key_of
from hanabako.files import read_json, write_json
from tests.agents.files import PLAIN, declared, written
from tests.agents.tiny_runs import run_here
from tests.processes import ROOT

RECIPE = ROOT / "docs" / "recipes" / "reinforce.py"
SMALL = "games = 32, horizon = 8, width = 16, evaluations = 2, evaluation_games = 4, final_games = 40, device = 'cpu'"
WHOLE = f"""
study = "comparison"
game = "hanabi"
preset = "very_small"
steps = 512
seeds = [1, 2]
deals = 4
partners = ["cautious"]

[algorithms.ippo]
module = "ppo"
settings = {{ minibatch = 64, {SMALL} }}

[algorithms.mine]
module = "reinforce"
settings = {{ entropy = 0.01, {SMALL} }}
share = 0.5
"""
# --- Trained and played -----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """PPO and a user's own algorithm, two seeds each, trained and played in this process."""
    folder = tmp_path_factory.mktemp("comparison")
    shutil.copy(RECIPE, folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(launch, "run_module", run_here)
        main(["study", "run", str(written(folder, WHOLE))])
    return folder


def test_every_algorithm_is_trained_once_per_seed_and_all_play_with_all_in_both_seatings(trained: Path):
    rows = read_results(trained / "compare.json")
    runs = [row for row in rows if "algorithm" in row["fields"]]
    expected = [("ippo", 1, 512), ("mine", 1, 256), ("ippo", 2, 512), ("mine", 2, 256)]
    assert [(row["algorithm"], row["seed"], row["steps"]) for row in runs] == expected
    assert all({"score", "score_error", "core_seconds"} <= row.keys() and row["games"] == 40 for row in runs)
    assert [steps for steps, _ in runs[0]["curve"]] == [256, 512]
    pairs = {(row["one"], row["other"]): row for row in rows if "one" in row["fields"]}
    names = ["cautious", "ippo-1", "ippo-2", "mine-1", "mine-2"]
    assert pairs.keys() == {(one, other) for one in names for other in names}
    assert all(row["done"] == row["wanted"] == 4 for row in pairs.values())


def test_page_and_figures_lie_beside_the_file(trained: Path):
    text = (trained / "compare.md").read_text(encoding="utf-8")
    assert "| ippo (equivariant) | 2 | 512 |" in text and "| mine | 2 | 256 |" in text and "too few runs" in text
    assert "Shares of the budget: mine 0.5." in text
    for name in ("curves", "scores", "matrix", "profiles", "actions"):
        assert (trained / f"compare-{name}.png").read_bytes().startswith(b"\x89PNG")
        assert f"(compare-{name}.png)" in text


def test_runs_of_one_algorithm_have_their_agreement_and_the_first_its_actions(trained: Path):
    rows = read_results(trained / "compare.json")
    agreed = {(row["one"], row["other"]) for row in rows if "agreement" in row}
    assert agreed == {(f"{name}-{k}", f"{name}-{3 - k}") for name in ("ippo", "mine") for k in (1, 2)}
    assert all(0 <= row["agreement"] <= 1 for row in rows if "agreement" in row)
    counted = {(row["one"], row["other"]): np.array(row["actions"]) for row in rows if "actions" in row}
    assert counted.keys() == {("ippo-1", "ippo-1"), ("mine-1", "mine-1")}
    for percents in counted.values():  # each rounded
        sums = percents.sum(axis=1)
        assert (np.abs(sums[sums > 0] - 100) < 5).all()
    assert "| same action |" in (trained / "compare.md").read_text(encoding="utf-8")


def test_what_is_finished_is_not_done_again(trained: Path, monkeypatch: pytest.MonkeyPatch):
    before = (trained / "compare.json").read_bytes()
    monkeypatch.setattr(launch, "run_module", lambda *_: pytest.fail("a run is trained again"))
    main(["study", "run", str(trained / "compare.toml")])
    assert (trained / "compare.json").read_bytes() == before


@pytest.mark.slow
def test_pairs_of_finished_runs_can_be_played_before_all_runs_have_ended(
    trained: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    shutil.copytree(trained, tmp_path, dirs_exist_ok=True)
    path = tmp_path / "compare.json"
    content = read_json(path)
    content["rows"] = [row for row in content["rows"] if "algorithm" in row["fields"] and row["seed"] == 1]
    write_json(path, content)
    monkeypatch.setattr(launch, "run_module", None)
    main(["study", "run", str(tmp_path / "compare.toml"), "--finished"])
    rows, names = read_results(path), ["cautious", "ippo-1", "mine-1"]
    assert [f"{row['algorithm']}-{row['seed']}" for row in rows if "algorithm" in row["fields"]] == names[1:]
    pairs = [(row["one"], row["other"]) for row in rows if "one" in row["fields"]]
    assert sorted(pairs) == [(one, other) for one in names for other in names]
    assert "| ippo (equivariant) | 1 |" in (tmp_path / "compare.md").read_text(encoding="utf-8")
    before = path.read_bytes()
    main(["study", "run", str(tmp_path / "compare.toml"), "--finished", "--where", "algorithm=ippo"])
    assert path.read_bytes() == before, "the missing run of these rows is not trained either"


def test_runs_share_neither_weights_nor_deals(tmp_path: Path):
    """All random numbers of a run follow from its algorithm and seed; a learner's own `--seed` keeps its meaning."""
    shutil.copy(RECIPE, tmp_path)
    whole = declared(tmp_path, WHOLE)
    runs = [row for row in whole.rows() if isinstance(row, Run)]
    assert len({run.stream for run in runs}) == len(runs)
    assert [settings_of(run).seed for run in runs] == [run.stream for run in runs]
    alike = declared(tmp_path, WHOLE.replace('module = "reinforce"', 'module = "ppo"').replace("entropy = 0.01, ", ""))
    assert alike.run("mine", 1).stream == whole.run("mine", 1).stream != alike.run("ippo", 1).stream
    assert 0 <= whole.run("mine", 1).stream < 2**40


@pytest.mark.slow
@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("width = 16", "width = 24", "width 16 instead of 24"),
        ("minibatch = 64, ", "", "minibatch 64 instead of 1024"),
        ('module = "ppo"', 'module = "mappo"', "algorithm 'ppo' instead of 'mappo'"),
        ('module = "ppo"', 'module = "ppo"\nranks = 2', "ranks 1 instead of 2"),
    ],
)
def test_a_run_of_other_settings_is_not_gone_on_with(
    old: str, new: str, said: str, trained: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    folder = tmp_path / "copy"
    shutil.copytree(trained, folder)
    written(folder, WHOLE.replace(old, new))
    with pytest.raises(SystemExit, match="1 of 1 rows could not be played"):
        main(["study", "run", str(folder / "compare.toml"), "--where", "seed=1", "algorithm=ippo"])
    assert f"holds another run, with {said}: move it, or rename the algorithm" in capsys.readouterr().err
    assert len(read_results(folder / "compare.json")) == 4 + 25


def test_a_run_continues_under_another_spelling_of_a_path(cwd: Path):
    run = declared(cwd, PLAIN).run("one", 1)
    kept = settings_of(run).to_json() | {"start": "beside/net.safetensors"}
    write_json(run.folder / "config.json", {"algorithm": "ppo", "ranks": 1, "args": kept})
    same = PLAIN + f"settings = {{ start = {str(cwd / 'beside' / 'net.safetensors')!r} }}\n"
    run = declared(cwd, same).run("one", 1)
    check_folder(run, settings_of(run))
    run = declared(cwd, same.replace("net.", "other.")).run("one", 1)
    with pytest.raises(ValueError, match="holds another run, with start"):
        check_folder(run, settings_of(run))


def test_the_name_of_a_bot_is_never_a_network_beside_the_file(trained: Path, tmp_path: Path):
    (tmp_path / "smart").mkdir()
    shutil.copy(trained / "compare" / "ippo-1" / "policy.safetensors", tmp_path / "smart")
    whole = declared(tmp_path, PLAIN.replace("steps = 100", 'steps = 100\npartners = ["smart", "./smart"]'))
    assert whole.where("smart") == "smart"
    assert Path(whole.where("./smart")) == tmp_path / "smart"


def test_a_pair_is_stale_when_a_policy_in_it_has_changed(trained: Path, tmp_path: Path):
    result = next(row for row in read_results(trained / "compare.json") if row.get("other") == "mine-1")
    assert not is_stale(result)
    policy = trained / "compare" / "mine-1" / "policy.safetensors"
    before = policy.read_bytes()
    policy.write_bytes(before + b" ")
    assert is_stale(result)
    policy.write_bytes(before)


def test_a_policy_that_is_gone_is_named_with_the_way_to_train_it_again(tmp_path: Path):
    pair = next(row for row in declared(tmp_path).rows() if isinstance(row, Pair))
    with pytest.raises(ValueError, match=r"one-1/policy\.safetensors is gone: .* --again --where algorithm=one seed=1"):
        load(find(str(tmp_path / "compare.toml"))).play(pair, None)


# --- The file ---------------------------------------------------------------------------------------------------------


def test_only_training_runs_the_code_that_a_file_names(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    (tmp_path / "mine.py").write_text("raise RuntimeError('the file has run')\n", encoding="utf-8")
    path = written(tmp_path, PLAIN.replace('"ppo"', '"mine"'))
    main(["study", "list", str(path)])
    assert "0 of 2000" in capsys.readouterr().out
    main(["study", "page", str(path)])
    assert "Nothing has been measured yet" in (tmp_path / "compare.md").read_text(encoding="utf-8")
    said = r"algorithms\.one: .*mine\.py cannot be imported: line 1: RuntimeError: the file has run"
    with pytest.raises(SystemExit, match=said):
        main(["study", "run", str(path)])


@pytest.mark.parametrize("module", ["reinforce", "reinforce.py", "mappo", "learns_by_itself"])
def test_a_module_is_ours_or_beside_the_file_or_importable(
    module: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    shutil.copy(RECIPE, tmp_path)
    importable = tmp_path / "importable"
    importable.mkdir()
    monkeypatch.syspath_prepend(str(importable))
    shutil.copy(RECIPE, importable / "learns_by_itself.py")
    check(declared(tmp_path, PLAIN.replace('"ppo"', f'"{module}"')))


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("steps = 100", "", "exactly one budget must be given: steps or core_minutes"),
        ("steps = 100", "steps = 100\ncore_minutes = 5", "exactly one budget"),
        ("steps = 100", "steps = 0", "steps must be at least 1, got 0"),
        ("seeds = [1, 2]", "seeds = []", r"seeds must be different .*, at least one, got \[\]"),
        ("seeds = [1, 2]", "seeds = [1, 1]", "seeds must be different"),
        ("seeds = [1, 2]", "seeds = [1, 9223372036854775808]", "seeds must be different integers from 0 to"),
        ("seeds = [1, 2]", f"seeds = {list(range(3000))}", "runs must be at most 500, .* got 3,000"),
        ("seeds = [1, 2]", 'seeds = [1, 2]\npartners = ["smart\\u0000"]', "printable characters"),
        ("seeds = [1, 2]", "", "a comparison must say seeds"),
        ('"comparison"', '"sweep"', 'study must be "comparison"'),
        ('"mini"', '"huge"', "huge"),
        ("steps = 100", "steps = 100\nstep = 3", "a comparison has game, .*, got 'step'"),
        ("steps = 100", "steps = 100\nreproduction = false", "reason must say why the rows are not reproductions"),
        ("steps = 100", 'steps = 100\nreason = "short"', "be given only with reproduction = false"),
        ("steps = 100", 'steps = 100\npairs = "few"', "pairs must be one of 'all', 'same seed'"),
        ('"hanabi"\npreset = "mini"', '"koikoi"\npairs = "same seed"', 'pairs must be "all" in a competitive game'),
        ("steps = 100", 'steps = 100\npartners = ["one-2"]', "partners must not have the name of a run"),
        ("steps = 100", 'steps = 100\npartners = ["smart", "smart"]', "partners and references must differ"),
        ("[algorithms.one]", '[algorithms."a/b"]', "the name of an algorithm must be at most 100 letters"),
        ('module = "ppo"', "", "algorithms.one: it must say module"),
        ('module = "ppo"', 'module = "ppo"\nshare = 1.5', "algorithms.one: share must be at most 1"),
        ('module = "ppo"', 'module = "ppo"\nranks = 1000000000', "ranks must be at most 4,096"),
        ('module = "ppo"', 'module = "ppo"\nranks = 1\nsettings = { ranks = 2 }', "one: ranks must be given once"),
        ('module = "ppo"', 'module = "ppo"\nsettings = 3', "algorithms.one must be a table"),
        ('module = "ppo"', 'module = "ppo"\nseeds = [2, 3]', r"algorithms.one: seeds must be .*, got \[2, 3\]"),
        (
            'module = "ppo"',
            'module = "ppo"\nseeds = [2]\n[algorithms.two]\nmodule = "ppo"\nsettings = { start = "{one}" }',
            "algorithms.two: run two-1 needs one-1, which is no run",
        ),
        (
            'module = "ppo"',
            'module = "ppo"\nsettings.start = "{two}"\n[algorithms.two]\nmodule = "vdn"\nsettings.start = "{one}"',
            "in a circle, got (one -> two -> one|two -> one -> two)",
        ),
        ('[algorithms.one]\nmodule = "ppo"', "", r"at least one table \[algorithms.NAME\]"),
        ("[algorithms.one]", "settings = 3\n[algorithms.one]", r"settings must be a table \[settings\]"),
        ('[algorithms.one]\nmodule = "ppo"', "algorithms = 3", r"algorithms must be a table \[algorithms\]"),
        ("steps = 100", "steps = ", "Invalid value"),
        ("steps = 100", f"steps = {'[' * 3000}", "is nested too deeply to be read"),
        ("[algorithms.one]", "[config]\ncolors = 1979-05-27\n[algorithms.one]", "config has a value that no field can"),
    ],
)
def test_a_wrong_file_is_refused_in_a_sentence(old: str, new: str, said: str, tmp_path: Path):
    with pytest.raises(ValueError, match=rf"compare\.toml:? .*{said}"):
        declared(tmp_path, PLAIN.replace(old, new))


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ("settings.seed = 3", "one: settings must be among ranks, .*, got 'seed'"),
        ("settings.speed = 3", "one: settings must be among ranks, .*, got 'speed'"),
        ("settings.gamma = 5.0", "one: gamma must be at most 1"),
        ('settings.gamma = "much"', "one: gamma must be float"),
        ("settings.ranks = 3", "one: .*multiple of the 3 ranks"),
        ("config.hand_size = 4", "one: one plays by other rules"),
        ("config.players = 3", "one: one plays by other rules"),
        (
            '[algorithms.two]\nmodule = "iql"\n[settings]\ngae_lambda = 0.9',
            "two: settings must be among ranks, .*, got 'gae_lambda'",
        ),
    ],
)
def test_what_an_algorithm_cannot_do_is_refused_before_anything_is_trained(more: str, said: str, tmp_path: Path):
    whole = declared(tmp_path, PLAIN + more)
    with pytest.raises(ValueError, match=rf"algorithms\.{said}"):
        check(whole)


def test_a_budget_of_core_minutes_is_of_all_ranks_together_and_has_shares(tmp_path: Path):
    text = PLAIN.replace("steps = 100", "core_minutes = 6") + "settings = { ranks = 2 }\nshare = 0.5\n"
    run = declared(tmp_path, text).run("one", 1)
    assert run.cores == 2
    assert run.settings.endswith("--minutes 1.5 --clock core")


def test_settings_of_all_algorithms_are_overridden_by_their_own(tmp_path: Path):
    shared = '[algorithms.two]\nmodule = "ppo"\n[settings]\nranks = 2\ngamma = 0.9\nwidth = 32\n'
    whole = declared(tmp_path, PLAIN + "settings.gamma = 0.5\n" + shared)
    assert [whole.run(name, 1).ranks for name in ("one", "two")] == [2, 2]
    told = [whole.run(name, 1).learner_settings for name in ("one", "two")]
    assert [(own["gamma"], own["width"]) for own in told] == [(0.5, 32), (0.9, 32)]
    check(whole)


def test_an_algorithm_may_have_fewer_runs_than_the_others(tmp_path: Path):
    whole = declared(tmp_path, PLAIN + '[algorithms.two]\nmodule = "ppo"\nseeds = [2]\n')
    check(whole)
    assert [run.name for run in whole.all_runs()] == ["one-1", "one-2", "two-2"]
    pairs = [row for row in whole.rows() if isinstance(row, Pair)]
    assert len(pairs) == 9
    assert [pair.one for pair in pairs if pair.is_first_alone] == ["one-1", "two-2"]


def test_an_algorithm_may_observe_less_than_the_others_and_works_out_its_features(tmp_path: Path):
    others = '[algorithms.two]\nmodule = "ppo"\n[config]\nhistory = 8\n'
    whole = declared(tmp_path, PLAIN + "config.history = 2\n" + others)
    check(whole)
    config, (one, two) = whole.make_config(), (settings_of(whole.run(name, 1)) for name in ("one", "two"))
    assert (config.derived, config.history, one.make_config().history) == (False, 8, 2)
    assert two.make_config() == config and two.learned(config) == replace(config, derived=True)
    assert whole.run("one", 1).key != whole.run("two", 1).key


def test_a_setting_may_name_the_policy_of_another_algorithm_with_the_same_seed(tmp_path: Path):
    text = PLAIN + '[algorithms.two]\nmodule = "off_belief"\nsettings = { level_below = "{one}" }\n'
    first, second = (declared(tmp_path, text).run(name, 2) for name in ("one", "two"))
    assert list(second.needs) == [first]
    assert second.agents == [str(first.policy)]
    assert second.learner_settings["level_below"] == str(tmp_path / "compare" / "one-2" / "policy.safetensors")
    assert list(Pair(second.of, "two-2", "one-2", "").needs) == [second, first]


@pytest.mark.parametrize(("game", "preset"), [("hanabi", "mini"), ("ikebana", "single_round")])
def test_of_three_players_the_first_is_one_agent_and_the_others_are_the_other(game: str, preset: str, tmp_path: Path):
    """The score of a pair is the team's, or in a competitive game the return of the first."""
    one, other = ("cautious", "smart") if game == "hanabi" else ("greedy", "random")
    text = PLAIN.replace("hanabi", game).replace("mini", preset)
    text = text.replace("[algorithms", f"players = 3\ndeals = 40\npartners = ['{one}', '{other}']\n[algorithms")
    whole = declared(tmp_path, text)
    config = whole.make_config()
    for names in ((one, other), (other, one)):
        (pair,) = [row for row in whole.rows() if isinstance(row, Pair) and (row.one, row.other) == names]
        first, *rest = (agents.load(name, config) for name in (names[0], names[1], names[1]))
        played = play(config, [first, *rest], 40, seed=1)
        score = played.score if game == "hanabi" else played.rewards[:, 0]
        assert play_pair(pair)["score"] == pytest.approx(score.mean(), abs=1e-4)


# --- The project's own comparisons ------------------------------------------------------------------------------------

OWN = sorted(path for path in STUDIES.glob("*.toml") if 'study = "comparison"' in path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", OWN, ids=lambda path: path.stem)
def test_committed_results_are_those_of_the_file(path: Path):
    results = read_results(STUDIES / "results" / f"{path.stem}.json")
    assert {key_of(result) for result in results} <= {row.key for row in load(find(path.stem)).rows}


@pytest.mark.parametrize("path", OWN, ids=lambda path: path.stem)
def test_every_comparison_can_be_run(path: Path):
    check(read(path, Path("runs")))


@pytest.mark.slow
def test_the_recipe_is_an_algorithm_and_a_script(tmp_path: Path):
    options = SMALL.replace("_", "-").replace("'", "").replace(",", "").replace(" = ", " ").split()
    words = [f"--{word}" if k % 2 == 0 else word for k, word in enumerate(options)]
    told = ["--preset", "very_small", "--steps", "512", *words]
    main(["train", "--algorithm", str(RECIPE), "--ranks", "1", *told, "--run-dir", str(tmp_path / "one")])
    script = [sys.executable, str(RECIPE), *told, "--run-dir", str(tmp_path / "two")]
    subprocess.run(script, check=True, cwd=tmp_path, capture_output=True, timeout=300)
    one, two = (read_metrics(tmp_path / name)[-1]["loss"] for name in ("one", "two"))
    assert one == two


def test_a_run_names_no_code_that_is_run_when_it_is_resumed(tmp_path: Path):
    """To resume a run of an algorithm that is not part of the package, the user must name its file."""
    write_json(tmp_path / "config.json", {"algorithm": "evil", "args": {}})
    (tmp_path / "evil.py").write_text("raise RuntimeError('the file has run')\n", encoding="utf-8")
    with pytest.raises(SystemExit, match=r"made by the algorithm 'evil', .* name its file or module by --algorithm"):
        main(["train", "--resume", str(tmp_path)])
