"""Both players of a game of two search, and both know it: multi-agent search (Lerer et al. 2020), by replication.

What a player does follows from what all know and from the one hand that it sees, the partner's. So all that is known in
common of a game is two sets: the hands that each player may hold. At a decision the actor's search is made once for
*every* hand of the partner's set, as the actor would make it if it saw that hand: its hand drawn from its set among the
cards that are then left, by a random key of the game and the step alone. Both players can do so, and come to the same
choices bit for bit. The actor makes the choice of the hand that it sees; hands under which the choice is another one
leave the partner's set. Roll-outs go on under the blueprint, at both seats.

The set of a player is kept as in `agents.search.hanabi.beliefs`, but from records that show no hand at all
(`public_record`): so only what both players know can get in. A pair of hands, one of each set, is possible if there are
enough copies of its cards, and as likely as there are ways to make it up: what players do depends on one hand at a
time, so no pair goes that is not gone with one of its hands.

Whether a search is made follows from the sizes of the sets. They begin unlisted where there are more than `LISTED`
hands, and are listed (all hands that the rules allow, replayed from the first step) once there are fewer; where one is
not listed, or the actor may see more hands than it can search for, the blueprint plays, and both read the action as the
blueprint's. A set that a draw makes too large is unlisted again, and what was decided by search is kept, to be replayed
later.

For more players a choice follows from several hands, all but the player's, and the sets are of whole positions: that is
out of reach here, and refused.
"""

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hanabako.packing import unpack
from hanabi_env.engine.state import NO_CARD, NO_TILE, TILES, Rules

from ...playing.block import GAMES_AT_ONCE
from ..choosing import Effort, Request, Thought, drawn, first_moves, think_together
from .asking import Asking
from .beliefs import Belief, Snapshot
from .hands import unseen, ways_among
from .rollouts import HanabiRollouts, Simulator, memories_by_player

__all__ = ["CommonBelief", "CommonKnowledge", "public_record"]

LISTED = 10_000
"""The most hands of a set."""


@dataclass
class CommonBelief(Belief):
    """What both players know of one player's hand, with what the *other* remembers under each. See `Belief`."""

    decided: dict[int, dict[bytes, int]] = field(default_factory=dict)
    """By steps at which the other searched: what it decided under each hand that was left."""

    def note(self, snapshot: Snapshot) -> None:
        """Follow the game to its next step. The set is empty where it is not listed, and not `exact`."""
        super().note(Snapshot(public_record(self.simulator.game.rules, snapshot.table, self.player), snapshot.step))
        self.catch_up(np.random.default_rng(0))  # of no consequence: a sample is dropped

    def _sample(self, rng: np.random.Generator) -> Asking[None]:
        """See `Belief`: what is only drawn is not common knowledge."""
        self._forget()
        return
        yield

    def _is_as_seen(self, at: int, hands: NDArray[np.uint8], actions: NDArray[np.int64]) -> NDArray[np.bool_]:
        """See `Belief`: where the other searched, by what it decided."""
        if at not in self.decided:
            return super()._is_as_seen(at, hands, actions)
        action, decided = self._act(at).action, self.decided[at]
        return np.array([decided.get(hand.tobytes()) == action for hand in hands], np.bool_)

    def _deal(self, snapshot: Snapshot, copies: HanabiRollouts, hands: NDArray[np.uint8], first: int) -> slice:
        rows = super()._deal(snapshot, copies, hands, first)
        copies.take_hand(rows, 1 - self.player, None, copies.keys[rows])  # any cards: their holder does not see them
        return rows


class CommonKnowledge:
    """What both players know of one game, and what each of them therefore does.

    Args:
        simulator: deals hands to copies of the game.
        key: the random key of the game's players.
        effort: the effort of every search: roll-outs, no clock.
        most: the most searches at a decision.
    """

    def __init__(self, simulator: Simulator, key: Any, effort: Effort, most: int) -> None:
        self._simulator, self._key, self._effort, self._most = simulator, key, effort, most
        self.beliefs = [CommonBelief(simulator, player, LISTED, key) for player in (0, 1)]
        """The hands that each player may hold."""
        self._coming: deque[Snapshot] = deque()  # steps of the real game that are to be followed
        self.thoughts: dict[bytes, Thought] = {}
        """The searches of the last step, by the hand that the actor sees: those with more than one action."""
        self.spent = 0
        """Roll-outs so far."""
        self._decided: dict[bytes, int] | None = None

    def note(self, snapshot: Snapshot) -> None:
        """The game has come to its next step."""
        self._coming.append(snapshot)

    def decisions(self) -> dict[bytes, int] | None:
        """Follow the game to its last step: what the actor does there, by the hand that it sees.

        None: the blueprint plays, for a set is too large. A hand that is missing is impossible.
        """
        while self._coming:
            snapshot = self._coming.popleft()
            for belief in self.beliefs:
                belief.note(snapshot)
            self._decided = self._decide()
        return self._decided

    def ways(self, actor: int) -> NDArray[np.float64]:
        """In how many ways ``actor`` may hold each hand of its set (m,), per hand that it may see: (n, m)."""
        seen, held = self.beliefs[1 - actor], self.beliefs[actor]
        copies = unseen(seen.history[-1].state, seen.player)
        ways = [ways_among(held.hands, copies - np.bincount(hand, minlength=len(copies))) for hand in seen.hands]
        return np.array(ways).reshape(len(seen.hands), len(held.hands))

    def _decide(self) -> dict[bytes, int] | None:
        """What the actor does now; kept for those who replay it."""
        self.thoughts = {}
        actor = self.beliefs[0].history[-1].player
        seen, held = self.beliefs[1 - actor], self.beliefs[actor]
        if not seen.exact or not held.exact or len(seen.hands) > self._most:
            return None
        actions, masks, memories = seen.choices(seen.at, seen.hands, seen.memories)
        legal, ways = unpack(masks, self._simulator.game.num_actions), self.ways(actor)
        possible = np.flatnonzero(ways.any(axis=1))
        several = possible[legal[possible].sum(axis=1) > 1]
        thoughts = {}
        for row in several.tolist():
            thoughts[row] = Thought(np.flatnonzero(legal[row]), int(actions[row]), self._effort, 0.0, GAMES_AT_ONCE)
        step = self.beliefs[0].history[-1].step
        generators = {row: np.random.default_rng([int(self._key), step]) for row in thoughts}

        def play_out(batch: list[Request]) -> NDArray[Any]:
            return self._play_out(actor, batch, ways, generators, memories)

        think_together(thoughts, play_out, GAMES_AT_ONCE)
        self.spent += sum(thought.spent for thought in thoughts.values())
        keys = [hand.tobytes() for hand in seen.hands]
        self.thoughts = {keys[row]: thought for row, thought in thoughts.items()}
        decided = {keys[row]: int(actions[row]) for row in possible}
        decided |= {keys[row]: thought.verdict() for row, thought in thoughts.items()}
        seen.decided[seen.at] = decided
        return decided

    def _play_out(
        self,
        actor: int,
        batch: list[Request],
        ways: NDArray[np.float64],
        generators: Mapping[int, np.random.Generator],
        memories: NDArray[Any] | None,
    ) -> NDArray[Any]:
        """The scores of requests, whose keys are hands that the actor sees; its ``memories`` are after its choice."""
        seen, held = self.beliefs[1 - actor], self.beliefs[actor]
        deals = [drawn(request, ways[request.key], generators[request.key]) for request in batch]
        holding, decks = (np.concatenate(parts) for parts in zip(*deals, strict=True))
        rows = np.repeat([request.key for request in batch], [request.rollouts for request in batch])
        copies, snapshot, n = self._simulator.rollouts(len(rows)), seen.history[-1], len(rows)
        copies.deal_hands(snapshot.table, seen.player, seen.hands[rows], decks, self._key, snapshot.step)
        copies.take_hand(slice(n), actor, held.hands[holding], decks)
        if copies.memories is not None and memories is not None and held.memories is not None:
            copies.memories[:n] = memories[rows]
            remembered = memories_by_player(held.memories, 2)[holding, seen.player]
            memories_by_player(copies.memories, 2)[:n, seen.player] = remembered
        return copies.play_out(first_moves(batch))


def public_record(rules: Rules, table: NDArray[Any], player: int) -> NDArray[Any]:
    """A copy of a record (1,) of two players that shows no hand: all unseen cards are in order.

    The first of them stand for the hand of ``player``, all others for the deck; the other player's hand is empty, its
    ``hand_count`` what it was.
    """
    table = table.copy()
    state = table["state"].view(np.recarray)[0]
    deck, held, others = int(state.deck_count), *(int(state.hand_count[who]) for who in (player, 1 - player))
    cards = np.sort(np.concatenate([state.cards[:deck], state.hands[player, :held], state.hands[1 - player, :others]]))
    hands = table["state"]["hands"][0]
    hands[player, :held], hands[1 - player] = cards[:held], NO_CARD
    box = table["state"]["cards"][0]
    box[: deck + others], box[deck + others : rules.deck_size - int(state.discard_count)] = cards[held:], NO_CARD
    table["state"]["bonus_tiles"][0, TILES - int(state.tiles_left) :] = NO_TILE
    table["state"]["deck_count"] = deck + others
    for name in ("game_key", "key", "episode"):
        table["state"][name] = 0
    table["mask"] = 0
    return table
