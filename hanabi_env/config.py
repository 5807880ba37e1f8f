"""The configuration of Hanabi, its checks, and the presets."""

from dataclasses import dataclass

from hanabako.words.checks import check_choice, check_field_types
from hanabi_env.engine.observation import OBSERVE_CARD_KNOWLEDGE, OBSERVE_MINIMAL, OBSERVE_SEER, observation_bits
from hanabi_env.engine.state import EVENTS_PER_TURN, MOST_HISTORY, MOST_TOKENS, Rules

OBSERVATION_TYPES = {
    "minimal": OBSERVE_MINIMAL,
    "card_knowledge": OBSERVE_CARD_KNOWLEDGE,
    "seer": OBSERVE_SEER,
}


@dataclass(frozen=True)
class HanabiConfig:
    """A configuration of Hanabi: its rules and what its players observe.

    Options that the Hanabi Learning Environment has, too, have its names. The defaults are the standard game. Rule
    numbers refer to ``hanabi_env/README.md``.

    Raises:
        ValueError: a field has a wrong type or value, or the hands do not fit the deck.
    """

    players: int = 2
    """The number of players, 2 to 5 (H1)."""
    colors: int = 5
    """The number of colored suits, 1 to 5, in the order R Y G W B (H1)."""
    ranks: int = 5
    """The number of cards in a complete firework, 1 to 5 (H10); with fewer ranks, cards have fewer copies (E17)."""
    hand_size: int | None = None
    """Cards per hand; ``None``: the booklet's 5 for 2 or 3 players and 4 for 4 or 5 players (H2)."""
    max_information_tokens: int = 8
    """The number of information tokens at the start, which is also the maximum, 0 to 50 (H3, H17)."""
    max_life_tokens: int = 3
    """The number of lives at the start, 1 to 50; a team without lives has lost (H3, H12, H16)."""
    random_start_player: bool = False
    """Whether a random player starts instead of player 0 (H4)."""
    multicolor: str | None = None
    """The multicolor suit: ``None``, ``"own_color"`` (V1) or ``"all_colors"`` (V2)."""
    black_powder: bool = False
    """Adds a black suit, which is played in descending order (V3)."""
    black_distribution: str = "mirrored"
    """The copies of the black cards: ``"mirrored"`` is one 1 and three 5s, ``"standard"`` is the reverse (V3)."""
    flamboyants: bool = False
    """Adds bonus tiles, which reward a firework completed with a 5 (V4)."""
    final_bouquet: bool = False
    """The game continues until every firework is complete or the game is lost (V5)."""
    choreography: bool = False
    """A player may announce the color of the card being played (V6)."""
    empty_hints: bool = False
    """Allows hints that touch no card (H7)."""
    score_on_loss: str = "zero"
    """The score of a lost game: ``"zero"`` (the score at the start: 0, or minus ``ranks`` with black powder, N4) or the
    points on the ``"fireworks"`` (H12)."""
    observation_type: str = "card_knowledge"
    """``"minimal"`` (no knowledge section), ``"card_knowledge"``, or ``"seer"`` (the knowledge section shows the true
    cards)."""
    history: int = 1
    """The number of last actions in the observation, 1 to 32."""
    belief: bool = False
    """Adds the possible cards of every hand card, from hints and from counting, to the observation."""
    derived: bool = False
    """Adds to the observation flags that a careful player would work out: playable, dead, surely playable, surely dead,
    all copies seen."""

    def __post_init__(self) -> None:
        check_field_types(self)
        check_choice(self, "players", range(2, 6))
        check_choice(self, "colors", range(1, 6))
        check_choice(self, "ranks", range(1, 6))
        check_choice(self, "max_information_tokens", range(MOST_TOKENS + 1))
        check_choice(self, "max_life_tokens", range(1, MOST_TOKENS + 1))
        check_choice(self, "multicolor", (None, "own_color", "all_colors"))
        check_choice(self, "black_distribution", ("mirrored", "standard"))
        check_choice(self, "score_on_loss", ("zero", "fireworks"))
        check_choice(self, "observation_type", tuple(OBSERVATION_TYPES))
        check_choice(self, "history", range(1, MOST_HISTORY + 1))
        _check_deal(self)

    @property
    def cards_in_hand(self) -> int:
        """The number of cards per hand: ``hand_size``, or the booklet's number if that is ``None`` (H2)."""
        if self.hand_size is not None:
            return self.hand_size
        return 5 if self.players < 4 else 4

    @property
    def deck_size(self) -> int:
        """The number of cards in the box (H1, V1, V2, V3, E17, N6)."""
        full = self.suits - (self.multicolor == "own_color")
        single = self.ranks if self.multicolor == "own_color" else 0
        return full * (3 if self.ranks == 1 else 2 * self.ranks) + single

    @property
    def suits(self) -> int:
        """The number of suits. Their order is the colors, multicolor (V1, V2), black (V3)."""
        return self.colors + (self.multicolor is not None) + self.black_powder

    @property
    def hint_colors(self) -> int:
        """The number of colors that a hint can name: with the multicolor suit of V1, without that of V2 and black."""
        return self.colors + (self.multicolor == "own_color")

    @property
    def max_score(self) -> int:
        """The score of a perfect game; the black suit adds nothing to it (V3)."""
        return (self.suits - self.black_powder) * self.ranks

    @property
    def observation_bits(self) -> int:
        """The number of bits of an observation."""
        return observation_bits(self.rules())

    @property
    def observation_name(self) -> str:
        """The name of the observation. Scores are comparable only if this name is the same."""
        options = [f"history={self.history}"] * (self.history > self.actions_per_turn) + ["belief"] * self.belief
        return "+".join([self.observation_type, *options, *["derived"] * self.derived])

    @property
    def actions_per_turn(self) -> int:
        """The most actions that one turn has: one, or five with bonus tiles (V4). Observations show as many or more."""
        return EVENTS_PER_TURN if self.flamboyants else 1

    def rules(self) -> Rules:
        """Return the configuration as numbers for the compiled rules."""
        hand, suits, cards = self.cards_in_hand, self.suits, self.suits * self.ranks
        hints = (self.players - 1) * (self.hint_colors + self.ranks)
        announced = hand * suits if self.choreography else 0
        choices = cards + 2 if self.flamboyants else 0
        return Rules(
            players=self.players,
            hand_size=hand,
            colors=self.hint_colors,
            suits=suits,
            ranks=self.ranks,
            deck_size=self.deck_size,
            max_information_tokens=self.max_information_tokens,
            max_life_tokens=self.max_life_tokens,
            random_start_player=int(self.random_start_player),
            empty_hints=int(self.empty_hints),
            score_on_loss_zero=int(self.score_on_loss == "zero" or self.final_bouquet),
            multicolor_suit=self.colors if self.multicolor else -1,
            multicolor_is_single=int(self.multicolor == "own_color"),
            black_suit=suits - 1 if self.black_powder else -1,
            black_is_mirrored=int(self.black_powder and self.black_distribution == "mirrored"),
            flamboyants=int(self.flamboyants),
            final_bouquet=int(self.final_bouquet),
            choreography=int(self.choreography),
            num_actions=2 * hand + hints + announced + choices,
            observation_type=OBSERVATION_TYPES[self.observation_type],
            history=max(self.history, self.actions_per_turn),
            belief=int(self.belief),
            derived=int(self.derived),
        )


def _check_deal(config: HanabiConfig) -> None:
    """Check that the hands fit the deck, as the Hanabi Learning Environment does."""
    most = config.deck_size // config.players
    if not 1 <= config.cards_in_hand <= most:
        raise ValueError(
            f"hand_size must be from 1 to {most} (a deck of {config.deck_size} cards, {config.players} players), "
            f"got {config.cards_in_hand}"
        )


STANDARD = HanabiConfig()

PRESETS: dict[str, HanabiConfig] = {
    "standard": STANDARD,
    "first_edition_2010": STANDARD,
    "grands_feux": HanabiConfig(empty_hints=True),
    "romanian_2013": STANDARD,
    "small": HanabiConfig(colors=2, hand_size=2, max_information_tokens=3, max_life_tokens=1),
    "very_small": HanabiConfig(colors=1, hand_size=2, max_information_tokens=3, max_life_tokens=1),
    "mini": HanabiConfig(colors=3, ranks=3, hand_size=3, max_information_tokens=5),
    "avalanche_5": HanabiConfig(multicolor="own_color"),
    "avalanche_10": HanabiConfig(multicolor="all_colors"),
    "black_powder": HanabiConfig(black_powder=True),
    "flamboyants": HanabiConfig(flamboyants=True),
    "final_bouquet": HanabiConfig(final_bouquet=True),
    "choreography": HanabiConfig(choreography=True),
    "harder": HanabiConfig(max_life_tokens=1),
    "easier": HanabiConfig(max_information_tokens=10),
    "grands_feux_all": HanabiConfig(multicolor="all_colors", black_powder=True, flamboyants=True, empty_hints=True),
    "all_extensions": HanabiConfig(
        multicolor="all_colors",
        black_powder=True,
        flamboyants=True,
        final_bouquet=True,
        choreography=True,
        empty_hints=True,
    ),
}
"""The configurations by name. ``standard`` is the game of the Hanabi Learning Environment; ``small`` and ``very_small``
are its research games. The booklets' base games differ only in empty hints (H7). The presets from ``avalanche_5`` to
``easier`` change ``standard`` by one extension each (V1 to V6, H16, H17), so that its effect on scores can be measured.
``grands_feux_all`` is that booklet's game with its three extensions (V7). ``all_extensions`` has every rule that can be
on at once."""
