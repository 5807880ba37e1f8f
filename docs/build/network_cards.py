"""The cards of the pretrained networks in docs/networks.md, made from their files, recipes and committed results.

python -m docs.build.network_cards           # write them
python -m docs.build.network_cards --check   # say whether they are up to date
"""

import tomllib
from collections.abc import Iterator, Mapping
from hashlib import sha256
from math import prod
from pathlib import Path
from typing import Any

from safetensors import safe_open

from agents.evaluation.matches import ELO
from agents.networks.policy_file import read_metadata
from agents.registry import PRETRAINED
from agents.studies.store import read_results
from benchmarks.recipes import RECIPES, Recipe
from benchmarks.strength import network_partners, shipped_networks
from benchmarks.strength.tables.markdown import training_in_words, with_error
from benchmarks.strength.tables.tournaments import rate_of, ratings_of
from hanabako.games import config_from_dict, game_in_words
from hanabako.generated import table, update

__all__ = ["cards"]

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "networks.md"
COMMAND = "python -m docs.build.network_cards"
PARTNERS = shipped_networks.RESULTS.with_name(f"{network_partners.STUDY.name}.json")
NAMES = {"ppo": "PPO", "other_play": "Other-Play (not a reproduction)"}
"""The names of algorithms in text."""
Facts = Mapping[str, Any]


def cards() -> str:
    """Return all cards."""
    measured = {row["network"]: row for row in read_results(shipped_networks.RESULTS)}
    pairs = read_results(PARTNERS)
    return "\n\n".join(card(name, recipe, measured[name], pairs) for name, recipe in RECIPES.items())


def card(name: str, recipe: Recipe, measured: Facts, pairs: list[dict[str, Any]]) -> str:
    """Return the card of one network."""
    path = PRETRAINED / f"{name}.safetensors"
    metadata = read_metadata(path)
    config, about = config_from_dict(metadata["config"]), metadata["about"]
    evaluation = measured["evaluation"]
    competitive = recipe.opponent is not None
    rows = [
        ("game", game_in_words(config)),
        ("observation", f"{config.observation_name}, {config.observation_bits:,} bits"),
        ("features", metadata["network"]["features"]),
        ("network", network_in_words(path, metadata["network"])),
        ("training", "; then ".join(stages(recipe))),
        ("seed, ranks", f"{about['seed']}, {about['ranks']}"),
        ("cost", training_in_words(about)),
        ("train it again", f"delete the file, then `hanabako study run shipped_networks --where network={name}`"),
        (
            "rating; against" if competitive else "self-play",
            "; ".join(scores(name, evaluation, competitive)),
        ),
        *(() if competitive else [("cross-play", "; ".join(partners(name, pairs)) or "not measured")]),
        ("measured", f"{deals(evaluation)} of seed {evaluation['seed']}, commit {measured['commit']}"),
        ("licence", licence()),
    ]
    return f"## {name}\n\n{table(('', ''), rows)}"


def network_in_words(path: Path, network: Facts) -> str:
    """Return a network's kind, sizes and number of weights, and the size and digest of its file."""
    with safe_open(path, "np") as file:
        weights = sum(prod(file.get_slice(tensor).get_shape()) for tensor in file.keys())  # noqa: SIM118 - not a dict
    content = path.read_bytes()
    sizes = ", ".join(f"{size} {network[size]}" for size in ("width", "layers"))
    file_in_words = f"{len(content) / 1e3:,.0f} kB, SHA-256 `{sha256(content).hexdigest()[:16]}`"
    return f"{network['kind']}, {sizes}: {weights:,} weights; {file_in_words}"


def stages(recipe: Recipe) -> Iterator[str]:
    """Yield the training of a network by stages: algorithm, decisions, and settings that differ from the defaults."""
    if recipe.first is not None:
        yield from stages(recipe.first)
    what = NAMES[recipe.learner] if recipe.clones is None else f"cloning of `{recipe.clones}`"
    settings = f" (`{' '.join(recipe.settings)}`)" if recipe.settings else ""
    yield f"{what}, {round(recipe.steps / 1e6)} M decisions{settings}"


def scores(name: str, evaluation: Facts, competitive: bool) -> Iterator[str]:
    """Yield a network's results in self-play, or its rating and its results against bots."""
    if not competitive:
        yield with_error(evaluation["score"], evaluation["score_error"])
        yield f"perfect {evaluation['perfect_rate']:.1%}, lost {evaluation['lost_rate']:.2%}"
        return
    unit, ratings = ratings_of(evaluation)
    (row,) = (row for row in ratings if row["name"] == name)
    form, in_points = (".0f", False) if unit == ELO else (".2f", True)
    yield f"{row['rating']:+{form}} ± {row['error']:{form}} {unit}"
    for match in evaluation["tournament"]["matches"]:
        if name in match["agents"]:
            (other,) = (agent for agent in match["agents"] if agent != name)
            won = rate_of({tuple(match["agents"]): match}, name, other)
            lead = match["lead"] if match["agents"][0] == name else -match["lead"]
            points, error = lead / 2, match["lead_error"] / 2  # counted from both sides
            share = f"{won:.1%} ± {match['won_error']:.1%}"
            yield (
                f"`{other}` {points:+.2f} ± {error:.2f} ({share} of the rounds)" if in_points else f"`{other}` {share}"
            )


def deals(evaluation: Facts) -> str:
    """Return how many deals and games a network was evaluated in."""
    if "tournament" not in evaluation:
        return f"{evaluation['games']:,} games"
    match = evaluation["tournament"]["matches"][0]
    return f"{match['deals']:,} deals ({match['games']:,} games a pair)"


def partners(name: str, pairs: list[dict[str, Any]]) -> Iterator[str]:
    """Yield the mean scores with each partner: with the network at player 0's seat, then with the partner there."""
    for pair in pairs:
        if name in (pair["network"], pair["partner"]):
            found = pair["scores"] if name == pair["network"] else pair["scores"][::-1]
            other = pair["partner"] if name == pair["network"] else pair["network"]
            yield f"`{other}` {' and '.join(with_error(*score) for score in found)}"


def licence() -> str:
    """Return the project's licence as a cell's text."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return f"{project['license']}, as the project's"


def write(check: bool = False) -> None:
    """Write the cards.

    Args:
        check: only say whether they are up to date.
    """
    update(PAGE, [("cards", cards())], check, COMMAND)


if __name__ == "__main__":
    import tyro

    tyro.cli(write, prog=COMMAND)
