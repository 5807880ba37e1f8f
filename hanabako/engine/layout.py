"""What the bits of an observation and the actions of a game are about: section, field, card and suit.

A game describes each section of its observation by `Repeat`, and its actions by `Part`. The function ``layout(rules)``
of its module ``engine.layout`` makes a `Layout` of them. Rule cards print it, and networks take from it which bits and
actions are about which suit.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

__all__ = ["ACTIONS", "Field", "Layout", "Part", "Repeat", "actions_of", "fields_of"]

ACTIONS = "actions"
"""The section of the fields that are actions."""


@dataclass(frozen=True)
class Part:
    """Bits, or actions, of one meaning that lie side by side."""

    name: str
    bits: int
    meaning: str = ""
    suits: tuple[int, ...] = ()
    """The suit that each bit is about; empty if they are about none."""
    cards: tuple[int, ...] = ()
    """The card that each bit is about; empty if they are about none."""

    def __post_init__(self) -> None:
        for name, found in (("suits", self.suits), ("cards", self.cards)):
            if found and len(found) != self.bits:
                raise AssertionError(f"{self.name}: {self.bits} bits, {len(found)} {name}")


@dataclass(frozen=True)
class Repeat:
    """Parts that lie side by side, repeated ``times`` times."""

    times: int
    per: str
    """What there is one of for each repetition; empty if they stand once."""
    parts: tuple[Part, ...]

    @property
    def stride(self) -> int:
        """Bits of one repetition."""
        return sum(part.bits for part in self.parts)


@dataclass(frozen=True)
class Field:
    """A part in its place. It may come back at equal distances: once per card, say."""

    section: str
    """A section of the game's observation, or `ACTIONS`."""
    name: str
    first: int
    """Index of the first bit of the first repetition."""
    bits: int
    times: int = 1
    stride: int = 0
    """From the first bit of one repetition to that of the next."""
    per: str = ""
    """What it comes back for, the outermost first; empty if it stands once."""
    meaning: str = ""
    suits: tuple[int, ...] = ()
    """The suit that each bit of a repetition is about; empty if they are about none."""
    cards: tuple[int, ...] = ()
    """The card that each bit of a repetition is about; empty if they are about none."""

    def places(self) -> list[slice]:
        """Where the bits of each repetition lie in an int8 or float32 observation."""
        starts = (self.first + k * self.stride for k in range(self.times))
        return [slice(start, start + self.bits) for start in starts]


def fields_of(described: Mapping[str, Sequence[Repeat]], sections: Iterable[tuple[str, int, int]]) -> list[Field]:
    """The fields of an observation, in the order in which they begin.

    Args:
        described: every section as its repeats of parts.
        sections: name, first bit and length of the sections that are there.

    Raises:
        AssertionError: a section is not as long as it is described.
    """
    found = []
    for section, first, length in sections:
        at = first
        for repeat in described[section]:
            found += _fields_of_repeat(section, at, repeat)
            at += repeat.times * repeat.stride
        if at - first != length:
            raise AssertionError(f"section {section} is described with {at - first} bits and has {length}")
    return found


def actions_of(parts: Sequence[Part], num_actions: int) -> list[Field]:
    """The actions, part by part, as fields of the section `ACTIONS`."""
    return fields_of({ACTIONS: [Repeat(1, "", tuple(parts))]}, [(ACTIONS, 0, num_actions)])


def _fields_of_repeat(section: str, at: int, repeat: Repeat) -> list[Field]:
    """The fields of parts whose first repetition begins at bit ``at``."""
    found = []
    for part in repeat.parts:
        if part.bits and repeat.times:
            repeated = (repeat.times, repeat.stride, repeat.per)
            found.append(
                Field(section, part.name, at, part.bits, *repeated, part.meaning, part.suits, part.cards),
            )
        at += part.bits
    return found


@dataclass(frozen=True)
class Layout:
    """What every bit of the observation and every action of one configuration is about.

    Two suits are *alike* if the rules do not tell them apart: a position in which they change their names is as good a
    position, whose observation and legal actions are those of the first in another order (`renaming`).
    """

    fields: list[Field]
    """The observation's."""
    actions: list[Field]
    """The actions', of the section `ACTIONS`."""
    alike_suits: tuple[int, ...]

    @cached_property
    def suit_of_bits(self) -> NDArray[np.int64]:
        """The suit that each bit of the observation is about, or -1."""
        return _spread(self.fields, "suits")

    @cached_property
    def card_of_bits(self) -> NDArray[np.int64]:
        """The card that each bit of the observation is about, or -1."""
        return _spread(self.fields, "cards")

    @cached_property
    def suit_of_actions(self) -> NDArray[np.int64]:
        """The suit that each action names, or -1."""
        return _spread(self.actions, "suits")

    @cached_property
    def card_of_actions(self) -> NDArray[np.int64]:
        """The card that each action names, or -1."""
        return _spread(self.actions, "cards")

    @cached_property
    def suit_bits(self) -> NDArray[np.int64]:
        """Indices of the bits about each alike suit, (suits, bits of a suit): those of a column mean the same."""
        return self._aligned(self.suit_of_bits)

    @cached_property
    def suit_actions(self) -> NDArray[np.int64]:
        """The actions that name each alike suit, (suits, actions of a suit): those of a column mean the same."""
        return self._aligned(self.suit_of_actions)

    @cached_property
    def other_bits(self) -> NDArray[np.int64]:
        """Indices of the bits about no alike suit: about none, or about one that the rules tell apart."""
        return np.flatnonzero(~np.isin(self.suit_of_bits, self.alike_suits))

    @cached_property
    def other_actions(self) -> NDArray[np.int64]:
        """The actions that name no alike suit."""
        return np.flatnonzero(~np.isin(self.suit_of_actions, self.alike_suits))

    def within(self, wider: "Layout") -> NDArray[np.int64]:
        """Where a layout that says more has each bit of this one: ``observation[..., places]`` is this observation.

        A field that repeats, say for every step of a history, may repeat more often there; the first ones are meant.

        Raises:
            ValueError: it lacks a field, or has it with other bits.
        """
        places, there = np.zeros(len(self.suit_of_bits), np.int64), wider._by_name
        for key, field in self._by_name.items():
            found = there.get(key)
            if found is None or found.times < field.times or alike(found) != alike(field):
                raise ValueError(f"{field.name} of {field.section} is not observed in the same way")
            for own, other in zip(field.places(), found.places(), strict=False):
                places[own] = np.arange(other.start, other.stop)
        return places

    def renaming(self, order: Sequence[int]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Where bits and actions come from when the ``k``-th alike suit takes the name of the ``order[k]``-th.

        ``observation[..., bits]`` and ``mask[..., actions]`` are those of the renamed position, and action ``a`` there
        is action ``actions[a]`` here.

        Raises:
            ValueError: ``order`` is no order of the alike suits.
        """
        if sorted(order) != list(range(len(self.alike_suits))):
            raise ValueError(f"order must hold 0 to {len(self.alike_suits) - 1} once each, got {list(order)}")
        bits, actions = np.arange(len(self.suit_of_bits)), np.arange(len(self.suit_of_actions))
        bits[self.suit_bits[list(order)]] = self.suit_bits
        actions[self.suit_actions[list(order)]] = self.suit_actions
        return bits, actions

    @property
    def _by_name(self) -> dict[tuple[str, str, int], Field]:
        """The observation's fields by section, name, and which of that name it is."""
        names = [(field.section, field.name) for field in self.fields]
        return {
            (*name, names[:k].count(name)): field
            for k, (name, field) in enumerate(zip(names, self.fields, strict=True))
        }

    def _aligned(self, suits: NDArray[np.int64]) -> NDArray[np.int64]:
        """Row by row the places of each alike suit. Every part holds the bits of its suits in one order."""
        rows = [np.flatnonzero(suits == suit) for suit in self.alike_suits]
        return np.array(rows, np.int64).reshape(len(rows), -1 if rows else 0)


def alike(field: Field) -> tuple[int, tuple[int, ...], tuple[int, ...]]:
    """What the bits of two fields have in common that say the same."""
    return field.bits, field.suits, field.cards


def _spread(fields: Sequence[Field], name: str) -> NDArray[np.int64]:
    """The suits or cards of all fields, bit by bit; -1 where there is none."""
    found = np.full(sum(field.times * field.bits for field in fields), -1, np.int64)
    for field in fields:
        if getattr(field, name):
            for place in field.places():
                found[place] = getattr(field, name)
    return found
