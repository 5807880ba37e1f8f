"""A whole game as one HTML page that needs only a browser: no server, no network, no other file.

    replay = Replay(title="A game", width=1000, height=470, style=css, symbols=symbols, frames=[Frame(...), ...])
    replay.save("game.html")        # or show `replay` in a notebook

The page has a slider, buttons and keys (arrows, Home, End, space), a choice of seats if the frames offer several, the
list of moves and, if they are given, an agent's probabilities or values of actions. The address names what is shown:
`game.html#turn=12&seat=player_0`. The page's template is `replay.html` beside this file.

Pictures come in layers (small pieces of SVG). Each layer and each line of text is stored only once, even if many frames
show it.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import wraps
from importlib.resources import files
from os import PathLike
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

from hanabako.drawing.svg import Symbols, escape, number
from hanabako.files import write_text
from hanabako.words.checks import shown
from hanabako.words.notation import player_name

P = ParamSpec("P")
T = TypeVar("T")


def of_a_record(draw: Callable[P, T]) -> Callable[P, T]:
    """Decorate a function that draws recorded positions: errors in the record are raised as ``ValueError``."""

    @wraps(draw)
    def checked(*args: P.args, **keywords: P.kwargs) -> T:
        try:
            return draw(*args, **keywords)
        except (TypeError, LookupError, AttributeError, ArithmeticError, StopIteration, RecursionError) as error:
            message = shown(str(error))
            raise ValueError(f"this position or action cannot be drawn: {type(error).__name__} {message}") from error

    return checked


@dataclass(frozen=True)
class Frame:
    """One position of a game, as the page shows it."""

    pictures: Mapping[str, Sequence[str]]
    """By viewer, the layers of the picture, the lowest first. All frames have the same viewers in the same order."""
    texts: Mapping[str, str]
    """By viewer, the same table as text, for readers who do not see the picture."""
    caption: str
    """A sentence about the last step."""
    choice: str | None = None
    """The text of the action that was taken here."""
    probabilities: Mapping[str, float] = field(default_factory=dict)
    """The agent's probability of each action, by the action's text; empty if they were not recorded."""
    values: Mapping[str, float] = field(default_factory=dict)
    """The agent's value of each action (points, or a probability to win), shown instead of probabilities."""


@dataclass(frozen=True)
class Snapshot:
    """One position of a recorded game, from which the game's drawing makes a `Frame`."""

    position: Mapping[str, Any]
    """The dict that `to_dict` returned."""
    action: str | None = None
    """The text of the action that was taken here; None at the end."""
    probabilities: Mapping[str, float] = field(default_factory=dict)
    """The agent's probability of each action, by the action's text, if known."""
    values: Mapping[str, float] = field(default_factory=dict)
    """A search's value of each action (points, or a probability to win), by the action's text, if known."""


def check_actions(snapshots: Sequence[Snapshot], parse: Callable[[Snapshot], object]) -> None:
    """Raise ``ValueError`` if there is no snapshot, or ``parse``, which reads a snapshot's action, raises it."""
    if not snapshots:
        raise ValueError("a replay needs at least one snapshot")
    for turn, now in enumerate(snapshots):
        if now.action is not None:
            try:
                parse(now)
            except ValueError as error:
                raise ValueError(f"snapshot {turn}: {error}") from None


def frame_of(
    now: Snapshot,
    players: int,
    look: Callable[[int | None], Any],
    draw: Callable[[Any], Sequence[str]],
    write: Callable[[Any], str],
    tell: Callable[[Any], str],
) -> Frame:
    """Return the frame of a snapshot, with the views of all players and of a viewer who sees every card.

    ``look`` returns a seat's view of the position, for None with every card; ``draw`` the layers of a view's picture;
    ``write`` a view as text; ``tell`` the caption from the view with every card.
    """
    eyes = {"omniscient": None} | {player_name(player): player for player in range(players)}
    views = {name: look(seat) for name, seat in eyes.items()}
    return Frame(
        pictures={name: draw(view) for name, view in views.items()},
        texts={name: write(view) for name, view in views.items()},
        caption=tell(views["omniscient"]),
        choice=now.action,
        probabilities=now.probabilities,
        values=now.values,
    )


@dataclass(frozen=True)
class Replay:
    """A game for viewing turn by turn. Raises ValueError if the frames have different viewers."""

    title: str
    width: float
    height: float
    style: str
    """The CSS of the pictures."""
    symbols: Symbols
    """The drawings that the layers refer to."""
    frames: Sequence[Frame]
    subtitle: str = ""

    def __post_init__(self) -> None:
        if not self.frames:
            raise ValueError("a replay needs at least one frame")
        eyes = list(self.frames[0].pictures)
        for turn, frame in enumerate(self.frames):
            if list(frame.pictures) != eyes or list(frame.texts) != eyes:
                raise ValueError(f"frame {turn} shows {list(frame.pictures)}, but the first shows {eyes}")

    def html(self) -> str:
        """Return the page."""
        first = next(iter(self.frames[0].pictures.values()))
        filled = {
            "title": escape(self.title),
            "subtitle": escape(self.subtitle),
            "picture-style": self.style,
            "view-box": f"0 0 {number(self.width)} {number(self.height)}",
            "symbols": self.symbols.markup(),
            "first-picture": "".join(first),
            "no-choices": "" if any(frame.probabilities or frame.values for frame in self.frames) else " hidden",
            "last-turn": str(len(self.frames) - 1),
            "data": _embedded(self._data()),
        }
        page = files("hanabako.drawing").joinpath("replay.html").read_text(encoding="utf-8")
        for name, content in filled.items():
            page = page.replace(f"<!--{name}-->", content)
        return page

    def save(self, path: str | PathLike[str]) -> Path:
        """Write the page, completely or not at all, and return its path."""
        return write_text(path, self.html())

    def __repr__(self) -> str:
        """Return a short text, because notebooks store it together with the page."""
        return f"<{type(self).__name__} {self.title!r}, {len(self.frames)} frames>"

    def _repr_html_(self) -> str:
        """Return the page in an iframe, so that it and the notebook cannot affect each other."""
        inside = self.html().replace("&", "&amp;").replace('"', "&quot;")
        return (
            f'<iframe srcdoc="{inside}" sandbox="allow-scripts" title="{escape(self.title)}"'
            f' style="width:100%;height:{round(self.height) + 420}px;border:0"></iframe>'
        )

    def _data(self) -> dict[str, object]:
        """Return the data for the page's script: distinct layers, lines and actions, and frames of indices."""
        pool: dict[str, int] = {}

        def number_of(piece: str) -> int:
            return pool.setdefault(piece, len(pool))

        def numbered(pieces: Iterable[str]) -> list[int]:
            return [number_of(piece) for piece in pieces]

        def highest_first(numbers: Mapping[str, float]) -> list[list[float]]:
            return [[number_of(words), round(x, 4)] for words, x in sorted(numbers.items(), key=lambda item: -item[1])]

        frames = [
            {
                "pictures": [numbered(map(_single_quoted, layers)) for layers in frame.pictures.values()],
                "texts": [numbered(text.splitlines()) for text in frame.texts.values()],
                "caption": frame.caption,
                "choice": frame.choice,
                "probabilities": highest_first(frame.probabilities),
                "values": highest_first(frame.values),
            }
            for frame in self.frames
        ]
        return {"seats": list(self.frames[0].pictures), "pool": list(pool), "frames": frames}


def _single_quoted(markup: str) -> str:
    """Return markup with single quotes, which JSON need not escape. Quotes in its text are character references."""
    return markup.replace('"', "'")


def _embedded(data: object) -> str:
    """Return JSON for a script element: nothing in it can close the element or open a comment."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return text.replace("</", "<\\/").replace("<!", "\\u003c!")
