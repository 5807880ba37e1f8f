"""What a language model is sent for a turn of Hanabi, on the page docs/language_models.md.

python -m docs.build.prompts   # write it again
"""

from pathlib import Path

import agents
from agents.chat.one_game import ChatGame
from hanabako.generated import update
from hanabi_env import PRESETS

__all__ = ["main", "prompt"]

PAGE = Path(__file__).resolve().parents[1] / "language_models.md"
ANSWERS = ("Answer: hint 1 1", "Answer: hint 1 Y")
"""The actions of the turns before; an illegal one would be replaced."""


def prompt() -> str:
    """The two messages of the third turn of a game beside `smart`, as a block of text."""
    config = PRESETS["standard"]
    game = ChatGame(config, agents.load("smart", config), seed=7)
    for answer in ANSWERS:
        game.answer(answer)
    if game.counts["illegal"]:
        raise ValueError(f"one of {ANSWERS} is not legal in the game of the page")
    return f"```text\nSYSTEM\n{game.rules}\n\nUSER\n{game.turn()}\n```"


def main() -> None:
    """Write the page's part."""
    update(PAGE, [("prompt", prompt())], check=False, command="python -m docs.build.prompts")


if __name__ == "__main__":
    main()
