"""Published scores of standard Hanabi, for tables and for the reference lines of charts."""

from dataclasses import dataclass, replace
from typing import Any

from hanabako.games import game_of, make_config

GAME, PRESET = "hanabi", "standard"


@dataclass(frozen=True)
class Published:
    """One published mean score."""

    agent: str
    """The agent's name."""
    source: str
    """The paper or repository."""
    players: int
    """Number of players."""
    score: float
    """Mean score in self-play, of 25."""
    effort: str = "no learning"
    """Decisions or steps learned from, as the source says; ``"no learning"`` for a program."""
    lost: str = "zero"
    """What a lost game scores in the source: ``"zero"`` or ``"fireworks"``, as in `HanabiConfig`."""
    ours: str | None = None
    """Our bot that follows the same convention, or None."""
    line: bool = False
    """Whether it is a reference line in charts: a few that stand apart, so that their names can be read."""

    @property
    def name(self) -> str:
        """The agent with its source."""
        return f"{self.agent} ({self.source})"


PUBLISHED = (
    Published("Rainbow", "Bard et al. 2020", 2, 20.64, "1e8 steps", line=True),
    Published("FireFlower, a program", "lightvector", 2, 22.56),
    Published("ACHA", "Bard et al. 2020", 2, 22.73, "2e10 steps"),
    Published("SmartBot, a program", "Bard et al. 2020", 2, 22.99, line=True),
    Published("IPPO, feed-forward", "JaxMARL", 2, 24.18, "1e10 steps"),
    Published("IPPO, recurrent", "Forkel et al. 2025", 2, 24.48, "1e10 steps", line=True),
    *(
        Published("SmartBot", "Quuxplusone/Hanabi", players, score, lost="fireworks", ours="smart")
        for players, score in ((2, 23.09), (3, 23.30), (4, 22.44), (5, 20.69))
    ),
    *(
        Published("SmartBot, safe", "Bard et al. 2020", players, score, ours="smart_safe", line=True)
        for players, score in ((3, 23.12), (4, 22.19), (5, 20.25))
    ),
    *(
        Published("CheatBot, sees its own cards", "Quuxplusone/Hanabi", players, score, lost="fireworks", ours="cheat")
        for players, score in ((2, 24.90), (3, 24.98), (4, 24.97))
    ),
    Published("`cheat`, sees its own cards", "WuTheFWasThat/hanabi.rs", 5, 24.96, lost="fireworks", ours="cheat"),
    *(
        Published(
            "`info`", "WuTheFWasThat/hanabi.rs", players, score, lost="fireworks", ours="questions", line=players > 2
        )
        for players, score in ((2, 22.52), (3, 24.79), (4, 24.94), (5, 24.92))
    ),
)


def reference_lines(config: Any) -> list[Published]:
    """Return the scores that charts of ``config`` draw as reference lines; none for other rules than the standard ones.

    ``config`` may have any observation, but a lost game must score 0. These agents lose no games, or their lost games
    are counted as 0, too.
    """
    entry = game_of(config)
    if entry.name != GAME:
        return []
    standard = make_config(GAME, PRESET, players=config.players)
    observed = {field: getattr(standard, field) for field in entry.observation_fields}
    if replace(config, **observed) != standard:
        return []
    return [one for one in PUBLISHED if one.line and one.players == config.players]
