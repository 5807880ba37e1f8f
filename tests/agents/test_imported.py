"""Agents from a user's own files and modules, in Python and in every command; and names that import nothing."""

import io
import json
import shutil
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from importlib.util import find_spec
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest

from hanabako import agents
from hanabako.agents import play, registry
from hanabako.agents.bots.imported import spec_of
from hanabako.agents.commands.command_line import main
from hanabako.agents.registry import PRETRAINED, AgentName, fingerprints, need_trust
from hanabako.agents.results.comparison.reading import read
from hanabako.agents.results.store import is_stale
from hanabako.agents.results.views import short_name
from hanabako.games import game_named, game_names, game_of
from hanabako.words.checks import parse_setting
from hanabi_env import PRESETS
from tests.agents.files import claim, result_of, rows_of
from tests.agents.tiny_runs import UPDATE, tiny_words

MINI = PRESETS["mini"]
RECIPE = Path(__file__).resolve().parents[2] / "docs" / "recipes" / "careful_bot.py"
NETWORK = "hanabi-very_small-2p"

MINE = """
from hanabako.agents import PlainBot
from hanabako.agents.bots.hanabi.smart import SMART
from hanabako.agents.playing.policy import BatchedPolicy


class Timid(PlainBot):
    name = "timid"

    def act(self, view):
        return view.legal[0]


class Lowest(BatchedPolicy):
    name = "lowest"

    def __init__(self, config):
        self.config = config

    def act(self, observation, mask, noise, memory=None):
        assert mask.shape[1] == self.config.rules().num_actions
        return mask.argmax(1)


class Acting:
    def act(self, observation, mask, noise):
        return mask.argmax(1)


class WithMemory:
    def act(self, observation, mask, noise, memory):
        assert memory is None
        return mask.argmax(1)


def lowest_for(game):
    return Lowest(game)


def smart_for(config, style=0):
    return SMART


OBJECT = Timid()
NUMBER = 3


class Picky(Timid):
    def __init__(self, strength):
        self.strength = strength


class Broken(Timid):
    def __init__(self):
        self.strength = {}["strength"]


class Choosy(Timid):
    def __init__(self, config):
        raise ValueError("two players only")


class Half:
    name = "half"
    observes = True

    def seat(self, games, seats):
        pass


def nothing(config):
    pass


def answer(view):
    return view.legal[0]
"""

MARKED = """
from pathlib import Path

from hanabako.agents import PlainBot

Path("imported").touch()


class Timid(PlainBot):
    def act(self, view):
        return view.legal[0]
"""
"""A module that leaves a file where it is imported."""


def written(folder: Path, text: str, name: str = "mine.py") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text, encoding="utf-8")
    return folder / name


def outcome(policy: Any, games: int = 6) -> list[list[int]]:
    played = play(MINI, policy, games, seed=3)
    return [played.score.tolist(), played.length.tolist()]


def config_of(name: str) -> Any:
    policy: Any = agents.load(name)
    return policy.config


@pytest.fixture
def place(cwd: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty current folder; modules imported from it are forgotten after the test."""
    monkeypatch.setattr(sys, "path", [*sys.path])
    before = set(sys.modules)
    yield cwd
    new = set(sys.modules) - before
    here = {name.split(".")[0] for name in new if str(cwd) in str(getattr(sys.modules[name], "__file__", ""))}
    for name in new:
        if name.split(".")[0] in here:  # also a package without a file
            del sys.modules[name]


# --- What a name may stand for ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "like"), [("Timid", "OBJECT"), ("Lowest", "Acting"), ("WithMemory", "Acting"), ("lowest_for", "Acting")]
)
def test_classes_objects_and_functions_of_a_config_are_agents(name: str, like: str, place: Path):
    file = written(place, MINE)
    assert outcome(agents.load(f"{file}:{name}", MINI)) == outcome(agents.load(f"mine.py:{like}", MINI))


@pytest.mark.parametrize("name", ["SMART", "smart_for"])
def test_a_compiled_bot_of_a_file_plays_and_is_searched_over(name: str, place: Path):
    written(place, MINE)
    assert outcome(agents.load(f"mine.py:{name}", MINI)) == outcome(agents.load("smart", MINI))
    mine, ours = (agents.load(f"search:{one}", MINI, rollouts=20) for one in (f"mine.py:{name}", "smart"))
    assert outcome(mine, 1) == outcome(ours, 1)


def test_modules_and_packages_are_imported_from_here(place: Path):
    written(place / "pack", "", "__init__.py")
    written(place / "pack" / "inner", MINE, "bots.py")
    written(place, MINE, "alone_here.py")
    expected = outcome(agents.load(f"{place}/alone_here.py:Timid", MINI))
    for name in ("pack.inner.bots:Timid", "alone_here:Timid"):
        assert outcome(agents.load(name, MINI)) == expected


def test_files_of_one_name_are_two_modules_and_an_edited_one_is_read_again(place: Path):
    for folder, word in (("a", "min"), ("b", "max")):
        written(place / folder, MINE.replace("view.legal[0]", f"{word}(view.legal)"))
    a, b = (outcome(agents.load(f"{folder}/mine.py:Timid", MINI)) for folder in "ab")
    assert a != b
    assert outcome(agents.load("a/mine.py:Timid", MINI)) == a
    shutil.copy(place / "b" / "mine.py", place / "a")
    assert outcome(agents.load("a/mine.py:Timid", MINI)) == b
    assert sorted(path.name for path in (place / "a").iterdir()) == ["mine.py"], "nothing is cached beside it"


def test_a_file_may_import_those_beside_it_unless_they_are_mixed_up(place: Path):
    for folder in "ab":
        written(place / folder, f"from beside_it import WORD\n{MINE}")
        written(place / folder, f"WORD = {folder!r}", "beside_it.py")
    assert agents.load("a/mine.py:Timid", MINI).name == "timid"
    with pytest.raises(ValueError, match=r"b/mine.py cannot be imported: .*b/beside_it.py has the name of another"):
        agents.load("b/mine.py:Timid", MINI)


@pytest.mark.slow
def test_other_processes_import_the_same_file(place: Path):
    written(place, MINE)
    here = agents.load("mine.py:Timid", MINI)
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        played = pool.submit(play, MINI, here, 2, 3).result()
        back = pool.submit(agents.load, "mine.py:Timid", MINI).result()
    assert played.length.tolist() == play(MINI, here, 2, 3).length.tolist()
    assert type(back) is type(here)


def test_names_of_the_project_come_first(place: Path):
    for name in ("random", "smart"):
        (place / name).mkdir()
    written(place, MARKED, "monte_carlo.py")
    written(place, MARKED, "search.py")
    assert outcome(agents.load("smart", MINI))
    with pytest.raises(ValueError, match="an agent must be one of"):
        agents.load("search:Timid", MINI)
    with pytest.raises(ValueError, match="monte_carlo: must be followed by a number"):
        agents.load("monte_carlo:Timid", game_named("koikoi").make_config())
    assert not (place / "imported").exists()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("def f(:\n", r"mine.py cannot be imported: SyntaxError: invalid syntax \(mine.py, line 1\)"),
        ("\nx = y\n", "mine.py cannot be imported: line 2: NameError: name 'y' is not defined"),
        ("import sys\nsys.exit('no')\n", "mine.py cannot be imported: line 2: SystemExit: no"),
        ("import not_there_at_all\n", "mine.py cannot be imported: line 1: ModuleNotFoundError: No module named"),
    ],
)
def test_a_file_that_fails_is_named_with_its_error(text: str, words: str, place: Path):
    written(place, text)
    with pytest.raises(SystemExit, match=f"^hanabako evaluate: {words}") as refusal:
        main(["evaluate", "hanabi", "--agents", "mine.py:Timid"])
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("Timit", r"mine.py has no Timit; did you mean Timid\?"),
        ("NUMBER", "must be a PlainBot, a Bot, a policy .*, got 3 without an act"),
        ("Picky", "must take no arguments but config: missing a required argument: 'strength'"),
        ("Broken", r"mine.py:Broken cannot be made: line \d+: KeyError: 'strength'"),
        ("answer", r"no attribute 'legal'; a function is called with the config and returns an agent; act\(view\) is"),
        ("Choosy", "^two players only$"),
        ("Half", "got <.*Half object at .*> without specializes and plays_apart"),
        ("nothing", "got None without an act"),
    ],
)
def test_what_is_no_agent_is_refused_in_words(name: str, words: str, place: Path):
    written(place, MINE)
    with pytest.raises(ValueError, match=words):
        agents.load(f"mine.py:{name}", MINI)


def test_unknown_names_are_likened_to_known_ones(place: Path):
    for name, like in (("smrt", "smart"), ("serach:smart", "search:smart"), ("hanabi-mini2p", "hanabi-mini-2p")):
        with pytest.raises(ValueError, match=f"did you mean {like}\\?$"):
            agents.load(name, MINI)
    for words, like in (
        (["evaluate", "hanbi"], "hanabi"),
        (["evaluat", "hanabi"], "evaluate"),
        (["presets", "koi-koi"], "koikoi"),
        (["evaluate", "hanabi", "--preset", "minni"], "mini"),
        (["evaluate", "hanabi", "--config", "colour=3"], "colors"),
    ):
        with pytest.raises(SystemExit, match=f"did you mean {like}\\?$"):
            main(words)
    for name, words in (
        ("nowhere.py", "an agent in a file must be given as nowhere.py:NAME"),
        (str(RECIPE), "careful_bot.py:NAME"),
        ("nowhere.py:Timid", "no file nowhere.py"),
        ("nowhere.at:Timid", "no module nowhere.at"),
        ("gigantic-9p", "one of random, .*, a network that `hanabako agents` lists, a file or .*, got 'gigantic-9p'$"),
    ):
        with pytest.raises(ValueError, match=words):
            agents.load(name, MINI)


# --- In commands ------------------------------------------------------------------------------------------------------


AGENT = f"{RECIPE}:Careful"


@pytest.mark.parametrize(
    "words",
    [
        ["evaluate", "hanabi", "--agents", f"{AGENT},random", "--mode", "cross-play", "--games", "2"],
        ["play", "hanabi", "--with", AGENT, "--adviser", AGENT],
        ["watch", AGENT, "--out", "page.html"],
        ["record", "hanabi", "--agents", AGENT, "--games", "2"],
        ["draw", "hanabi", "table.svg", "--agent", AGENT],
    ],
    ids=lambda words: words[0],
)
def test_the_bot_of_the_recipe_plays_in_every_command(words: list[str], place: Path, capsys, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.StringIO(""))
    main([*words, "--preset", "mini"])
    out = capsys.readouterr().out
    assert words[0] not in ("evaluate", "play") or "careful" in out


def test_the_bot_of_the_recipe_plays_better_than_chance():
    assert play(MINI, agents.load(AGENT, MINI), 20, seed=1).fireworks_score.mean() > 6


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [
        ["--partners", "mine.py:Timid,random"],
        ["--game", "ikebana", "--preset", "single_round", "--opponent", "mine.py:Timid"],
        ["--algorithm", "cloning", "--agent", "mine.py:Timid"],
    ],
    ids=lambda words: words[-2],
)
def test_a_network_trains_beside_a_bot_of_a_file_and_goes_on_only_with_trust(words: list[str], place: Path, capsys):
    written(place, MINE)
    main(["train", *tiny_words(place / "run", 1), *words, "--ranks", "1"])
    with pytest.raises(SystemExit, match=r"run would run code or ask servers for mine.py:Timid: only with --trust"):
        main(["train", "--resume", "run"])
    main(["train", "--resume", "run", "--trust"])
    assert json.loads((place / "run" / "config.json").read_text(encoding="utf-8"))["args"]["steps"] == UPDATE


def test_the_seat_has_partners_out_of_a_file(place: Path):
    env = game_of(MINI).make_seat(preset="mini", partners=f"{written(place, MINE)}:Timid")
    observation, _ = env.reset(seed=1)
    env.step(int(observation["action_mask"].argmax()))
    assert env.table.to_dict()["discards"] or env.table.to_dict()["information_tokens"] < 5


def test_a_runs_folder_stands_for_its_policy(place: Path, capsys):
    (place / "runs" / "one").mkdir(parents=True)
    shutil.copy(PRETRAINED / f"{NETWORK}.safetensors", place / "runs" / "one" / "policy.safetensors")
    words = f"--preset very_small --games 5 --agents runs/one,{NETWORK} --mode cross-play --json out.json"
    main(["evaluate", "hanabi", *words.split()])
    rows = rows_of(place / "out.json")
    assert len({row["score"] for row in rows}) == 1 and len(rows) == 4
    assert config_of("runs/one") == config_of(NETWORK)
    with pytest.raises(ValueError, match=r"runs holds no policy\.safetensors: is it a run's directory"):
        agents.load("runs", MINI)
    shown = [short_name(name) for name in ("runs/one", "search:runs/one/policy.safetensors", "smart", "a/b.py:Timid")]
    assert shown == ["one", "search:one", "smart", "b.py:Timid"]
    files = [AgentName.parse(name).is_file for name in ("search:runs/one", "runs", "smart")]
    assert files == [True, False, False]


COMPARISON = """
study = "comparison"
game = "hanabi"
preset = "mini"
steps = 100
seeds = [1]
partners = ["mine.py:Timid", "search:mine.py:SMART", "run", "smart", "gone.py:Timid"]
[algorithms.one]
module = "ppo"
"""


def test_the_partners_of_a_comparison_lie_beside_its_file(place: Path):
    written(place / "there", MARKED)
    written(place / "there", COMPARISON, "whole.toml")
    written(place / "there" / "run", "", "policy.safetensors")
    (place / "there" / "smart").mkdir()
    whole = read(Path("there", "whole.toml"), place / "runs")
    found = [whole.where(name) for name in whole.partners]
    assert found == ["there/mine.py:Timid", "search:there/mine.py:SMART", "there/run", "smart", "gone.py:Timid"]
    assert not (place / "imported").exists()


# --- Without a config -------------------------------------------------------------------------------------------------


def test_a_network_brings_its_config_and_a_bot_says_how_it_is_called():
    assert config_of(f"search:{NETWORK}") == config_of(NETWORK) == PRESETS["very_small"]
    for name, call in (
        ("smart", r"agents.load\('smart', hanabi_env.HanabiConfig\(\)\)"),
        ("search:counting", r"agents.load\('search:counting', hanafuda_env.KoiKoiConfig\(\)\)"),
        ("mine.py:Timid", r"mine.py:Timid' needs a config"),
    ):
        with pytest.raises(ValueError, match=call):
            agents.load(name)
    with pytest.raises(ValueError, match=r"an agent must be one of random, .*greedy, .*counting"):
        agents.load("nobody")


# --- Names from untrusted files ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("agent", ["mine.py:Timid", "search:mine.py:Timid", "package_here.inner:Timid"])
def test_a_name_that_is_not_trusted_imports_nothing(agent: str, place: Path):
    written(place, MARKED)
    written(place / "package_here", MARKED, "__init__.py")
    written(place / "package_here", MARKED, "inner.py")
    with pytest.raises(ValueError, match=r"would import code and run it: only with --trust"):
        agents.load(agent, MINI, trust=False)
    assert not (place / "imported").exists()
    assert agents.load("search:smart", MINI, trust=False).name == "search:smart"


def test_code_is_played_again_only_if_it_is_trusted(place: Path, capsys):
    written(place, MARKED)
    words = "evaluate hanabi --preset mini --games 30 --agents mine.py:Timid --json entry.json"
    main(words.split())
    (place / "imported").unlink()
    written(place, f"{MARKED}\n")  # which is imported again
    claim(Path("entry.json"), result_of(Path("entry.json")) | {"networks": registry.fingerprints("mine.py:Timid")})
    with pytest.raises(SystemExit):
        main(["verify", "entry.json"])
    assert "entry.json: 'mine.py:Timid' comes from a file" in capsys.readouterr().out
    assert not (place / "imported").exists()
    main(["verify", "entry.json", "--trust"])
    assert capsys.readouterr().out.startswith("entry.json: reproduced\n")
    assert (place / "imported").exists()


def test_results_and_games_that_name_code_are_read_without_it(place: Path, monkeypatch, capsys):
    """The names are in the rows of a study, stale ones included, and in the players of a dataset and of a record."""
    monkeypatch.syspath_prepend(place)
    file = written(place, MARKED)
    inner = written(place / "package_here", MARKED, "inner.py")
    written(place / "package_here", MARKED, "__init__.py")
    found = fingerprints("mine.py:Timid", "package_here.inner:Timid", "search:mine.py:Timid", "gone.py:Timid")
    assert len(set(found.values())) == 1 and list(found)[:3] == list(found)
    spec = spec_of("package_here.inner")
    assert spec is not None and spec.origin == str(inner)
    row = {"fields": ["a"], "a": 1, "done": 1, "wanted": 1, "networks": {**found, "gone.py:Timid": "0", "runs/x": "0"}}
    assert not is_stale(row)
    results = {"study": "x", "command": "", "machine": {}, "versions": {}, "commit": "", "rows": [row]}
    (place / "x.json").write_text(json.dumps(results), encoding="utf-8")
    file.write_text(f"{MARKED}\n", encoding="utf-8")
    main(["study", "list", "x.json"])
    assert "stale" in capsys.readouterr().out
    with monkeypatch.context() as patch:
        patch.setattr("hanabako.agents.playing.policy.RandomPolicy.name", "mine.py:Timid")
        main(["record", "hanabi", "--agents", "random", "--preset", "mini", "--games", "1", "--out", "games.npz"])
    main(["watch", "games.npz"])
    assert not (place / "imported").exists()


def test_settings_that_name_code_are_found_and_no_others():
    values = ["hanabi", None, 3, ["derived=true"], ("smart,a.py:Timid", "search:pack.age:Timid"), "monte_carlo:20"]
    assert need_trust(values) == ["a.py:Timid", "search:pack.age:Timid"]


# --- Lists ------------------------------------------------------------------------------------------------------------


def test_a_network_has_a_card(capsys):
    main(["agents", "hanabi-mini-2p"])
    card = dict(line.split(maxsplit=1) for line in capsys.readouterr().out.splitlines()[1:])
    assert card["game"] == "hanabi mini, 2 players" and card["score"].startswith("8.92 ± ")
    assert card["observation"] == "card_knowledge, 197 bits; features derived" and "weights" in card["network"]


@pytest.mark.parametrize("game", game_names())
def test_agents_and_presets_are_listed_one_a_line(game: str, capsys):
    main(["agents", game])
    out = capsys.readouterr().out
    told = [line.split() for line in out.splitlines() if line.startswith("  ")]
    names = [*agents.names(game), *agents.pretrained(game)]
    assert [words[0] for words in told][: len(names)] == names
    assert {words[1] for words in told[: len(names)]} == {"random", "bot", "network"}
    assert "not measured" not in out and "search:NAME" in out
    main(["presets", game])
    told = [line.split() for line in capsys.readouterr().out.splitlines() if line.startswith("  ")]
    presets = game_named(game).presets
    assert [words[0] for words in told] == list(presets)
    for name, *settings in told:
        changed = dict(map(parse_setting, settings)) if "=" in "".join(settings) else {}
        assert game_named(game).make_config(**changed) == presets[name]


def test_the_index_of_a_preset_names_every_action_and_bit(capsys):
    main(["presets", "hanabi", "--index", "mini", "--config", "players=3", "derived=True", "multicolor=own_color"])
    title, *lines = capsys.readouterr().out.splitlines()
    assert title.endswith("players: 20 actions, 390 bits") and len(lines) == 30
    assert lines[2].split() == ["6-13", "actions", "hint", "OFFSET", "COLOR"]
    assert sum("surely playable" in line for line in lines) == 1
    for wrong in (["hanabi", "--index", "mini", "--config", "players=9"], ["--index", "mini"]):
        with pytest.raises(SystemExit, match=r"players must be from 2 to 5, got 9|name the game"):
            main(["presets", *wrong])


def test_a_name_that_holds_no_path_of_a_file_is_no_module():
    assert find_spec("hanabako.importing.nothing") is None
