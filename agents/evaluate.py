"""The evaluation kit: the command `hanabako evaluate`, also `python -m agents.evaluate`, and its functions.

    hanabako evaluate hanabi --agents smart --games 20000 --seed 1
    hanabako evaluate --help

As a library: `play` and `Games` are here, cross-play matrices and teams in `agents.evaluation.crossplay`, head-to-head
matches and ratings for competitive games in `agents.evaluation.matches`, measures of communication in
`agents.evaluation.communication`.
"""

from .commands import command_line
from .evaluation.report import Args, evaluate
from .playing.play import Games, play

__all__ = ["Args", "Games", "evaluate", "main", "play"]


def main(argv: list[str] | None = None) -> None:
    """Run the command line."""
    command_line.run("evaluate", argv, f"python -m {__spec__.name}")


if __name__ == "__main__":
    main()
