"""Networks that also read the last player's greedy action, besides the action taken (SAD, Hu & Foerster 2020).

While `agents.learning.sad` trains them, an observation is followed by one more word with the greedy action. It is
encoded like the observation's section ``last_action``, but only with the bits that follow from the action itself
(`EVENT`): the card that left the hand, and its effect, are not part of an action. After training, players play
greedily, and the word is copied from that section. So such a network plays from ordinary observations.
"""

from dataclasses import replace
from itertools import accumulate
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F
from typing_extensions import override

from hanabako.engine.layout import Field, Layout
from hanabako.engine.sections import words_for
from hanabako.games import game_of

from .network import Network

EVENT = ("what", "receiver", "color", "rank", "slot", "announced")
"""The fields of an observation's last action that follow from the action itself: see a game's ``engine/layout.py``."""
KINDS = {
    "play SLOT": 0,
    "discard SLOT": 1,
    "hint OFFSET COLOR": 2,
    "hint OFFSET RANK": 3,
    "play SLOT as SUIT": 0,
    "choose CARD": 4,
    "shuffle back": 5,
    "play from discard": 6,
}
"""The bit of the field ``what`` that an action of each block sets."""


def event_fields(config: Any) -> dict[str, Field]:
    """Return the fields `EVENT` that the observation has, by name; raise ``ValueError`` if it has none."""
    fields = game_of(config).layout(config).fields
    found = {field.name: field for field in fields if field.section == "last_action" and field.name in EVENT}
    if not found:
        raise ValueError(f"observations must contain the last action; those of {game_of(config).name} do not")
    return found


def seen_event(config: Any) -> list[int]:
    """Return the indices of these fields' bits in an observation, in order."""
    return [bit for field in event_fields(config).values() for bit in range(field.first, field.first + field.bits)]


def event_words(config: Any) -> Tensor:
    """Return the bits of `seen_event` that each action sets, packed: (players, actions) int64.

    The row is the offset of the player who acted, counted from the observer.
    """
    fields, layout, players = event_fields(config), game_of(config).layout(config), config.players
    firsts = dict(zip(fields, accumulate((field.bits for field in fields.values()), initial=0), strict=False))
    words = torch.zeros(players, len(layout.suit_of_actions), dtype=torch.int64)

    def note(place: int, action: int, name: str, value: int) -> None:
        words[place, action] |= 1 << (firsts[name] + value)

    for part in layout.actions:
        for k in range(part.bits):
            for place in range(players):
                note(place, part.first + k, "what", KINDS[part.name])
                if part.name.startswith("hint"):
                    offset, value = divmod(k, part.bits // (players - 1))
                    note(place, part.first + k, "receiver", (place + offset + 1) % players)
                    note(place, part.first + k, "color" if part.name.endswith("COLOR") else "rank", value)
                elif part.name == "play SLOT as SUIT":
                    slot, suit = divmod(k, part.bits // fields["slot"].bits)
                    note(place, part.first + k, "slot", slot)
                    note(place, part.first + k, "announced", suit)
                elif part.name.endswith("SLOT"):
                    note(place, part.first + k, "slot", k)
    return words


class GreedyInput(Network):
    """A mixin that adds the greedy action to the input of a network, the other base class."""

    more_words = 1

    def __init__(self, config: Any, width: int, layers: int) -> None:
        super().__init__(config, width=width, layers=layers)
        self.register_buffer("event", torch.tensor(seen_event(config)), persistent=False)

    @override
    def set_opening(self, words: Tensor) -> None:
        super().set_opening(F.pad(words, (0, self.words - len(words))))

    @override
    def changed(self, words: Tensor) -> Tensor:
        words = F.pad(words, (0, self.words - words.shape[1]))
        bits = (words[:, self.event // 64] >> (self.event % 64)) & 1
        taken = (bits << torch.arange(len(self.event), device=words.device)).sum(1)
        greedy = words[:, -1]  # 0 where it is missing
        return super().changed(torch.cat([words[:, :-1], torch.where(greedy == 0, taken, greedy)[:, None]], 1))

    @classmethod
    def input_layout(cls, config: Any) -> Layout:
        """Return the layout of the input: the observation's bits, unused ones, and the greedy action's."""
        layout = game_of(config).layout(config)
        bits, begin = config.observation_bits, 64 * words_for(config.observation_bits)
        unused, more = Field("unused", "", bits, begin - bits), []
        for field in event_fields(config).values():
            more.append(replace(field, section="greedy_action", first=begin, times=1))
            begin += field.bits
        return Layout([*layout.fields, unused, *more], layout.actions, layout.alike_suits)
