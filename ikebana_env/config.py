"""The configuration of Ikebana, its checks, and the presets."""

from dataclasses import dataclass

from hanabako.words.checks import check_choice, check_field_types
from ikebana_env.engine.actions import BUY
from ikebana_env.engine.observation import observation_bits
from ikebana_env.engine.state import MOST_ROUNDS, REWARD_DENSE, REWARD_PRESTIGE, REWARD_WIN, Rules

REWARDS = {"win": REWARD_WIN, "prestige": REWARD_PRESTIGE, "dense": REWARD_DENSE}


@dataclass(frozen=True)
class IkebanaConfig:
    """A configuration of Ikebana: its rules and what its players observe.

    The defaults are the booklet's game. Rule numbers refer to ``ikebana_env/README.md``.

    Raises:
        ValueError: a field has a wrong type or value.
    """

    players: int = 2
    """The number of players, 2 to 5 (I2)."""
    rounds: int = MOST_ROUNDS
    """The number of rounds of a game, 1 to 4; the booklet's game has 4 (I3)."""
    final_bouquet: bool = False
    """Doubles the gains of the last round (I15)."""
    random_start_player: bool = False
    """Whether a random player starts instead of player 0 (I4)."""
    perfect_recall: bool = False
    """Adds the buried cards of all discard piles to the observation (I8, J3)."""
    derived: bool = False
    """Adds to the observation the values and colors by number, and how each card on offer fits the player's bouquet."""
    reward: str = "win"
    """``"win"`` or ``"prestige"``, both at the end, or ``"dense"``: prestige whenever it changes (J4)."""

    def __post_init__(self) -> None:
        check_field_types(self)
        check_choice(self, "players", range(2, 6))
        check_choice(self, "rounds", range(1, MOST_ROUNDS + 1))
        check_choice(self, "reward", tuple(REWARDS))

    @property
    def observation_bits(self) -> int:
        """The number of bits of an observation."""
        return observation_bits(self.rules())

    @property
    def observation_name(self) -> str:
        """The name of the observation. Results are comparable only if this name is the same."""
        return "+".join(["perfect_recall" if self.perfect_recall else "public", *["derived"] * self.derived])

    def rules(self) -> Rules:
        """Return the configuration as numbers for the compiled rules."""
        return Rules(
            players=self.players,
            rounds=self.rounds,
            final_bouquet=int(self.final_bouquet),
            random_start_player=int(self.random_start_player),
            perfect_recall=int(self.perfect_recall),
            derived=int(self.derived),
            reward=REWARDS[self.reward],
            num_actions=BUY + self.players,
        )


STANDARD = IkebanaConfig()

PRESETS: dict[str, IkebanaConfig] = {
    "standard": STANDARD,
    "final_bouquet": IkebanaConfig(final_bouquet=True),
    "perfect_recall": IkebanaConfig(perfect_recall=True),
    "single_round": IkebanaConfig(rounds=1),
}
"""The configurations by name. ``standard`` is the booklet's game, ``final_bouquet`` is its variant, and
``single_round`` is a short game for quick experiments."""
