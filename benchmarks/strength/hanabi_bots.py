"""All bots for Hanabi in self-play, in the standard game and in the variants.

    hanabako study run hanabi_bots --cores 2                        # measures what is missing
    hanabako study run hanabi_bots --where agent=smart --cores 2    # one bot
    hanabako study run hanabi_bots --where agent=smart --again      # the same bot from scratch

A bot has all seats and plays the deals of seed 1: 20,000 games of the standard game for 2 to 5 players, and 5,000 of
every variant for 2 and 5. The originals of two bots (`ports`) play with four lives and five players, so these two are
also measured that way. Random play of `mini` is the floor for networks there. A bot that cannot play a variant is
refused.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agents.evaluation.report import Args, evaluate
from agents.registry import names
from agents.studies import Row, Study
from agents.studies.study import Result, Results, key_of
from hanabako.games import config_from_dict
from hanabako.generated import table

from .tables.ceilings import Ceilings, ceiling_text, read_ceilings

__all__ = ["RESULTS", "STUDY", "SelfPlay", "standard", "variants"]

RESULTS = Path(__file__).resolve().parent / "results" / "hanabi_bots.json"
GAMES, FEWER_GAMES, FLOOR_GAMES, SEED = 20_000, 5_000, 10_000, 1
PLAYERS, FEWER_PLAYERS = (2, 3, 4, 5), (2, 5)
STANDARD, LIVES = "standard", 3
VARIANTS = (
    *("avalanche_5", "avalanche_10", "black_powder", "flamboyants", "final_bouquet", "choreography"),
    *("grands_feux_all", "all_extensions"),
)
FOUR_LIVES = ("recommendation", "information")
"""The bots whose originals play with four lives and five players."""
NOT_IN_VARIANTS = ("random", "flawed", "internal", "outer", "vdb")
"""The bots that are too weak to be compared in the variants."""


@dataclass(frozen=True)
class SelfPlay(Row):
    """Self-play games of one bot."""

    agent: str
    players: int
    preset: str = STANDARD
    max_life_tokens: int = LIVES


def rows() -> list[SelfPlay]:
    """Return all rows of the study."""
    bots = names("hanabi")
    rivals = [name for name in bots if name not in NOT_IN_VARIANTS]
    return [
        *(SelfPlay(name, players, wanted=GAMES) for players in PLAYERS for name in bots),
        *(SelfPlay(name, 5, max_life_tokens=4, wanted=GAMES) for name in bots if name in FOUR_LIVES),
        *(
            SelfPlay(name, players, preset, wanted=FEWER_GAMES)
            for preset in VARIANTS
            for players in FEWER_PLAYERS
            for name in rivals
        ),
        SelfPlay("random", 2, "mini", wanted=FLOOR_GAMES),
    ]


def play(row: SelfPlay, _before: Result | None) -> dict[str, Any]:
    """Play all games of a row at once, as a bot takes only seconds or minutes, and return the result of `evaluate`.

    Raises:
        ValueError: the bot cannot play this variant.
    """
    lives = (f"max_life_tokens={row.max_life_tokens}",)
    args = Args(
        "hanabi",
        preset=row.preset,
        players=row.players,
        config=lives,
        agents=row.agent,
        games=row.wanted,
        seed=SEED,
    )
    result = evaluate(args)
    del result["fields"], result["preset"], result["wanted"]  # the row has its own
    return {"done": row.wanted, **result}


# --- Tables -----------------------------------------------------------------------------------------------------------


def in_order(results: Results) -> list[Result]:
    """Return the results in the order of the study's rows."""
    order = {row.key: k for k, row in enumerate(STUDY.rows)}
    return sorted(results, key=lambda result: order.get(key_of(result), len(order)))


def standard(results: Results, ceilings: Ceilings) -> str:
    """Return the table of the standard game: a line per bot, a column per number of players.

    The ceiling comes first, then the bots, sorted by the mean over their columns.
    """
    cells: dict[str, dict[int, Result]] = {}
    for result in in_order(results):
        if (result["preset"], result["max_life_tokens"]) == (STANDARD, LIVES):
            cells.setdefault(result["agent"], {})[result["players"]] = result
    order = sorted(cells, key=lambda name: -sum(result["score"] for result in cells[name].values()) / len(cells[name]))
    return table(
        ["agent", *(f"{players} players" for players in PLAYERS)],
        [
            ["*ceiling*", *(ceiling_text(ceilings, STANDARD, players) for players in PLAYERS)],
            *([name, *(score_text(cells[name].get(players)) for players in PLAYERS)] for name in order),
        ],
    )


def score_text(result: Result | None) -> str:
    """Return the score; if games were lost, also the score with their points; the share of perfect games, if any."""
    if result is None:
        return ""
    text = f"**{result['score']:.2f}** ± {result['score_error']:.3f}"
    if result["lost_rate"]:
        text += f"; {result['fireworks_score']:.2f}"
    return text + (f" ({result['perfect_rate']:.1%})" if result["perfect_rate"] else "")


def variants(results: Results, ceilings: Ceilings) -> str:
    """Return a table with a line per variant and number of players; the best bot that does not cheat is in bold."""
    shown = [result for result in in_order(results) if result["preset"] in VARIANTS]
    bots = list(dict.fromkeys(result["agent"] for result in shown))
    lines: dict[tuple[str, int], dict[str, Result]] = {}
    for result in shown:
        lines.setdefault((result["preset"], result["players"]), {})[result["agent"]] = result
    return table(
        ["variant", "players", "of", *bots, "ceiling"],
        [variant_cells(of_bots, bots, ceilings) for of_bots in lines.values()],
    )


def variant_cells(of_bots: Mapping[str, Result], bots: Sequence[str], ceilings: Ceilings) -> list[Any]:
    """Return one line of `variants`, from the results of bots by name."""
    best = max((name for name in of_bots if "cheat" not in name), key=lambda name: of_bots[name]["score"], default="")
    first = next(iter(of_bots.values()))
    preset, players, most = first["preset"], first["players"], config_from_dict(first["config"]).max_score
    texts = [variant_text(of_bots.get(name), name == best) for name in bots]
    return [preset, players, most, *texts, ceiling_text(ceilings, preset, players)]


def variant_text(result: Result | None, is_best: bool) -> str:
    """Return the score, and the share of perfect games if it is at least half a percent."""
    if result is None:
        return ""
    score = f"{result['score']:.2f}"
    perfect = f" ({result['perfect_rate']:.0%})" if result["perfect_rate"] >= 0.005 else ""
    return (f"**{score}**" if is_best else score) + f" ± {result['score_error']:.2f}{perfect}"


STUDY = Study(
    "hanabi_bots",
    rows(),
    play,
    tables={
        "programs": lambda results: standard(results, read_ceilings()),
        "variants": lambda results: variants(results, read_ceilings()),
    },
)
