"""A game of Hanabi that is played elsewhere, reconstructed from the observations of some of its seats.

The record of a `ShownGame` agrees with the real game in everything that these seats see, from the deal on. None of them
sees the deck, nor, if there is only one seat, its own hand. In those hidden slots the record has the remaining cards in
any arrangement that fits the hints. A policy that uses only what its seat may know therefore plays as it would in the
real game. After every step, the seats' observations of the record are compared with those that were shown.

The shown observation is V0 (`hanabi_env.v0_belief`): the bits of `card_knowledge`, except that plausible cards are
weighted by their remaining copies. A plausible card without copies is lost in that encoding; replaying the hints
recovers it.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hanabako.engine.layout import Field
from hanabako.games import game_of
from hanabako.packing import unpack
from hanabi_env.beliefs import plain_observation, v0_belief
from hanabi_env.config import HanabiConfig
from hanabi_env.engine.layout import layout
from hanabi_env.words.notation import action_to_str, color_letters, str_to_action

from ...playing.block import Block
from ...playing.policy import Policy, Seated
from ...playing.seating import sit_down

__all__ = ["Shown", "ShownGame"]

Shown = Mapping[int, NDArray[np.float32]]
"""The observation of each of some players, (bits,)."""
CLOSE = 1e-3
"""The tolerance for beliefs, which are sums of float32 in any order; real differences are larger."""
KINDS = ("play", "discard", "color", "rank")
Slot = tuple[int, int]
"""A player, and the index of a card in that player's hand."""


class ShownGame(Block):
    """A game played elsewhere, as a block of one game.

    Args:
        config: the config of the game; it may observe more than is shown.
        shown: the observation of each of the agent's seats after the deal.
        seed: the seed of the agent's randomness.
        number: the number of the game for that seed.

    Raises:
        ValueError: the observations are not those of the beginning of such a game.
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
        """Give the seats to a policy, before the first step."""
        self.players = [sit_down(policy, self, self.seats)]
        for player in self.players:
            player.begin()

    @property
    def state(self) -> Any:
        """The record of the game."""
        return self.tables["state"].view(np.recarray)[0]

    @property
    def player(self) -> int | None:
        """The player to move; None if the game is over."""
        return None if self.tables["terminated"][0] else int(self.tables["current_player"][0])

    def action(self) -> int:
        """Return the policy's action for the real game. One of its seats must be to move."""
        for player in self.players:
            player.act()
        return int(self.actions[0])

    def go_on_as(self, shown: Shown) -> int:
        """Make the step of the real game after which the seats observe ``shown``, and return its action.

        Raises:
            ValueError: no legal action leads to these observations.
        """
        self._check_sizes(shown)
        player, move, slot, card = self._last_move(shown)
        action = str_to_action(self.config, move)
        if player != self.player:
            raise ValueError(f"step {self.step}: player {player} acts, but player {self.player} is to move")
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
        """The player whose hand no seat sees: the agent's seat if it has only one, else None."""
        return self.seats[0] if len(self.seats) == 1 else None

    def _own_now(self) -> list[Slot]:
        return [] if self._alone is None else [(self._alone, k) for k in range(self.state.hand_count[self._alone])]

    def _own_before(self, lost: int | None) -> list[Slot | None]:
        """Return the current slots of the cards in a lone seat's shown hand; None for a card still to be drawn."""
        slots: list[Slot | None] = [slot for slot in self._own_now() if slot[1] != lost]
        return slots if lost is None else [*slots, None]

    def _fitting(self, shown: Shown, slots: Iterable[Slot | None]) -> dict[Slot, set[int]]:
        """Return the cards that each slot may hold: one, or for a lone seat's own hand those that its hints leave open.

        The slots of a lone seat's hand must come in the order in which the hand is shown.
        """
        fitting, shown_slot = {}, 0
        for slot in slots:
            if slot is None or slot[0] == self._alone:
                beliefs = shown[self.seats[0]][self._places["plausible"][shown_slot]]
                shown_slot += 1
                if slot is not None:
                    fitting[slot] = set(np.flatnonzero(beliefs > 0).tolist())
            else:
                fitting[slot] = {self._card_of(shown, *slot)}
        return fitting

    def _card_of(self, shown: Shown, player: int, slot: int) -> int:
        """Return a card of a hand that one of the seats sees."""
        seat = next(seat for seat in self.seats if seat != player)
        offset = (player - seat) % self.config.players - 1
        return self._one(shown[seat], self._places["card"][offset * self.config.cards_in_hand + slot], "card of a hand")

    def _lay(self, fitting: Mapping[Slot, set[int]]) -> None:
        """Put fitting cards into these slots, and the rest of their cards and of the deck's into the deck."""
        if not fitting:
            return
        state = self.state
        deck = int(state.deck_count)
        left = np.bincount([*(state.hands[slot] for slot in fitting), *state.cards[:deck]], minlength=64)
        chosen: dict[Slot, int] = {}
        if not choose(sorted(fitting.items(), key=lambda item: len(item[1])), left, chosen):
            raise ValueError(f"step {self.step}: the observations show a card more often than the box has it")
        for slot, card in chosen.items():
            state.hands[slot] = card
        state.cards[:deck] = np.repeat(np.arange(64), left)
        self.loops.refresh(self.rules_array, self.tables)
        self.loops.observe(self.rules_array, self.tables, -1, self.observation, self.mask)

    # --- Observations -------------------------------------------------------------------------------------------------

    @cached_property
    def _places(self) -> dict[str, list[slice]]:
        """The slices of the fields in a shown observation, by `name_of`."""
        fields = layout(plain_observation(self.config).rules()).fields
        return {name_of(field): field.places() for field in fields}

    def _check_sizes(self, shown: Shown) -> None:
        bits = plain_observation(self.config).observation_bits
        for seat in self.seats:
            if seat not in shown or shown[seat].shape != (bits,) or not np.isfinite(shown[seat]).all():
                raise ValueError(f"player {seat} must observe {bits} finite numbers")

    def _one(self, shown: NDArray[np.float32], place: slice, what: str) -> int:
        """Return the index of the one number of a field that is set."""
        (indices,) = np.nonzero(shown[place])
        if len(indices) != 1:
            raise ValueError(f"step {self.step}: exactly one {what} must be shown, got {len(indices)}")
        return int(indices[0])

    def _last_move(self, shown: Shown) -> tuple[int, str, int | None, int]:
        """Return the last step: the player, the action as text, and the slot and the card of a play or discard."""
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
        """Check that the seats observe here what was shown."""
        for seat in self.seats:
            bits = unpack(self.observed(seat)[0], self.config.observation_bits)
            here = v0_belief(bits, self.config)[0]
            if np.abs(here - shown[seat]).max() > CLOSE:
                number = int(np.abs(here - shown[seat]).argmax())
                there = f"{shown[seat][number]:.3f} at {number} of its observation"
                expected = f"but by the rules it is {here[number]:.3f}"
                raise ValueError(f"step {self.step}: player {seat} is shown {there}, {expected}")


def name_of(field: Field) -> str:
    """Return a field's name; in the section ``last_action``, which repeats other sections' names, with the section."""
    return f"{field.section} {field.name}" if field.section == "last_action" else field.name


def choose(fitting: Sequence[tuple[Slot, set[int]]], left: NDArray[np.int64], chosen: dict[Slot, int]) -> bool:
    """Choose for each slot one of the cards that are ``left``, and count them down; return whether that is possible."""
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
