"""What it takes to train a network for each game: settings of its learner, by the name of the network they make.

A name is that of a game, of a preset and a number of players; behind them is the seed of one of several networks, or
what else is special about it. ``benchmarks/strength/SCORES.md`` tells how the settings were chosen. Two cores make five
to eight million decisions a minute, half as many in a network of width 128.
"""

from typing import NamedTuple

from hanabako.games import game_named

__all__ = ["RECIPES", "Recipe"]


class Recipe(NamedTuple):
    """One network: what is trained, for how many decisions, and with which settings beside the usual."""

    game: str
    preset: str
    players: int
    steps: int
    settings: tuple[str, ...] = ()
    opponent: str | None = None
    """Whom a network for a competitive game is measured against."""
    measured: tuple[str, ...] = ()
    """Fields of the config, beside the preset's, that it is measured with."""
    first: "Recipe | None" = None
    """What makes the network that this one goes on from."""
    clones: str | None = None
    """Whom it learns to play like; None: it learns by reinforcement."""

    @property
    def teacher(self) -> str | None:
        """The bot that its first run learned to play like, if that is how it began."""
        return self.clones if self.first is None else self.first.teacher

    @property
    def learner(self) -> str:
        """The algorithm that trains it, see `agents.learning.common.algorithms`."""
        return "ppo" if self.clones is None else "cloning"

    def changed_players(self) -> int | None:
        """How many players, if it is not the preset's own number, which not every game lets one change."""
        return None if game_named(self.game).presets[self.preset].players == self.players else self.players

    def arguments(self) -> list[str]:
        """Words of the learner's command line, the budget excluded."""
        players, opponent = self.changed_players(), self.opponent
        arguments = ["--game", self.game, "--preset", self.preset]
        arguments += ["--players", str(players)] if players else []
        arguments += ["--opponent", opponent] if opponent else []
        arguments += ["--agent", self.clones] if self.clones else []
        return [*arguments, *self.settings]


M = 1_000_000
SMALL = ("--epochs", "2", "--entropy", "0.1", "--entropy-end", "0.005")
ROUND = ("rounds=1", "reward=points")
LEARNING_ENVIRONMENT = ("--config", "derived=false")
WIDE = ("--width", "128")
SELDOM = ("--evaluations", "6", "--evaluation-games", "500", "--final-games", "2000")
KNOWING = ("--config", "derived=true")
SURE = ("--entropy", "0.01", "--entropy-end", "0.005")
CAREFUL = ("--minibatch", "4096", "--learning-rate", "5e-4", *SURE)
LUCK = ("--games", "8192", "--minibatch", "32768", "--learning-rate", "1e-3", "--gae-lambda", "0.9", *SURE)
WINNER = (*KNOWING, "reward=win", "--partners", "lookahead", *CAREFUL)


def florist(players: int) -> Recipe:
    """It learns to play like the best bot, and then to win against it."""
    first = Recipe("ikebana", "standard", players, 10 * M, (*WIDE, *KNOWING), "lookahead", clones="lookahead")
    return Recipe("ikebana", "standard", players, 20 * M, WINNER, "lookahead", first=first)


def gambler(preset: str, scale: str) -> Recipe:
    """It learns to play like the best bot, whose luck averages out, then for points, in batches for a game of luck."""
    bot, points = "monte_carlo:300", ("--config", "reward=points")
    settings = (*points, "--reward-scale", scale, *LUCK, *SELDOM)
    first = Recipe("koikoi", preset, 2, 6 * M, (*points, "--epochs", "2"), bot, clones=bot)
    return Recipe("koikoi", preset, 2, 100 * M, settings, bot, ROUND, first)


def taught(players: int, bot: str, steps: int, settings: tuple[str, ...] = ()) -> Recipe:
    """It learns to play like a bot, and then goes on by itself."""
    first = Recipe("hanabi", "standard", players, 10 * M, settings, clones=bot)
    return Recipe("hanabi", "standard", players, steps, first=first)


def again(recipe: Recipe, steps: int) -> Recipe:
    """It goes on from a network that was finished: learning rate and price of a lost game begin anew."""
    return recipe._replace(steps=steps, first=recipe)


def canonical(bot: str) -> Recipe:
    """It observes what the Learning Environment shows and no more, and begins as `taught` ones do."""
    first = Recipe("hanabi", "standard", 2, 12 * M, LEARNING_ENVIRONMENT, clones=bot)
    return Recipe("hanabi", "standard", 2, 60 * M, LEARNING_ENVIRONMENT, first=first)


RECIPES: dict[str, Recipe] = {
    "hanabi-standard-2p": taught(2, "smart", 170 * M, WIDE),
    "hanabi-standard-2p-canonical": canonical("smart"),
    "hanabi-standard-3p": again(taught(3, "smart_safe", 100 * M, WIDE), 90 * M),
    "hanabi-standard-4p": taught(4, "smart_safe", 90 * M, WIDE),
    "hanabi-standard-5p": taught(5, "smart_safe", 80 * M, WIDE),
    "hanabi-very_small-2p": Recipe("hanabi", "very_small", 2, 23 * M, SMALL),
    "hanabi-mini-2p": Recipe("hanabi", "mini", 2, 25 * M, SMALL),
    **{f"hanabi-small-2p-{k}": Recipe("hanabi", "small", 2, 25 * M, (*SMALL, "--seed", str(k))) for k in range(1, 6)},
    "ikebana-standard-2p": florist(2),
    "ikebana-standard-4p": florist(4),
    "koikoi-document-2p": gambler("document", "0.03"),
    "koikoi-koikoi_japan-2p": gambler("koikoi_japan", "0.1"),
}
