"""The configuration of Koi-Koi, its checks, and the presets."""

from dataclasses import dataclass

from hanabako.words.checks import check_choice, check_field_types, shown
from hanafuda_env.engine.actions import NUM_ACTIONS
from hanafuda_env.engine.observation import observation_bits
from hanafuda_env.engine.state import (
    BOTH_DRAW,
    BOTH_PLAY,
    BOTH_REDEAL,
    FROM_DECK,
    FROM_HAND,
    LUCKY_PLAYS,
    LUCKY_REDEALS,
    LUCKY_WINS,
    MOST_CALLS,
    MOST_HISTORY,
    OWN_KOI_BONUS,
    OWN_KOI_CHAIN,
    OWN_KOI_NONE,
    REWARD_POINTS,
    REWARD_RESULT,
    REWARD_SQUASHED,
    Rules,
)
from hanafuda_env.engine.yaku import HANAMI, TSUKIMI, YAKU

MOST_ROUNDS = 100
MOST_POINTS = 1000

HIKI = {"optional": 1, "auto": 0}
LUCKY = {"wins": LUCKY_WINS, "redeal": LUCKY_REDEALS, "plays": LUCKY_PLAYS}
BOTH_LUCKY = {"draw": BOTH_DRAW, "play": BOTH_PLAY, "redeal": BOTH_REDEAL}
OWN_KOI = {"chain": OWN_KOI_CHAIN, "none": OWN_KOI_NONE, "bonus": OWN_KOI_BONUS}
GAJI_BLOCK = {"hand": int(FROM_HAND), "any": int(FROM_HAND | FROM_DECK)}
DRAWN_DEALER = {"same": 0, "other": 1}
REWARDS = {"squashed": REWARD_SQUASHED, "points": REWARD_POINTS, "result": REWARD_RESULT}


@dataclass(frozen=True)
class KoiKoiConfig:
    """A configuration of Koi-Koi: its rules, its reward and what its players observe.

    The defaults are the document's main game. Rule numbers refer to ``hanafuda_env/README.md``.

    Raises:
        ValueError: a field has a wrong type or value.
    """

    rounds: int = 12
    """The number of rounds, 1 to 100; the document has 12 or 6 (K2). A game of one round without ``hand_swap`` has no
    lucky hands: they would leave nothing to decide, so such deals are dealt again (L7)."""
    hand_swap: bool = True
    """The non-dealer may ask for the dealer's hand before the players look at their cards (K6). The expected value of a
    swap is exactly 0. ``False`` removes this decision, which makes training a little faster."""
    forced_match: bool = True
    """A player may play a card without capturing only if no card of the hand matches the field (K14)."""
    hiki: str = "optional"
    """The fourth card of a month may take all three on the field (``"optional"``) or always takes them (``"auto"``)
    (K17)."""
    teshi: str = "wins"
    """A hand with four cards of a month ``"wins"`` the round, makes it void (``"redeal"``), or ``"plays"`` like other
    hands. Four cards of a month on the field make the round void, unless this is ``"plays"`` (K8, K9)."""
    kuttsuki: str = "wins"
    """The same for a hand of four pairs (K8, K9)."""
    both_lucky: str = "draw"
    """If both players have a lucky hand, the round is a ``"draw"``, is played (``"play"``), or is dealt again
    (``"redeal"``) (K10)."""
    lucky_points: int = 6
    """The points of a lucky hand (K8)."""
    points: tuple[int, ...] = (10, 8, 7, 5, 5, 5, 5, 5, 5, 1, 1, 1)
    """The points of goko, shiko, ameshiko, sanko, hanami, tsukimi, inoshikacho, akatan, aotan, tane, tan, kasu."""
    extra: tuple[int, ...] = (0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1)
    """The points for every further card of a yaku, in the same order."""
    viewing_after_koi: int | None = None
    """The points of hanami and tsukimi after their player has called Koi; ``None``: unchanged."""
    bright_exclusive: bool = True
    """Whether only the highest of the four yaku of brights counts (K25)."""
    cup_is_chaff: bool = True
    """Whether the sake cup is also chaff, besides being an animal."""
    extra_named: bool = False
    """A named set of animals or ribbons pays a point per further card of its kind, instead of tane or tan (L2)."""
    red_and_blue_bonus: int = 0
    """Extra points for red and blue ribbons together, in addition to the points of each (L2b)."""
    triade: bool = False
    """The document's bonus for red and blue ribbons together, 3 points (K39)."""
    choice_on_growth: bool = True
    """A yaku that grows by a card leads to the choice of Game or Koi, like a new yaku (K21)."""
    growth_in_chain: bool = False
    """Whether the growth of a yaku also raises the chain (K30)."""
    koikoi_limit: int | None = None
    """The number of calls of Koi allowed per round, by both players together, 0 to 14. After them a yaku is Game
    without a choice (L13). ``None``: no limit."""
    own_koi: str = "chain"
    """The effect of the winner's calls of Koi: a ``"chain"`` of multipliers (K30, K31), ``"none"``, or a ``"bonus"`` of
    one point per call for up to three calls; with four or more calls, base x (calls - 2)."""
    opponent_koi_factor: int = 2
    """The multiplier if the other player has called Koi (K33)."""
    seven: int = 7
    """The base points from which a round's points are multiplied by ``seven_factor`` (K34)."""
    seven_factor: int = 2
    """The multiplier for ``seven`` base points or more (K34)."""
    exhausted_points: int = 0
    """The dealer's points if no player stopped the round; if above 0, the dealer wins such a round (K26, L6)."""
    drawn_dealer: str = "same"
    """The dealer after a round that no player won: the ``"same"`` player again, or the ``"other"`` one (K12, L12)."""
    start_score: int = 0
    """The points of each player at the start (L6)."""
    loser_pays: bool = False
    """The points that one player wins are subtracted from the other player's (L6)."""
    ends_at_zero: bool = False
    """The game ends when a player has no points left (L6)."""
    gaji: bool = False
    """The lightning is a joker (K40 to K46)."""
    gaji_block: str = "hand"
    """The Gaji stops being a joker when the opponent has played a November card from the ``"hand"``, or has played or
    turned one up (``"any"``) (K44)."""
    reward: str = "squashed"
    """``"points"``: the round's points d at the end of each round, positive for its winner. ``"squashed"``: the same as
    sign(d) log(1 + abs(d)) / log(101). ``"result"``: +1, 0 or -1 at the end of the game (L11)."""
    history: int = 0
    """The number of last turns in the observation, the present turn included, 0 to 16."""

    def __post_init__(self) -> None:
        check_field_types(self)
        check_choice(self, "rounds", range(1, MOST_ROUNDS + 1))
        for name in ("hiki", "teshi", "kuttsuki", "both_lucky", "own_koi", "drawn_dealer", "gaji_block", "reward"):
            check_choice(self, name, CHOICES[name])
        for name in ("lucky_points", "red_and_blue_bonus", "exhausted_points", "start_score"):
            check_choice(self, name, range(MOST_POINTS + 1))
        for name in ("opponent_koi_factor", "seven_factor"):
            check_choice(self, name, range(1, 11))
        check_choice(self, "seven", range(1, MOST_POINTS + 1))
        check_choice(self, "history", range(MOST_HISTORY + 1))
        _check_twelve(self, "points")
        _check_twelve(self, "extra")
        if self.viewing_after_koi is not None:
            check_choice(self, "viewing_after_koi", range(MOST_YAKU_POINTS + 1))
        if self.koikoi_limit is not None:
            check_choice(self, "koikoi_limit", range(MOST_CALLS + 1))
        if self.ends_at_zero and self.start_score == 0:
            raise ValueError("start_score must be at least 1 with ends_at_zero, got 0")

    @property
    def players(self) -> int:
        """The number of players, always two (K1)."""
        return 2

    @property
    def observation_bits(self) -> int:
        """The number of bits of an observation."""
        return observation_bits(self.rules())

    @property
    def observation_name(self) -> str:
        """The name of the observation. Results are comparable only if this name is the same."""
        return f"history={self.history}" if self.history else "plain"

    def rules(self) -> Rules:
        """Return the configuration as numbers for the compiled rules."""
        after_koi = list(self.points)
        if self.viewing_after_koi is not None:
            after_koi[HANAMI] = after_koi[TSUKIMI] = self.viewing_after_koi
        return Rules(
            players=2,
            num_actions=NUM_ACTIONS,
            rounds=self.rounds,
            start_score=self.start_score,
            ends_at_zero=int(self.ends_at_zero),
            loser_pays=int(self.loser_pays),
            hand_swap=int(self.hand_swap),
            forced_match=int(self.forced_match),
            hiki_is_optional=HIKI[self.hiki],
            teshi=LUCKY[self.teshi],
            kuttsuki=LUCKY[self.kuttsuki],
            both_lucky=BOTH_LUCKY[self.both_lucky],
            lucky_points=self.lucky_points,
            choice_on_growth=int(self.choice_on_growth),
            growth_in_chain=int(self.growth_in_chain),
            koikoi_limit=MOST_CALLS if self.koikoi_limit is None else self.koikoi_limit,
            bright_exclusive=int(self.bright_exclusive),
            cup_is_chaff=int(self.cup_is_chaff),
            extra_named=int(self.extra_named),
            red_and_blue=self.red_and_blue_bonus + TRIADE_POINTS * self.triade,
            own_koi=OWN_KOI[self.own_koi],
            opponent_koi_factor=self.opponent_koi_factor,
            seven=self.seven,
            seven_factor=self.seven_factor,
            exhausted_points=self.exhausted_points,
            draw_changes_dealer=DRAWN_DEALER[self.drawn_dealer],
            gaji=int(self.gaji),
            gaji_blocked_by=GAJI_BLOCK[self.gaji_block],
            reward=REWARDS[self.reward],
            history=self.history,
            points=self.points,
            points_after_koi=tuple(after_koi),
            extra=self.extra,
        )


CHOICES = {
    "hiki": tuple(HIKI),
    "teshi": tuple(LUCKY),
    "kuttsuki": tuple(LUCKY),
    "both_lucky": tuple(BOTH_LUCKY),
    "own_koi": tuple(OWN_KOI),
    "drawn_dealer": tuple(DRAWN_DEALER),
    "gaji_block": tuple(GAJI_BLOCK),
    "reward": tuple(REWARDS),
}
TRIADE_POINTS = 3  # K39
MOST_YAKU_POINTS = 100


def _check_twelve(config: KoiKoiConfig, name: str) -> None:
    """Check that there is one number per yaku, small enough for all multipliers of a base."""
    numbers = getattr(config, name)
    if len(numbers) != YAKU or not all(type(n) is int and 0 <= n <= MOST_YAKU_POINTS for n in numbers):
        raise ValueError(f"{name} must be {YAKU} ints from 0 to {MOST_YAKU_POINTS}, one per yaku, got {shown(numbers)}")


DOCUMENT = KoiKoiConfig()

PRESETS: dict[str, KoiKoiConfig] = {
    "document": DOCUMENT,
    "document_options": KoiKoiConfig(triade=True, gaji=True),
    "nintendo": KoiKoiConfig(
        hand_swap=False,
        forced_match=False,
        hiki="auto",
        extra_named=True,
        own_koi="none",
        koikoi_limit=1,
        drawn_dealer="other",
    ),
    "koikoi_japan": KoiKoiConfig(
        rounds=8,
        hand_swap=False,
        forced_match=False,
        hiki="auto",
        teshi="redeal",
        kuttsuki="plays",
        points=(10, 8, 7, 5, 1, 1, 5, 5, 5, 1, 1, 1),
        viewing_after_koi=3,
        red_and_blue_bonus=10,
        own_koi="bonus",
        opponent_koi_factor=1,
        seven_factor=1,
        exhausted_points=1,
        start_score=30,
        loser_pays=True,
        ends_at_zero=True,
    ),
}
"""The configurations by name: the document's main game, the same with its options, Nintendo's game, and the game of
the published records.

The rules that ``nintendo`` takes from Nintendo's English leaflet (the other player deals after a draw, one Koi-Koi per
round, lucky hands, doubling) follow a copy of its text, https://milofultz.com/2020-11-01-koi-koi-rules.html, made on
2020-11-01. The date of the leaflet is unknown (L12, L13, L14).
"""
