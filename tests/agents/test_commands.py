"""The command `hanabako`: its subcommands, its error messages, and what it needs installed."""

import io
import json
import re
import signal
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import torch
from torch.distributed.run import parse_args

import hanabako
from hanabako.agents import registry
from hanabako.agents.commands import benchmark, command_line, watch
from hanabako.agents.commands.command_line import COMMANDS, main
from hanabako.agents.learning import iql, ppo
from hanabako.agents.learning.common import launch, runs
from hanabako.agents.learning.common.algorithms import NAMES, maker_of, named
from hanabako.agents.learning.common.runs import read_metrics
from hanabako.agents.networks.neural_policy import load_policy
from hanabako.agents.networks.policy_file import read_metadata
from hanabako.engine.game import Game
from hanabako.files import write_text
from hanabako.games import GameEntry, game_in_words, games, make_config
from hanabako.interrupts import INTERRUPTED
from hanabako.words.typed import from_json
from tests.agents.files import result_of
from tests.agents.people import EVERY_GAME, SHORT
from tests.agents.tiny_runs import SMALL, UPDATE, stop_after, tiny_words
from tests.hanabako.test_replay import data_of
from tests.processes import ROOT, ran


def fresh(code: str, folder: Path = ROOT, **variables: str) -> subprocess.CompletedProcess[str]:
    return ran([sys.executable, "-c", code], folder, **variables)


@pytest.mark.slow
def test_a_reader_that_ends_early_is_no_error():
    words = [sys.executable, "-m", "hanabako", "study", "list", "small"]
    with subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as listed:
        assert listed.stdout is not None and listed.stderr is not None
        listed.stdout.readline()
        listed.stdout.close()
        said, status = listed.stderr.read(), listed.wait(60)
    assert (said, status) == (b"", 141)


SEARCHING = (
    *("play hanabi --with search:smart", "evaluate hanabi --agents search:smart", "watch search:smart"),
    *("watch random --preset mini --adviser search:smart", "record hanabi --agents search:smart"),
)
"""Commands in which an agent searches."""

COUNTS = (
    *("evaluate hanabi --games", "benchmark --games", "benchmark --repeats", "record --games", "train --games"),
    *("train --final-games", "train --evaluation-games", "train --minibatch", "train --horizon", "train --ranks"),
    *("train --algorithm iql --passes", "train --algorithm cloning --epochs"),
)
"""Commands with an option that is a number of something."""

WORDS = (
    *("train --run-dir", "train --resume", "train --algorithm", "train --opponent", "evaluate hanabi --preset"),
    *("play hanabi --adviser", "play hanabi --out", "watch random --adviser", "study run x --out"),
    *("record --source", "record --out"),
)
"""Commands with an option that is a word, which must not be empty."""

WITHOUT = """
import sys
from importlib.machinery import PathFinder
found = PathFinder.find_spec
PathFinder.find_spec = lambda name, *others: None if name.partition(".")[0] in {packages} else found(name, *others)
"""
"""The beginning of a program for which some packages are not installed."""


# --- Help, errors, completion -----------------------------------------------------------------------------------------


def test_the_overview_names_every_command(capsys: pytest.CaptureFixture[str]):
    main([])
    out = capsys.readouterr().out
    for name, about in COMMANDS.items():
        assert re.search(rf"^  {name} +{re.escape(about)}$", out, re.MULTILINE)


@pytest.mark.parametrize("name", COMMANDS)
def test_help_shows_every_example_on_a_line_of_its_own_and_no_path(name: str, capsys: pytest.CaptureFixture[str]):
    with pytest.raises(SystemExit, match="0"):
        main([name, "--help"])
    out = capsys.readouterr().out
    assert out.startswith(f"usage: hanabako {name} [-h]")
    examples = [line for line in out.splitlines() if f"hanabako {name}" in line][1:]
    assert examples and all(line.startswith(f"    hanabako {name}") for line in examples)
    assert all(line.count(f"hanabako {name}") == 1 for line in examples)
    assert str(ROOT) not in out


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("chess", "hanabako: the command must be one of train, evaluate, .*, got 'chess'"),
        ("play chess", "hanabako play: game must be one of hanabi, ikebana, koikoi, got 'chess'"),
        ("play hanabi --with nobody", "hanabako play: an agent must be one of random"),
        ("play hanabi --seat 2", "hanabako play: seat must be an int from 0 to 1, got 2"),
        ("play hanabi --config colours=3", "hanabako play: HanabiConfig got an unexpected keyword"),
        ("play hanabi --seed -1", "hanabako play: seed must be an int from 0"),
        ("play hanabi --search rollouts=3", r"play: rollouts: for agents that search \(search:NAME\), got random"),
        *(
            (f"{words} --search rollouts=2 rollouts=3", "rollouts must be given only once, got 2 and 3")
            for words in SEARCHING
        ),
        *((f"{words} --search rolls=2", "unexpected keyword argument 'rolls'") for words in SEARCHING),
        (f"{SEARCHING[0]} --search margin=null", "margin must have a value, got None"),
        (f"{SEARCHING[0]} --search config=3", "unexpected keyword argument 'config'"),
        ("evaluate hanabi --games 0", "hanabako evaluate: games must be at least 1, got 0"),
        ("watch nowhere.json --seed 7", "seed is for agents that play, and nowhere.json is a recorded game"),
        ("watch nowhere.json --number 1", "number is for a dataset, and nowhere.json is a recorded game"),
        ("watch nowhere.json", r"hanabako watch: No such file or directory: 'nowhere\.json'"),
        ("watch .", "hanabako watch: . holds no policy.safetensors"),
        ("watch person", "hanabako watch: 'person' is only for 'hanabako play'"),
        ("benchmark hanabi --seconds 0", "hanabako benchmark: seconds must be above 0, got 0"),
        ("train --ranks 0 --steps 1", "hanabako train: ranks must be at least 1, got 0"),
        (
            "train --algorithm dqn",
            f"hanabako train: algorithm must be one of {', '.join(NAMES)}, a file NAME.py or a module, got 'dqn'",
        ),
        *((f"train --algorithm {name}", "hanabako train: ") for name in ("no.py", "no_such", "os", "a..b", ".ppo")),
        ("train --resume nowhere", "hanabako train: nowhere holds no run to resume"),
        ("play hanabi --web --port -1", "hanabako play: port must be at least 0, got -1"),
        ("record --minari games", "hanabako record: minari is not installed: pip install"),
        ("record --source nowhere", "hanabako record: No such file or directory: 'nowhere'"),
        ("benchmark --seconds nan", "hanabako benchmark: seconds must be a number from 0 to 1,000,000, got nan"),
        *(
            (f"{words} 1{30 * '0'}", f"{words.split()[-1][2:].replace('-', '_')} must be at most 2,147,483,647, got 10")
            for words in COUNTS
        ),
        *((f"{words} ", f"hanabako {words.split()[0]}: {words.split()[-1]} must not be empty") for words in WORDS),
        ("train --run-dir=", "hanabako train: --run-dir must not be empty"),
        ("draw hanabi table.bmp", r"hanabako draw: out must end in \.svg, got table\.bmp"),
        ("draw hanabi table.svg --moves 1 --agent random --seat 2", "seat must be None or from"),
        ("watch random --out a.png", r"hanabako watch: out must end in \.html, got a\.png"),
        ("train --config flamboyants=true --config derived=true", "--config must be given once, with all"),
        ("watch ", "hanabako watch: a word of the command line must not be empty"),
    ],
)
def test_what_is_wrong_is_said_in_a_line(words: str, says: str, cwd: Path, monkeypatch: pytest.MonkeyPatch):
    """A space at the end of a command stands for an empty word."""
    monkeypatch.setitem(sys.modules, "minari", None)
    with pytest.raises(SystemExit, match=says) as refusal:
        main(words.split(" "))
    assert "\n" not in str(refusal.value)
    assert not list(cwd.iterdir())


@pytest.mark.parametrize(
    "words",
    [
        "evaluate hanabi --preset mini --games 1 --json file/new.json",
        "evaluate hanabi --preset mini --games 1 --agents random,cautious --mode cross-play --png file/new.png",
        "record hanabi --preset mini --games 1 --out file/new.npz",
        "record hanabi --preset mini --games 1 --hanablive file/new",
        "watch random --preset mini --out file/new.html",
        "draw hanabi file/new.svg",
        "play hanabi --preset mini --out file/new.json",
        "train --preset mini --steps 1 --ranks 1 --run-dir file",
        "train --preset mini --steps 1 --ranks 2 --run-dir file/new",
        "train --preset mini --steps 1 --ranks 2",
    ],
)
def test_what_cannot_be_written_is_said_before_a_game_is_played(
    words: str, cwd: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setattr(Game, "loops", lambda *_, **__: pytest.fail("a game is played"))
    for name in ("file", "runs"):
        write_text(name, "kept")
    with pytest.raises(SystemExit, match=r": (file|runs)/.* cannot be written") as refusal:
        main(words.split())
    assert "\n" not in str(refusal.value)
    assert capsys.readouterr().out == ""
    assert sorted(path.name for path in cwd.iterdir()) == ["file", "runs"]


OPTIONAL = (
    *("torch", "scipy", "matplotlib", "safetensors", "filelock", "tensorboard"),
    *("PIL", "resvg_py", "openai", "ray", "websockets"),
)
"""The packages that the extras install."""


@pytest.mark.parametrize(("package", "name"), [("torch", "train"), ("scipy", "study")])
def test_a_missing_extra_is_a_line_that_says_how_to_install_it(package: str, name: str):
    code = WITHOUT.format(packages=(package,)) + f"sys.argv = ['hanabako', {name!r}, 'hanabi']\n"
    done = fresh(code + "from hanabako.__main__ import main; main()")
    assert done.returncode == 1
    packages = r"(torch safetensors|safetensors torch|filelock matplotlib)[ \w-]*"
    assert re.fullmatch(
        rf"hanabako {name} needs {package}: pip install {packages} \(the extra 'agents'\)\n", done.stderr
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("code", "who"),
    [
        ("agents.load('hanabi-standard-2p')", "a network"),
        ("import gymnasium; gymnasium.make('hanabako/HanabiSeat-v0', partners='hanabi-mini-2p')", "a network"),
        ("from hanabako.agents.learning.ppo import Args", "training"),
        ("import hanabako.agents.results.store", "a study"),
        ("agents.load('llm:some', HanabiConfig())", "a language model"),
        ("env = hanabi_v0.env(render_mode='rgb_array'); env.reset(); env.render()", "drawing"),
    ],
)
def test_python_too_says_how_to_install_a_missing_extra(code: str, who: str):
    head = "import hanabako\nfrom hanabako import agents\nfrom hanabi_env import HanabiConfig, hanabi_v0\n"
    done = fresh(WITHOUT.format(packages=OPTIONAL) + head + code)
    assert re.match(rf"ModuleNotFoundError: {who}[ \w]* needs \w+: pip install ", done.stderr.splitlines()[-1])


@pytest.mark.slow
@pytest.mark.parametrize("name", COMMANDS)
def test_help_needs_no_extra(name: str):
    code = WITHOUT.format(packages=OPTIONAL) + f"sys.argv = ['hanabako', {name!r}, '--help']\n"
    done = fresh(code + "from hanabako.__main__ import main; main()")
    assert (done.returncode, done.stderr) == (0, "")
    assert re.match(rf"usage: hanabako {name}\b", done.stdout)


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [
        "watch random --preset mini --out page.html",
        "evaluate hanabi --agents random,piers --preset mini --mode cross-play --games 20 --json report.json",
        "evaluate koikoi --agents random,counting --mode tournament --games 20 --json report.json",
        "record hanabi --agents piers --preset mini --games 20 --out games.npz",
    ],
)
def test_bots_play_without_any_extra(words: str, tmp_path: Path):
    code = WITHOUT.format(packages=OPTIONAL) + f"sys.path.insert(0, {str(ROOT)!r})\n"
    done = fresh(code + f"from hanabako.agents.commands.command_line import main\nmain({words.split()})\n", tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / words.rpartition(" ")[2]).is_file()


def test_a_page_names_every_extra():
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    page = (ROOT / "docs" / "first_steps.md").read_text(encoding="utf-8")
    section = page.partition("## Install")[2].partition("\n## ")[0]
    assert [extra for extra in extras if f"`{extra}`" not in section and f".[{extra}]" not in section] == []


def test_what_a_terminal_cannot_show_ends_no_command():
    code = "import sys; sys.argv = ['hanabako', 'agents', 'hanabi']\nfrom hanabako.__main__ import main; main()"
    done = fresh(code, PYTHONIOENCODING="ascii")
    assert (done.returncode, done.stderr) == (0, "")
    assert "?" in done.stdout


def test_our_own_missing_module_is_no_missing_extra():
    with pytest.raises(ModuleNotFoundError):
        command_line.missing("play", ModuleNotFoundError("no", name="hanabako.gone"))


@pytest.mark.parametrize("shell", ["bash", "zsh"])
def test_shells_can_complete_every_command(shell: str, capsys: pytest.CaptureFixture[str]):
    with pytest.raises(SystemExit, match=r"^(0|None|)$"):
        main(["--tyro-print-completion", shell])
    script = capsys.readouterr().out
    for words in (*COMMANDS, "--with", "--ranks", "cross-play"):
        assert words in script


# --- Lists of games, presets and agents -------------------------------------------------------------------------------


def test_the_package_lists_games_presets_and_agents():
    assert set(dir(hanabako)) == {"agent_names", "agents", "game_names", "preset_names", "unpack"}
    assert hanabako.game_names() == list(games())
    for game in hanabako.game_names():
        assert hanabako.preset_names(game) == list(games()[game].presets)
        assert "random" in hanabako.agent_names(game)
    assert "hanabi-mini-2p" in hanabako.agent_names("hanabi")
    for ask in (hanabako.preset_names, hanabako.agent_names):
        with pytest.raises(ValueError, match="game must be one of"):
            ask("chess")


def test_the_package_and_its_games_import_no_command_line():
    code = "import sys, hanabako, hanabi_env.hanabi_v0 as h; h.env().reset(); hanabako.agents.names('hanabi')\n"
    assert fresh(code + "print('tyro' in sys.modules)").stdout == "False\n"


# --- The commands -----------------------------------------------------------------------------------------------------


@EVERY_GAME
def test_agents_are_watched_and_so_is_the_game_that_was_kept(game: str, cwd: Path, capsys):
    main(["watch", "random", "--game", game, *SHORT[game], "--seed", "7", "--adviser", "random"])
    page = (cwd / f"{game}.html").read_text(encoding="utf-8")
    main(["record", game, "--agents", "random", *SHORT[game], "--games", "1", "--seed", "7", "--out", "game.npz"])
    main(["watch", "game.npz"])
    again = (cwd / "game-0.html").read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>")
    shown, recorded = (data_of(one)["frames"] for one in (page, again))
    assert [frame["choice"] for frame in shown] == [frame["choice"] for frame in recorded] and len(shown) > 4
    assert all(frame["probabilities"] for frame in shown[:-1])
    assert not any(frame["probabilities"] for frame in recorded)
    assert not re.search(r"\b1 (games|rounds)\b", page + capsys.readouterr().out)


OWN_WORDS = {
    "other_play": ["--preset", "mini"],
    "cloning": ["--agent", "random"],
    "league": ["--game", "ikebana", "--preset", "single_round"],
}


@pytest.mark.parametrize("device", ["cpu", pytest.param("cuda", marks=pytest.mark.gpu)])
@pytest.mark.parametrize("name", NAMES)
def test_every_algorithm_is_trained_by_name_and_goes_on_with_its_own_runs_alone(
    name: str, device: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    run_dir = tmp_path / "run"
    own = [*tiny_words(run_dir, 2), "--device", device, *OWN_WORDS.get(name, [])]
    words = ["train", "--algorithm", name, "--ranks", "1", *own]
    with monkeypatch.context() as patch:
        stop_after(patch, 1, signal.SIGINT)
        with pytest.raises(SystemExit) as end:
            main(words)
    assert end.value.code == INTERRUPTED
    about = json.loads((run_dir / "config.json").read_text(encoding="utf-8"))
    assert about["algorithm"] == name and len(read_metrics(run_dir)) == 1
    main(["train", "--resume", str(run_dir)])
    assert len(read_metrics(run_dir)) == 2
    assert load_policy(path := run_dir / "policy.safetensors").name == "run"
    assert read_metadata(path)["about"]["algorithm"] == name
    other = NAMES[NAMES.index(name) - 1]
    with pytest.raises(SystemExit, match=f"is a run of the algorithm '{name}', and cannot be resumed by {other}"):
        main(["train", "--algorithm", other, "--resume", str(run_dir)])


@pytest.mark.gpu
@pytest.mark.parametrize(
    "algorithm",
    ["ppo --network recurrent --simulator cuda", "other_play --auxiliary", "sad --network recurrent"],
)
def test_networks_with_memory_or_an_auxiliary_task_are_trained_on_a_gpu(algorithm: str, tmp_path: Path):
    main(["train", *tiny_words(tmp_path, 2), "--preset", "mini", "--device", "cuda", "--algorithm", *algorithm.split()])
    assert load_policy(tmp_path / "policy.safetensors").name == tmp_path.name


OWN_SETTINGS = {"iql": "--q-lambda", "off_belief": "--level-below", "ppo": "--gae-lambda"}


@pytest.mark.parametrize("name", NAMES)
def test_the_help_of_an_algorithm_shows_its_own_settings(name: str, capsys: pytest.CaptureFixture[str]):
    with pytest.raises(SystemExit, match="0"):
        main(["train", f"--algorithm={name}", "--help"])
    out = capsys.readouterr().out
    assert OWN_SETTINGS.get(name, "--horizon") in out and "--ranks" in out
    assert named(name).about.partition("\n")[0] in out


@pytest.mark.parametrize(
    ("cores", "args", "ranks"),
    [
        (6, ppo.Args(device="cpu"), 4),
        (6, ppo.Args(device="cpu", games=12, minibatch=36), 6),
        (6, ppo.Args(device="cpu", games=7, minibatch=7), 1),
        (8, ppo.Args(device="cpu"), 8),
        (8, iql.Args(device="cpu", minibatch=64), 4),  # sequences of 16 decisions
        (8, iql.Args(device="cpu", games=7), 1),
    ],
)
def test_ranks_share_evenly_what_is_learned_from(cores: int, args: Any, ranks: int, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(launch, "usable_cores", lambda: cores)
    assert launch.ranks_for(args) == ranks


def test_two_ranks_are_started_with_the_same_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Ranks read the settings from a file, meet without the machine's host name, and belong to this machine alone."""
    started: list[tuple[str, int, dict]] = []

    def torchrun(words: list[str]) -> None:
        told = parse_args(words)
        assert (told.local_addr, told.nnodes, told.standalone) == ("127.0.0.1", "1", True)
        (path,) = told.training_script_args
        started.append((told.training_script, int(told.nproc_per_node), json.loads(Path(path).read_text("utf-8"))))

    monkeypatch.setattr(GameEntry, "compile", lambda *_: None)
    monkeypatch.setattr(launch, "torchrun", torchrun)
    monkeypatch.setenv("PET_NNODES", "2")  # as a cluster tells other processes
    words = ["--ranks", "2", "--preset", "mini", "--run-dir", str(tmp_path)]
    for more in (["--algorithm", "iql", "--config", "history=2", "--q-lambda", "0.5"], ["--start", "hanabi-mini-2p"]):
        with pytest.raises(SystemExit, match=f"^{INTERRUPTED}$"):  # nothing was trained
            main(["train", *words, *more])
    meant = {
        "iql": iql.Args(preset="mini", config=("history=2",), q_lambda=0.5, run_dir=tmp_path),
        "ppo": ppo.Args(preset="mini", start="hanabi-mini-2p", run_dir=tmp_path),
    }
    for (module, ranks, content), (name, settings) in zip(started, meant.items(), strict=True):
        assert (module, ranks, content["algorithm"]) == (launch.MODULE, 2, name)
        assert from_json(type(settings), content["args"]) == settings


def test_a_process_trains_by_the_file_that_it_is_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    """It believes only ``torchrun`` that there are other ranks, and not a cluster's variables of the same names."""
    for name, value in {"WORLD_SIZE": "2", "RANK": "1", "LOCAL_RANK": "one", "GROUP_WORLD_SIZE": "2"}.items():
        monkeypatch.setenv(name, value)
    args = named("mappo").settings(**SMALL | {"steps": UPDATE, "run_dir": tmp_path / "run"})
    launch.carry_out(launch.write_order(tmp_path, named("mappo"), args, 1))
    assert read_metrics(tmp_path / "run")[-1]["fraction"] == 1
    assert maker_of(tmp_path / "run").name == "mappo"
    said = capsys.readouterr()
    assert "WORLD_SIZE=2: ignored, because torchrun did not set it; trains alone" in said.err
    assert "policy.safetensors" in said.out


@pytest.mark.slow
def test_a_benchmark_prints_rates_and_writes_nothing(tmp_path: Path):
    code = f"import sys; sys.path.insert(0, {str(ROOT)!r})\n"
    code += "from hanabako.agents.commands import benchmark\nfrom hanabako.agents.commands.command_line import main\n"
    code += "import hanabako.timing\nhanabako.timing.STEPS_PER_CALL = 8\n"
    few = ["--games", "2", "--seconds", "0.01", "--repeats", "1"]
    code += "\n".join(f"main({['benchmark', game, *SHORT[game], *few]})" for game in games())
    done = fresh(code, tmp_path, NUMBA_DISABLE_JIT="1")
    assert done.returncode == 0, done.stderr
    for words in (*games(), *benchmark.ROWS):
        assert done.stdout.count(f"{words} ") >= 1
    assert done.stdout.count("M steps/s") == len(games()) * len(benchmark.ROWS)
    assert not list(tmp_path.iterdir())


NETWORK = "hanabi-very_small-2p"


@pytest.mark.parametrize(
    "words",
    [
        ["play", "hanabi", "--with", f"search:{NETWORK}"],
        ["play", "hanabi", "--preset", "very_small", "--with", "random", "--adviser", f"search:{NETWORK}"],
        ["evaluate", "hanabi", "--preset", "very_small", "--agents", f"search:{NETWORK}", "--games", "1"],
        ["watch", f"search:{NETWORK}"],
        ["watch", "random", "--preset", "very_small", "--adviser", f"search:{NETWORK}"],
        ["record", "hanabi", "--agents", f"search:{NETWORK}", "--games", "1"],
    ],
    ids=" ".join,
)
def test_searches_are_told_how_to_think_and_networks_keep_to_one_thread(
    words: list[str], cwd: Path, monkeypatch: pytest.MonkeyPatch, torch_threads: None
):
    """This holds in every command in which agents act; the config is that of the network."""
    told = []

    def search(blueprint, config, rollouts=None, seats="one"):
        told.append((rollouts, seats, config.colors))
        return blueprint

    monkeypatch.setattr(registry, "searcher", lambda _: search)
    monkeypatch.setattr(sys, "stdin", io.StringIO("advice\n"))
    main([*words, "--search", "rollouts=7", "seats=all"])
    assert set(told) == {(7, "all", 1)}
    assert torch.get_num_threads() == 1


def test_the_networks_of_an_evaluation_have_the_threads_that_it_is_given(torch_threads: None):
    words = ["evaluate", "hanabi", "--preset", "very_small", "--agents", NETWORK, "--games", "1"]
    for threads in (1, 2):
        main([*words, "--num-threads", str(threads)])
        assert torch.get_num_threads() == threads


def test_watch_opens_the_browser_if_it_is_asked_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    opened: list[str] = []
    monkeypatch.setattr(watch.webbrowser, "open", opened.append)
    main(["watch", "random", "--preset", "mini", "--out", str(tmp_path / "page.html"), "--open"])
    assert opened == [(tmp_path / "page.html").as_uri()]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--device", "abacus"], "device must be auto or, on this machine, cpu"),
        (["--game", "ikebana", "--opponent", "bob"], "an agent must be one of random, greedy"),
        (["--partners", "bob"], "an agent must be one of random"),
        (["--game", "koikoi", "--last-action-ramp", "0.5"], "last_action_ramp must be 0 in koikoi"),
        (["--start", "hanabi-standard-2p", "--layers", "3"], "holds a network of 2 layers, and --layers says 3"),
    ],
)
def test_settings_are_refused_before_anything_is_compiled_or_started(
    words: list[str], said: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(GameEntry, "compile", lambda *_: pytest.fail("compiled"))
    monkeypatch.setattr(launch, "start_ranks", lambda *_: pytest.fail("started"))
    with pytest.raises(SystemExit, match=said):
        main(["train", *words, "--ranks", "2"])


# --- The names of games ---------------------------------------------------------------------------------------------


ONES = f"points=[{','.join(12 * '1')}]"


@pytest.mark.parametrize(
    ("game", "preset", "settings", "said"),
    [
        ("hanabi", None, ["players=3", "derived=true"], "hanabi standard, 3 players"),
        ("hanabi", "mini", ["hand_size=null", "history=4"], "hanabi mini hand_size=null, 2 players"),
        ("ikebana", "standard", ["reward=dense", "rounds=1"], "ikebana single_round reward=dense, 2 players"),
        ("koikoi", None, ["rounds=1", ONES], f"koikoi document rounds=1 {ONES}, 2 players"),
    ],
)
def test_a_game_is_named_by_the_nearest_preset_and_what_differs(
    game: str, preset: str | None, settings: list[str], said: str
):
    assert game_in_words(make_config(game, preset, None, settings)) == said


LIVES = ["--preset", "very_small", "--config", "max_life_tokens=3"]
LIVES_NAMED = "hanabi very_small max_life_tokens=3, 2 players"


def test_commands_name_the_game_that_is_played(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    titles = []
    monkeypatch.setattr(runs.charts, "save", lambda _, figure: titles.append(figure.axes[0].get_title(loc="left")))
    report, page, run = tmp_path / "report.json", tmp_path / "page.html", tmp_path / "own"
    main(["evaluate", "hanabi", *LIVES, "--games", "2", "--json", str(report)])
    assert capsys.readouterr().out.startswith(f"{LIVES_NAMED}, observation ")
    assert result_of(report)["preset"] == "very_small max_life_tokens=3"
    main(["train", "--ranks", "1", *tiny_words(run), *LIVES[2:]])
    assert f"{LIVES_NAMED}, observation card_knowledge, features derived; " in capsys.readouterr().out
    assert titles == [f"own: {LIVES_NAMED}\nobservation card_knowledge, features derived"]
    for what, origin in ((str(run), "own"), ("random", "random, random")):
        main(["watch", what, *(LIVES if what == "random" else []), "--out", str(page)])
        assert f"<title>{LIVES_NAMED}: {origin}</title>" in page.read_text("utf-8")
