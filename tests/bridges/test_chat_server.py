"""Language models on servers: their names, what a row counts, and the sentences in which all that fails ends."""

import asyncio
import gzip
import importlib
import json
import sys
import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from hanabako import agents
from hanabako.agents import play, registry
from hanabako.agents.bridges.language_models.policy import ChatPolicy
from hanabako.agents.bridges.language_models.server import FIELDS, Server
from hanabako.agents.commands.command_line import main
from hanabako.games import game_of
from tests.agents.files import claim, rows_of
from tests.bridges.chat_server import first, serving
from tests.bridges.test_chat import EVERY_GAME, MINI, First, Stub
from tests.games import GameUnderTest

RECIPES = Path(__file__).resolve().parents[2] / "docs" / "recipes"
QUESTION = [{"role": "system", "content": "rules"}, {"role": "user", "content": "Your legal moves:\n1. play 0"}]
Serve = Callable[..., AbstractContextManager[Any]]


@pytest.fixture
def serve(monkeypatch: pytest.MonkeyPatch) -> Serve:
    """Return `serving`, whose server is then the one of ``OPENAI_BASE_URL``."""
    pytest.importorskip("openai", reason="client: openai is not installed")
    monkeypatch.setenv("OPENAI_API_KEY", "none")

    @contextmanager
    def serve(*args: Any, **more: Any) -> Any:
        with serving(*args, **more) as server:
            server.is_closed = False
            monkeypatch.setenv("OPENAI_BASE_URL", server.address)
            try:
                yield server
            finally:
                server.is_closed = True

    return serve


# --- By name ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "model", "prompt"),
    [
        ("llm:llama3:latest", "llama3:latest", "deductions"),
        ("llm:scratch_pad:org/m:8b", "org/m:8b", "scratch_pad"),
        ("llm:hints:m", "m", "hints"),
        ("llm:search:smart", "search:smart", "deductions"),
    ],
)
def test_a_name_says_the_prompt_and_the_model(name: str, model: str, prompt: str, serve: Serve) -> None:
    policy: Any = agents.load(name, MINI)
    assert (policy.model.model, policy.prompt, policy.name) == (model, prompt, name)
    parts = registry.AgentName.parse(name)
    assert parts.source is None and not parts.is_file and parts.metadata() is None
    assert registry.fingerprints(name) == {}


def test_names_out_of_files_ask_no_server_without_trust(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ValueError, match=r"'llm:hints:m' comes from a file, and would ask a server: only with --trust"):
        agents.load("llm:hints:m", MINI, trust=False)
    assert registry.need_trust(["smart", ("a", "llm:m,random")]) == ["llm:m"]
    told = {"config": {"game": "hanabi"}, "line_up": ["llm:m"], "seed": 1}
    path = tmp_path / "entry.json"
    claim(path, {"fields": list(told), **told, "done": 20, "wanted": 20, "sums": [[60]]})
    with pytest.raises(SystemExit):
        main(["verify", str(path)])
    assert "only with --trust" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "config", "words"),
    [
        ("llm:", MINI, "needs the name of a model after it"),
        ("llm:hints:", MINI, "needs the name of a model after it"),
        ("llm:m", None, "needs a config"),
        ("search:llm:m", MINI, "the blueprint of a search of hanabi must be a compiled bot or a network"),
    ],
)
def test_names_that_cannot_be_are_refused(name: str, config: Any, words: str, serve: Serve) -> None:
    with pytest.raises(ValueError, match=words):
        agents.load(name, config)


def test_a_missing_library_and_prompt_are_named(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValueError, match="prompt must be one of hints, deductions, scratch_pad, got 'hint'"):
        ChatPolicy(Stub(), MINI, "hint")
    monkeypatch.setitem(sys.modules, "openai", None)
    with pytest.raises(ModuleNotFoundError, match="a language model needs openai: pip install "):
        agents.load("llm:m", MINI)


ADDRESS = "OPENAI_BASE_URL must be an address such as .*, got"
OBJECT = rf"{FIELDS} must be a JSON object such as .*, got"
VARIABLES = [
    *(
        ("OPENAI_BASE_URL", url, ADDRESS)
        for url in ("http://a:b", "localhost:80", "ftp://localhost/v1", "http://a\nb/")
    ),
    ("OPENAI_API_KEY", "", "OPENAI_API_KEY must hold the server's key"),
    ("OPENAI_API_KEY", "a\nb", "OPENAI_API_KEY must be of printable ASCII"),
    ("OPENAI_ORG_ID", "\udce9", "OPENAI_ORG_ID must be of printable ASCII"),
    ("OPENAI_CUSTOM_HEADERS", "\udce9: x", "OPENAI_CUSTOM_HEADERS must be of printable ASCII"),
    ("HTTP_PROXY", "what://x", "a variable such as HTTP_PROXY or SSL_CERT_FILE is wrong"),
    *((FIELDS, fields, OBJECT) for fields in ("{", "[]", "3", "[" * 20_000)),
]


@pytest.mark.parametrize(("name", "value", "words"), VARIABLES, ids=range(len(VARIABLES)))
def test_a_variable_that_cannot_be_used_is_named_before_anything_is_asked(
    name: str, value: str, words: str, serve: Serve, monkeypatch: Any
) -> None:
    if not value:
        monkeypatch.delenv(name)
    else:
        monkeypatch.setenv(name, value)
        monkeypatch.setenv(name.lower() if name == "HTTP_PROXY" else name, value)
    with pytest.raises(ValueError, match=words):
        agents.load("llm:m", MINI)


# --- Against a server -------------------------------------------------------------------------------------------------


def evaluate(place: Path, game: str, agent: str, *more: str) -> dict[str, Any]:
    """Evaluate an agent for two games by the command and return the last row."""
    words = ["evaluate", game, "--agents", agent, "--games", "2", "--seed", "4", "--json", str(place / "result.json")]
    main([*words, *more])
    return rows_of(place / "result.json")[-1]


@pytest.mark.slow
@EVERY_GAME
def test_a_server_plays_and_the_row_says_what_it_took(
    under_test: GameUnderTest, monkeypatch: Any, tmp_path: Path, capsys: Any, serve: Serve
) -> None:
    """Every third answer is nonsense, and every fifth of the others names no legal move."""
    asked = []

    def rule(turn: str) -> str:
        asked.append(turn)
        return "Hm." if len(asked) % 3 == 0 else "Answer: play 99" if len(asked) % 5 == 0 else first(turn)

    fields = under_test.short
    preset = ["--preset", fields.pop("preset")] if "preset" in fields else []
    config = ["--config", *(f"{name}={value}" for name, value in fields.items())] if fields else []
    with serve(rule) as server:
        monkeypatch.setenv(FIELDS, '{"temperature": 0, "top_k": 1}')
        result = evaluate(tmp_path, under_test.name, "llm:hints:stub", *preset, *config)
    took = result["answers"]["llm:hints:stub"]
    decisions = round(2 * result["length"])
    assert took.pop("seconds") > 0
    assert took == {
        "prompt": "hints",
        "request": {"temperature": 0, "top_k": 1},
        "decisions": decisions,
        "illegal": decisions // 3 + decisions // 5 - decisions // 15,
        "cut_off": 0,
        "prompt_tokens": 100 * decisions,
        "completion_tokens": 7 * decisions,
    }
    assert server.paths == {"/v1/chat/completions"} and len(server.asked) == decisions
    assert all(body["model"] == "stub" and body["top_k"] == 1 and body["temperature"] == 0 for body in server.asked)
    line = capsys.readouterr().out.splitlines()[-1]
    assert line.startswith(f"llm:hints:stub: {decisions:,} decisions, {took['illegal']:,} of them illegal")
    assert f"{took['illegal'] / decisions:.1%}" in line


def test_answers_that_are_cut_off_are_counted_apart(tmp_path: Path, capsys: Any, serve: Serve) -> None:
    """Without content, as when a model's thinking reaches the limit; a move that was named still counts."""
    answers = {"thought": None, "moved": "Answer: 1"}
    for kind, content in answers.items():
        choice = {"index": 0, "finish_reason": "length", "message": {"role": "assistant", "content": content}}
        with serve(body={"choices": [choice]}):
            result = evaluate(tmp_path, "hanabi", "llm:stub", "--preset", "very_small")
        took, said = result["answers"]["llm:stub"], capsys.readouterr().out
        cut_off = took["decisions"] if kind == "thought" else 0
        assert (took["illegal"], took["cut_off"]) == (0, cut_off)
        line = f"llm:stub: {cut_off:,} more answers (100.0%) ended at the limit of tokens without a move, "
        assert (line in said and "max_completion_tokens in HANABAKO_LLM" in said) == bool(cut_off)


def says(content: Any, **more: Any) -> dict[str, Any]:
    message = {"role": "assistant", "content": content}
    return {"choices": [{"index": 0, "finish_reason": "stop", "message": message}], **more}


NO_ANSWERS: list[Any] = [
    *({"hello": "world"}, {"choices": []}, [1, 2], "{", "[" * 20_000, {"choices": {"0": 1}}),
    *(says(["play 0"]), says(3), says([])),
    *(says("play 0", usage=usage) for usage in ([1, 2], "many", {"prompt_tokens": "x"})),
]


def test_what_is_no_answer_of_the_protocol_is_refused_in_a_sentence(serve: Serve) -> None:
    for body in NO_ANSWERS:
        with serve(body=body) as server, pytest.raises(ValueError, match="does not answer in OpenAI's protocol") as end:
            Server("m").reply(QUESTION)
        assert server.address in str(end.value) and "\n" not in str(end.value), body


REASONS = {404: "no model m here", 401: "wrong key", None: "Connection error"}


@pytest.mark.parametrize("status", REASONS)
def test_a_server_that_refuses_or_is_gone_ends_a_command_in_a_sentence(
    status: int | None, serve: Serve, monkeypatch: Any, tmp_path: Path
) -> None:
    body = {"error": {"message": REASONS[status], "type": "x", "code": None, "param": None}}
    monkeypatch.setattr("hanabako.agents.bridges.language_models.server.RETRIES", 0)
    with serve(status=status or 200, body=body) as server:
        address = server.address if status else server.address.replace(".1:", ".2:")  # an address without a server
        monkeypatch.setenv("OPENAI_BASE_URL", address)
        with pytest.raises(SystemExit) as end:
            evaluate(tmp_path, "hanabi", "llm:m", "--preset", "mini")
    assert f"no answer of m from {address}" in str(end.value) and REASONS[status] in str(end.value)
    assert "\n" not in str(end.value)


@pytest.mark.parametrize("more", [{}, {"usage": None}, {"usage": {}}, {"usage": {"prompt_tokens": None}}], ids=str)
def test_a_server_counts_no_tokens_that_are_not_told(more: dict[str, Any], serve: Serve) -> None:
    with serve(body=says(None, **more)):
        reply = Server("m").reply(QUESTION)
    assert reply[:3] == ("", 0, 0) and reply.seconds > 0


@pytest.mark.filterwarnings("default")  # its own warnings
def test_the_recipe_of_verifiers_plays(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("verifiers.v1", reason="client: verifiers is not installed")
    monkeypatch.syspath_prepend(RECIPES)
    recipe = importlib.import_module("verifiers_hanabi")
    clients = importlib.import_module("verifiers.v1.clients")
    sampling = importlib.import_module("verifiers.v1").SamplingConfig()
    monkeypatch.setenv("STUB_KEY", "none")
    env = recipe.HanabiEnv(recipe.HanabiConfig(id="verifiers_hanabi", taskset={"id": "verifiers_hanabi"}))

    async def episode(address: str) -> Any:
        client = clients.EvalClientConfig(base_url=address, api_key_var="STUB_KEY")
        async with env.serving():
            (task,) = env.taskset.take(1)
            return await env.run_episode(task, clients.ModelContext(client=client, model="m", sampling=sampling))

    with serving() as server:
        played = asyncio.run(episode(server.address))
    (trace,) = played.traces
    config = recipe.CONFIG
    expected = play(config, [First(), agents.load("smart", config)], 1, seed=0)
    assert played.ok and trace.rewards["points"].score == expected.score[0]
    assert trace.metrics == {"decisions": len(server.asked), "illegal": 0.0}
    roles = [message["role"] for message in server.asked[-1]["messages"]]
    assert roles == ["system", *["user", "assistant"] * (len(server.asked) - 1), "user"], "the rules come once"


# --- Servers that refuse, fail, or do not end -------------------------------------------------------------------------


def refuses(message: str) -> tuple[int, Any]:
    return 400, {"object": "error", "message": message, "type": "BadRequestError", "code": 400}


def evaluated(folder: Path, *words: str) -> tuple[Any, dict[str, Any]]:
    """Return the end of an evaluation of ten games, None if it is complete, and its JSON, empty if there is none."""
    path, end = folder / "result.json", None
    words = ("evaluate", "hanabi", "--preset", "mini", "--games", "10", "--json", str(path), *words)
    path.unlink(missing_ok=True)
    try:
        main([*words])
    except SystemExit as error:
        end = error.code
    return end, rows_of(path)[0] if path.exists() else {}


def test_a_refused_question_ends_its_game_alone_and_a_second_call_goes_on(
    tmp_path: Path, capsys: Any, serve: Serve
) -> None:
    asked: list[Any] = []

    def refuse_long_games(request: Any) -> tuple[int, Any]:
        asked.append(request)
        return refuses("too long") if "cards in the deck: 6\n" in request["messages"][-1]["content"] else (200, None)

    answers = tmp_path / "result.json.answers"
    with serve(body=refuse_long_games) as server:
        end, partial = evaluated(tmp_path, "--agents", "llm:m")
    assert "partial" in end and str(answers) in end and "partial: " in capsys.readouterr().out
    assert 0 < partial["games"] < 10 and partial["partial"].startswith(f"{10 - partial['games']} of 10 games were")
    told = answers.read_text(encoding="utf-8")
    answers.write_text(told[:-9], encoding="utf-8")  # the process was killed while it wrote the last one
    with serve() as server:
        end, whole = evaluated(tmp_path, "--agents", "llm:m")
    assert end is None and whole["games"] == 10 and "partial" not in whole and not answers.exists()
    assert 0 < len(server.asked) < len(asked)
    with serve() as server:
        _, alone = evaluated(tmp_path, "--agents", "llm:m")
    assert (alone["score"], alone["length"]) == (whole["score"], whole["length"])
    assert alone["answers"]["llm:m"]["decisions"] == whole["answers"]["llm:m"]["decisions"] == len(server.asked)


@pytest.mark.parametrize(
    ("status", "mode"),
    [
        (400, "self-play"),
        *(pytest.param(*case, marks=pytest.mark.slow) for case in [(401, "cross-play"), (400, "cross-play")]),
    ],
)
def test_a_server_that_fails_loses_no_answer(status: int, mode: str, tmp_path: Path, serve: Serve) -> None:
    count = 0

    def fail_from_the_third(_: Any) -> tuple[int, Any]:
        nonlocal count
        count += 1
        return (200, None) if count < 3 else (status, refuses("no more")[1])

    agents_ = "llm:m" if mode == "self-play" else "llm:m,llm:n"
    with serve(body=fail_from_the_third) as server:
        end, result = evaluated(tmp_path, "--agents", agents_, "--mode", mode)
    assert "no more" in end and "answers so far are in" in end and "\n" not in end and not result
    with serve() as server:
        end, result = evaluated(tmp_path, "--agents", agents_, "--mode", mode)
    rows = rows_of(tmp_path / "result.json")
    decisions = sum(counts["decisions"] for row in rows for counts in row["answers"].values())
    assert end is None and len(server.asked) == decisions - 2


def test_where_games_must_be_complete_a_refused_question_is_an_error(serve: Serve) -> None:
    with serve(body=lambda _: refuses("too long")):
        policy = agents.load("llm:m", MINI)
        with pytest.raises(ValueError, match="too long"):
            play(MINI, policy, 2, seed=1)
        with pytest.raises(ValueError, match="too long"):
            game_of(MINI).make_seat(config=MINI, partners=policy, seat=1).reset(seed=1)


@pytest.mark.parametrize("words", ["System role not supported", "Only user and assistant roles are supported!"])
def test_a_model_without_system_messages_gets_the_rules_in_its_first(words: str, serve: Serve) -> None:
    def user_alone(request: Any) -> tuple[int, Any]:
        return refuses(words) if request["messages"][0]["role"] == "system" else (200, says("play 0"))

    with serve(body=user_alone) as server:
        model = Server("m")
        assert [model.reply(QUESTION).text for _ in range(2)] == ["play 0"] * 2
    roles = [[message["role"] for message in request["messages"]] for request in server.asked]
    assert roles == [["system", "user"], ["user"], ["user"]]
    assert server.asked[-1]["messages"] == [{"role": "user", "content": f"rules\n\n{QUESTION[1]['content']}"}]


def head(handler: Any, status: int, **headers: str) -> None:
    handler.send_response(status)
    for name, value in headers.items():
        handler.send_header(name.replace("_", "-"), value)
    handler.end_headers()


def drip(handler: Any, status: int) -> None:
    head(handler, status, Content_Type="application/json", Content_Length="1000000")
    while not handler.server.is_closed:
        handler.wfile.write(b" ")
        time.sleep(0.02)


def flood(handler: Any, status: int) -> None:
    head(handler, status, Content_Type="application/json", Content_Length=str(10**9))
    while not handler.server.is_closed:
        handler.wfile.write(b" " * 10**4)


def inflate(handler: Any, status: int) -> None:
    """Write a small answer that unpacks to a large one."""
    packed = gzip.compress(b" " * 10**6 + json.dumps(says("play 0")).encode())
    head(handler, status, Content_Type="application/json", Content_Encoding="gzip", Content_Length=str(len(packed)))
    handler.wfile.write(packed)


@pytest.mark.parametrize(
    ("write", "status", "words"),
    [
        (drip, 200, "it takes longer than 0.5 seconds"),
        (drip, 404, "it takes longer than 0.5 seconds"),
        (flood, 200, "it has more than 100,000 bytes"),
        (flood, 404, "it has more than 100,000 bytes"),
        (inflate, 200, "does not answer in OpenAI's protocol"),
        (inflate, 404, "Error code: 404|no answer of m"),
    ],
)
def test_an_answer_has_an_end_in_time_and_size(
    write: Any, status: int, words: str, monkeypatch: Any, serve: Serve
) -> None:
    def written(handler: Any) -> None:
        with suppress(OSError):
            write(handler, status)
        handler.close_connection = True

    monkeypatch.setattr("hanabako.agents.bridges.language_models.server.SECONDS", 0.5 if write is drip else 10)
    monkeypatch.setattr("hanabako.agents.bridges.language_models.server.MOST_BYTES", 10**5)
    with serve(write=written), pytest.raises(ValueError, match=words) as refusal:
        Server("m").reply(QUESTION)
    assert len(str(refusal.value)) < 600 and "\n" not in str(refusal.value)


def test_a_server_on_this_machine_is_reached_without_a_proxy_and_a_proxy_is_named(
    monkeypatch: Any, serve: Serve
) -> None:
    with serving() as gone:
        pass
    monkeypatch.setattr("hanabako.agents.bridges.language_models.server.RETRIES", 0)
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.setenv("HTTP_PROXY", gone.address.replace("//", "//me:secret@"))
    monkeypatch.setenv("http_proxy", gone.address.replace("//", "//me:secret@"))
    with serve():
        assert Server("m").reply(QUESTION).text.endswith("play 0")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://model.invalid/v1")
    with pytest.raises(ValueError, match=r"through the proxy 127\.0\.0\.1:\d+/v1, as HTTP_PROXY") as refusal:
        Server("m").reply(QUESTION)
    assert "secret" not in str(refusal.value)


def test_nothing_waits_for_an_answer_that_is_no_longer_wanted(monkeypatch: Any, serve: Serve) -> None:
    """One question is refused for good while another is being answered without end."""
    first_one = threading.Event()

    def one_hangs(handler: Any) -> None:
        if not first_one.is_set():
            first_one.set()
            with suppress(OSError):
                drip(handler, 200)
        head(handler, 401, Content_Length="0")

    before = set(threading.enumerate())
    with serve(write=one_hangs):
        with pytest.raises(ValueError, match="no answer of m"):
            play(MINI, agents.load("llm:m", MINI), 2, seed=1)
        end = time.monotonic() + 5
        while left := [one for one in {*threading.enumerate()} - before if one.name.startswith("ThreadPool")]:
            assert time.monotonic() < end, left
            time.sleep(0.01)
