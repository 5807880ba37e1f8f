"""The second program: it checks the ceiling's verdicts on decks, in plain Python and from text alone.

It shares no code with the search: cards are strings, hands are sets, games are played in the PettingZoo environment,
and the arguments (see `benchmarks.strength.solvers.ceiling.arguments` for their meaning) are derived again from the
booklet. Only random events, the decks and their shuffles by tile (e) (V4), are read from the game's own loop
(`benchmarks.strength.solvers.ceiling.words`).

    python -m benchmarks.strength.solvers.ceiling.checking --decks 100  # solves again, and checks games and arguments
    python -m benchmarks.strength.solvers.ceiling.checking --below      # every deck in the study's results
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, product
from pathlib import Path
from typing import Any

from hanabako.agents.results.store import read_results
from hanabako.program import run_program
from hanabako.words.checks import shown
from hanabako.words.ranges import Seed, Size
from hanabi_env import PRESETS, HanabiConfig, hanabi_v0
from hanabi_env.words.notation import ranks_in_order, suit_letters

from .checking_common_hand import CommonHand, tiles_turned
from .words import Known, known_of

__all__ = ["check_argument", "check_below", "check_best", "check_game", "main", "played_score"]

RESULTS = Path(__file__).resolve().parents[2] / "results" / "hanabi_ceiling.json"
MOST_POSITIONS = 200_000
OUT_OF_TURN_DRAWS = 16
"""The number of last draws for which ``out_of_turn`` is tried."""

Order = list[list[str]]
"""For every firework, the cards to be played, in the order of play."""


def played_score(config: HanabiConfig, known: Known, moves: Sequence[str]) -> int:
    """Play a game in the environment and return its score.

    Raises:
        ValueError: a move is illegal, or the game does not end with the last one.
    """
    env: Any = hanabi_v0.raw_env(config=config)
    if config.flamboyants:  # its random stream also shuffles the deck
        env.reset(seed=known.seed, options={"game_index": known.index})
    else:
        env.reset(seed=0, options={"deck": list(known.deck)})
    for number, move in enumerate(moves):
        action = env.str_to_action(move)
        mask = env.observe(env.agent_selection)["action_mask"]
        if all(env.terminations.values()) or not mask[action]:
            raise ValueError(f"move {number}, {shown(move)}, is illegal")
        env.step(action)
    if not all(env.terminations.values()):
        raise ValueError(f"the game goes on after its {len(moves)} moves")
    return int(env.to_dict()["score"])


def check_game(config: HanabiConfig, known: Known, moves: Sequence[str], claimed: int) -> None:
    """Check the claimed score of a game by playing it.

    Raises:
        ValueError: the game does not reach the claimed score; or see `played_score`.
    """
    score = played_score(config, known, moves)
    if score < claimed:
        raise ValueError(f"the game scores {score}, not {claimed}")


def check_argument(config: HanabiConfig, known: Known, argument: str) -> None:
    """Check that an argument excludes the highest score for a deck.

    Args:
        config: the game's config.
        known: the random events.
        argument: ``late:PLACE``, ``crowded``, ``out_of_turn:PLACE``, ``reshuffled`` or ``searched``.

    Raises:
        ValueError: the argument does not hold, is unknown, or takes too long to check.
    """
    name, _, place = argument.partition(":")
    order = fireworks(config)
    if name in ("late", "out_of_turn") and place.isdecimal() and int(place) < len(known.deck):
        holds = (is_late if name == "late" else is_out_of_turn)(config, order, known, int(place))
    elif argument in ("crowded", "reshuffled"):
        is_shuffled = "e" in tiles_turned(config, order, known)
        holds = is_shuffled == (argument == "reshuffled") and is_crowded(config, order, known)
    elif argument == "searched":
        holds = is_searched(config, order, known.deck)
    else:
        raise ValueError(
            f"an argument is late:PLACE, crowded, out_of_turn:PLACE, reshuffled or searched, got {shown(argument)}"
        )
    if not holds:
        raise ValueError(f"{argument} does not hold: the highest score is not refuted by it")


def check_best(config: HanabiConfig, known: Known, best: int) -> None:
    """Check that no game of a deck scores more than ``best``: an argument excludes every way to play more cards.

    Raises:
        ValueError: no argument excludes some way; the message names it.
    """
    for left_out in range(1 if config.final_bouquet else config.max_score - best):  # V5: all or nothing
        for order in orders_without(fireworks(config), left_out):
            if not is_out_of_reach(config, order, known):
                raise ValueError(f"{best} is not shown to be the best: nothing refutes {' '.join(chain(*order))}")


def orders_without(order: Order, left_out: int) -> Iterator[Order]:
    """Yield all ways to leave out ``left_out`` cards at the ends of the fireworks."""
    for fewer in product(*(range(min(left_out, len(firework)) + 1) for firework in order)):
        if sum(fewer) == left_out:
            yield [firework[: len(firework) - less] for firework, less in zip(order, fewer, strict=True)]


def is_out_of_reach(config: HanabiConfig, order: Order, known: Known) -> bool:
    """Whether one of the arguments holds; those that take too long to check count as not holding."""
    places = range(len(known.deck) - 1, config.players * config.cards_in_hand - 1, -1)
    arguments = [partial(is_late, config, order, known, place) for place in places]
    arguments += [partial(is_crowded, config, order, known)]
    arguments += [partial(is_out_of_turn, config, order, known, place) for place in places[:OUT_OF_TURN_DRAWS]]
    arguments += [partial(is_searched, config, order, known.deck)]
    for argument in arguments:
        with suppress(ValueError):
            if argument():
                return True
    return False


def fireworks(config: HanabiConfig) -> Order:
    """Return all cards of all fireworks."""
    return [[f"{suit}{rank}" for rank in ranks_in_order(config, suit)] for suit in suit_letters(config)]


def playable_from(order: Order, comes: Mapping[str, int]) -> dict[str, int]:
    """Return the index in the deck from which on each card can be played: all cards below it must have come too."""
    return {
        card: max(comes[below] for below in firework[: height + 1])
        for firework in order
        for height, card in enumerate(firework)
    }


def waiting_for(order: Order, deck: Sequence[str], place: int) -> Order:
    """Return, per firework, the cards that cannot be played before the card at ``place`` is drawn, in order of play."""
    ready = playable_from(order, {card: deck.index(card) for card in chain(*order)})
    return [[card for card in firework if ready[card] >= place] for firework in order]


def turns_from(config: HanabiConfig, deck: Sequence[str], place: int) -> int:
    """Return the number of turns (H14), from the draw of the card at ``place`` on, for cards that wait for it."""
    draws = len(deck) - 1 - place
    return draws + config.players if draws else 1


def is_late(config: HanabiConfig, order: Order, known: Known, place: int) -> bool:
    """Whether more cards must wait for the card at ``place`` to be drawn than there are turns from then on.

    With V4, tile (f) plays one card without a turn. If tile (e) is turned up, no order of the deck is certain.
    """
    tiles = tiles_turned(config, order, known)
    return "e" not in tiles and waits_too_long(config, order, known.deck, place, "f" in tiles)


def waits_too_long(config: HanabiConfig, order: Order, deck: Sequence[str], place: int, spared: int) -> bool:
    """Whether too many cards wait, as in `is_late`; ``spared`` cards need no turn."""
    if place < config.players * config.cards_in_hand or config.final_bouquet:
        return False
    return sum(map(len, waiting_for(order, deck, place))) > turns_from(config, deck, place) + spared


def is_out_of_turn(config: HanabiConfig, order: Order, known: Known, place: int) -> bool:
    """Whether no way to go on from the draw of the card at ``place`` plays all cards that wait for it.

    Any player may act next until the deck is empty. Then each has one turn, from the left of the player who drew last.
    """
    deck = known.deck
    players, size = config.players, config.cards_in_hand
    if place < players * size or config.final_bouquet or {*tiles_turned(config, order, known)} & {"e", "f"}:
        return False
    order = waiting_for(order, deck, place)
    everything = frozenset(chain(*order))
    before = {(card, player) for card in deck[players * size : place] for player in range(players)}
    before |= {(deck[at], at // size) for at in range(players * size)}
    seen: set[tuple[int, frozenset[tuple[str, int]], frozenset[str], int | None]] = set()
    waiting = []

    def draw(at: int, player: int, drawn: frozenset[tuple[str, int]], played: frozenset[str], last: int | None) -> None:
        if at < len(deck):
            drawn |= {(deck[at], player)} if deck[at] in everything else set()
            last = player if at + 1 == len(deck) else None
        waiting.append((at + 1, drawn, played, last))

    for player in range(players):
        draw(place, player, frozenset(), frozenset(), None)
    while waiting:
        position = at, drawn, played, last = waiting.pop()
        if played == everything:
            return False
        if position in seen or len(everything - played) > len(deck) + players - at:
            continue
        seen.add(position)
        if len(seen) > MOST_POSITIONS:
            raise ValueError(f"out_of_turn takes more than {MOST_POSITIONS:,} positions to check")
        fitting = [next((card for card in firework if card not in played), "") for firework in order]
        for player in range(players) if last is None else [(last + 1 + at - len(deck)) % players]:
            draw(at, player, drawn, played, last)
            for card in fitting:
                if (card, player) in drawn | before:
                    draw(at, player, drawn, played | {card}, last)
    return True


def is_crowded(config: HanabiConfig, order: Order, known: Known) -> bool:
    """Whether one common hand, with free choice of who acts and no need for tokens, cannot play all cards.

    With V4, this must also hold after any shuffle by tile (e), unless the deck is late then.
    """

    def is_late_anywhere(deck: Sequence[str], spared: int) -> bool:
        return any(waits_too_long(config, order, deck, place, spared) for place in range(len(deck)))

    return not CommonHand(config, order, known, is_late_anywhere).gets_through()


def is_searched(config: HanabiConfig, order: Order, deck: Sequence[str]) -> bool:
    """Whether no game with open hands plays all cards, by trying every sensible move in every position.

    A useless card is dropped before a needed one, which its holder might treat as useless. A card is misplayed only if
    discards, which are better, are not allowed. With bonus tiles (V4) this search is not complete, and the result is
    False.
    """
    if config.flamboyants:
        return False
    size, players = config.cards_in_hand, config.players
    hands = tuple(tuple(deck[player * size : (player + 1) * size]) for player in range(players))
    begin = (0, players * size, hands, (0,) * len(order), config.max_information_tokens, config.max_life_tokens, None)
    if players * size == len(deck) and not config.final_bouquet:
        begin = (*begin[:-1], players)
    seen, waiting = {begin}, [begin]
    while waiting:
        position = waiting.pop()
        for following in positions_after(config, deck, order, position):
            if sum(following[3]) == sum(map(len, order)):
                return False
            left = boiled_down(config, deck, order, following)
            if left is not None and left not in seen:
                seen.add(left)
                waiting.append(left)
        if len(seen) > MOST_POSITIONS:
            raise ValueError(f"searched takes more than {MOST_POSITIONS:,} positions to check")
    return True


def boiled_down(config: HanabiConfig, deck: Sequence[str], order: Order, position: Any) -> Any:
    """Return the position with a dash for every useless card: already played, or held twice by one player.

    Return None if no game from here completes all fireworks, as a missing card is lost or too few turns are left.
    """
    player, drawn, hands, heights, tokens, lives, turns = position
    missing = [firework[height:] for firework, height in zip(order, heights, strict=True)]
    needed, held = set(chain(*missing)), set(chain(*hands))
    if not needed <= {*held, *deck[drawn:]}:
        return None
    if not config.final_bouquet:
        ready = playable_from(missing, {card: -1 if card in held else deck.index(card, drawn) for card in needed})
        late = any(
            sum(other >= place for other in ready.values()) > turns_from(config, deck, place)
            for place in {*ready.values()} - {-1}
        )
        if late or len(needed) > (len(deck) - drawn + config.players if turns is None else turns):
            return None
    useful = [sorted(set(hand) & needed) for hand in hands]
    hands = tuple((*kept, *"-" * (len(hand) - len(kept))) for hand, kept in zip(hands, useful, strict=True))
    return player, drawn, hands, heights, tokens, lives, turns


def positions_after(config: HanabiConfig, deck: Sequence[str], order: Order, position: Any) -> list[Any]:
    """Return all positions one turn later: (player, drawn, hands, heights, tokens, lives, turns of the last round)."""
    player, drawn, hands, heights, tokens, lives, turns = position
    if turns == 0 or lives == 0:
        return []
    later = None if turns is None else turns - 1
    following, most = (player + 1) % config.players, config.max_information_tokens
    found = []
    if tokens > 0 and (config.empty_hints or any(hand for other, hand in enumerate(hands) if other != player)):
        found.append((following, drawn, hands, heights, tokens - 1, lives, later))
    for card in set(hands[player]):
        rest = list(hands[player])
        rest.remove(card)
        is_last = drawn + 1 == len(deck) and not config.final_bouquet
        left = config.players if is_last else later
        new = (*hands[:player], (*rest, *deck[drawn : drawn + 1]), *hands[player + 1 :])
        after = min(drawn + 1, len(deck))
        suit = next((k for k, firework in enumerate(order) if card in firework[heights[k] :][:1]), None)
        if suit is not None:
            higher = (*heights[:suit], heights[suit] + 1, *heights[suit + 1 :])
            gains = higher[suit] == config.ranks
            announced = {0, 1} if config.choreography else {0}
            found += [
                (following, after, new, higher, min(most, tokens + gains + more), lives, left) for more in announced
            ]
        if card == "-" or "-" not in hands[player]:
            dropped = (tokens + 1, lives) if tokens < most else (tokens, lives - 1)
            found.append((following, after, new, heights, *dropped, left))
    return found


@dataclass(frozen=True)
class Args:
    """Check the verdicts on decks."""

    preset: str = "standard"
    """The preset of the game."""
    players: int = 2
    """The number of players, 2 to 5."""
    decks: Size = 100
    """The number of games to solve again and check."""
    seed: Seed = 1
    """The seed of the decks."""
    below: bool = False
    """Instead, check the arguments of all decks in the study's results."""


def check_below(row: Mapping[str, Any]) -> int:
    """Check every argument in a row of the study's results, and return their number.

    Raises:
        ValueError: see `check_argument`; the message names the deck.
    """
    config = replace(PRESETS[row["preset"]], players=row["players"])
    count = 0
    for line in row["below"]:
        _, game, _, best, argument = line.split()
        if argument == "open":
            continue
        known = known_of(config, row["seed"], int(game))
        try:
            check_argument(config, known, argument)
            if best.isdecimal():
                check_best(config, known, int(best))
        except ValueError as error:
            raise ValueError(f"{row['preset']}, {row['players']} players, game {game}: {error}") from None
        count += 1
    return count


def check_again(args: Args) -> tuple[int, int]:
    """Solve decks again, check games and arguments, and return the number of each.

    Raises:
        ValueError: a check fails.
    """
    from .verdicts import Ceiling

    ceiling = Ceiling(replace(PRESETS[args.preset], players=args.players))
    games = arguments = 0
    for index in range(args.decks):
        verdict = ceiling.solve(args.seed, index)
        known, moves = ceiling.in_words(args.seed, index, verdict)
        if verdict.actions:
            check_game(ceiling.config, known, moves, verdict.lower)
            games += 1
        if verdict.argument:
            check_argument(ceiling.config, known, verdict.argument)
            if verdict.lower == verdict.upper:
                check_best(ceiling.config, known, verdict.lower)
            arguments += 1
    return games, arguments


def main(argv: Sequence[str] | None = None) -> None:
    """Run the command line."""
    run_program(run, Args, __spec__.name, __doc__, argv)


def run(args: Args) -> None:
    """Run the checks, and print how many games and arguments hold.

    Raises:
        ValueError: a setting is wrong, or a check fails.
    """
    if args.below:
        print(f"{sum(map(check_below, read_results(RESULTS)))} arguments hold")
        return
    if args.preset not in PRESETS:
        raise ValueError(f"preset must be one of {', '.join(PRESETS)}, got {args.preset!r}")
    games, arguments = check_again(args)
    print(f"{games} games and {arguments} arguments hold")


if __name__ == "__main__":
    main()
