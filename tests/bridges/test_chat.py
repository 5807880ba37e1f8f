"""Language models as players: what they are told, how their answers are read, and what is counted."""

import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docs.build import prompts
from hanabako import agents
from hanabako.agents import play
from hanabako.agents.bridges.language_models.one_game import ChatGame
from hanabako.agents.bridges.language_models.parsing import counted_from, move_in, notes_in
from hanabako.agents.bridges.language_models.policy import ChatPolicy
from hanabako.agents.bridges.language_models.server import Reply
from hanabako.agents.bridges.language_models.view import PROMPTS, Chat
from hanabako.agents.playing.seating import OneTable
from hanabako.games import game_named, game_of
from hanabako.generated import filled
from hanabi_env import PRESETS
from tests.bridges.chat_server import first
from tests.games import EVERY_GAME, GameUnderTest

MINI = PRESETS["mini"]
EVERY_PROMPT = pytest.mark.parametrize("prompt", PROMPTS)


class Stub:
    """A model in this process that answers by a rule and stores its questions."""

    def __init__(self, rule: Any = first) -> None:
        self.rule, self.asked = rule, []

    def reply(self, messages: list[dict[str, str]]) -> Reply:
        self.asked.append(messages)
        return Reply(self.rule(messages[-1]["content"]), prompt_tokens=100, completion_tokens=7, seconds=0.5)


class First(agents.PlainBot):
    def act(self, view: Any) -> str:
        return view.legal[0]


# --- Reading answers --------------------------------------------------------------------------------------------------

LEGAL = ["play 0", "play 1", "play 10", "discard 0", "hint 1 R", "hint 1 1", "play 1 as R"]
LEGAL += ["play 8-1", "play 8-10", "take 3-2", "stop", "koikoi"]


@pytest.mark.parametrize(
    ("answer", "move"),
    [
        ("3", "play 10"),
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
        ("play 8-11", None),
        ("I will not stop, I say KoiKoi!", "koikoi"),
        *((nothing, None) for nothing in ("", "99", "I pass", "play 12", "replay 0")),
    ],
)
def test_an_answer_is_read(answer: str, move: str | None) -> None:
    assert move_in(answer, LEGAL, {"R": "red"}) == move


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


@pytest.mark.parametrize(
    ("answer", "notes"),
    [
        ("Thoughts.\n**Notes:** R1 is mine,\nG2 theirs.\n\nAnswer: play 0", "R1 is mine,\nG2 theirs."),
        ("Notes: a\nAnswer: play 1\nNotes: b", "b"),
        ("Notes: R1 of mine.\nAnswer: \\boxed{play 0}", "R1 of mine."),
        ("Notes: R1 of mine.\n\\boxed{play 0}", "R1 of mine."),
        ("I think.\n\\boxed{play 0}", None),
        ("Answer: play 1", None),
        ("Notes: " + "x" * 10**6, "x" * 4000),
    ],
)
def test_notes_are_what_stands_before_the_answer(answer: str, notes: str | None) -> None:
    assert notes_in(answer) == notes


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
    """A model without answers plays like `random`, decision by decision, whichever games are played together."""
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
    """Return what a model at ``own`` is asked in the first steps; its partners take the first legal action."""
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
@pytest.mark.parametrize("name", ["koikoi", "ikebana"])
def test_no_prompt_shows_hidden_cards_of_other_games(name: str, prompt: str) -> None:
    """The deck, Koi-Koi's other hand and the drawn card of Ikebana's other player are hidden."""
    fields = {"preset": "document", "hand_swap": False} if name == "koikoi" else {}
    env = game_named(name).module(f"{name}_v0").raw_env(**fields)
    env.reset(seed=3)
    position = env.to_dict()
    own, deck, exchanged = position["current_player"], list(position["deck"]), {}
    if name == "koikoi":
        hands = [list(hand) for hand in position["hands"]]
        hands[1 - own][0], deck[-1] = deck[-1], hands[1 - own][0]
        exchanged = {"hands": hands}
    states = position, position | exchanged | {"deck": deck if name == "koikoi" else deck[::-1]}
    questions = [asked_from(env, state, prompt, own) for state in states]
    assert questions[0] == questions[1] and ("??" in questions[0][0][1]["content"]) == (name == "koikoi")


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
