"""How the networks that ship are trained: the settings of their learners, by the networks' names.

A name consists of the game, the preset and the number of players. A number at its end distinguishes networks trained
with different seeds; a word names another difference. Two cores make five to eight million decisions per minute, and
half of that with a network of width 128.
"""

from typing import NamedTuple

from hanabako.games import game_named

__all__ = ["EARLIER", "PARTNERS", "RECIPES", "Recipe"]


class Recipe(NamedTuple):
    """The training of one network: the game, the number of decisions, and the settings that are not the defaults."""

    game: str
    preset: str
    players: int
    steps: int
    settings: tuple[str, ...] = ()
    opponent: str | None = None
    """The bot against which the learner evaluates a network for a competitive game; None in Hanabi."""
    measured: tuple[str, ...] = ()
    """Changes to the preset's config in evaluations, as ``name=value``."""
    first: "Recipe | None" = None
    """The recipe of the network from which the training starts; None for random weights."""
    clones: str | None = None
    """The bot that the network learns to imitate; None for reinforcement learning."""
    learns_by: str = "ppo"
    """The algorithm of reinforcement learning."""

    @property
    def teacher(self) -> str | None:
        """The bot that the first of its training runs imitated, if any."""
        return self.clones if self.first is None else self.first.teacher

    @property
    def learner(self) -> str:
        """The training algorithm, see `agents.learning.common.algorithms`."""
        return self.learns_by if self.clones is None else "cloning"

    def changed_players(self) -> int | None:
        """Return the number of players, or None if it is the preset's, as not every game allows changing it."""
        return None if game_named(self.game).presets[self.preset].players == self.players else self.players

    def arguments(self) -> list[str]:
        """Return the arguments of the learner's command line, without the budget."""
        players, opponent = self.changed_players(), self.opponent
        arguments = ["--game", self.game, "--preset", self.preset]
        arguments += ["--players", str(players)] if players else []
        arguments += ["--opponent", opponent] if opponent else []
        arguments += ["--agent", self.clones] if self.clones else []
        return [*arguments, *self.settings]


M = 1_000_000
SHARED = ("--gamma", "0.999", "--last-action-ramp", "0", "--value-weight", "0.5")
"""The defaults of PPO that have changed since these networks were trained, and that all of them used."""
EARLIER = (*SHARED, "--gae-lambda", "0.95", "--minibatch", "2048")
"""All defaults of PPO that have changed since these networks were trained."""
SMALL = ("--epochs", "2", "--entropy", "0.1", "--entropy-end", "0.005", *EARLIER)
ROUND = ("rounds=1", "reward=points")
PLAIN = ("--features", "none")
WIDE = ("--width", "128")
HOUR = (*WIDE, "--gamma", "0.999", "--gae-lambda", "0.95", "--minibatch", "2048")
MANY = ("--games", "16384", "--minibatch", "32768")
WIDER = ("--width", "256", "--games", "32768", "--minibatch", "65536")
SELDOM = ("--evaluations", "6", "--evaluation-games", "500", "--final-games", "2000")
KNOWING = ("--training", "reward=win")
SURE = ("--entropy", "0.01", "--entropy-end", "0.005")
CAREFUL = (*SHARED, "--gae-lambda", "0.95", "--minibatch", "4096", "--learning-rate", "5e-4", *SURE)
LUCK = (*SHARED, "--gae-lambda", "0.9", "--games", "8192", "--minibatch", "32768", "--learning-rate", "1e-3", *SURE)
ON_GPU = (*SHARED, "--gae-lambda", "0.95", "--entropy-end", "0.01", "--loss-ramp", "0.1", "--learning-rate", "1e-3")
WINNER = (*KNOWING, "--partners", "lookahead", *CAREFUL)


def florist(players: int) -> Recipe:
    """Return the recipe of a network for Ikebana: a clone of the best bot, which then learns to win against it."""
    first = Recipe("ikebana", "standard", players, 10 * M, (*WIDE, *KNOWING), "lookahead", clones="lookahead")
    return Recipe("ikebana", "standard", players, 20 * M, WINNER, "lookahead", first=first)


def gambler(preset: str, scale: str) -> Recipe:
    """Return the recipe of a network for Koi-Koi: a clone of the best bot, then trained on points in large batches."""
    bot, points = "monte_carlo:300", ("--training", "reward=points")  # and so all rounds
    settings = (*points, "--reward-scale", scale, *LUCK, *SELDOM)
    first = Recipe("koikoi", preset, 2, 6 * M, (*points, "--epochs", "2"), bot, clones=bot)
    return Recipe("koikoi", preset, 2, 100 * M, settings, bot, ROUND, first)


def taught(players: int, bot: str, steps: int, settings: tuple[str, ...] = ()) -> Recipe:
    """Return the recipe of a network for standard Hanabi: a clone of a bot, then trained in self-play."""
    first = Recipe("hanabi", "standard", players, 10 * M, settings, clones=bot)
    return Recipe("hanabi", "standard", players, steps, EARLIER, first=first)


def on_gpu(recipe: Recipe, steps: int, settings: tuple[str, ...]) -> Recipe:
    """Return the recipe for training a network again on a GPU, with schedules that start from the beginning.

    It took about eight minutes on an H200, with ``--device cuda --simulator cuda`` and four networks at a time. A CPU
    needs many hours.
    """
    return recipe._replace(steps=steps, settings=(*settings, *ON_GPU), first=recipe)


def canonical(bot: str) -> Recipe:
    """Return a recipe like `taught` for a network without features."""
    first = Recipe("hanabi", "standard", 2, 12 * M, PLAIN, clones=bot)
    return Recipe("hanabi", "standard", 2, 60 * M, (*PLAIN, *EARLIER), first=first)


def member(steps: int, seed: int, network: str = "symmetric", algorithm: str = "ppo") -> Recipe:
    """Return the recipe of a network for the challenge; it was trained for 30 core-minutes, not for given decisions."""
    settings = ("--network", network, "--seed", str(seed), *EARLIER)
    return Recipe("hanabi", "standard", 2, steps, settings, learns_by=algorithm)


def partner(preset: str, players: int, seed: int, steps: int, algorithm: str = "ppo") -> Recipe:
    """Return a recipe like `member` for the other challenges: 15 core-minutes, with today's defaults."""
    network = {"ppo": ("--network", "symmetric"), "other_play": ("--network", "dense", "--width", "64")}[algorithm]
    return Recipe("hanabi", preset, players, steps, (*network, "--seed", str(seed)), learns_by=algorithm)


def for_one_more(first: Recipe, steps: int, seed: int) -> Recipe:
    """Return the recipe of an hour on two cores, from a network for one player fewer."""
    return first._replace(players=first.players + 1, steps=steps, settings=(*HOUR, "--seed", str(seed)), first=first)


FOR_TWO = taught(2, "smart", 170 * M, WIDE)
FOR_FOUR = on_gpu(taught(4, "smart_safe", 90 * M, WIDE), 583_532_544, MANY)

PARTNERS: dict[str, Recipe] = {
    "hanabi-standard-3p-symmetric-1": partner("standard", 3, 3, 56_492_032),
    "hanabi-standard-3p-other-play-1": partner("standard", 3, 3, 86_441_984, "other_play"),
    "hanabi-standard-4p-symmetric-1": partner("standard", 4, 4, 66_813_952),
    "hanabi-standard-4p-other-play-1": partner("standard", 4, 4, 106_561_536, "other_play"),
    "hanabi-standard-5p-symmetric-1": partner("standard", 5, 5, 54_198_272),
    "hanabi-standard-5p-other-play-1": partner("standard", 5, 5, 83_001_344, "other_play"),
    "hanabi-black_powder-2p-partner": partner("black_powder", 2, 11, 76_021_760),
    "hanabi-avalanche_5-2p-partner": partner("avalanche_5", 2, 12, 132_251_648, "other_play"),
    "hanabi-final_bouquet-2p-partner": partner("final_bouquet", 2, 13, 85_590_016),
    "hanabi-choreography-2p-partner": partner("choreography", 2, 14, 136_904_704, "other_play"),
    "hanabi-harder-2p-partner": partner("harder", 2, 15, 79_691_776),
}
"""The recipes of networks that ship as partners in the challenges for three to five players and for other rules."""

RECIPES: dict[str, Recipe] = {
    "hanabi-standard-2p": FOR_TWO,
    "hanabi-standard-2p-wide": on_gpu(FOR_TWO, 909_115_392, WIDER),
    "hanabi-standard-2p-canonical": canonical("smart"),
    "hanabi-standard-2p-symmetric-1": member(142_409_728, 30004528236),
    "hanabi-standard-2p-symmetric-2": member(144_343_040, 1041123891669),
    "hanabi-standard-2p-dense-1": member(133_857_280, 8301385714, "dense"),
    "hanabi-standard-2p-dense-2": member(142_868_480, 401190564779, "dense"),
    "hanabi-standard-2p-other-play-1": member(126_648_320, 995028264489, "dense", "other_play"),
    "hanabi-standard-2p-other-play-2": member(136_314_880, 142008700447, "dense", "other_play"),
    "hanabi-standard-3p-from-2p": for_one_more(FOR_TWO, 285_769_728, 348460554708),
    "hanabi-standard-4p": FOR_FOUR,
    "hanabi-standard-5p-from-4p": for_one_more(FOR_FOUR, 239_697_920, 196597174086),
    **PARTNERS,
    "hanabi-very_small-2p": Recipe("hanabi", "very_small", 2, 23 * M, SMALL),
    "hanabi-mini-2p": Recipe("hanabi", "mini", 2, 25 * M, SMALL),
    "hanabi-small-2p-1": Recipe("hanabi", "small", 2, 27_525_120, SMALL),
    **{f"hanabi-small-2p-{k}": Recipe("hanabi", "small", 2, 25 * M, (*SMALL, "--seed", str(k))) for k in range(2, 6)},
    "ikebana-standard-2p": florist(2),
    "ikebana-standard-4p": florist(4),
    "koikoi-document-2p": gambler("document", "0.03"),
    "koikoi-koikoi_japan-2p": gambler("koikoi_japan", "0.1"),
}
"""The recipes by the names of their networks."""
