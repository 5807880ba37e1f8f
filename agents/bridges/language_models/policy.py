"""A language model as a policy: at every step it is asked about all its games at once."""

import json
import threading
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from hanabako.files import MOST_ARRAYS, parse_json, read_text
from hanabako.games import game_of
from hanabako.interrupts import in_threads
from hanabako.words.checks import shown

from ...bots.plain import PlainView
from ...playing.block import Block
from ...playing.policy import RandomPolicy, Seated, chosen_rows, has, rows_to_move, set_of, uniform
from .server import FIELDS, Model, RefusedError, Reply, Server
from .view import PROMPTS, USUAL, Chat, Message, checked_prompt

__all__ = ["AT_ONCE", "ChatPolicy", "ChatSeated", "load_chat"]

AT_ONCE = 32
"""The largest number of requests that wait for answers at the same time."""


class ChatPolicy:
    """A language model that plays.

    An answer that names no legal move is replaced by a random legal move, drawn from the game's own random stream;
    `counted` reports how often.

    Args:
        model: the model that answers.
        config: the config of the game.
        prompt: one of `agents.bridges.language_models.view.PROMPTS`.
        name: the policy's name in results.
        at_once: see `AT_ONCE`.

    Raises:
        ValueError: there is no such prompt.
    """

    observes = False  # it reads text, not observations
    specializes = False
    plays_apart = True

    def __init__(
        self, model: Model, config: Any, prompt: str = USUAL, name: str = "llm", at_once: int = AT_ONCE
    ) -> None:
        self.model, self.config, self.name, self.at_once = model, config, name, at_once
        self.prompt = checked_prompt(prompt)
        self.counts: Counter[str] = Counter()
        """Totals over all games so far: ``decisions``; among them answers that the limit of tokens ``cut_off`` before
        they named a move, and other ``illegal`` answers; ``prompt_tokens``, ``completion_tokens``, and
        ``milliseconds`` waited, summed over all answers."""
        self._lock = threading.Lock()

    def seat(self, games: Block, seats: Sequence[int]) -> "ChatSeated":
        """See `agents.playing.policy.Policy.seat`."""
        return ChatSeated(self, games, seats)

    def reply(self, question: list[Message]) -> Reply | RefusedError:
        """Return the model's answer to a question, or the error if the server refuses this question."""
        try:
            return self.model.reply(question)
        except RefusedError as refusal:
            return refusal

    def note(self, replies: Sequence[Reply], illegal: Sequence[Reply]) -> None:
        """Count replies, and those of them that named no legal move."""
        cut_off = sum(reply.cut_off for reply in illegal)
        with self._lock:
            self.counts["decisions"] += len(replies)
            self.counts["illegal"] += len(illegal) - cut_off
            self.counts["cut_off"] += cut_off
            for reply in replies:
                self.counts["prompt_tokens"] += reply.prompt_tokens
                self.counts["completion_tokens"] += reply.completion_tokens
                self.counts["milliseconds"] += round(1000 * reply.seconds)

    def counted(self) -> dict[str, Any]:
        """See `agents.playing.policy.Counting`."""
        names = ("decisions", "illegal", "cut_off", "prompt_tokens", "completion_tokens")
        fields = getattr(self.model, "fields", {})
        return {
            "prompt": self.prompt,
            **({"request": fields} if fields else {}),
            **{name: self.counts[name] for name in names},
            "seconds": self.counts["milliseconds"] / 1000,
        }

    def cost(self, name: str) -> Iterator[str]:
        """See `agents.playing.policy.Counting`; a second line says if answers were cut off."""
        counts = self.counted()
        decisions = counts["decisions"] or 1
        yield (
            f"{name}: {counts['decisions']:,} decisions, {counts['illegal']:,} of them illegal and replaced by random "
            f"moves ({counts['illegal'] / decisions:.1%}); {counts['prompt_tokens']:,} tokens read,"
            f" {counts['completion_tokens']:,} written; {counts['seconds'] / decisions:.2f} s per decision"
        )
        if cut_off := counts["cut_off"]:
            yield (
                f"{name}: {cut_off:,} more answers ({cut_off / decisions:.1%}) ended at the limit of tokens without a"
                f" move, and were replaced, too: set a higher max_completion_tokens in {FIELDS}, or on the server"
            )

    def keep(self, name: str, path: Path) -> None:
        """Let the model keep its answers as ``name`` in the file ``path``; see `Kept`."""
        self.model = Kept(self.model, name, path)


class ChatSeated(Seated):
    """A language model at some seats of some games, with a `Chat` per seat and game."""

    def __init__(self, policy: ChatPolicy, games: Block, seats: Sequence[int]) -> None:
        count = len(games.tables)
        self._policy, self._games = policy, games
        self._describe_step = game_of(policy.config).module("drawing.choices").describe_step
        self.seats = set_of(seats, count)
        self._chats: list[dict[int, Chat]] = [{} for _ in range(count)]
        self._before = games.tables.copy()

    @override
    def begin(self, chosen: NDArray[np.bool_] | None = None) -> None:
        players = range(self._policy.config.players)
        for row in chosen_rows(chosen, len(self.seats)).tolist():
            own = [player for player in players if has(self.seats[row : row + 1], np.array([player]))[0]]
            self._chats[row] = {player: Chat(self._policy.config, self._policy.prompt) for player in own}
        self._before = self._games.tables.copy()

    def observe(self, chosen: NDArray[np.bool_] | None = None) -> None:
        """See `agents.playing.policy.Seated.observe`: every chat is told of each step, all of which are public."""
        game, tables = self._games.game, self._games.tables
        stepped = ~self._before["terminated"] & (True if chosen is None else chosen)
        before, after = (some["state"].view(np.recarray) for some in (self._before, tables))
        for row in np.flatnonzero(stepped & ~tables["illegal"].astype(np.bool_)).tolist():
            if self._chats[row]:
                move = game.action_to_str(before[row], int(self._games.actions[row]))
                positions = game.to_dict(before[row]), game.to_dict(after[row])
                news = self._describe_step(positions[0], move, positions[1], game.config)
                for chat in self._chats[row].values():
                    chat.saw(news)
        self._before = tables.copy()

    def view_of(self, row: int) -> PlainView:
        """Return what the player to move in a game knows."""
        return PlainView(self._games, row)

    def chat_of(self, row: int, player: int) -> Chat:
        """Return the conversation with a player in a game."""
        return self._chats[row][player]

    def act(self) -> None:
        """See `agents.playing.policy.Seated.act`.

        A game in which the server refuses a question is given up, if `agents.playing.block.Block.given_up` allows it.

        Raises:
            ValueError: the model does not answer.
        """
        games, policy = self._games, self._policy
        rows, given_up = rows_to_move(self.seats, games.tables), games.given_up
        if not len(rows):
            return
        masks = games.mask[rows]
        games.actions[rows] = RandomPolicy().act(masks, masks, uniform(games.keys[rows], games.step))
        asked = [row for row in rows.tolist() if row not in (given_up or ())]
        views = [self.view_of(row) for row in asked]
        chats = [self.chat_of(row, view.player) for row, view in zip(asked, views, strict=True)]
        questions = [chat.messages(view) for chat, view in zip(chats, views, strict=True)]
        replies = in_threads(policy.reply, questions, policy.at_once)
        illegal = []
        for row, chat, view, reply in zip(asked, chats, views, replies, strict=True):
            if not isinstance(reply, RefusedError):
                move = chat.move(reply.text, view)
                illegal += [reply] if move is None else []
                games.actions[row] = games.actions[row] if move is None else view.action(move)
            elif given_up is None:
                raise reply
            else:
                given_up[row] = reply
        policy.note([reply for reply in replies if isinstance(reply, Reply)], illegal)


class Kept:
    """A model whose answers are kept in a file, so that an evaluation which ended early goes on from them.

    A question that has an answer in the file is not asked, once for each answer.

    Args:
        model: the model.
        name: its name; several models may share the file.
        path: the file, a JSON object per line; it is made at the first answer.

    Raises:
        OSError: the file cannot be read.
        ValueError: it is no text.
    """

    def __init__(self, model: Model, name: str, path: Path) -> None:
        self.model, self.path, self.fields = model, path, getattr(model, "fields", {})
        self._name, self._lock = name, threading.Lock()
        self._answers: defaultdict[str, list[Reply]] = defaultdict(list)
        for line in read_text(path, MOST_ARRAYS).splitlines() if path.exists() else ():
            try:
                answer = parse_json(line, "a line")
                self._answers[answer.pop("question")].append(Reply(**answer))
            except (AttributeError, KeyError, TypeError, ValueError):
                continue  # cut short, when the process was killed

    def reply(self, messages: list[Message]) -> Reply:
        """See `agents.bridges.language_models.server.Model.reply`."""
        question = self._key(messages)
        with self._lock:
            if self._answers[question]:
                return self._answers[question].pop(0)
        reply = self.model.reply(messages)
        with self._lock, self.path.open("a", encoding="utf-8") as file:
            file.write(f"\n{json.dumps({'question': question, **reply._asdict()})}")
        return reply

    def _key(self, messages: list[Message]) -> str:
        asked: list[Any] = [self._name, self.fields, messages]
        return sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()


def load_chat(name: str, config: Any) -> ChatPolicy:
    """Make the agent ``llm:MODEL``, or ``llm:PROMPT:MODEL`` with one of `agents.bridges.language_models.view.PROMPTS`.

    Raise ``ValueError`` if there is no model name or no config; or see `Server`.
    """
    prompt, colon, model = name.removeprefix("llm:").partition(":")
    if not colon or prompt not in PROMPTS:
        prompt, model = USUAL, name.removeprefix("llm:")
    if not model.strip():
        raise ValueError(f"llm: needs the name of a model after it, got {shown(name)}")
    if config is None:
        raise ValueError(f"{shown(name)} needs a config, because it plays every game")
    return ChatPolicy(Server(model), config, prompt, name)
