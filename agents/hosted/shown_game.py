"""A game of Hanabi that is played elsewhere, followed by what some of its seats observe.

The record of a `ShownGame` is the one of the game elsewhere in all that these seats see, from the deal on. What none of
them sees is the deck and, of a seat that is alone, its own hand: there lie the cards that are left, in any way that
fits what all hints have told. Who plays by what its seat may know plays as it would there; after every step what
the seats observe here is compared with what was shown.

What is shown is a V0 observation (`hanabi_env.v0_belief`): the canonical bits but for the plausible cards, weighed by
the copies that are left. A plausible card without copies is lost in it; the hints that are played again bring it back.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hanabako.engine.layout import Field
from hanabako.games import game_of
from hanabako.packing import unpack
from hanabi_env.beliefs import canonical, v0_belief
from hanabi_env.config import HanabiConfig
from hanabi_env.engine.layout import layout
from hanabi_env.words.notation import action_to_str, color_letters, str_to_action

from ..playing.block import Block
from ..playing.policy import Policy, Seated

__all__ = ["Shown", "ShownGame"]

Shown = Mapping[int, NDArray[np.float32]]
"""What each of some players observes, (bits,)."""
CLOSE = 1e-3
"""Beliefs are sums of float32 in any order; all that differs in fact differs by more."""
KINDS = ("play", "discard", "color", "rank")
Slot = tuple[int, int]
"""A player, and a place in the hand."""


class ShownGame(Block):
    """A game elsewhere, `agents.playing.policy.GamesInPlay` of one game.

    Args:
        config: what is played; it may observe more than is shown.
        shown: what each of the agent's seats observes when the cards are dealt.
        seed: of the agent's randomness.
        number: which game of that seed it is.

    Raises:
        ValueError: that is not the beginning of such a game.
    """

    def __init__(self, config: HanabiConfig, shown: Shown, seed: int = 1, number: int = 0) -> None:
        super().__init__(game_of(config).make_game(config), 1, observes=True, specialize=False)
        self.config, self.seats = config, sorted(shown)
        self.players: list[Seated] = []
        self.deal(seed, number)
        self._check_sizes(shown)
        hands = [(player, slot) for player in range(config.players) for slot in range(config.cards_in_hand)]
        self._lay(self._fitting(shown, hands))
        self._compare(shown)

    def seat(self, policy: Policy) -> None:
        """Let a policy have the seats, before the first step."""
        self.players = [policy.seat(self, self.seats)]
        for player in self.players:
            player.begin()

    @property
    def state(self) -> Any:
        """The game's record."""
        return self.tables["state"].view(np.recarray)[0]

    @property
    def player(self) -> int | None:
        """Who is to move; None if the game is over."""
        return None if self.tables["terminated"][0] else int(self.tables["current_player"][0])

    def action(self) -> int:
        """The policy's action, which is to be taken elsewhere. It is one of its seats' turn."""
        for player in self.players:
            player.act()
        return int(self.actions[0])

    def go_on_as(self, shown: Shown) -> int:
        """Make the step that was made elsewhere.

        Args:
            shown: what the seats observe after it.

        Returns:
            The action.

        Raises:
            ValueError: no legal action leads to that.
        """
        self._check_sizes(shown)
        player, words, slot, card = self._last_move(shown)
        action = str_to_action(self.config, words)
        if player != self.player:
            raise ValueError(f"step {self.step}: player {player} acts, and player {self.player} is to move")
        before = self._fitting(shown, self._own_before(slot if player == self._alone else None))
        if slot is not None:
            before[player, slot] = {card}
        self._lay(before)
        if not self.mask[0, action]:
            raise ValueError(f"step {self.step}: {action_to_str(self.config, action)!r} is not legal")
        held = int(self.state.hand_count[player])
        self.actions[0] = action
        self.make_step(())
        if slot is not None and player != self._alone and self.state.hand_count[player] == held:
            self._lay(self._fitting(shown, [*self._own_now(), (player, held - 1)]))
        self._compare(shown)
        for seated in self.players:
            seated.observe()
        return action

    # --- Hidden cards -------------------------------------------------------------------------------------------------

    @property
    def _alone(self) -> int | None:
        """The player whose hand no seat sees."""
        return self.seats[0] if len(self.seats) == 1 else None

    def _own_now(self) -> list[Slot]:
        return [] if self._alone is None else [(self._alone, k) for k in range(self.state.hand_count[self._alone])]

    def _own_before(self, lost: int | None) -> list[Slot | None]:
        """The slots now of the cards that are shown in the hand of a lone seat; None for one that is still to draw."""
        slots: list[Slot | None] = [slot for slot in self._own_now() if slot[1] != lost]
        return slots if lost is None else [*slots, None]

    def _fitting(self, shown: Shown, slots: Iterable[Slot | None]) -> dict[Slot, set[int]]:
        """The cards that each of some slots may hold: one, or those that a lone seat's hints have left open.

        Those of the lone seat's hand are given in the order in which it is shown.
        """
        found, place = {}, 0
        for slot in slots:
            if slot is None or slot[0] == self._alone:
                beliefs = shown[self.seats[0]][self._places["plausible"][place]]
                place += 1
                if slot is not None:
                    found[slot] = set(np.flatnonzero(beliefs > 0).tolist())
            else:
                found[slot] = {self._card_of(shown, *slot)}
        return found

    def _card_of(self, shown: Shown, player: int, slot: int) -> int:
        """The card of a hand that one of the seats sees."""
        seat = next(seat for seat in self.seats if seat != player)
        offset = (player - seat) % self.config.players - 1
        return self._one(shown[seat], self._places["card"][offset * self.config.cards_in_hand + slot], "card of a hand")

    def _lay(self, fitting: Mapping[Slot, set[int]]) -> None:
        """Put cards that fit into these slots, and all others of theirs and of the deck into the deck."""
        if not fitting:
            return
        state = self.state
        deck = int(state.deck_count)
        left = np.bincount([*(state.hands[slot] for slot in fitting), *state.cards[:deck]], minlength=64)
        chosen: dict[Slot, int] = {}
        if not choose(sorted(fitting.items(), key=lambda item: len(item[1])), left, chosen):
            raise ValueError(f"step {self.step}: what is shown has a card more often than the box")
        for slot, card in chosen.items():
            state.hands[slot] = card
        state.cards[:deck] = np.repeat(np.arange(64), left)
        self.loops.refresh(self.rules_array, self.tables)
        self.loops.observe(self.rules_array, self.tables, -1, self.observation, self.mask)

    # --- What is shown ------------------------------------------------------------------------------------------------

    @cached_property
    def _places(self) -> dict[str, list[slice]]:
        """Where fields lie in what is shown, by the section for the last action's and by the name for others."""
        fields = layout(canonical(self.config).rules()).fields
        return {name_of(field): field.places() for field in fields}

    def _check_sizes(self, shown: Shown) -> None:
        bits = canonical(self.config).observation_bits
        for seat in self.seats:
            if seat not in shown or shown[seat].shape != (bits,) or not np.isfinite(shown[seat]).all():
                raise ValueError(f"player {seat} must observe {bits} finite numbers")

    def _one(self, shown: NDArray[np.float32], place: slice, what: str) -> int:
        """Which number of a field is set."""
        (found,) = np.nonzero(shown[place])
        if len(found) != 1:
            raise ValueError(f"step {self.step}: one {what} must be shown, got {len(found)}")
        return int(found[0])

    def _last_move(self, shown: Shown) -> tuple[int, str, int | None, int]:
        """The last step: who acted, the action in words, and the slot and the card of a play or discard."""
        seat = self.seats[0]

        def read(name: str) -> int:
            return self._one(shown[seat], self._places[f"last_action {name}"][0], name)

        players = self.config.players
        player, kind = (seat + read("who acted")) % players, KINDS[read("what")]
        if kind in ("play", "discard"):
            slot = read("slot")
            if slot >= self.state.hand_count[player]:
                raise ValueError(f"step {self.step}: player {player} has no card {slot}")
            return player, f"{kind} {slot}", slot, read("card")
        offset = (seat + read("receiver") - player) % players
        value = color_letters(self.config)[read("color")] if kind == "color" else str(read("rank") + 1)
        return player, f"hint {offset} {value}", None, 0

    def _compare(self, shown: Shown) -> None:
        """What the seats observe here must be what was shown."""
        for seat in self.seats:
            words, mask = np.zeros_like(self.observation), np.zeros_like(self.mask)
            self.loops.observe(self.rules_array, self.tables, seat, words, mask)
            here = v0_belief(unpack(words, self.config.observation_bits), self.config)[0]
            if np.abs(here - shown[seat]).max() > CLOSE:
                number = int(np.abs(here - shown[seat]).argmax())
                there = f"{shown[seat][number]:.3f} at {number} of its observation"
                words = f"player {seat} is shown {there}, and by the rules it is {here[number]:.3f}"
                raise ValueError(f"step {self.step}: {words}")


def name_of(field: Field) -> str:
    """The name of a field, which is that of others if it is one of the last action."""
    return f"{field.section} {field.name}" if field.section == "last_action" else field.name


def choose(fitting: Sequence[tuple[Slot, set[int]]], left: NDArray[np.int64], chosen: dict[Slot, int]) -> bool:
    """Choose a card for each slot among those that are ``left`` of each kind, which get fewer; False if none fit."""
    if not fitting:
        return True
    (slot, cards), *rest = fitting
    for card in sorted(cards):
        if left[card]:
            left[card] -= 1
            chosen[slot] = card
            if choose(rest, left, chosen):
                return True
            left[card] += 1
    return False
