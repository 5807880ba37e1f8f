"""The second program: checks what `agents.ceiling` says of a deck, in plain Python, and from words alone.

It shares no line with the search: cards are words, hands are sets, games are played in the PettingZoo environment, and
the arguments (see `agents.ceiling.arguments` for what they say) are worked out from the booklet again.

    python -m agents.ceiling.checking --decks 100               # solves again, and checks games and arguments
    python -m agents.ceiling.checking --file                    # every line of agents/results/ceiling-below.txt
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any

import tyro

from hanabako.words.checks import shown
from hanabi_env import PRESETS, HanabiConfig, hanabi_v0
from hanabi_env.words.notation import ranks_in_order, suit_letters

__all__ = ["check_argument", "check_game", "main", "played_score"]

BELOW = Path(__file__).resolve().parents[1] / "results" / "ceiling-below.txt"
MOST_POSITIONS = 200_000


def played_score(config: HanabiConfig, deck: Sequence[str], moves: Sequence[str]) -> int:
    """The score of a game played in the environment.

    Raises:
        ValueError: a move is illegal, or the game does not end with the last one.
    """
    env: Any = hanabi_v0.raw_env(config=config)
    env.reset(seed=0, options={"deck": list(deck)})
    for number, move in enumerate(moves):
        action = env.str_to_action(move)
        mask = env.observe(env.agent_selection)["action_mask"]
        if all(env.terminations.values()) or not mask[action]:
            raise ValueError(f"move {number}, {shown(move)}, is illegal")
        env.step(action)
    if not all(env.terminations.values()):
        raise ValueError(f"the game goes on after its {len(moves)} moves")
    return int(env.to_dict()["score"])


def check_game(config: HanabiConfig, deck: Sequence[str], moves: Sequence[str], claimed: int) -> None:
    """Play a game again.

    Raises:
        ValueError: it does not reach the score that is claimed, or see `played_score`.
    """
    score = played_score(config, deck, moves)
    if score < claimed:
        raise ValueError(f"the game scores {score}, not {claimed}")


def check_argument(config: HanabiConfig, deck: Sequence[str], argument: str) -> None:
    """Check that an argument keeps this deck from the highest score.

    Args:
        config: what is played.
        deck: card names, top first.
        argument: ``late:PLACE``, ``crowded`` or ``searched``.

    Raises:
        ValueError: the argument does not hold, is unknown, or takes too long to check.
    """
    name, _, place = argument.partition(":")
    if name == "late" and place.isdecimal() and int(place) < len(deck):
        holds = is_late(config, deck, int(place))
    elif argument == "crowded":
        holds = is_crowded(config, deck)
    elif argument == "searched":
        holds = is_searched(config, deck)
    else:
        raise ValueError(f"an argument is late:PLACE, crowded or searched, got {shown(argument)}")
    if not holds:
        raise ValueError(f"{argument} does not hold: the highest score is not refuted by it")


def fireworks(config: HanabiConfig) -> list[list[str]]:
    """The cards of every firework in the order of play."""
    return [[f"{suit}{rank}" for rank in ranks_in_order(config, suit)] for suit in suit_letters(config)]


def is_late(config: HanabiConfig, deck: Sequence[str], place: int) -> bool:
    """More cards must wait for the card at ``place``, or for one below it, than there are turns from its draw on."""
    first = {card: deck.index(card) for card in deck}
    waiting = 0
    for firework in fireworks(config):
        for height in range(len(firework)):
            waiting += max(first[card] for card in firework[: height + 1]) >= place
    draws = len(deck) - 1 - place
    if place < config.players * config.cards_in_hand or config.final_bouquet:
        return False
    return waiting > (draws + config.players if draws else 1)


def is_crowded(config: HanabiConfig, deck: Sequence[str]) -> bool:
    """A common hand of all players, with free choice of who acts and no need of tokens, cannot play all cards."""
    order = fireworks(config)
    room = config.players * config.cards_in_hand
    everything = frozenset(chain(*order))
    seen: set[tuple[int, frozenset[str], frozenset[str]]] = set()
    waiting = [(room, frozenset(deck[:room]), frozenset[str]())]
    while waiting:
        drawn, hand, played = waiting.pop()
        hand -= played
        if (drawn, hand, played) in seen:
            continue
        seen.add((drawn, hand, played))
        if len(seen) > MOST_POSITIONS:
            raise ValueError(f"crowded takes more than {MOST_POSITIONS:,} positions to check")
        missing = everything - played
        if not config.final_bouquet and len(missing) > len(deck) - drawn + config.players:
            continue
        if not missing <= hand | set(deck[drawn:]):
            continue
        if drawn == len(deck):
            return False  # all that is missing is in the hand, and there are turns for it
        following = frozenset(deck[drawn : drawn + 1])
        fitting = {
            next(card for card in firework if card not in played) for firework in order if firework[-1] in missing
        }
        playable = sorted(hand & fitting)
        if playable:
            waiting.append((drawn + 1, hand - {playable[0]} | following, played | {playable[0]}))
        elif len(hand) < room:
            waiting.append((drawn + 1, hand | following, played))
        else:
            waiting += [(drawn + 1, hand - {card} | following, played) for card in hand]
    return True


def is_searched(config: HanabiConfig, deck: Sequence[str]) -> bool:
    """No game that all could play with open hands completes all fireworks: every sensible move of every position."""
    order = fireworks(config)
    size, players = config.cards_in_hand, config.players
    hands = tuple(tuple(sorted(deck[player * size : (player + 1) * size])) for player in range(players))
    begin = (0, players * size, hands, (0,) * len(order), config.max_information_tokens, config.max_life_tokens, None)
    if players * size == len(deck) and not config.final_bouquet:
        begin = (*begin[:-1], players)
    seen, waiting = {begin}, [begin]
    while waiting:
        position = waiting.pop()
        for following in positions_after(config, deck, order, position):
            if sum(following[3]) == len(order) * config.ranks:
                return False
            if following not in seen:
                seen.add(following)
                waiting.append(following)
        if len(seen) > MOST_POSITIONS:
            raise ValueError(f"searched takes more than {MOST_POSITIONS:,} positions to check")
    return True


def positions_after(config: HanabiConfig, deck: Sequence[str], order: list[list[str]], position: Any) -> list[Any]:
    """All positions one turn later: (player, drawn, hands, heights, tokens, lives, turns of the last round)."""
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
        new = (*hands[:player], tuple(sorted([*rest, *deck[drawn : drawn + 1]])), *hands[player + 1 :])
        after = min(drawn + 1, len(deck))
        suit = next(k for k, firework in enumerate(order) if card in firework)
        if order[suit].index(card) == heights[suit]:
            higher = (*heights[:suit], heights[suit] + 1, *heights[suit + 1 :])
            gains = higher[suit] == config.ranks
            announced = {0, 1} if config.choreography else {0}
            found += [
                (following, after, new, higher, min(most, tokens + gains + more), lives, left) for more in announced
            ]
        else:
            found.append((following, after, new, heights, tokens, lives - 1, left))
        if tokens < most:
            found.append((following, after, new, heights, tokens + 1, lives, left))
    return found


@dataclass(frozen=True)
class Args:
    """Check what is said of decks."""

    preset: str = "standard"
    """What is played."""
    players: int = 2
    """Players, 2 to 5."""
    decks: int = 100
    """How many games to solve again and check."""
    seed: int = 1
    """Of the decks."""
    file: bool = False
    """Check the arguments in the file of decks below instead."""


def check_file(path: Path = BELOW) -> int:
    """Check every argument of the file of decks below; returns how many.

    Raises:
        ValueError: see `check_argument`; names the line.
    """
    lines = [line for line in path.read_text().splitlines() if line and not line.startswith("#")]
    count = 0
    for number, line in enumerate(lines, 1):
        about, _, cards = line.partition(": ")
        preset, players, *_, argument = about.split()
        if argument == "open":
            continue
        config = replace(PRESETS[preset], players=int(players))
        try:
            check_argument(config, cards.split(), argument)
        except ValueError as error:
            raise ValueError(f"line {number}: {error}") from None
        count += 1
    return count


def check_again(args: Args) -> tuple[int, int]:
    """Solve decks again, and check games and arguments; returns how many of each.

    Raises:
        ValueError: something does not hold.
    """
    from .verdicts import Ceiling

    ceiling = Ceiling(replace(PRESETS[args.preset], players=args.players))
    games = arguments = 0
    for index in range(args.decks):
        verdict = ceiling.solve(args.seed, index)
        deck, moves = ceiling.in_words(args.seed, index, verdict)
        if verdict.actions:
            check_game(ceiling.config, deck, moves, verdict.lower)
            games += 1
        if verdict.argument:
            check_argument(ceiling.config, deck, verdict.argument)
            arguments += 1
    return games, arguments


def main(argv: Sequence[str] | None = None) -> None:
    """The command line."""
    args = tyro.cli(Args, args=argv, description=__doc__, prog=f"python -m {__spec__.name}")
    if args.file:
        print(f"{check_file()} arguments hold")
        return
    games, arguments = check_again(args)
    print(f"{games} games and {arguments} arguments hold")


if __name__ == "__main__":
    main()
