"""The evaluation kit: the command `hanabako evaluate`, also `python -m agents.evaluate`, and its functions.

    hanabako evaluate hanabi --agents smart --games 20000 --seed 1
    hanabako evaluate --help

As a library: `play` and `Games` are here, meetings of named agents in `agents.results.meeting`, matrices and
differences in `agents.results.views`, ratings in `agents.results.ratings`, measures of communication in
`agents.results.communication`.
"""

from .commands import command_line
from .playing.play import Games, play
from .results.evaluation import Args, evaluate

__all__ = ["Args", "Games", "evaluate", "main", "play"]


def main(argv: list[str] | None = None) -> None:
    """Run the command line."""
    command_line.run("evaluate", argv, f"python -m {__spec__.name}")


if __name__ == "__main__":
    main()
