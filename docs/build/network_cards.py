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

from agents.networks.policy_file import read_metadata
from agents.registry import PRETRAINED
from agents.results.store import read_results
from agents.results.study import Result, Results
from agents.results.tables import with_error
from benchmarks.recipes import RECIPES, Recipe
from benchmarks.strength.shipped_networks import RESULTS
from benchmarks.strength.tables.markdown import training_in_words
from hanabako.games import config_from_dict, game_in_words
from hanabako.generated import table, update

__all__ = ["cards"]

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "networks.md"
COMMAND = "python -m docs.build.network_cards"
STUDIES = ("shipped_networks", "network_partners", "tournaments")
NAMES = {"ppo": "PPO", "other_play": "Other-Play (not a reproduction)"}
"""The names of algorithms in text."""
Facts = Mapping[str, Any]


def cards() -> str:
    """Return all cards."""
    found = {name: read_results(RESULTS.with_name(f"{name}.json")) for name in STUDIES}
    return "\n\n".join(card(name, recipe, found) for name, recipe in RECIPES.items())


def card(name: str, recipe: Recipe, found: Mapping[str, Results]) -> str:
    """Return the card of one network, from the results of `STUDIES`."""
    path = PRETRAINED / f"{name}.safetensors"
    metadata = read_metadata(path)
    config, about = config_from_dict(metadata["config"]), metadata["about"]
    (own,) = (row for row in found["shipped_networks"] if row["line_up"][0] == name)
    is_alone = recipe.opponent is None
    others = "; ".join(met(name, found["network_partners" if is_alone else "tournaments"])) or "not measured"
    rows = [
        ("game", game_in_words(config)),
        ("observation", f"{config.observation_name}, {config.observation_bits:,} bits"),
        ("features", metadata["network"]["features"]),
        ("network", network_in_words(path, metadata["network"])),
        ("training", "; then ".join(stages(recipe))),
        ("seed, ranks", f"{about['seed']}, {about['ranks']}"),
        ("cost", training_in_words(about)),
        ("train it again", f"delete the file, then `hanabako study run shipped_networks --where line_up={name}`"),
        *([("self-play", alone(own))] if is_alone else []),
        ("with others" if is_alone else "against others", others),
        ("measured", f"{own['done']:,} deals of seed {own['seed']}, commit {own['commit']}"),
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


def alone(row: Result) -> str:
    """Return a network's results in self-play."""
    score = with_error(row["score"], row["score_error"])
    return f"{score}; perfect {row['perfect_rate']:.1%}, lost {row['lost_rate']:.2%}"


def met(name: str, rows: Results) -> Iterator[str]:
    """Yield a network's results with or against each other agent."""
    for row in rows:
        if name in row["line_up"]:
            (other,) = (agent for agent in row["line_up"] if agent != name)
            if "lead" not in row:
                yield f"`{other}` {with_error(row['score'], row['score_error'])}"
                continue
            side = 1 if row["line_up"][0] == name else -1
            won = row["won"] if side == 1 else 1 - row["won"] - row["drawn"]
            points = f"{side * row['lead'] / 2:+.2f} ± {row['lead_error'] / 2:.2f} "  # counted from both sides
            yield f"`{other}` {points if row['game'] == 'koikoi' else ''}({won:.1%} won)"


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
