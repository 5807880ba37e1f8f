"""The evaluation kit: its command `hanabako evaluate`, also `python -m agents.evaluate`, and what it plays with.

    hanabako evaluate hanabi --agents smart --games 20000 --seed 1
    hanabako evaluate --help

As a library: `play` and `Games` are here, matrices and teams in `agents.evaluation.crossplay`, matches and ratings of
competitive games in `agents.evaluation.matches`, measures of communication in `agents.evaluation.communication`.
"""

from .commands import command_line
from .evaluation.report import Args, evaluate
from .playing.play import Games, play

__all__ = ["Args", "Games", "evaluate", "main", "play"]


def main(argv: list[str] | None = None) -> None:
    """The command line."""
    command_line.run("evaluate", argv, f"python -m {__spec__.name}")


if __name__ == "__main__":
    main()
