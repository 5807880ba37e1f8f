"""The program that replays files: ``python -m hanabi_env.hanablive``."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from hanabako.files import read_json
from hanabako.program import in_a_sentence, sentence
from hanabako.record import GameRecord
from hanabako.words.cleaned import on_terminal

from .entries import END_BY_VOTE
from .reading import read_game
from .variants import variant_of

SAMPLE = Path(__file__).with_name("sample.json")
"""A game that the site can open: game 0 of seed 1 of two ``smart`` bots."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line."""
    import tyro  # imported here, because only the command line needs it

    with in_a_sentence("hanablive"):
        tyro.cli(replay_all, args=arguments, prog="python -m hanabi_env.hanablive")


def replay_all(files: tuple[Path, ...] = (SAMPLE,), /) -> None:
    """Replay games of hanab.live and print how they end.

    Args:
        files: exported games; by default a sample game.
    """
    refused = 0
    for path in files:
        try:
            print(f"{on_terminal(path.name)}: {_replay(path)}")
        except (OSError, ValueError) as error:
            refused += 1
            print(f"{on_terminal(path.name)}: {sentence(error)}")
    if refused:
        raise SystemExit(f"{refused} of {len(files)} could not be replayed")


def _replay(path: Path) -> str:
    config, players, actions, deal, stopped = read_game(read_json(path))
    position = GameRecord(config, 0, players, actions, deal).replayed().to_dict()
    end = position["end_reason"] or (_stopped(stopped) if stopped else "goes on")
    played = f"{variant_of(config)}, {config.players} players, {len(actions)} actions"
    return f"{played}, score {position['score']}, {position['information_tokens']} information tokens, end: {end}"


def _stopped(end: Mapping[str, int]) -> str:
    """Return an `ending` as text."""
    who = f"player {end['target']}" if end["target"] >= 0 else "a vote" if end["type"] == END_BY_VOTE else "the site"
    return f"stopped by {who} (reason {end['value']})"
