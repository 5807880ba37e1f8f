"""The meaning of a game's observation bits and actions: section, field, card and suit.

A game describes each section of its observation by `Repeat`, and its actions by `Part`. The function ``layout(rules)``
of its module ``engine.layout`` turns them into a `Layout`. Rule cards print the layout, and networks use it to find the
bits and actions of each suit.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

__all__ = ["ACTIONS", "Field", "Layout", "Part", "Repeat", "actions_of", "by_name", "fields_of"]

ACTIONS = "actions"
"""The section name of fields that are actions."""


@dataclass(frozen=True)
class Part:
    """Adjacent bits, or actions, with one meaning."""

    name: str
    bits: int
    meaning: str = ""
    suits: tuple[int, ...] = ()
    """The suit that each bit is about; empty if the bits are about no suit."""
    cards: tuple[int, ...] = ()
    """The card that each bit is about; empty if the bits are about no card."""

    def __post_init__(self) -> None:
        for name, per_bit in (("suits", self.suits), ("cards", self.cards)):
            if per_bit and len(per_bit) != self.bits:
                raise AssertionError(f"{self.name}: {self.bits} bits, {len(per_bit)} {name}")


@dataclass(frozen=True)
class Repeat:
    """Adjacent parts, repeated ``times`` times."""

    times: int
    per: str
    """What each repetition stands for, such as a card; empty if there is only one."""
    parts: tuple[Part, ...]

    @property
    def stride(self) -> int:
        """The number of bits of one repetition."""
        return sum(part.bits for part in self.parts)


@dataclass(frozen=True)
class Field:
    """A part with its index. It may be repeated at equal distances, for example once per card."""

    section: str
    """A section of the game's observation, or `ACTIONS`."""
    name: str
    first: int
    """The index of the first bit of the first repetition."""
    bits: int
    times: int = 1
    stride: int = 0
    """The distance from the first bit of one repetition to the first bit of the next."""
    per: str = ""
    """What each repetition stands for, the outermost first; empty if there is only one."""
    meaning: str = ""
    suits: tuple[int, ...] = ()
    """The suit that each bit of a repetition is about; empty if the bits are about no suit."""
    cards: tuple[int, ...] = ()
    """The card that each bit of a repetition is about; empty if the bits are about no card."""

    def places(self) -> list[slice]:
        """Return the slice of each repetition's bits in an int8 or float32 observation."""
        starts = (self.first + k * self.stride for k in range(self.times))
        return [slice(start, start + self.bits) for start in starts]


def fields_of(described: Mapping[str, Sequence[Repeat]], sections: Iterable[tuple[str, int, int]]) -> list[Field]:
    """Return the fields of an observation, ordered by their first bits.

    ``described`` has the repeats of every section by name, ``sections`` the name, first bit and length of each.
    """
    fields = []
    for section, first, length in sections:
        at = first
        for repeat in described[section]:
            fields += _fields_of_repeat(section, at, repeat)
            at += repeat.times * repeat.stride
        if at - first != length:
            raise AssertionError(f"section {section} is described with {at - first} bits and has {length}")
    return fields


def actions_of(parts: Sequence[Part], num_actions: int) -> list[Field]:
    """Return the parts of the actions as fields of the section `ACTIONS`."""
    return fields_of({ACTIONS: [Repeat(1, "", tuple(parts))]}, [(ACTIONS, 0, num_actions)])


def _fields_of_repeat(section: str, at: int, repeat: Repeat) -> list[Field]:
    """Return the fields of a repeat whose first repetition begins at bit ``at``."""
    found, repeated = [], (repeat.times, repeat.stride, repeat.per)
    for part in repeat.parts:
        if part.bits and repeat.times:
            found.append(Field(section, part.name, at, part.bits, *repeated, part.meaning, part.suits, part.cards))
        at += part.bits
    return found


@dataclass(frozen=True)
class Layout:
    """The meaning of every observation bit and every action of one configuration.

    Suits are *alike* if the rules treat them in the same way. If alike suits exchange their names in a position, the
    result is a position, too, and its observation and legal actions are a permutation of the original ones
    (`renaming`).
    """

    fields: list[Field]
    """The fields of the observation."""
    actions: list[Field]
    """The fields of the section `ACTIONS`."""
    alike_suits: tuple[int, ...]
    """The suits that are alike."""

    @cached_property
    def suit_of_bits(self) -> NDArray[np.int64]:
        """The suit that each observation bit is about, or -1; int64 (bits,)."""
        return _spread(self.fields, "suits")

    @cached_property
    def card_of_bits(self) -> NDArray[np.int64]:
        """The card that each observation bit is about, or -1; int64 (bits,)."""
        return _spread(self.fields, "cards")

    @cached_property
    def suit_of_actions(self) -> NDArray[np.int64]:
        """The suit that each action names, or -1; int64 (actions,)."""
        return _spread(self.actions, "suits")

    @cached_property
    def card_of_actions(self) -> NDArray[np.int64]:
        """The card that each action names, or -1; int64 (actions,)."""
        return _spread(self.actions, "cards")

    @cached_property
    def suit_bits(self) -> NDArray[np.int64]:
        """The indices of each alike suit's bits, (suits, bits of a suit). A column's bits have the same meaning."""
        return self._aligned(self.suit_of_bits)

    @cached_property
    def suit_actions(self) -> NDArray[np.int64]:
        """The actions of each alike suit, (suits, actions of a suit). A column's actions have the same meaning."""
        return self._aligned(self.suit_of_actions)

    @cached_property
    def other_bits(self) -> NDArray[np.int64]:
        """The indices of the bits that are not about an alike suit."""
        return np.flatnonzero(~np.isin(self.suit_of_bits, self.alike_suits))

    @cached_property
    def other_actions(self) -> NDArray[np.int64]:
        """The actions that do not name an alike suit."""
        return np.flatnonzero(~np.isin(self.suit_of_actions, self.alike_suits))

    def within(self, wider: "Layout") -> NDArray[np.int64]:
        """Return the index in a ``wider`` layout of each bit of this one.

        With these ``places``, ``observation[..., places]`` of the wider layout is this layout's observation. If a field
        has more repetitions in the wider layout (for example more steps of a history), the first ones are used.

        Raises:
            ValueError: the wider layout lacks a field, or has it with different bits.
        """
        places, there = np.zeros(len(self.suit_of_bits), np.int64), by_name(wider.fields)
        for key, field in by_name(self.fields).items():
            wide = there.get(key)
            if wide is None or wide.times < field.times or alike(wide) != alike(field):
                raise ValueError(f"{field.name} of {field.section} is not observed in the same way")
            for own, other in zip(field.places(), wide.places(), strict=False):
                places[own] = np.arange(other.start, other.stop)
        return places

    def renaming(self, order: Sequence[int]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the permutations of bits and actions that rename the ``k``-th alike suit to the ``order[k]``-th.

        ``observation[..., bits]`` and ``mask[..., actions]`` are those of the renamed position. Action ``a`` of the
        renamed position is action ``actions[a]`` of the original one.

        Raises:
            ValueError: ``order`` is not a permutation of the alike suits.
        """
        if sorted(order) != list(range(len(self.alike_suits))):
            raise ValueError(f"order must hold 0 to {len(self.alike_suits) - 1} once each, got {list(order)}")
        bits, actions = np.arange(len(self.suit_of_bits)), np.arange(len(self.suit_of_actions))
        bits[self.suit_bits[list(order)]] = self.suit_bits
        actions[self.suit_actions[list(order)]] = self.suit_actions
        return bits, actions

    def _aligned(self, suits: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the indices of each alike suit, one row per suit. Every part has its suits' bits in the same order."""
        rows = [np.flatnonzero(suits == suit) for suit in self.alike_suits]
        return np.array(rows, np.int64).reshape(len(rows), -1 if rows else 0)


def by_name(fields: Sequence[Field]) -> dict[tuple[str, str, int], Field]:
    """Return fields by section, name, and number among the section's fields of that name."""
    names = [(field.section, field.name) for field in fields]
    return {(*name, names[:k].count(name)): field for k, (name, field) in enumerate(zip(names, fields, strict=True))}


def alike(field: Field) -> tuple[int, tuple[int, ...], tuple[int, ...]]:
    """Return what must be equal in two fields for their bits to have the same meaning."""
    return field.bits, field.suits, field.cards


def _spread(fields: Sequence[Field], name: str) -> NDArray[np.int64]:
    """Return the suit or card of every bit, or -1 for none; int64 (bits,)."""
    values = np.full(sum(field.times * field.bits for field in fields), -1, np.int64)
    for field in fields:
        if getattr(field, name):
            for place in field.places():
                values[place] = getattr(field, name)
    return values
