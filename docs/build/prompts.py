"""The example in docs/language_models.md: what a language model is sent on a turn of Hanabi.

python -m docs.build.prompts   # write the example again
"""

from pathlib import Path

from hanabako import agents
from hanabako.agents.bridges.language_models.one_game import ChatGame
from hanabako.generated import update
from hanabi_env import PRESETS

__all__ = ["main", "prompt"]

PAGE = Path(__file__).resolve().parents[1] / "language_models.md"
ANSWERS = ("Answer: hint 1 1", "Answer: hint 1 Y")
"""The answers in the turns before the one that is shown; both must be legal."""


def prompt() -> str:
    """Return the user's message of the third turn of a game with `smart`, as a Markdown block."""
    config = PRESETS["standard"]
    game = ChatGame(config, agents.load("smart", config), seed=7)
    for answer in ANSWERS:
        game.answer(answer)
    if game.counts["illegal"]:
        raise ValueError(f"one of {ANSWERS} is not legal in the game of the page")
    return f"```text\n{game.turn()}\n```"


def main() -> None:
    """Write the generated part of the page."""
    update(PAGE, [("prompt", prompt())], check=False, command="python -m docs.build.prompts")


if __name__ == "__main__":
    main()
