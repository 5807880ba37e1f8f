"""The best score of known decks: it agrees with a search of all games by plain rules, and every proof is checked."""

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

from benchmarks.strength import hanabi_ceiling
from benchmarks.strength.hanabi_ceiling import Decks, board
from benchmarks.strength.solvers.ceiling import checking
from benchmarks.strength.solvers.ceiling.verdicts import Ceiling, Verdict
from benchmarks.strength.solvers.ceiling.words import Known, known_of
from hanabako.agents.results.store import read_results
from hanabi_env import PRESETS, HanabiConfig, hanabi_v0
from tests.reference.hanabi_plain import PlainHanabi

pytestmark = pytest.mark.slow

TINY = HanabiConfig(colors=2, ranks=2, hand_size=1, max_information_tokens=1, max_life_tokens=1)
CONFIGS = {
    "tiny": TINY,
    "two lives": replace(TINY, max_life_tokens=2),
    "two cards": replace(TINY, hand_size=2),
    "three ranks": replace(TINY, ranks=3, max_information_tokens=2),
    "no tokens": replace(TINY, max_information_tokens=0, max_life_tokens=2),
    "three players": replace(TINY, players=3, max_information_tokens=2),
    "one suit": replace(TINY, colors=1, ranks=3, players=3, empty_hints=True),
    "single": replace(TINY, colors=1, ranks=3, multicolor="own_color", hand_size=2),
    "black": replace(TINY, colors=1, ranks=3, black_powder=True, max_information_tokens=2),
    "bouquet": replace(TINY, ranks=3, colors=1, final_bouquet=True),
    "announced": replace(TINY, choreography=True, max_information_tokens=2),
    "out_of_turn": replace(
        TINY, colors=1, ranks=3, multicolor="own_color", players=3, hand_size=2, max_information_tokens=3
    ),
    "tiles": replace(TINY, flamboyants=True, colors=3),
    "tiles of three ranks": replace(TINY, flamboyants=True, ranks=3, max_information_tokens=2),
    "tiles of a single suit": replace(TINY, flamboyants=True, colors=1, ranks=3, multicolor="own_color"),
    "tiles beside black": replace(TINY, flamboyants=True, black_powder=True, colors=1, ranks=3),
    "tiles in a bouquet": replace(TINY, flamboyants=True, final_bouquet=True, colors=3),
    "tiles for three": replace(
        TINY, flamboyants=True, colors=1, ranks=3, multicolor="own_color", players=3, max_information_tokens=2
    ),
    "tiles, announced": replace(TINY, flamboyants=True, choreography=True, multicolor="own_color"),
}
DECKS = {"black": 16, "three ranks": 16, "single": 16, "out_of_turn": 30}
"""The number of decks for these configurations; all others have 40."""


def best_score(config: HanabiConfig, known: Known) -> int:
    """Return the best score of all games by plain rules; all legal moves are tried, but only one hint."""
    begin = Position(PlainHanabi(config, list(known.deck), known.tiles), known)
    seen, waiting, best = {begin.key}, [begin], -99
    while waiting and best < config.max_score:
        position = waiting.pop()
        for move in position.moves():
            following = Position(position.after(move), known)
            if following.game.end_reason is not None:
                best = max(best, following.game.score)
            elif following.key not in seen:
                seen.add(following.key)
                waiting.append(following)
    return best


class Position:
    def __init__(self, game: PlainHanabi, known: Known) -> None:
        self.game, self.known = game, known
        self.key = (
            game.current_player,
            tuple(tuple(sorted(hand)) for hand in game.hands),
            tuple(game.deck) if known.tiles else len(game.deck),
            tuple(game.fireworks.values()),
            game.information_tokens,
            game.life_tokens,
            game.turns_to_play,
            game.pending,
            tuple(sorted(game.discards)) if known.tiles else (),
        )

    def moves(self) -> Iterator[str]:
        legal = sorted(self.game.legal_moves())
        yield from [move for move in legal if move.startswith("hint")][:1]
        yield from [move for move in legal if not move.startswith("hint")]  # plays come last and are tried first

    def after(self, move: str) -> PlainHanabi:
        game = object.__new__(PlainHanabi)
        game.__dict__.update(self.game.__dict__)
        for name in ("deck", "discards", "events", "bonus_tiles"):
            setattr(game, name, list(getattr(game, name)))
        game.fireworks = dict(game.fireworks)
        game.hands = [list(hand) for hand in game.hands]
        game.knowledge = [list(known) for known in game.knowledge]
        drawn = len(self.known.deck) - len(game.deck)
        game.move(move, self.known.after(drawn, move.split()[1])[drawn:] if game.pending == "e" else None)
        return game


@pytest.mark.parametrize("name", CONFIGS)
def test_the_verdict_is_that_of_a_search_of_all_games(name: str):
    """Every proof passes the second program; no deck is left open, except with bonus tiles."""
    ceiling = Ceiling(CONFIGS[name])
    most, arguments = ceiling.config.max_score, set()
    for index in range(DECKS.get(name, 40)):
        verdict = ceiling.solve(5, index)
        known, moves = ceiling.in_words(5, index, verdict)
        best = best_score(ceiling.config, known)
        assert verdict.lower <= best <= verdict.upper, (known, verdict)
        assert (best == most) == (verdict.lower == most), (known, verdict)
        assert best == most or verdict.argument or known.tiles, (known, verdict)
        if verdict.actions:
            checking.check_game(ceiling.config, known, moves, verdict.lower)
        if verdict.argument:
            checking.check_argument(ceiling.config, known, verdict.argument)
            arguments.add(verdict.argument.partition(":")[0])
            if verdict.lower == verdict.upper:
                checking.check_best(ceiling.config, known, verdict.lower)
    assert arguments or name in ("two cards", "three players"), "no deck allows less: the test shows little"
    assert {"out_of_turn": "out_of_turn", "tiles in a bouquet": "reshuffled"}.get(name) in {None, *arguments}


@pytest.mark.parametrize("preset", ["flamboyants", "grands_feux_all"])
def test_what_a_tile_makes_of_the_deck_is_known_before(preset: str):
    """V4, E10: in random games, tile (e) leaves the deck in the predicted order."""
    config, shuffles = replace(PRESETS[preset], colors=3, ranks=2, hand_size=2, max_life_tokens=50), 0
    for index in range(100):
        known, chance = known_of(config, 3, index), random.Random(index)
        env: Any = hanabi_v0.raw_env(config=config)
        env.reset(seed=3, options={"game_index": index})
        position = env.to_dict()
        assert [*known.deck] == [card for hand in position["hands"] for card in hand] + position["deck"]
        assert known.tiles == "".join(position["bonus_tiles"])
        while not any(env.terminations.values()):
            before = env.to_dict()
            legal = np.flatnonzero(env.observe(env.agent_selection)["action_mask"]).tolist()
            plays = [action for action in legal if env.action_to_str(action).startswith("play")]
            action = chance.choice(plays or legal)
            words, drawn = env.action_to_str(action), len(known.deck) - len(before["deck"])
            env.step(action)
            after = env.to_dict()
            if before["pending"] == "e":
                rest = known.after(drawn, words.split()[1])[drawn:]
                assert after["deck"] == rest[len(rest) - len(after["deck"]) :]
                shuffles += 1
    assert shuffles > 5


# --- Proofs -----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def solved() -> list[tuple[Ceiling, Known, list[str], Verdict]]:
    """Decks of the standard game for two: perfect ones, and others for each reason."""
    ceiling = Ceiling(PRESETS["standard"])
    verdicts = [(index, ceiling.solve(1, index)) for index in range(400)]
    perfect = [item for item in verdicts if not item[1].argument][:5]
    less = [item for item in verdicts if item[1].argument]
    found = []
    for index, verdict in perfect + less:
        known, moves = ceiling.in_words(1, index, verdict)
        found.append((ceiling, known, list(moves), verdict))
    return found


def test_every_proof_of_the_standard_game_holds(solved: Any):
    names = set()
    for ceiling, known, moves, verdict in solved:
        checking.check_game(ceiling.config, known, moves, verdict.lower)
        if verdict.argument:
            checking.check_argument(ceiling.config, known, verdict.argument)
            checking.check_best(ceiling.config, known, verdict.lower)
            with pytest.raises(ValueError, match="is not shown to be the best: nothing refutes"):
                checking.check_best(ceiling.config, known, verdict.lower - 1)
        names.add(verdict.argument.partition(":")[0])
    assert names == {"", "late", "crowded"}


def test_a_broken_proof_is_refused(solved: Any):
    ceiling, known, moves, verdict = solved[0]
    config = ceiling.config
    with pytest.raises(ValueError, match="goes on after"):
        checking.check_game(config, known, moves[:-1], verdict.lower)
    with pytest.raises(ValueError, match=r"is illegal|goes on|scores"):
        checking.check_game(config, known, ["discard 0", *moves], verdict.lower)
    with pytest.raises(ValueError, match="the game scores 25, not 26"):
        checking.check_game(config, known, moves, 26)
    for argument in ("late:49", "late:3", "out_of_turn:49", "out_of_turn:3", "crowded", "reshuffled"):
        with pytest.raises(ValueError, match="does not hold"):
            checking.check_argument(config, known, argument)
    for argument in ("", "late", "late:99", "late:-1", "out_of_turn", "out_of_turn:50", "crowded:1", "unlucky"):
        with pytest.raises(
            ValueError, match="an argument is late:PLACE, crowded, out_of_turn:PLACE, reshuffled or searched"
        ):
            checking.check_argument(config, known, argument)


# --- The study --------------------------------------------------------------------------------------------------------


def counts_of(parts: list[int], monkeypatch: pytest.MonkeyPatch, preset: str = "standard") -> dict[str, Any]:
    """Return the result of a row that grows to these numbers of decks, part by part."""
    monkeypatch.setattr(hanabi_ceiling, "BLOCK", 60)
    result: dict[str, Any] | None = None
    for decks in parts:
        result = hanabi_ceiling.solved(Decks(preset, 2, wanted=decks), result)
        assert result["done"] == result["decks"] == decks
    assert result is not None
    return {name: value for name, value in result.items() if name != "seconds"}


def test_a_row_goes_on_where_it_was(monkeypatch: pytest.MonkeyPatch):
    """Interrupted rows, and rows that first wanted fewer decks, have the same counts and imperfect decks."""
    whole = counts_of([200], monkeypatch)
    assert counts_of([100, 200], monkeypatch) == whole
    assert whole["perfect"] + whole["open"] + sum(whole["less"].values()) == 200
    row = {"preset": "standard", "players": 2, "seed": 1, **whole, "seconds": 1.0}
    assert checking.check_below(row) == sum(whole["less"].values()) > 0
    assert len(whole["below"]) == 200 - whole["perfect"]
    assert f"**{whole['perfect'] / 200:.2%}**" in board([row])


def test_of_a_variant_some_decks_below_are_listed(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(hanabi_ceiling, "MOST_BELOW", 3)
    result = counts_of([60, 120], monkeypatch, "small")
    assert len(result["below"]) == 3 < 120 - result["perfect"]


@pytest.mark.parametrize("row", read_results(checking.RESULTS), ids=lambda row: f"{row['preset']} {row['players']}")
def test_the_decks_below_in_the_results_hold(row: dict[str, Any]):
    """Arguments and best scores hold; `checking` checks those of all decks."""
    checking.check_below(row | {"below": row["below"][:20]})


def test_a_wrong_deck_below_is_found():
    for line, words in (
        ("game 0 best 24 crowded", "standard, 2 players, game 0: crowded does not hold"),
        ("game 170 best 22 late:46", "game 170: 22 is not shown to be the best"),
    ):
        with pytest.raises(ValueError, match=words):
            checking.check_below({"preset": "standard", "players": 2, "seed": 1, "below": [line]})


def test_what_cannot_be_solved_is_refused():
    with pytest.raises(ValueError, match="random_start_player must be False"):
        Ceiling(HanabiConfig(random_start_player=True))
    for arguments in (["--preset", "nothing"], ["--players", "9"], ["--decks", "0"]):
        with pytest.raises(SystemExit, match=f"{arguments[0][2:]} must be"):
            checking.main(arguments)


def test_a_variant_that_came_later_is_refused():
    @dataclass(frozen=True)
    class Later(HanabiConfig):
        free_hints: bool = False

    Ceiling(Later())
    with pytest.raises(ValueError, match="the ceiling does not know the rules of free_hints=True"):
        Ceiling(Later(free_hints=True))
