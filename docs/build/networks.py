"""The table of networks in docs/networks.md, made from their files and committed results.

python -m docs.build.networks           # write it
python -m docs.build.networks --check   # say whether it is up to date
"""

from pathlib import Path

from benchmarks.recipes import RECIPES
from benchmarks.strength.shipped_networks import RESULTS
from hanabako.agents.networks.policy_file import read_metadata
from hanabako.agents.registry import PRETRAINED
from hanabako.agents.results.store import read_results
from hanabako.agents.results.tables import training_in_words
from hanabako.files import read_json
from hanabako.generated import table, update

__all__ = ["networks"]

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "networks.md"
COMMAND = "python -m docs.build.networks"


def networks() -> str:
    """Return a table with a line per network that ships."""
    scores = read_json(ROOT / "agents" / "scores.json")
    rows = {row["line_up"][0]: row for row in read_results(RESULTS)}
    lines = []
    for name in RECIPES:
        about, row = read_metadata(PRETRAINED / f"{name}.safetensors"), rows[name]
        own = scores[row["game"]][name]
        score = f"{own['score']:.2f} ± {own['error']:.2f} {own['unit']}"
        game = f"{row['preset'].split(' ')[0]}, {row['players']} players"
        lines.append([f"`{name}`", game, about["network"]["features"], score, training_in_words(about["about"])])
    return table(["network", "game", "features", "score", "training"], lines)


def write(check: bool = False) -> None:
    """Write the table.

    Args:
        check: only say whether it is up to date.
    """
    update(PAGE, [("networks", networks())], check, COMMAND)


if __name__ == "__main__":
    import tyro

    tyro.cli(write, prog=COMMAND)
