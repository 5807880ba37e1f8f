"""Measures of communication between Hanabi players from the literature, and how often two agents agree in any game."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hanabako.compiler.digest import digest_of
from hanabako.compiler.jit import interned, kernel, keyed, rule
from hanabako.drawing import charts
from hanabako.engine.bits import ZERO, bit, has_bit
from hanabako.engine.loops import reader_of
from hanabako.games import game_of
from hanabi_env.engine.cards import suit_of
from hanabi_env.engine.rules import is_terminal, played_cards
from hanabi_env.engine.state import EVENT_HINT_COLOR, EVENT_HINT_RANK, EVENT_PLAY, NO_TILE, Rules

from ..bots.hanabi.knowledge import count_unseen, hand_count, known_rank, known_suit, steps_away
from ..playing.block import GAMES_AT_ONCE, block_for
from ..playing.policy import Agent, line_up
from ..playing.seating import sit

MOST_CARDS = 35  # card identities in the largest game

TALLY = interned(
    np.dtype(
        [
            ("plays", np.int64),
            ("known", np.int64, (4,)),  # plays by what hints had told of the card: neither, color, rank, both
            ("scored", np.int64),  # plays that joined a firework
            ("blind", np.int64),  # scored plays of cards that no hint had touched
            ("finessed", np.int64),  # blind plays that a hint about the next card had called for
            ("turns_with_token", np.int64),
            ("hints", np.int64),
            ("paid_hints", np.int64),  # those that took a token
            ("idle_hints", np.int64),  # hints that told their receiver nothing
            ("tokens_lost", np.int64),
            ("tokens_left", np.int64),
            ("bits", np.float64),  # told by all hints together, see `Communication.bits_per_hint`
            ("called", np.uint64, (5,)),  # per player: cards that hints to others touched since the player's last turn
            ("unseen", np.int64, (MOST_CARDS,)),  # scratch space for counting cards
        ]
    )
)


@dataclass(frozen=True)
class Communication:
    """How the players of some games communicate. Rates are over all games together."""

    games: int
    """The number of games."""
    known: dict[str, float]
    """The shares of played cards of which hints had told ``neither`` color nor rank, the ``color`` only, the ``rank``
    only, or ``both`` (positive and negative information, without counting cards)."""
    information_per_play: float
    """The *information per play* of Canaan et al. 2019, "Diverse agents for ad-hoc cooperation in Hanabi": the mean
    over plays of 0, 1/2 or 1 if neither, one or both were known."""
    communicativeness: float
    """The share of turns with an available information token on which a hint was given (Canaan et al. 2019). The choice
    of a tile (N2) is no turn, and its hint takes no token."""
    hints: float
    """Hints per game."""
    bits_per_hint: float
    """The mean information that a hint's literal content gives its receiver, in bits: the sum over the receiver's cards
    of log2(copies it could be before / after), counting the copies that the receiver does not see, each card by itself.
    This is Shannon's information, as used for hints by Eger, Martens and Alfaro Cordoba 2017, "An intentional AI for
    Hanabi". It does not include what a *convention* adds; see ``conventional_bits_per_hint``."""
    conventional_bits_per_hint: float | None
    """The mean information that a hint gives *all* players by convention, in bits: the sum over all cards in all hands
    of log2(cards it may be before / after), by the bots' own public knowledge. It is known only for teams of one bot
    whose memory has a field ``possible``, (players, hand_size) sets of cards by public knowledge; else None."""
    idle_hints: float
    """The share of hints whose literal content tells their receiver nothing: they serve a convention, or pass time."""
    tokens_lost: float
    """Tokens per game that a completed firework did not return, because all tokens were there. With flamboyants (V4)
    only the black firework returns one."""
    tokens_left: float
    """Tokens per game that were left at the end: each is a hint that was never given."""
    blind_share: float
    """The share of the score from *blind plays*: cards that joined their firework and that no hint had touched."""
    finesse_share: float
    """The share of the score from *finesses*: blind plays for which, since the player's last turn, a hint to another
    player touched the card that comes next on the firework (as the H-group's conventions use the word)."""
    actions: NDArray[np.int64]
    """(A, A): how often one action, the column, followed another one, the row. Dividing rows by their sums gives the
    *conditional action matrix*: my action given my partner's last (Hu et al. 2020, "Other-play for zero-shot
    coordination", figure 4; Hu et al. 2021, "Off-belief learning")."""

    def conditional_actions(self) -> NDArray[np.float64]:
        """Return (A, A): the probability of an action (column) after another one (row); rows of unused ones are 0."""
        sums = self.actions.sum(axis=1, keepdims=True)
        return self.actions / np.maximum(sums, 1)


def action_maps(maps: Mapping[str, NDArray[np.float64]], config: Any, title: str) -> Any:
    """Draw how probable each action of a config is after each other one, and return the Matplotlib figure.

    ``maps`` holds an array (A, A) of `Communication.conditional_actions` for each panel, by the agent's name.
    """
    figure, row = charts.panels(list(maps), (3.6 * len(maps) + 0.6, 4.4))
    game = game_of(config).make_game(config)
    words = [game.action_to_str(None, action) for action in range(game.num_actions)]
    for axes, probabilities in zip(row, maps.values(), strict=True):
        image = axes.imshow(probabilities, vmin=0, vmax=1, cmap="magma")
        axes.grid(visible=False)
        axes.set_xticks(range(len(words)), words, rotation=90, fontsize=6)
        axes.set_yticks(range(len(words)), words if axes is row[0] else [], fontsize=6)
        axes.set_xlabel("the next player's action")
    row[0].set_ylabel("action")
    figure.suptitle(title, **charts.TITLE)
    figure.colorbar(image, ax=row, shrink=0.8, label="probability").outline.set_visible(False)
    return figure


def measure(config: Any, policies: Agent | Sequence[Agent], games: int, seed: int) -> Communication:
    """Play games and measure their communication; raise ``ValueError`` if ``config`` is not one of Hanabi.

    The games are those of `agents.playing.play.play` with the same arguments.
    """
    if game_of(config).name != "hanabi":
        raise ValueError(f"communication is measured in hanabi, got {game_of(config).name}")
    seats = line_up(policies, config.players)
    tallies, actions = np.zeros(games, TALLY), np.zeros([config.rules().num_actions] * 2, np.int64)
    convention, note = np.zeros(2), watcher()  # bits, hints
    for first in range(0, games, GAMES_AT_ONCE):
        block = block_for(config, min(GAMES_AT_ONCE, games - first), seats, specialize=False)
        players = sit(block, seats)
        block.deal(seed, first)
        for player in players:
            player.begin()
        team = players[0] if len(players) == 1 else None
        last = np.full(len(block.tables), -1)
        while len(block.open_games):
            playing = block.open_games
            before = block.tables.copy()
            known = team.public_knowledge() if team else None
            block.go_on(players)
            note(block.rules_array, before, block.tables, tallies[first:])
            done = block.actions[playing]
            after = last[playing] >= 0
            np.add.at(actions, (last[playing][after], done[after]), 1)
            last[playing] = done
            now = team.public_knowledge() if team else None
            if known is not None and now is not None:
                hinted = block.tables["state"]["information_tokens"] < before["state"]["information_tokens"]
                hinted &= ~block.tables["terminated"]
                convention += bits_between(known, now)[hinted].sum(), hinted.sum()
    return conclude(tallies, actions, convention)


def bits_between(before: NDArray[np.uint64], after: NDArray[np.uint64]) -> NDArray[np.float64]:
    """Return the bits told in each game, (games,): sets of cards (games, players, hand_size) before and after."""
    counts = np.bitwise_count(before).astype(float), np.bitwise_count(after).astype(float)
    possible = (counts[0] > 0) & (counts[1] > 0)
    bits = np.log2(np.maximum(counts[0], 1)) - np.log2(np.maximum(counts[1], 1))
    return np.where(possible, bits, 0.0).sum(axis=(1, 2))


def conclude(tallies: NDArray[Any], actions: NDArray[np.int64], convention: NDArray[np.float64]) -> Communication:
    """Compute the measures from the tallies of all games."""
    total = {name: tallies[name].sum(axis=0) for name in TALLY.names or ()}
    plays, hints, scored = (max(int(total[name]), 1) for name in ("plays", "hints", "scored"))
    known = dict(zip(("neither", "color", "rank", "both"), (total["known"] / plays).tolist(), strict=True))
    games = len(tallies)
    return Communication(
        games=games,
        known=known,
        information_per_play=known["both"] + (known["color"] + known["rank"]) / 2,
        communicativeness=float(total["paid_hints"] / max(total["turns_with_token"], 1)),
        hints=float(total["hints"] / games),
        bits_per_hint=float(total["bits"] / hints),
        conventional_bits_per_hint=float(convention[0] / convention[1]) if convention[1] else None,
        idle_hints=float(total["idle_hints"] / hints),
        tokens_lost=float(total["tokens_lost"] / games),
        tokens_left=float(total["tokens_left"] / games),
        blind_share=float(total["blind"] / scored),
        finesse_share=float(total["finessed"] / scored),
        actions=actions,
    )


def agreement(config: Any, one: Agent, other: Agent, games: int, seed: int) -> float:
    """Return the share of decisions at which ``other`` chooses the action of ``one``, 0 to 1.

    The decisions are those of ``one`` in self-play, if at least two actions are legal; without any, the share is 0.
    Both agents see the same, and draw from the same random streams, which ``seed`` determines like the deals. Two runs
    of an algorithm with a unique solution should agree nearly always: Hu et al. 2021, "Off-belief learning".
    """
    seats = line_up(one, config.players), line_up(other, config.players)
    alike = asked = 0
    for first in range(0, games, GAMES_AT_ONCE):
        block = block_for(config, min(GAMES_AT_ONCE, games - first), [*seats[0], *seats[1]], specialize=False)
        playing, shadowing = (sit(block, own) for own in seats)
        block.deal(seed, first)
        for seated in (*playing, *shadowing):
            seated.begin()
        while len(block.open_games):
            for seated in shadowing:
                seated.act()
            guessed = block.actions.copy()
            for seated in playing:
                seated.act()
            chosen = block.open_games[block.mask[block.open_games].sum(1) > 1]
            alike += int((guessed[chosen] == block.actions[chosen]).sum())
            asked += len(chosen)
            block.make_step((*playing, *shadowing))
    return alike / max(asked, 1)


# --- One step, compiled -----------------------------------------------------------------------------------------------


@cache
def watcher() -> Any:
    """Return the compiled loop that tallies one step of every game."""
    digest, rules_of = digest_of(note_step), reader_of(Rules, None)

    @kernel
    def note_games(rules_array, before, after, tallies):
        rules = keyed(rules_of(rules_array), digest)
        for i in range(after.shape[0]):
            if not before[i].terminated:
                note_step(rules, before[i].state, after[i].state, tallies[i])

    return note_games


@rule
def note_step(rules, before, after, tally):
    """Add a step to a game's tally, given the states before and after it."""
    event = after.events[(after.length - 1) % rules.history]
    player = np.int64(event.player)
    is_hint = event.kind == EVENT_HINT_COLOR or event.kind == EVENT_HINT_RANK
    if before.information_tokens > 0 and before.pending == NO_TILE:
        tally.turns_with_token += 1
        tally.paid_hints += np.int64(is_hint)
    if event.kind == EVENT_PLAY:
        note_play(rules, before, event, tally)
        suit = suit_of(rules, event.card)
        returns = not rules.flamboyants or suit == rules.black_suit
        completes = event.scored and after.fireworks[suit] == rules.ranks and returns
        if completes and not event.gave_token and before.information_tokens == rules.max_information_tokens:
            tally.tokens_lost += 1
    tally.called[player] = ZERO
    if is_hint:
        note_hint(rules, before, after, event, tally)
    if is_terminal(after) and played_cards(rules, after) < rules.suits * rules.ranks:
        tally.tokens_left += after.information_tokens


@rule
def note_play(rules, before, event, tally):
    """Tally a play: what hints had told of the card, and whether it was blind or finessed."""
    player = np.int64(event.player)
    plausible = before.plausible[player, event.slot]
    knows_color = known_suit(rules, plausible) >= 0
    knows_rank = known_rank(rules, plausible) >= 0
    tally.plays += 1
    tally.known[knows_color + 2 * knows_rank] += 1
    if event.scored:
        tally.scored += 1
        if before.hinted[player, event.slot] == 0:
            tally.blind += 1
            for card in range(rules.suits * rules.ranks):
                is_next = suit_of(rules, card) == suit_of(rules, event.card) and steps_away(rules, before, card) == 1
                if is_next and has_bit(tally.called[player], card) != ZERO:
                    tally.finessed += 1


@rule
def note_hint(rules, before, after, event, tally):
    """Tally a hint: the bits that it tells, and the cards that it touches."""
    target = np.int64(event.target)
    count_unseen(rules, before, target, tally.unseen)
    tally.hints += 1
    bits = 0.0
    touched = ZERO
    for slot in range(hand_count(after, target)):
        bits += np.log2(copies_in(rules, tally, before.plausible[target, slot]))
        bits -= np.log2(copies_in(rules, tally, after.plausible[target, slot]))
        if has_bit(event.touched, slot) != ZERO:
            touched |= bit(after.hands[target, slot])
    tally.bits += bits
    if bits == 0.0:
        tally.idle_hints += 1
    for player in range(rules.players):
        if player != target and player != event.player:
            tally.called[player] |= touched


@rule
def copies_in(rules, tally, cards):
    """Return how many copies of the given cards the receiver of a hint does not see, as a float."""
    count = 0
    for card in range(rules.suits * rules.ranks):
        if has_bit(cards, card) != ZERO:
            count += tally.unseen[card]
    return float(count)
