"""Language models as players: what they are told, how their answers are read, and what is counted."""

import asyncio
import gzip
import importlib
import json
import re
import sys
import threading
import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docs.build import prompts
from hanabako import agents
from hanabako.agents import play, registry
from hanabako.agents.bridges.language_models.one_game import ChatGame
from hanabako.agents.bridges.language_models.parsing import counted_from, move_in, notes_in
from hanabako.agents.bridges.language_models.policy import ChatPolicy
from hanabako.agents.bridges.language_models.server import FIELDS, RETRIES, Reply, Server
from hanabako.agents.bridges.language_models.view import PROMPTS, Chat
from hanabako.agents.commands.command_line import main
from hanabako.agents.playing.seating import OneTable
from hanabako.games import game_named, game_of
from hanabako.generated import filled
from hanabi_env import PRESETS
from tests.agents.evaluations import claim, rows_of
from tests.bridges.chat_server import first, serving
from tests.games import GAMES, GameUnderTest, short_name

MINI = PRESETS["mini"]
RECIPES = Path(__file__).resolve().parents[2] / "docs" / "recipes"
EVERY_GAME = pytest.mark.parametrize("under_test", GAMES, ids=short_name)
EVERY_PROMPT = pytest.mark.parametrize("prompt", PROMPTS)


class Stub:
    """A model in this process that answers by a rule and stores its questions."""

    def __init__(self, rule: Any = first) -> None:
        self.rule, self.asked = rule, []

    def reply(self, messages: list[dict[str, str]]) -> Reply:
        self.asked.append(messages)
        return Reply(self.rule(messages[-1]["content"]), prompt_tokens=100, completion_tokens=7, seconds=0.5)


class First(agents.PlainBot):
    """Plays the first legal move."""

    def act(self, view: Any) -> str:
        return view.legal[0]


# --- Reading answers --------------------------------------------------------------------------------------------------

HANABI = ["play 0", "play 1", "play 10", "discard 0", "hint 1 R", "hint 1 1", "play 1 as R"]
KOIKOI = ["play 8-1", "play 8-10", "take 3-2", "stop", "koikoi"]


@pytest.mark.parametrize(
    ("answer", "move"),
    [
        ("play 1", "play 1"),
        ("PLAY 10.", "play 10"),
        ("3", "play 10"),
        ("Answer: 4", "discard 0"),
        ("**Answer:** `discard 0`", "discard 0"),
        ("Answer:\n", None),
        ("Answer: play 7\n", None),
        ("I could play 1, but no.\nAnswer: discard 9", None),
        ('{"reason": "play 1 is risky", "move": "hint 1 R"}', "hint 1 R"),
        ('```json\n{"answer": "play 0", "next": "play 1"}\n```', "play 0"),
        ("<answer>hint 1 1</answer>", "hint 1 1"),
        ("so \\boxed{\\text{play 10}}", "play 10"),
        ("Final answer = play slot 1", "play 1"),
        ("Answer: hint player 1 red", "hint 1 R"),
        ("Answer: play 1 as red", "play 1 as R"),
        ("Answer: hint(1, R)", "hint 1 R"),
        ("play 0 would lose a life. I'd rather discard 0", "discard 0"),
        ("<think>Answer: play 0</think>I choose play_1", "play 1"),
        ("Answer: play 0\n\nNo: Answer: play 1", "play 1"),
        ("Action: think.\nThen discard 0", "discard 0"),
        ("Move: 2", "play 1"),
        ("", None),
        ("99", None),
        ("I pass", None),
        ("play 12", None),
        ("replay 0", None),
    ],
)
def test_an_answer_is_read(answer: str, move: str | None) -> None:
    assert move_in(answer, HANABI, {"R": "red"}) == move


def test_cards_with_a_dash_are_told_apart() -> None:
    assert move_in("Answer: play 8-1", KOIKOI) == "play 8-1"
    assert move_in("play 8-10", KOIKOI) == "play 8-10"
    assert move_in("play 8-11", KOIKOI) is None
    assert move_in("I will not stop, I say KoiKoi!", KOIKOI) == "koikoi"


def test_a_player_may_be_named_instead_of_counted():
    """The prompt names players, so a model may as well; moves count seats from the player to move."""
    legal = ["hint 1 Y", "hint 2 Y", "buy 1", "buy 2"]
    for player, other, count in ((1, 2, 1), (1, 0, 2), (2, 0, 1), (0, 2, 2)):
        for said in ("hint player_{} Y", "Hint to player_{} Y", "hint `player_{}` Y", "hint, Player_{}: Y"):
            answer = counted_from(f"Answer: {said.format(other)}", player, 3)
            assert move_in(answer, legal) == f"hint {count} Y", answer
        assert move_in(counted_from(f"buy player_{other}", player, 3), legal) == f"buy {count}"
        assert move_in(f"hint player_{other} Y", legal) is None
    assert move_in(counted_from("Answer: hint player_1 Y", 1, 3), legal) is None, "a hint to oneself"


@pytest.mark.parametrize(
    "answer", ["Notes: R1 of mine.\nAnswer: \\boxed{play 0}", "Notes: R1 of mine.\n\\boxed{play 0}"]
)
def test_a_box_is_an_answer_and_no_note(answer: str):
    assert (move_in(answer, ["play 0", "play 1"]), notes_in(answer)) == ("play 0", "R1 of mine.")
    assert notes_in("I think.\n\\boxed{play 0}") is None


words = st.sampled_from(["play", "discard", "hint", "take", "keep", "buy", "stop"])
ends = st.lists(st.sampled_from(["0", "1", "10", "R", "3-1", "3-10", "as"]), max_size=3)
moves = st.builds(lambda verb, rest: " ".join([verb, *rest]), words, ends)
WRAPPED = (
    "{}",
    "Answer: {}",
    "answer: {}.",
    "I like {other} less.\n\n**Answer**: {}",
    "## Answer:\t*{}*",
    '{{"thought": "not {other}", "answer": "{}"}}',
    "{other}? No, {}!",
    "<think>Answer: {other}</think>\n{}",
    "Notes: {other}\nAnswer: {}",
    "My move: {}",
)


@given(st.lists(moves, min_size=1, max_size=12, unique=True), st.data())
def test_whatever_is_legal_is_read_in_every_manner(legal: list[str], data: st.DataObject) -> None:
    move, other = data.draw(st.sampled_from(legal)), data.draw(st.sampled_from(legal))
    wrapped = data.draw(st.sampled_from(WRAPPED))
    said = move.upper() if data.draw(st.booleans()) else move
    assert move_in(wrapped.format(said, other=other), legal) == move
    assert move_in(f"Answer: {legal.index(move) + 1}", legal) == move


@given(st.text(), st.lists(moves, min_size=1, max_size=5, unique=True))
def test_no_answer_breaks_the_reading(text: str, legal: list[str]) -> None:
    assert move_in(text, legal) in [*legal, None]
    assert isinstance(notes_in(text), str | None)


def test_notes_are_what_stands_before_the_answer() -> None:
    assert notes_in("Thoughts.\n**Notes:** R1 is mine,\nG2 theirs.\n\nAnswer: play 0") == "R1 is mine,\nG2 theirs."
    assert notes_in("Notes: a\nAnswer: play 1\nNotes: b") == "b"
    assert notes_in("Answer: play 1") is None
    assert len(notes_in("Notes: " + "x" * 10**6) or "") < 10**4


# --- Playing ----------------------------------------------------------------------------------------------------------


@EVERY_GAME
@EVERY_PROMPT
def test_a_model_plays_every_game_as_its_answers_say(under_test: GameUnderTest, prompt: str) -> None:
    config, stub = under_test.config(**under_test.short), Stub()
    policy = ChatPolicy(stub, config, prompt)
    games = play(config, policy, 3, seed=4)
    expected = play(config, First(), 3, seed=4)
    assert games.rewards.tolist() == expected.rewards.tolist() and games.length.tolist() == expected.length.tolist()
    decisions = int(games.length.sum())
    assert policy.counted() == {
        "prompt": prompt,
        "decisions": decisions,
        "illegal": 0,
        "cut_off": 0,
        "prompt_tokens": 100 * decisions,
        "completion_tokens": 7 * decisions,
        "seconds": decisions / 2,
    }
    assert all([message["role"] for message in messages] == ["system", "user"] for messages in stub.asked)


@EVERY_GAME
def test_illegal_answers_are_counted_and_replaced_by_random_moves(under_test: GameUnderTest) -> None:
    """A model without answers plays like `random`, decision by decision.

    Seeds are therefore reproducible, whichever games are played together.
    """
    config = under_test.config(**under_test.short)
    policy = ChatPolicy(Stub(lambda _: "Answer: I do not know"), config)
    games = play(config, policy, 4, seed=4)
    expected = play(config, agents.load("random", config), 4, seed=4)
    assert games.length.tolist() == expected.length.tolist() and games.score.tolist() == expected.score.tolist()
    assert policy.counts["illegal"] == policy.counts["decisions"] == games.length.sum()
    alone = play(config, ChatPolicy(Stub(lambda _: ""), config), 1, seed=4, first=3)
    assert (alone.score[0], alone.length[0]) == (games.score[3], games.length[3])


def test_as_many_games_as_allowed_are_asked_about_at_once() -> None:
    at_work, most, lock = 0, 0, threading.Lock()
    together = threading.Barrier(3)

    def rule(turn: str) -> str:
        nonlocal at_work, most
        with lock:
            at_work += 1
            most = max(most, at_work)
        if "Since your last turn" not in turn:
            together.wait(timeout=60)  # it times out unless three are asked at the same time
        with lock:
            at_work -= 1
        return first(turn)

    play(MINI, ChatPolicy(Stub(rule), MINI, at_once=3), 6, seed=1)
    assert most == 3


def test_a_model_is_a_partner_of_the_seat() -> None:
    """In games stepped separately, a model hears of the moves in its game and forgets them when the next begins."""
    stub = Stub()
    env = game_of(MINI).make_seat(config=MINI, partners=ChatPolicy(stub, MINI))
    for seed in (1, 2):
        observation, _ = env.reset(seed=seed)
        over, before = False, len(stub.asked)
        while not over:
            observation, _, over, _, _ = env.step(int(observation["action_mask"].argmax()))
        turns = [messages[-1]["content"] for messages in stub.asked[before:]]
        assert turns[0].startswith("You are player_1. Since your last turn:\n- player_0 plays ")
        assert turns[0].count("\n- player_") == 1 and turns[1].count("\n- player_") == 2


# --- What is shown ----------------------------------------------------------------------------------------------------


def asked_from(env: Any, state: dict[str, Any], prompt: str, own: int, rule: Any = first, steps: int = 1) -> list[Any]:
    """Return what a model at the seat ``own`` is asked in the first steps from a position.

    Its partners always take the first legal action.
    """
    env.reset(seed=1, options={"state": state})
    stub, config = Stub(rule), env.config
    policies: list[Any] = [First()] * config.players
    policies[own] = ChatPolicy(stub, config, prompt)
    table = OneTable(env, policies)
    for _ in range(steps):
        env.step(table.action())
        table.observe()
    return stub.asked


@EVERY_PROMPT
def test_no_prompt_shows_hidden_cards_of_hanabi(prompt: str) -> None:
    """The questions do not change if hidden cards are exchanged: the player's hand, and the deck's order."""
    env = game_of(MINI).module("hanabi_v0").raw_env(config=MINI)
    env.reset(seed=1)
    position = env.to_dict()
    hand, deck = position["hands"][0], position["deck"]
    other = position | {"hands": [deck[:3], *position["hands"][1:]], "deck": [*hand, *deck[3:]]}
    assert sorted(deck[:3]) != sorted(hand)
    hints = [asked_from(env, state, prompt, 0, lambda _: "hint 1 1 hint 1 2", 2) for state in (position, other)]
    assert hints[0] == hints[1] and hints[0][0][1]["content"].count("??") == 3
    assert deck[0] != deck[-1]
    shuffled = position | {"deck": [deck[-1], *deck[1:-1], deck[0]]}
    drawn = [asked_from(env, state, prompt, 0, first, 3) for state in (position, shuffled)]
    assert len(drawn[0]) == 2 and drawn[0] == drawn[1], "the first play drew another card, which is not seen"
    seen = [asked_from(env, state, prompt, 1, first, 2) for state in (position, shuffled)]
    assert seen[0] != seen[1], "the partner sees it"


@EVERY_PROMPT
def test_no_prompt_shows_hidden_cards_of_koikoi(prompt: str) -> None:
    config = replace(game_named("koikoi").presets["document"], hand_swap=False)
    env = game_of(config).module("koikoi_v0").raw_env(config=config)
    env.reset(seed=3)
    position = env.to_dict()
    own = position["current_player"]
    hands, deck = [list(hand) for hand in position["hands"]], list(position["deck"])
    hands[1 - own][0], deck[-1] = deck[-1], hands[1 - own][0]
    questions = [asked_from(env, state, prompt, own) for state in (position, position | {"hands": hands, "deck": deck})]
    assert questions[0] == questions[1] and "??" in questions[0][0][1]["content"]


@EVERY_PROMPT
def test_no_prompt_shows_hidden_cards_of_ikebana(prompt: str) -> None:
    """The deck and the other player's drawn card are hidden; the card is seen once it is kept or refused."""
    config = game_named("ikebana").presets["standard"]
    env = game_of(config).module("ikebana_v0").raw_env(config=config)
    env.reset(seed=3)
    position = env.to_dict()
    shuffled = position | {"deck": position["deck"][::-1]}
    questions = [asked_from(env, state, prompt, 0) for state in (position, shuffled)]
    assert questions[0] == questions[1]


def test_the_prompts_show_what_their_names_say() -> None:
    asked = {}
    for prompt in PROMPTS:
        stub = Stub(lambda _: "Notes: mind the gap\nAnswer: hint 1 1, or play 0")
        play(MINI, ChatPolicy(stub, MINI, prompt), 2, seed=1)
        asked[prompt] = stub.asked
    for prompt, deduced in (("hints", False), ("deductions", True), ("scratch_pad", False)):
        turns = [messages[1]["content"] for messages in asked[prompt]]
        assert all(("Playable now:" in turn) == deduced for turn in turns)
        assert any("told 1" in turn for turn in turns)
    noted = [messages[1]["content"] for messages in asked["scratch_pad"]]
    assert [("Your notes: none yet" in turn) for turn in noted[:6]] == [True] * 4 + [False] * 2, "per game and seat"
    assert "Your notes: mind the gap" in noted[4]
    assert "Notes:" in asked["scratch_pad"][0][0]["content"] and "Notes:" not in asked["hints"][0][0]["content"]


@pytest.mark.slow
@EVERY_GAME
def test_rules_are_told_for_every_preset(under_test: GameUnderTest) -> None:
    told = {name: Chat(config).rules for name, config in under_test.presets.items()}
    assert all("Answer: the words of one legal move" in text for text in told.values())
    assert len(set(told.values())) > 1 or len(told) == 1
    for config in under_test.presets.values():
        play(config, ChatPolicy(Stub(), config), 1, seed=2)


def test_deductions_count_cards() -> None:
    """At the start, a card is playable with the share of 1s among the unseen cards."""
    env = game_of(MINI).module("hanabi_v0").raw_env(config=MINI)
    env.reset(seed=1)
    position = env.to_dict()
    (question,) = asked_from(env, position, "deductions", 0)
    unseen = [*position["deck"], *position["hands"][0]]
    playable = sum(card[1] == "1" for card in unseen) / len(unseen)
    assert question[1]["content"].count(f"playable {playable:.0%}, never needed 0%") == 3


# --- One game, step by step -------------------------------------------------------------------------------------------


@EVERY_GAME
def test_a_game_goes_on_with_every_answer(under_test: GameUnderTest) -> None:
    config = under_test.config(**under_test.short)
    expected = play(config, First(), 1, seed=5)
    for seat in range(config.players):
        game = ChatGame(config, First(), seat, seed=5)
        assert "legal move" in game.rules
        while not game.is_over:
            game.answer(first(game.turn()))
        assert game.reward == expected.rewards[0, seat] and game.counts["illegal"] == 0
        assert game.result["length"] == expected.length[0]
        for late in (game.turn, lambda game=game: game.answer("")):
            with pytest.raises(ValueError, match="over"):
                late()
    with pytest.raises(ValueError, match="seat must be from 0 to"):
        ChatGame(config, First(), config.players)
    with pytest.raises(ValueError, match="partners must be one, or one for each of"):
        ChatGame(config, [First()] * config.players)


def test_partners_sit_in_turn_order_and_nonsense_is_counted() -> None:
    config, met = replace(MINI, players=3), []

    class Marked(First):
        def __init__(self, mark: int) -> None:
            self.mark = mark

        def act(self, view: Any) -> str:
            met.append((self.mark, view.player))
            return super().act(view)

    game = ChatGame(config, [Marked(1), Marked(2)], seat=1)
    while not game.is_over:
        game.answer("?")
    assert set(met) == {(1, 2), (2, 0)} and game.counts["illegal"] == game.counts["decisions"] > 0


def test_the_page_shows_the_prompt_that_is_sent() -> None:
    page = Path(prompts.PAGE).read_text(encoding="utf-8")
    assert filled(page, [("prompt", prompts.prompt())]) == page, "python -m docs.build.prompts"


# --- By name ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def with_key(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("openai", reason="client: openai is not installed")
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    monkeypatch.delenv(FIELDS, raising=False)


@pytest.mark.parametrize(
    ("name", "model", "prompt"),
    [
        ("llm:m", "m", "deductions"),
        ("llm:llama3:latest", "llama3:latest", "deductions"),
        ("llm:scratch_pad:org/m:8b", "org/m:8b", "scratch_pad"),
        ("llm:hints:m", "m", "hints"),
        ("llm:search:smart", "search:smart", "deductions"),
    ],
)
def test_a_name_says_the_prompt_and_the_model(name: str, model: str, prompt: str, with_key: None) -> None:
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
        ("search:llm:m", MINI, "the blueprint of a search must"),
    ],
)
def test_names_that_cannot_be_are_refused(name: str, config: Any, words: str, with_key: None) -> None:
    with pytest.raises(ValueError, match=words):
        agents.load(name, config)


def test_what_is_missing_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, "openai", None)
        with pytest.raises(ModuleNotFoundError, match="a language model needs openai: pip install "):
            agents.load("llm:m", MINI)
    pytest.importorskip("openai", reason="client: openai is not installed")
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(ValueError, match="OPENAI_API_KEY must hold the server's key"):
        agents.load("llm:m", MINI)
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    for wrong in ("{", "[]", "3", "[" * 20_000):
        monkeypatch.setenv(FIELDS, wrong)
        with pytest.raises(ValueError, match=rf"{FIELDS} must be a JSON object such as .*, got"):
            agents.load("llm:m", MINI)
    with pytest.raises(ValueError, match="prompt must be one of hints, deductions, scratch_pad, got 'hint'"):
        ChatPolicy(Stub(), MINI, "hint")


# --- Against a server -------------------------------------------------------------------------------------------------


def evaluate(place: Path, game: str, agent: str, *more: str) -> dict[str, Any]:
    """Evaluate an agent for two games by the command and return the last row."""
    words = ["evaluate", game, "--agents", agent, "--games", "2", "--seed", "4", "--json", str(place / "result.json")]
    main([*words, *more])
    return rows_of(place / "result.json")[-1]


@pytest.mark.slow
@EVERY_GAME
def test_a_server_plays_and_the_row_says_what_it_took(
    under_test: GameUnderTest, with_key: None, monkeypatch: Any, tmp_path: Path, capsys: Any
) -> None:
    """Every third answer is nonsense, and every fifth of the others names no legal move."""
    asked = []

    def rule(turn: str) -> str:
        asked.append(turn)
        return "Hm." if len(asked) % 3 == 0 else "Answer: play 99" if len(asked) % 5 == 0 else first(turn)

    fields = under_test.short
    preset = ["--preset", fields.pop("preset")] if "preset" in fields else []
    config = ["--config", *(f"{name}={value}" for name, value in fields.items())] if fields else []
    with serving(rule) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.address)
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
    share = f"{took['illegal'] / decisions:.1%}"
    assert (
        line.startswith(f"llm:hints:stub: {decisions:,} decisions, {took['illegal']:,} of them illegal")
        and share in line
    )


@pytest.mark.slow
def test_models_play_with_others_in_every_mode(with_key: None, monkeypatch: Any, tmp_path: Path, capsys: Any) -> None:
    with serving() as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.address)
        evaluate(tmp_path, "hanabi", "llm:a,llm:scratch_pad:b,smart", "--preset", "mini", "--mode", "cross-play")
    rows = rows_of(tmp_path / "result.json")
    assert [list(row.get("answers", {})) for row in rows[:3]] == [["llm:a"], ["llm:a", "llm:scratch_pad:b"], ["llm:a"]]
    assert {body["model"] for body in server.asked} == {"a", "b"}
    asked = {
        name: sum(row["answers"][name]["decisions"] for row in rows if name in row.get("answers", {}))
        for name in ("llm:a", "llm:scratch_pad:b")
    }
    assert sum(asked.values()) == len(server.asked), "each row has its own counts"
    assert f"llm:scratch_pad:b: {asked['llm:scratch_pad:b']:,} decisions, " in capsys.readouterr().out


def test_answers_that_are_cut_off_are_counted_apart(
    with_key: None, monkeypatch: Any, tmp_path: Path, capsys: Any
) -> None:
    """Without content, as when a model's thinking reaches the limit; a move that was named still counts."""
    answers = {"thought": None, "moved": "Answer: 1"}
    for kind, content in answers.items():
        choice = {"index": 0, "finish_reason": "length", "message": {"role": "assistant", "content": content}}
        with serving(body={"choices": [choice]}) as server:
            monkeypatch.setenv("OPENAI_BASE_URL", server.address)
            result = evaluate(tmp_path, "hanabi", "llm:stub", "--preset", "very_small")
        took, said = result["answers"]["llm:stub"], capsys.readouterr().out
        cut_off = took["decisions"] if kind == "thought" else 0
        assert (took["illegal"], took["cut_off"]) == (0, cut_off)
        line = f"llm:stub: {cut_off:,} more answers (100.0%) ended at the limit of tokens without a move, "
        assert (line in said and "max_completion_tokens in HANABAKO_LLM" in said) == bool(cut_off)


def says(content: Any, **more: Any) -> dict[str, Any]:
    """Return the body of an answer."""
    message = {"role": "assistant", "content": content}
    return {"choices": [{"index": 0, "finish_reason": "stop", "message": message}], **more}


@pytest.mark.parametrize(
    ("status", "body", "words"),
    [
        (404, {"error": {"message": "no model m here", "type": "x", "code": None, "param": None}}, "no model m here"),
        (401, {"error": {"message": "wrong key", "type": "x", "code": None, "param": None}}, "wrong key"),
        (200, {"hello": "world"}, "does not answer in OpenAI's protocol"),
        (200, {"choices": []}, "does not answer in OpenAI's protocol"),
        (200, [1, 2], "does not answer in OpenAI's protocol"),
        (200, "{", "does not answer in OpenAI's protocol"),
        (200, "[" * 20_000, "does not answer in OpenAI's protocol"),
        (200, {"choices": {"0": 1}}, "does not answer in OpenAI's protocol"),
        (200, says(["play 0"]), "does not answer in OpenAI's protocol"),
        (200, says(3), "does not answer in OpenAI's protocol"),
        (200, says([]), "does not answer in OpenAI's protocol"),
        (200, says("play 0", usage=[1, 2]), "does not answer in OpenAI's protocol"),
        (200, says("play 0", usage="many"), "does not answer in OpenAI's protocol"),
        (200, says("play 0", usage={"prompt_tokens": "x"}), "does not answer in OpenAI's protocol"),
    ],
)
def test_a_server_that_refuses_ends_it_in_a_sentence(
    status: int, body: Any, words: str, with_key: None, monkeypatch: Any, tmp_path: Path
) -> None:
    with serving(status=status, body=body) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.address)
        with pytest.raises(SystemExit) as end:
            evaluate(tmp_path, "hanabi", "llm:m", "--preset", "mini")
    assert words in str(end.value) and server.address in str(end.value) and "\n" not in str(end.value)


def test_a_server_that_is_not_there_ends_it_in_a_sentence(
    with_key: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with serving() as server:
        pass
    monkeypatch.setenv("OPENAI_BASE_URL", server.address)
    monkeypatch.setattr("hanabako.agents.bridges.language_models.server.RETRIES", 0)
    with pytest.raises(SystemExit, match=rf"no answer of m from {re.escape(server.address)}/?: Connection error"):
        evaluate(tmp_path, "hanabi", "llm:m", "--preset", "mini")
    assert RETRIES > 0


@pytest.mark.parametrize("more", [{}, {"usage": None}, {"usage": {}}, {"usage": {"prompt_tokens": None}}], ids=str)
def test_a_server_counts_no_tokens_that_are_not_told(
    more: dict[str, Any], with_key: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(body=says(None, **more)) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.address)
        reply = Server("m").reply([{"role": "user", "content": "?"}])
    assert reply[:3] == ("", 0, 0) and reply.seconds > 0


def test_the_list_of_agents_names_language_models(capsys: pytest.CaptureFixture[str]) -> None:
    main(["agents", "hanabi"])
    assert re.search(r"^  llm:MODEL +a language model", capsys.readouterr().out, flags=re.MULTILINE)


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
    with_key: None, monkeypatch: Any, tmp_path: Path, capsys: Any
) -> None:
    asked: list[Any] = []

    def refuse_long_games(request: Any) -> tuple[int, Any]:
        asked.append(request)
        return refuses("too long") if "cards in the deck: 6\n" in request["messages"][-1]["content"] else (200, None)

    answers = tmp_path / "result.json.answers"
    with serving(body=refuse_long_games) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.address)
        end, partial = evaluated(tmp_path, "--agents", "llm:m")
    assert "partial" in end and str(answers) in end and "partial: " in capsys.readouterr().out
    assert 0 < partial["games"] < 10 and partial["partial"].startswith(f"{10 - partial['games']} of 10 games were")
    told = answers.read_text(encoding="utf-8")
    answers.write_text(told[:-9], encoding="utf-8")  # the process was killed while it wrote the last one
    with serving() as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.address)
        end, whole = evaluated(tmp_path, "--agents", "llm:m")
    assert end is None and whole["games"] == 10 and "partial" not in whole and not answers.exists()
    assert 0 < len(server.asked) < len(asked)
    with serving() as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.address)
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
def test_a_server_that_fails_loses_no_answer(
    status: int, mode: str, with_key: None, monkeypatch: Any, tmp_path: Path
) -> None:
    count = 0

    def fail_from_the_third(_: Any) -> tuple[int, Any]:
        nonlocal count
        count += 1
        return (200, None) if count < 3 else (status, refuses("no more")[1])

    agents_ = "llm:m" if mode == "self-play" else "llm:m,llm:n"
    with serving(body=fail_from_the_third) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.address)
        end, result = evaluated(tmp_path, "--agents", agents_, "--mode", mode)
    assert "no more" in end and "answers so far are in" in end and "\n" not in end and not result
    with serving() as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.address)
        end, result = evaluated(tmp_path, "--agents", agents_, "--mode", mode)
    rows = rows_of(tmp_path / "result.json")
    decisions = sum(counts["decisions"] for row in rows for counts in row["answers"].values())
    assert end is None and len(server.asked) == decisions - 2


def test_where_games_must_be_complete_a_refused_question_is_an_error(with_key: None, monkeypatch: Any) -> None:
    with serving(body=lambda _: refuses("too long")) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.address)
        policy = agents.load("llm:m", MINI)
        with pytest.raises(ValueError, match="too long"):
            play(MINI, policy, 2, seed=1)
        with pytest.raises(ValueError, match="too long"):
            game_of(MINI).make_seat(config=MINI, partners=policy, seat=1).reset(seed=1)


@pytest.mark.parametrize(
    "words",
    [
        "System role not supported",
        "Conversation roles must alternate user/assistant/user/assistant/...",
        "Only user and assistant roles are supported!",
    ],
)
def test_a_model_without_system_messages_gets_the_rules_in_its_first(
    words: str, with_key: None, monkeypatch: Any
) -> None:
    def user_alone(request: Any) -> tuple[int, Any]:
        return refuses(words) if request["messages"][0]["role"] == "system" else (200, says("play 0"))

    with serving(body=user_alone) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.address)
        model = Server("m")
        question = [{"role": "system", "content": "rules"}, {"role": "user", "content": "turn"}]
        assert [model.reply(question).text for _ in range(2)] == ["play 0"] * 2
    roles = [[message["role"] for message in request["messages"]] for request in server.asked]
    assert roles == [["system", "user"], ["user"], ["user"]]
    assert server.asked[-1]["messages"] == [{"role": "user", "content": "rules\n\nturn"}]


def head(handler: Any, status: int, **headers: str) -> None:
    handler.send_response(status)
    for name, value in headers.items():
        handler.send_header(name.replace("_", "-"), value)
    handler.end_headers()


def drip(handler: Any, status: int) -> None:
    """Write an answer that does not end."""
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
    write: Any, status: int, words: str, with_key: None, monkeypatch: Any
) -> None:
    def written(handler: Any) -> None:
        with suppress(OSError):
            write(handler, status)
        handler.close_connection = True

    monkeypatch.setattr("hanabako.agents.bridges.language_models.server.SECONDS", 0.5 if write is drip else 10)
    monkeypatch.setattr("hanabako.agents.bridges.language_models.server.MOST_BYTES", 10**5)
    with serving(write=written) as server:
        server.is_closed = False
        monkeypatch.setenv("OPENAI_BASE_URL", server.address)
        with pytest.raises(ValueError, match=words) as refusal:
            Server("m").reply([{"role": "user", "content": "?"}])
        server.is_closed = True
    assert len(str(refusal.value)) < 600 and "\n" not in str(refusal.value)


def test_a_server_on_this_machine_is_reached_without_a_proxy_and_a_proxy_is_named(
    with_key: None, monkeypatch: Any
) -> None:
    with serving() as gone:
        pass
    monkeypatch.setattr("hanabako.agents.bridges.language_models.server.RETRIES", 0)
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.setenv("HTTP_PROXY", gone.address.replace("//", "//me:secret@"))
    monkeypatch.setenv("http_proxy", gone.address.replace("//", "//me:secret@"))
    question = [{"role": "user", "content": "Your legal moves:\n1. play 0"}]
    with serving() as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.address)
        assert Server("m").reply(question).text.endswith("play 0")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://model.invalid/v1")
    with pytest.raises(ValueError, match=r"through the proxy 127\.0\.0\.1:\d+/v1, as HTTP_PROXY") as refusal:
        Server("m").reply(question)
    assert "secret" not in str(refusal.value)


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("OPENAI_BASE_URL", "http://a:b", "OPENAI_BASE_URL must be an address such as .*, got 'http://a:b'"),
        ("OPENAI_BASE_URL", "localhost:8000", "OPENAI_BASE_URL must be an address"),
        ("OPENAI_BASE_URL", "ftp://localhost/v1", "OPENAI_BASE_URL must be an address"),
        ("OPENAI_BASE_URL", "http://local\nhost/v1", "OPENAI_BASE_URL must be an address"),
        ("OPENAI_API_KEY", "a\nb", "OPENAI_API_KEY must be of printable ASCII"),
        ("OPENAI_ORG_ID", "\udce9", "OPENAI_ORG_ID must be of printable ASCII"),
        ("OPENAI_CUSTOM_HEADERS", "\udce9: x", "OPENAI_CUSTOM_HEADERS must be of printable ASCII"),
        ("HTTP_PROXY", "what://x", "a variable such as HTTP_PROXY or SSL_CERT_FILE is wrong"),
    ],
)
def test_a_variable_that_cannot_be_used_is_named_before_anything_is_asked(
    name: str, value: str, words: str, with_key: None, monkeypatch: Any
) -> None:
    monkeypatch.setenv(name, value)
    monkeypatch.setenv(name.lower() if name == "HTTP_PROXY" else name, value)
    with pytest.raises(ValueError, match=words):
        Server("m")


def test_nothing_waits_for_an_answer_that_is_no_longer_wanted(with_key: None, monkeypatch: Any) -> None:
    """One question is refused for good while another is being answered without end."""
    first_one = threading.Event()

    def one_hangs(handler: Any) -> None:
        if not first_one.is_set():
            first_one.set()
            with suppress(OSError):
                drip(handler, 200)
        head(handler, 401, Content_Length="0")

    before = set(threading.enumerate())
    with serving(write=one_hangs) as server:
        server.is_closed = False
        monkeypatch.setenv("OPENAI_BASE_URL", server.address)
        with pytest.raises(ValueError, match="no answer of m"):
            play(MINI, agents.load("llm:m", MINI), 2, seed=1)
        end = time.monotonic() + 5
        while left := [one for one in {*threading.enumerate()} - before if one.name.startswith("ThreadPool")]:
            assert time.monotonic() < end, left
            time.sleep(0.01)
        server.is_closed = True
