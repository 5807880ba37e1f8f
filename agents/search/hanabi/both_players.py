"""Multi-agent search (Lerer et al. 2020) by replication: both players of a two-player game search, and both know it.

A player's action follows from common knowledge and from the one hand that it sees, its partner's. The common knowledge
of a game is two sets: the hands that each player may hold. At a decision the actor's search is made for *every* hand in
the partner's set, as the actor would make it if it saw that hand. The actor's own hand is drawn from its set, given the
cards that are then left, with a random key that depends only on the game and the step. So both players can make these
searches, and get bitwise the same choices. The actor plays the choice for the hand that it sees; hands with another
choice are removed from the partner's set. Roll-outs continue under the blueprint, at both seats.

A player's set is kept as in `agents.search.hanabi.beliefs`, but from records that show no hand (`public_record`). A
pair of hands, one from each set, is weighted by the number of ways to make it up. An action depends on one hand only,
so it never excludes a pair without excluding one of the two hands.

The sizes of the sets decide whether there is a search. A set of more than `LISTED` hands is not listed; once there are
fewer, all hands that the rules allow are listed and replayed from the first step. If a set is not listed, or the actor
may see too many hands to search, the blueprint plays, and both players read the action as the blueprint's. If a draw
makes a set too large, it is no longer listed; earlier decisions by search are kept, to be replayed later.

With more players a choice depends on several hands, and the sets would be of whole positions, which is not feasible.
"""

from collections import deque
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hanabako.packing import unpack
from hanabi_env.engine.state import NO_CARD, NO_TILE, TILES, Rules

from ..choosing import Request, Thought, drawn, first_moves, think_together
from ..policy import Effort
from .beliefs import Belief
from .hands import unseen, ways_among
from .rollouts import Asking, HanabiRollouts, Simulator, Snapshot, ask_together

LISTED = 10_000
"""The most hands in a set."""


class CommonBelief(Belief):
    """The common knowledge of one player's hand, with the *other* player's memories under each. See `Belief`."""

    def __init__(self, simulator: Simulator, player: int, limit: int, key: Any) -> None:
        super().__init__(simulator, player, limit, key)
        self.decided: dict[int, dict[bytes, int]] = {}
        """For each step at which the other player searched: its decision under each hand that was possible."""

    def note(self, snapshot: Snapshot) -> None:
        """Follow the game to its next step. A set that is not listed is empty and not `exact`."""
        super().note(Snapshot(public_record(self.simulator.game.rules, snapshot.table, self.player), snapshot.step))
        ask_together(self.simulator, [self.following(np.random.default_rng(0))])  # samples are dropped: any seed

    def _sample(self, rng: np.random.Generator) -> Asking[None]:
        """See `Belief`; here a sample is dropped, as it is not common knowledge."""
        self._forget()
        return
        yield

    def _is_as_seen(self, at: int, hands: NDArray[np.uint8], actions: NDArray[np.int64]) -> NDArray[np.bool_]:
        """See `Belief`; where the other player searched, its decisions are compared instead of the blueprint's."""
        if at not in self.decided:
            return super()._is_as_seen(at, hands, actions)
        action, decided = self._act(at)[0], self.decided[at]
        return np.array([decided.get(hand.tobytes()) == action for hand in hands], np.bool_)

    def _deal(self, snapshot: Snapshot, copies: HanabiRollouts, hands: NDArray[np.uint8], first: int) -> slice:
        rows = super()._deal(snapshot, copies, hands, first)
        copies.take_hand(rows, 1 - self.player, None, copies.keys[rows])  # any cards, as their holder does not see them
        return rows


class CommonKnowledge:
    """The common knowledge of both players in one game, and the decisions that follow from it.

    ``key`` is the random key of the game's players; a decision has at most ``most`` searches, each of this effort.
    """

    def __init__(self, simulator: Simulator, key: Any, effort: Effort, most: int) -> None:
        self._simulator, self._key, self._effort, self._most = simulator, key, effort, most
        self.beliefs = [CommonBelief(simulator, player, LISTED, key) for player in (0, 1)]
        """The hands that each player may hold."""
        self._coming: deque[Snapshot] = deque()  # steps of the real game that are still to be followed
        self.thoughts: dict[bytes, Thought] = {}
        """The searches of the last step with more than one legal action, by the hand that the actor sees."""
        self.spent = 0
        """Number of roll-outs so far."""
        self._decided: dict[bytes, int] | None = None

    def note(self, snapshot: Snapshot) -> None:
        """Add the game's next step."""
        self._coming.append(snapshot)

    def decisions(self) -> dict[bytes, int] | None:
        """Follow the game to its last step, and return the actor's action there by the hand that it sees.

        None means that the blueprint plays, as a set is too large. Hands that are missing are impossible.
        """
        while self._coming:
            snapshot = self._coming.popleft()
            for belief in self.beliefs:
                belief.note(snapshot)
            self._decided = self._decide()
        return self._decided

    def ways(self, actor: int) -> NDArray[np.float64]:
        """Return in how many ways ``actor`` may hold each of its m hands, per hand that it may see: (n, m)."""
        seen, held = self.beliefs[1 - actor], self.beliefs[actor]
        copies = unseen(seen.history[-1].state, seen.player)
        ways = [ways_among(held.hands, copies - np.bincount(hand, minlength=len(copies))) for hand in seen.hands]
        return np.array(ways).reshape(len(seen.hands), len(held.hands))

    def _decide(self) -> dict[bytes, int] | None:
        """Return the actor's action by the hand that it sees, and keep it for replays; see `decisions`."""
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
            thoughts[row] = Thought(np.flatnonzero(legal[row]), int(actions[row]), self._effort, 0.0)
        snapshot = seen.history[-1]
        generators = {row: np.random.default_rng([int(self._key), snapshot.step]) for row in thoughts}

        def play_out(batch: list[Request]) -> NDArray[Any]:
            """Return the scores of requests, by rows of hands that the actor may see; memories follow its choice."""
            deals = [drawn(request, ways[request.key], generators[request.key]) for request in batch]
            holding, decks = (np.concatenate(parts) for parts in zip(*deals, strict=True))
            rows = np.repeat([request.key for request in batch], [request.rollouts for request in batch])
            copies, n = self._simulator.rollouts(len(rows)), len(rows)
            copies.deal_hands(snapshot, seen.player, seen.hands[rows], decks, self._key)
            copies.take_hand(slice(n), actor, held.hands[holding], decks)
            copies.memories[:n] = memories[rows]
            copies.memories[:n, seen.player] = held.memories[holding, seen.player]
            return copies.play_out(first_moves(batch))

        think_together(thoughts, play_out)
        self.spent += sum(thought.spent for thought in thoughts.values())
        keys = [hand.tobytes() for hand in seen.hands]
        self.thoughts = {keys[row]: thought for row, thought in thoughts.items()}
        decided = {keys[row]: int(actions[row]) for row in possible}
        decided |= {keys[row]: thought.verdict() for row, thought in thoughts.items()}
        seen.decided[seen.at] = decided
        return decided


def public_record(rules: Rules, table: NDArray[Any], player: int) -> NDArray[Any]:
    """Return a copy of a two-player record (1,) that shows no hand: all unseen cards are sorted.

    The first of them stand for the hand of ``player``, the others for the deck. The other player's hand is empty, but
    keeps its ``hand_count``.
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
